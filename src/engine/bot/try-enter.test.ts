import { describe, expect, test } from 'vitest';
import type { Instrument } from '../market/instrument.ts';
import type { Lock } from '../risk/locks.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { SignalRow } from './event.ts';
import type { BotState } from './state.ts';
import { Rig, enter, hour, instrument, start, symbol } from './testing/rig.ts';

const perpetual = { marketType: 'futures', maxLeverage: 10 } as const;
const short = { marketType: 'futures', canShort: true } as const;

/** What a bot decides an hour after the start on this signal, with bid 99, last 100 and ask 101. */
function decide(
  given: {
    settings?: Partial<SettingsInput>;
    callbacks?: StrategyCallbacks;
    market?: Partial<Instrument>;
    state?: Partial<BotState>;
    row?: Partial<SignalRow>;
    minutes?: number;
  } = {},
) {
  const rig = new Rig(given.settings, given.callbacks, given.market);
  Object.assign(rig.state, given.state);
  rig.candle(1, given.row ?? enter);
  rig.tick(given.minutes ?? 60, 100, { bid: 99, ask: 101 });
  const { action, gate, seen } = rig.decisions()[0] ?? {};
  return { rig, decision: [action, gate, seen?.price] };
}
const decision = (given: Parameters<typeof decide>[0]) => () => decide(given).decision;
const lockedUntil = (endTime: number, given: Partial<Lock> = {}): Partial<BotState> => ({
  locks: [{ symbol, side: '*', endTime, reason: 'x', ...given }],
});

describe('OP-83 the gates of an entry, each with the price it was refused at', () => {
  const now = start + hour;
  test.each<[string, () => unknown[], unknown[]]>([
    ['enters', decision({}), ['enter', null, 99]],
    ['no signal', decision({ row: {} }), ['none', 'no-signal', 100]],
    ['a short signal on a market without shorts', decision({ row: { enterShort: true } }), ['none', 'no-signal', 100]],
    ['a candle that is too old', decision({ minutes: 126 }), ['none', 'stale-candle', null]],
    ['a candle that is just not too old', decision({ minutes: 125 }), ['enter', null, 99]],
    ['a signal that has expired', decision({ settings: { ignoreExpiredAfterMs: 59_999 }, minutes: 61 }), ['none', 'expired-signal', null]],
    ['a signal that is as old as it may be', decision({ settings: { ignoreExpiredAfterMs: 60_000 }, minutes: 61 }), ['enter', null, 99]],
    ['a stopped bot', decision({ state: { status: 'stopped' } }), ['none', 'stopped', null]],
    ['a paused bot', decision({ state: { status: 'paused' } }), ['none', 'paused', null]],
    ['a signal that has led to a fill', decision({ state: { enteredCandleTimes: { [symbol]: start } } }), ['none', 'locked', null]],
    [
      'a signal after one that has led to a fill',
      decision({ state: { enteredCandleTimes: { [symbol]: start - 1 } } }),
      ['enter', null, 99],
    ],
    ['a lock', decision({ state: lockedUntil(now + 1) }), ['none', 'locked', null]],
    ['a lock that is over', decision({ state: lockedUntil(now) }), ['enter', null, 99]],
    ['a lock of its side', decision({ state: lockedUntil(now + 1, { side: 'long' }) }), ['none', 'locked', null]],
    ['a lock of the other side', decision({ state: lockedUntil(now + 1, { side: 'short' }) }), ['enter', null, 99]],
    ['a lock of another pair', decision({ state: lockedUntil(now + 1, { symbol: 'ETH/USDT' }) }), ['enter', null, 99]],
    ['no balance', decision({ settings: { startingBalance: 999 } }), ['none', 'insufficient-balance', 99]],
    ['a balance that was lost', decision({ state: { closedProfit: -9001 } }), ['none', 'insufficient-balance', 99]],
    ['a strategy that does not confirm', decision({ callbacks: { confirmEntry: () => false } }), ['none', 'refused-by-strategy', 99]],
    ['a strategy that confirms', decision({ callbacks: { confirmEntry: () => true } }), ['enter', null, 99]],
    // For a stop of 5 per cent the smallest stake would be 1050, to which 1000 could be raised; for this one it is 1425.
    [
      'a smallest stake for the real stop',
      decision({ settings: { stoploss: -0.4 }, market: { minCost: 950 } }),
      ['none', 'stake-too-small', 99],
    ],
    [
      'a smallest cost that is not that of a contract',
      decision({ market: { minCost: 900, contractSize: 10, amountStep: 0.001 } }),
      ['enter', null, 99],
    ],
  ])('%s', (_, found, expected) => {
    expect(found()).toEqual(expected);
  });
});

