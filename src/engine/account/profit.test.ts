import { describe, expect, test } from 'vitest';
import type { Direction } from '../market/direction.ts';
import { aTrade } from './testing/a-trade.ts';
import { interestOwed } from './interest.ts';
import { closeValue, profitAt, profitRatio, rateForProfit, roughRateForProfit, valueAtEntry } from './profit.ts';

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

describe('profit without borrowing', () => {
  const held = { amount: 2, openRate: 100, feeClose: 0.001 };
  const position = (direction: Direction, marketType: 'spot' | 'futures', leverage: number, fundingFees: number) =>
    aTrade({ ...held, direction, marketType, leverage, fundingFees, openValue: valueAtEntry(direction, 2, 100, 0.001) });

  test.each([
    ['spot long, where funding does not count', position('long', 'spot', 1, 7), 219.78, 19.58, 0.0978022],
    ['long on futures with funding received', position('long', 'futures', 3, 7), 226.78, 26.58, 0.3983017],
    ['short on futures with funding received', position('short', 'futures', 3, 7), 213.22, -13.42, -0.2015015],
    ['short on futures with funding paid', position('short', 'futures', 3, -7), 227.22, -27.42, -0.41171171],
  ])('%s', (_, trade, value, profit, ratio) => {
    expect(closeValue(trade, 110, 0)).toBeCloseTo(value, 8);
    expect(profitAt(trade, 110, 0)).toBeCloseTo(profit, 8);
    expect(profitRatio(trade, 110, 0)).toBe(ratio);
    // The price of this profit is the price again, by both ways.
    expect(rateForProfit(trade, ratio, 0)).toBeCloseTo(110, 4);
    expect(roughRateForProfit(trade, ratio)).toBeCloseTo(110, 4);
  });

  test('of a position without a value is 0', () => {
    expect(profitRatio({ ...position('long', 'spot', 1, 0), openValue: 0 }, 110, 0)).toBe(0);
  });

  test('half a unit of the eighth decimal is decided in decimals, which doubles cannot hold', () => {
    const bought = (amount: number) => aTrade({ amount, openRate: 100, openValue: amount * 100, feeClose: 0 });
    expect(profitRatio(bought(0.3), 100.0000025, 0)).toBe(3e-8);
    expect(profitRatio(bought(2.1), 100.0000205, 0)).toBe(2e-7);
  });

  test('of a small position with a high fee is that of its value, fee by fee', () => {
    const openValue = valueAtEntry('long', 0.01, 100, 0.1);
    // 1.10 is paid; at 110 it is 1.10 less a tenth.
    expect(profitRatio(aTrade({ amount: 0.01, openRate: 100, openValue, feeClose: 0.1 }), 110, 0)).toBe(-0.1);
  });

  test('interest is charged on margin only, and only where there are terms', () => {
    const interest = { scheme: 'binance', ratePerPeriod: 0.5 } as const;
    const spot = aTrade({ ...held, openValue: 200.2 });
    for (const free of [{ marketType: 'margin' }, { marketType: 'spot', interest }] as const)
      expect(closeValue(aTrade({ ...held, ...free, openValue: 200.2, leverage: 3 }), 110, 3_600_000)).toBe(closeValue(spot, 110, 0));
    expect(closeValue(aTrade({ ...held, marketType: 'margin', interest, leverage: 3 }), 110, 3_600_000)).toBeLessThan(219);
  });
});

test('hours of interest are counted from the opening', () => {
  const terms = { scheme: 'binance', ratePerPeriod: 0.24 } as const;
  const short = { direction: 'short', amount: 10, openRate: 100, leverage: 2, openTime: 3_600_000 } as const;
  const owed = (hours: number): number => interestOwed(terms, short, hours * 3_600_000);
  expect([owed(0), owed(1), owed(2), owed(2.5), owed(3)].map((each) => Number(each.toFixed(12)))).toEqual([0, 0, 0.1, 0.2, 0.2]);
});
