import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Trade } from '../account/trade.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { activeLock, nextBoundary, unexpiredLocks } from './locks.ts';
import type { Protection } from '../settings/protection.ts';
import { locksAfterExit } from './protections.ts';

const hour = 3_600_000;

function closedAt(hours: number, ratio: number, given: Partial<Trade> = {}): Trade {
  return aTrade({ isOpen: false, closeTime: hours * hour, profitRatio: ratio, profit: ratio * 1000, exitReason: 'exit_signal', ...given });
}

function locks(protection: Protection, closedTrades: Trade[], time: number, given: Partial<Parameters<typeof locksAfterExit>[0]> = {}) {
  const settings = requireSettings({
    stakeAmount: 100,
    maxOpenTrades: 3,
    stoploss: -0.1,
    protections: [protection],
    startingBalance: 1000,
  });
  const closedProfit = closedTrades.reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
  const view = { settings, timeframeMs: hour, closedTrades, closedProfit, locks: [], ...given };
  return locksAfterExit(view, 'BTC/USDT', 'long', time * hour).map(({ symbol, side, endTime }) => [symbol, side, endTime / hour]);
}

describe('protections', () => {
  test('cooldown: an end on a boundary moves one candle further', () => {
    expect(locks({ kind: 'cooldown', stopCandles: 2 }, [closedAt(3, 0.1)], 3)).toEqual([['BTC/USDT', '*', 6]]);
    expect(locks({ kind: 'cooldown', stopMinutes: 90 }, [closedAt(3, 0.1)], 3)).toEqual([['BTC/USDT', '*', 5]]);
  });
  test('cooldown counts the own pair only', () => {
    expect(locks({ kind: 'cooldown' }, [closedAt(3, 0.1, { symbol: 'ETH/USDT' })], 3)).toEqual([]);
  });
  test('an hour of the day unlocks', () => {
    expect(locks({ kind: 'cooldown', unlockAt: '07:30' }, [closedAt(3, 0.1)], 3)).toEqual([['BTC/USDT', '*', 8]]);
    expect(locks({ kind: 'cooldown', unlockAt: '01:00' }, [closedAt(3, 0.1)], 3)).toEqual([['BTC/USDT', '*', 26]]);
  });
  test('stoploss guard counts losing stops, of the pair and of all, in the look-back', () => {
    const stop = { exitReason: 'stop_loss' };
    const guard: Protection = { kind: 'stoploss-guard', tradeLimit: 2, lookbackCandles: 5, stopCandles: 1 };
    const two = [closedAt(3, -0.1, stop), closedAt(5, -0.1, stop)];
    expect(locks(guard, two, 5)).toEqual([
      ['BTC/USDT', '*', 7],
      ['*', '*', 7],
    ]);
    expect(locks({ ...guard, onlyPerPair: true }, two, 5)).toEqual([['BTC/USDT', '*', 7]]);
    expect(locks({ ...guard, onlyPerSide: true }, two, 5)).toEqual([
      ['BTC/USDT', 'long', 7],
      ['*', 'long', 7],
    ]);
    expect(
      locks({ ...guard, onlyPerSide: true }, [closedAt(3, -0.1, { ...stop, direction: 'short' }), closedAt(5, -0.1, stop)], 5),
    ).toEqual([]);
    expect(locks(guard, [closedAt(3, -0.1, { ...stop, direction: 'short' }), closedAt(5, -0.1, stop)], 5)).toHaveLength(2);
    expect(locks(guard, [closedAt(0, -0.1, stop), closedAt(5, -0.1, stop)], 5)).toEqual([]);
    expect(locks(guard, [closedAt(3, 0.1, stop), closedAt(5, -0.1, stop)], 5)).toEqual([]);
    expect(locks(guard, [closedAt(3, -0.1), closedAt(5, -0.1, stop)], 5)).toEqual([]);
  });
  test('low profit', () => {
    const low: Protection = { kind: 'low-profit', tradeLimit: 2, requiredProfit: 0.02, lookbackCandles: 10 };
    expect(locks(low, [closedAt(3, 0.05), closedAt(5, -0.04)], 5)).toEqual([['BTC/USDT', '*', 7]]);
    expect(locks(low, [closedAt(3, 0.05), closedAt(5, -0.03)], 5)).toEqual([]);
    expect(locks(low, [closedAt(5, -0.04)], 5)).toEqual([]);
  });
  test('max drawdown by ratios and by equity', () => {
    const trades = [closedAt(3, 0.1), closedAt(4, -0.2), closedAt(5, 0.05)];
    const drawdown: Protection = { kind: 'max-drawdown', tradeLimit: 2, maxAllowedDrawdown: 0.19, lookbackCandles: 10 };
    expect(locks(drawdown, trades, 5)).toEqual([['*', '*', 7]]);
    expect(locks({ ...drawdown, maxAllowedDrawdown: 0.2 }, trades, 5)).toEqual([]);
    // 990 grows to 1090 and falls to 890: 0.1835 of the peak.
    expect(locks({ ...drawdown, mode: 'equity', maxAllowedDrawdown: 0.183 }, trades, 5)).toEqual([['*', '*', 7]]);
    expect(locks({ ...drawdown, mode: 'equity', maxAllowedDrawdown: 0.184 }, trades, 5)).toEqual([]);
  });
  test('the equity begins with the available capital where that is given', () => {
    const trades = [closedAt(1, 0.1), closedAt(2, -0.2)];
    const settings = (protection: Protection) =>
      requireSettings({
        stakeAmount: 100,
        maxOpenTrades: 3,
        stoploss: -0.1,
        protections: [protection],
        startingBalance: 1000,
        availableCapital: 300,
      });
    // 300 grows to 400 and falls to 200: half of the peak.
    const drawdown = { kind: 'max-drawdown', mode: 'equity', tradeLimit: 2, lookbackCandles: 10 } as const;
    const at = (maxAllowedDrawdown: number) => {
      const protection: Protection = { ...drawdown, maxAllowedDrawdown };
      return locks(protection, trades, 3, { settings: settings(protection) });
    };
    expect(at(0.49)).toHaveLength(1);
    expect(at(0.5)).toEqual([]);
  });
  test('without figures of its own a protection looks back an hour and rests for one', () => {
    expect(locks({ kind: 'cooldown' }, [closedAt(3, 0.1)], 3.5)).toEqual([['BTC/USDT', '*', 5]]);
    expect(locks({ kind: 'cooldown' }, [closedAt(2.5, 0.1)], 3.5)).toEqual([]);
    expect(locks({ kind: 'cooldown', lookbackMinutes: 61 }, [closedAt(2.5, 0.1)], 3.5)).toHaveLength(1);
    expect(locks({ kind: 'cooldown', lookbackCandles: 2 }, [closedAt(2.5, 0.1)], 3.5)).toHaveLength(1);
    const stops = Array.from({ length: 10 }, () => closedAt(3, -0.1, { exitReason: 'stop_loss' }));
    expect(locks({ kind: 'stoploss-guard' }, stops, 3)).toHaveLength(2);
    expect(locks({ kind: 'stoploss-guard' }, stops.slice(1), 3)).toEqual([]);
    expect(locks({ kind: 'low-profit' }, [closedAt(3, -0.01)], 3)).toHaveLength(1);
    expect(locks({ kind: 'low-profit' }, [closedAt(3, 0)], 3)).toEqual([]);
    expect(locks({ kind: 'low-profit' }, [], 3)).toEqual([]);
    expect(locks({ kind: 'max-drawdown', maxAllowedDrawdown: 0.05 }, [closedAt(3, -0.1)], 3)).toHaveLength(1);
  });
  test.each(['stop_loss', 'trailing_stop_loss', 'stoploss_on_exchange', 'liquidation'])('the guard counts %s', (exitReason) => {
    expect(locks({ kind: 'stoploss-guard', tradeLimit: 1 }, [closedAt(3, -0.1, { exitReason })], 3)).toHaveLength(2);
  });
  test.each([
    ['no exit for another reason', { exitReason: 'roi' }],
    ['no stop at neither profit nor loss', { profitRatio: 0 }],
    ['no stop above the profit that is asked for', { profitRatio: 0.03 }],
    ['no stop at exactly that profit', { profitRatio: 0.02 }],
    ['no trade whose result is not known', { profitRatio: null }],
  ])('the guard counts %s', (_, given) => {
    const guard: Protection = { kind: 'stoploss-guard', tradeLimit: 1, requiredProfit: 0.02 };
    expect(locks(guard, [closedAt(3, -0.1, { exitReason: 'stop_loss', ...given })], 3)).toEqual([]);
  });
  test('the guard counts stops with a small profit where more was asked for', () => {
    const guard: Protection = { kind: 'stoploss-guard', tradeLimit: 1, requiredProfit: 0.02 };
    expect(locks(guard, [closedAt(3, 0.01, { exitReason: 'stop_loss' })], 3)).toHaveLength(2);
  });
  test('the guard of a pair does not count the others, that of all does', () => {
    const stop = { exitReason: 'stop_loss' };
    const two = [closedAt(3, -0.1, { ...stop, symbol: 'ETH/USDT' }), closedAt(3, -0.1, stop)];
    expect(locks({ kind: 'stoploss-guard', tradeLimit: 2 }, two, 3)).toEqual([['*', '*', 5]]);
  });
  test('low profit of a side counts that side, and locks it', () => {
    const low: Protection = { kind: 'low-profit', tradeLimit: 2, onlyPerSide: true, lookbackCandles: 10 };
    const short = { direction: 'short' } as const;
    expect(locks(low, [closedAt(3, -0.9, short), closedAt(5, 0.1)], 5)).toEqual([]);
    expect(locks(low, [closedAt(3, 0.9, short), closedAt(5, -0.1)], 5)).toEqual([['BTC/USDT', 'long', 7]]);
    expect(locks({ ...low, onlyPerSide: false }, [closedAt(3, 0.9, short), closedAt(5, -0.1)], 5)).toEqual([]);
  });
  test('low profit is about pairs, drawdown about all of them together', () => {
    const other = { symbol: 'ETH/USDT' };
    expect(locks({ kind: 'low-profit', tradeLimit: 2, lookbackCandles: 9 }, [closedAt(3, -0.1, other), closedAt(3, -0.1)], 3)).toEqual([]);
    const drawdown: Protection = { kind: 'max-drawdown', tradeLimit: 2, maxAllowedDrawdown: 0.15, lookbackCandles: 9 };
    expect(locks(drawdown, [closedAt(3, -0.1, other), closedAt(3, -0.1)], 3)).toEqual([['*', '*', 5]]);
    expect(locks({ ...drawdown, tradeLimit: 3 }, [closedAt(3, -0.1, other), closedAt(3, -0.1)], 3)).toEqual([]);
  });
  test('a drawdown of trades without a result, or of a balance that is gone, is none', () => {
    const drawdown: Protection = { kind: 'max-drawdown', maxAllowedDrawdown: 0, lookbackCandles: 9 };
    const unknown = [closedAt(3, 0, { profit: null, profitRatio: null })];
    expect(locks(drawdown, unknown, 3)).toEqual([]);
    expect(locks({ ...drawdown, mode: 'equity' }, unknown, 3)).toEqual([]);
    expect(locks({ ...drawdown, mode: 'equity' }, [closedAt(3, -0.1)], 3, { closedProfit: -1090 })).toEqual([]);
  });
  test('the equity begins with what was won before these trades', () => {
    // 990 + 110 falls by 100.
    const drawdown: Protection = { kind: 'max-drawdown', mode: 'equity', maxAllowedDrawdown: 0.0909, lookbackCandles: 9 };
    expect(locks(drawdown, [closedAt(3, -0.1)], 3, { closedProfit: 10 })).toHaveLength(1);
    expect(locks({ ...drawdown, maxAllowedDrawdown: 0.091 }, [closedAt(3, -0.1)], 3, { closedProfit: 10 })).toEqual([]);
  });
  test('a rest counts from the last of the trades, an hour of the day from its own day', () => {
    const guard: Protection = { kind: 'stoploss-guard', tradeLimit: 2, lookbackCandles: 30, stopCandles: 2, onlyPerPair: true };
    const stop = { exitReason: 'stop_loss' };
    const trades = [closedAt(26, -0.1, stop), closedAt(27, -0.1, stop)];
    expect(locks(guard, trades, 28)).toEqual([['BTC/USDT', '*', 30]]);
    expect(locks({ ...guard, unlockAt: '07:00' }, trades, 28)).toEqual([['BTC/USDT', '*', 32]]);
    expect(locks({ ...guard, unlockAt: '03:00' }, trades, 28)).toEqual([['BTC/USDT', '*', 28]]);
    expect(locks({ ...guard, unlockAt: '02:59' }, trades, 28)).toEqual([['BTC/USDT', '*', 51]]);
  });
  test('of two protections the longer adds a lock, the shorter after it does not', () => {
    const settings = requireSettings({
      stakeAmount: 100,
      maxOpenTrades: 3,
      stoploss: -0.1,
      protections: [1, 5, 3].map((stopCandles) => ({ kind: 'cooldown', stopCandles })),
    });
    expect(locks({ kind: 'cooldown' }, [closedAt(3, 0.1)], 3, { settings }).map(([, , end]) => end)).toEqual([5, 9]);
  });
  test('a lock that lasts longer makes another superfluous', () => {
    const longer = [{ symbol: '*', side: '*', endTime: 20 * hour, reason: 'x' } as const];
    expect(locks({ kind: 'cooldown', stopCandles: 2 }, [closedAt(3, 0.1)], 3, { locks: longer })).toEqual([]);
    // A lock of one side does not do for both.
    const oneSide = [{ ...longer[0], side: 'long' } as const];
    expect(locks({ kind: 'cooldown', stopCandles: 2 }, [closedAt(3, 0.1)], 3, { locks: oneSide })).toEqual([['BTC/USDT', '*', 6]]);
  });
});