describe('OP-83 the price of an entry', () => {
  const priced =
    (wished: number | null, direction: 'long' | 'short' = 'long') =>
    () => {
      const { rig } = decide({
        callbacks: { entryPrice: () => wished },
        ...(direction === 'long' ? {} : { settings: short, market: perpetual, row: { enterShort: true } }),
      });
      return rig.state.trades[0]?.orders[0]?.price;
    };
  test.each<[string, () => unknown, number]>([
    ['is where it waits', priced(null), 99],
    ['of a short is where it waits', priced(null, 'short'), 101],
    ['is what the strategy asks, to the tick', priced(98.456), 98.46],
    ['may be a little above', priced(100.5), 100.5],
    ['is not far above', priced(200), 100.98],
    ['is not far below', priced(50), 97.02],
    ['of a short is not far below', priced(50, 'short'), 98.98],
    ['of a short is not far above', priced(200, 'short'), 103.02],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });
});

describe('OP-83 the trade of an entry', () => {
  test('has the market, the fees, the stop and the tag of its signal, and an order that waits', () => {
    const { rig } = decide({ settings: { fee: 0.002, stoploss: -0.2 } });
    expect(rig.state.trades).toMatchObject([
      {
        id: 1,
        symbol,
        direction: 'long',
        openTime: start + hour,
        enterTag: 'up',
        priceTick: instrument.priceTick,
        feeOpen: 0.002,
        feeClose: 0.002,
        openRate: 99,
        stop: 79.2,
        initialStop: 79.2,
        stopRatio: -0.2,
        amount: 0,
      },
    ]);
    expect(rig.state.trades[0]?.orders).toMatchObject([
      {
        action: 'enter',
        purpose: 'entry',
        side: 'buy',
        type: 'limit',
        price: 99,
        amount: 10.101,
        tag: 'up',
        state: 'open',
        candleTime: start,
      },
    ]);
    expect(rig.state.nextTradeId).toBe(2);
    expect(rig.effects[0]).toMatchObject({ kind: 'trade-opened', time: start + hour, trade: { id: 1, orders: [] } });
  });
  test('of a short sells, and its stop lies above', () => {
    const { rig } = decide({ settings: short, market: perpetual, row: { enterShort: true } });
    expect(rig.state.trades).toMatchObject([{ direction: 'short', stop: 111.1, feeOpen: 0.001 }]);
    expect(rig.state.trades[0]?.orders).toMatchObject([{ side: 'sell', price: 101 }]);
  });
  test('the strategy is asked to confirm its price and amount', () => {
    const seen: unknown[] = [];
    decide({ callbacks: { confirmEntry: (entry) => seen.push(entry) > 0 } });
    expect(seen).toEqual([{ symbol, time: start + hour, direction: 'long', tag: 'up', price: 99, amount: 10.101 }]);
  });
  test('money that is tied up is not spent twice', () => {
    const { rig } = decide({ settings: { maxOpenTrades: 2, startingBalance: 1500 } });
    const other = 'ETH/USDT';
    (rig.context.instruments as Map<string, Instrument>).set(other, { ...instrument, symbol: other });
    const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
    const view = { symbol: other, time: start + hour, bid: 10, ask: 10, last: 10 };
    const effects = rig.take({ kind: 'candle-closed', time: start + hour, symbol: other, candleTime: start, row, view });
    expect(effects).toMatchObject([{ kind: 'decision', decision: { gate: 'insufficient-balance' } }]);
  });
});
