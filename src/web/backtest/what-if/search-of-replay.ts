import { changeAddress } from '../../address/address.ts';
import { fillPlan } from '../portfolio/portfolio-store.ts';
import type { WhatIfSetup } from './replay/messages.ts';

/** Opens the form of a study over what is replayed, filled in; nothing is begun. What was turned is found by the study, or not. */
export function openSearchOf({ strategy, bot, settings, ...setup }: WhatIfSetup): void {
  const number = (name: string, otherwise: number): number => {
    const { [name]: value } = settings;
    return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
  };
  const slots = number('maxOpenTrades', 1);
  const stake = number('stakeAmount', 0);
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  fillPlan({
    strategyId: strategy.id,
    botId: bot?.may_configure === true ? bot.id : null,
    exchangeId: setup.exchange_id,
    tradingMode: setup.trading_mode,
    pairs: [...setup.pairs],
    from: day(setup.from),
    to: day(setup.to - 1),
    timeframe: setup.timeframe,
    detailTimeframe: setup.detail_timeframe,
    slots,
    balance: number('startingBalance', stake * slots),
    isUnlimited: stake === 0,
    ...(stake === 0 ? {} : { stake }),
    leverage: number('leverage', 1),
  });
  changeAddress({ view: 'optimization', run: null, bot: null, days: null, gate: null, symbol: null, period: null });
}
