import { describe, expect, test } from 'vitest';
import type { Direction } from '../market/direction.ts';
import { aTrade } from './testing/a-trade.ts';
import { interestOwed } from './interest.ts';
import { closeValue, profitAt, profitRatio, rateForProfit, valueAtEntry } from './profit.ts';

describe('W21 margin: 30 at 100, 3x, fee 0.001, rate 0.0005, held 5 h 10 min', () => {
  test.each([
    ['binance', 'long', 0.25, 103, 3086.66, 83.66, 0.08357642, 101.878545],
    ['binance', 'short', 0.00375, 97, 2913.27411375, 83.72588625, 0.0838097, 98.124598],
    ['kraken', 'long', 3, 103, 3083.91, 80.91, 0.08082917, 101.970304],
    ['kraken', 'short', 0.045, 97, 2917.279365, 79.720635, 0.07980044, 97.989878],
  ] as const)('%s %s', (scheme, direction: Direction, interest, exit, value, profit, ratio, roiRate) => {
    const openValue = valueAtEntry(direction, 30, 100, 0.001);
    const trade = aTrade({
      direction,
      marketType: 'margin',
      leverage: 3,
      amount: 30,
      openRate: 100,
      openValue,
      interest: { scheme, ratePerPeriod: 0.0005 },
    });
    const time = (5 * 60 + 10) * 60_000;
    expect(openValue).toBe(direction === 'long' ? 3003 : 2997);
    expect(interestOwed({ scheme, ratePerPeriod: 0.0005 }, trade, time)).toBeCloseTo(interest, 12);
    expect(closeValue(trade, exit, time)).toBeCloseTo(value, 8);
    expect(profitAt(trade, exit, time)).toBeCloseTo(profit, 8);
    expect(profitRatio(trade, exit, time)).toBe(ratio);
    expect(rateForProfit(trade, 0.05, time)).toBeCloseTo(roiRate, 6);
  });
});
