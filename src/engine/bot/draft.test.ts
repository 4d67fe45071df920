import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import { advance } from './advance.ts';
import type { BotEvent } from './event.ts';
import type { BotState } from './state.ts';
import { context, minute, start, stateWith, symbols } from './testing/random-events.ts';

const [btc = '', eth = ''] = symbols;
const memory = (symbol: string) => ({ signal: null, decidedCandleTime: 5, view: { symbol, time: 0, bid: 1, ask: 1, last: 1 } });
/** A bot with a trade and a memory of two symbols, and a former trade. */
const before = (marginMode: 'isolated' | 'cross' = 'isolated'): BotState => ({
  ...stateWith({ marginMode }),
  trades: [btc, eth].map((symbol, i) => aTrade({ id: i + 1, symbol, marketType: 'futures', amount: 1, stop: 1, openValue: 100 })),
  formerTrades: [aTrade({ id: 9, symbol: btc, isOpen: false, closeTime: start })],
  pairs: { [btc]: memory(btc), [eth]: memory(eth) },
});
const row = { enterLong: false, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
const view = { symbol: btc, time: start, bid: 100, ask: 100, last: 100 };
const report = { state: 'open', requested: 1, filled: 0, fills: [] } as const;

/** What of a state an event copies: its trades, its memories by symbol, its former trade. */
const copied = (state: BotState, event: BotEvent) => {
  const after = advance(state, event, context).state;
  return [
    ...state.trades.map((trade) => !after.trades.includes(trade)),
    ...[btc, eth].map((symbol) => after.pairs[symbol] !== state.pairs[symbol]),
    !after.formerTrades.includes(state.formerTrades[0] ?? aTrade()),
  ];
};

describe('only what an event may change is copied', () => {
  const ofBtc = [true, false, true, false, false];
  const all = [true, true, true, true, true];
  test.each<[BotEvent['kind'], BotEvent, boolean[]]>([
    ['market', { kind: 'market', view }, ofBtc],
    ['book', { kind: 'book', view, orderIds: [] }, ofBtc],
    ['funding', { kind: 'funding', time: start, symbol: btc, rate: 0.001, mark: 100 }, [true, false, true, false, true]],
    ['candle-closed', { kind: 'candle-closed', time: start, symbol: btc, candleTime: start - 5 * minute, row }, ofBtc],
    ['status-changed', { kind: 'status-changed', time: start, status: 'paused' }, all],
    ['settings-changed', { kind: 'settings-changed', time: start, settings: before().settings }, all],
    ['order-update', { kind: 'order-update', time: start, orderId: 'x', report }, all],
  ])('by %s', (_, event, expected) => {
    const state = before();
    const known = structuredClone(state);
    expect(copied(state, event)).toEqual(expected);
    expect(state).toEqual(known);
  });
  test('with cross margin the prices of one symbol may move the liquidation of all', () => {
    expect(copied(before('cross'), { kind: 'market', view })).toEqual([true, true, true, false, false]);
  });
  test('lists and tables are copies, and a symbol of which nothing is known begins', () => {
    const tables = { exitTimeouts: { 7: 1 }, exitRetryTimes: { 7: 2 }, freeCoins: { 7: 3 }, enteredCandleTimes: { [btc]: 3 } };
    const state = { ...before(), ...tables, recentTrades: [aTrade({ id: 8 })] };
    const after = advance(state, { kind: 'market', view: { ...view, symbol: 'NEW' } }, context).state;
    for (const name of ['trades', 'recentTrades', 'exitTimeouts', 'exitRetryTimes', 'freeCoins', 'enteredCandleTimes'] as const) {
      expect(after[name], name).not.toBe(state[name]);
      expect(after[name], name).toEqual(state[name]);
    }
    expect(after.pairs).not.toBe(state.pairs);
    expect(Object.keys(after.pairs)).toEqual([btc, eth, 'NEW']);
    expect(Object.keys(state.pairs)).toEqual([btc, eth]);
  });
});