describe('locks', () => {
  const lock = { symbol: 'BTC/USDT', side: 'long', endTime: 100, reason: 'x' } as const;
  test('end at their end', () => {
    expect(activeLock([lock], 'BTC/USDT', 'long', 99)).toBe(lock);
    expect(activeLock([lock], 'BTC/USDT', 'long', 100)).toBe(null);
  });
  test('bind their side and symbol', () => {
    expect(activeLock([lock], 'BTC/USDT', 'short', 0)).toBe(null);
    expect(activeLock([lock], 'ETH/USDT', 'long', 0)).toBe(null);
    expect(activeLock([{ ...lock, symbol: '*', side: '*' }], 'ETH/USDT', 'short', 0)).not.toBe(null);
  });
  test('of several the one that lasts longest is named', () => {
    const [short, long] = [
      { ...lock, endTime: 50 },
      { ...lock, endTime: 200 },
    ];
    expect(activeLock([short, long, lock], 'BTC/USDT', 'long', 0)).toBe(long);
    const same = { ...long };
    expect(activeLock([long, same], 'BTC/USDT', 'long', 0)).toBe(long);
  });
  test('asked for all, that of one pair or side is not enough', () => {
    expect(activeLock([lock], '*', 'long', 0)).toBe(null);
    expect(activeLock([lock], 'BTC/USDT', '*', 0)).toBe(null);
  });
  test('that are over are forgotten', () => {
    expect(unexpiredLocks([lock, { ...lock, endTime: 101 }], 100)).toEqual([{ ...lock, endTime: 101 }]);
  });
  test('boundaries', () => {
    expect(nextBoundary(hour, hour)).toBe(2 * hour);
    expect(nextBoundary(hour + 1, hour)).toBe(2 * hour);
  });
});
