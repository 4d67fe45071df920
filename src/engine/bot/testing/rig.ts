import type { BotEffect, Decision } from '../effect.ts';
import type { BotEvent, MarketView, SignalRow } from '../event.ts';
import type { Instrument } from '../../market/instrument.ts';
import { to8Decimals } from '../../market/rounding.ts';
import { anInstrument } from '../../market/testing/an-instrument.ts';
import type { SettingsInput } from '../../settings/normalise-settings.ts';
import { requireSettings } from '../../settings/normalise-settings.ts';
import type { BotContext, BotState } from '../state.ts';
import { botState } from '../state.ts';
import { step } from '../step.ts';
import type { StrategyCallbacks } from '../../strategy/callbacks.ts';

/** An hour in ms. */
export const hour = 3_600_000;
/** When every bot of these tests starts. */
export const start = Date.UTC(2024, 0, 1);
/** What it trades. */
export const symbol = 'BTC/USDT';

/** Its instrument. */
export const instrument = anInstrument({
  symbol,
  minCost: 5,
  makerFee: 0.0005,
});

/** A bot with its effects so far, driven by short words. */
export class Rig {
  state: BotState;
  readonly effects: BotEffect[] = [];
  readonly context: BotContext;
  constructor(settings: Partial<SettingsInput> = {}, callbacks: StrategyCallbacks = {}, given: Partial<Instrument> = {}) {
    this.context = { instruments: new Map([[symbol, { ...instrument, ...given }]]), callbacks, execution: 'simulated' };
    this.state = botState({
      botId: 'bot-1',
      timeframe: '1h',
      status: 'active',
      settings: requireSettings({
        stakeAmount: 1000,
        maxOpenTrades: 1,
        startingBalance: 10_000,
        tradableBalanceRatio: 1,
        stoploss: -0.1,
        minimalRoi: {},
        ...settings,
      }),
    });
  }
  take(event: BotEvent): BotEffect[] {
    const effects = step(this.state, event, this.context);
    this.effects.push(...effects);
    return effects;
  }
  /** Prices `minutes` after the start; bid and ask a cent around the price unless given. */
  tick(minutes: number, price: number, more: Partial<MarketView> = {}): BotEffect[] {
    return this.take({ kind: 'market', view: viewAt(minutes, price, more) });
  }
  /** The candle that closes `hours` after the start. */
  candle(hours: number, row: Partial<SignalRow> = {}): BotEffect[] {
    const time = start + hours * hour;
    return this.take({ kind: 'candle-closed', time, symbol, candleTime: time - hour, row: { ...quiet, ...row } });
  }
  kinds(): string[] {
    return this.effects.map(({ kind }) => kind);
  }
  decisions(): Decision[] {
    return this.effects.flatMap((effect) => (effect.kind === 'decision' ? [effect.decision] : []));
  }
  closed() {
    return this.effects.flatMap((effect) => (effect.kind === 'trade-closed' ? [effect.trade] : []));
  }
}

/** A candle without a signal. */
export const quiet: SignalRow = {
  enterLong: false,
  exitLong: false,
  enterShort: false,
  exitShort: false,
  enterTag: null,
  exitTag: null,
  confidence: null,
};
/** A candle that asks to go long. */
export const enter = { enterLong: true, enterTag: 'up', confidence: 0.8 };
/** Settings with market orders only. */
export const market = { orderTypes: { entry: 'market', exit: 'market', stoploss: 'market', forceExit: 'market' } } as const;

/** Prices some minutes after the start; bid and ask a cent around the price unless given. */
export function viewAt(minutes: number, price: number, more: Partial<MarketView> = {}): MarketView {
  return { symbol, time: start + minutes * 60_000, bid: to8Decimals(price - 0.01), ask: to8Decimals(price + 0.01), last: price, ...more };
}
