import { expect, test } from 'vitest';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { botState } from './state.ts';
import { step } from './step.ts';
import { enter, hour, market, quiet, start } from './testing/rig.ts';

test('a live bot of a perpetual of BNB that pays its fees in BNB has a stop for all that it has bought', () => {
  const symbol = 'BNB/USDT:USDT';
  const instrument = anInstrument({ symbol, marketType: 'futures', amountStep: 0.01, priceTick: 0.01, minAmount: 0.01 });
  const context = { instruments: new Map([[symbol, instrument]]), callbacks: {}, execution: 'exchange' as const, stopsAtExchange: true };
  const settings = {
    ...market,
    marketType: 'futures' as const,
    stakeAmount: 6_000,
    maxOpenTrades: 1,
    startingBalance: 10_000,
    tradableBalanceRatio: 1,
    stoploss: -0.1,
    minimalRoi: {},
  };
  const state = botState({ botId: 'bot-1', timeframe: '1h', status: 'active', settings: requireSettings(settings) });
  const time = start + hour;
  step(state, { kind: 'candle-closed', time, symbol, candleTime: start, row: { ...quiet, ...enter } }, context);
  step(state, { kind: 'market', view: { symbol, time: time + 1, bid: 600, ask: 600, last: 600 } }, context);
  const [entry] = state.trades[0]?.orders ?? [];
  expect(entry?.amount).toBe(10);
  const fill = {
    id: '1',
    price: 600,
    amount: 10,
    fee: 0.0045,
    feeCurrency: 'BNB',
    feeInQuote: 2.7,
    liquidity: 'taker' as const,
    time: time + 2,
  };
  const report = { state: 'filled' as const, requested: 10, filled: 10, fills: [fill] };
  step(state, { kind: 'order-update', time: time + 3, orderId: entry?.id ?? '', report }, context);
  expect(state.trades[0]).toMatchObject({ amount: 10 });
  expect(state.trades[0]?.orders.at(-1)).toMatchObject({ type: 'stop', amount: 10 });
});
