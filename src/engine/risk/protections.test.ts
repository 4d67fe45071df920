import { describe, expect, test } from 'vitest';
import { aTrade } from '../account/testing/a-trade.ts';
import type { Trade } from '../account/trade.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { activeLock, nextBoundary } from './locks.ts';
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
  test('boundaries', () => {
    expect(nextBoundary(hour, hour)).toBe(2 * hour);
    expect(nextBoundary(hour + 1, hour)).toBe(2 * hour);
  });
});
