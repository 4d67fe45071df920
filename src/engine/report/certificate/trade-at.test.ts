import { expect, test } from 'vitest';
import { dayTrade, resultOf } from './day-trade.ts';
import { aDay, midnight, tradeOf } from './testing/a-day-of-trades.ts';
import { tradeAt } from './trade-at.ts';

const fill = (minutes: number, price: number, amount: number) => ({
  price,
  amount,
  time: midnight + minutes * 60_000,
  fee: 0.1,
  feeInQuote: 0.1,
});

/** In before midnight, more after it, half out, then all. */
const trade = tradeOf(
  'long',
  [
    { purpose: 'entry', fills: [fill(-60, 90, 2)] },
    { purpose: 'entry', fills: [fill(10, 95, 2)] },
    { purpose: 'exit', fills: [fill(20, 100, 1)] },
    { purpose: 'exit', fills: [fill(30, 102, 3)], tag: 'roi' },
  ],
  true,
  { initialStop: 80, stop: 99, isStopTrailing: true, fundedUntil: 1, liquidationPrice: null },
);

test('a trade as it was at midnight holds what it had been filled then, and is open', () => {
  const earlier = tradeAt(trade, midnight, []);
  expect(earlier).toMatchObject({
    isOpen: true,
    amount: 2,
    openRate: 90,
    profit: null,
    closeTime: null,
    exitReason: null,
    realizedProfit: 0,
  });
  expect(earlier?.orders).toHaveLength(1);
  expect(earlier).not.toHaveProperty('fundedUntil');
  expect(tradeAt(trade, midnight + 25 * 60_000, [])).toMatchObject({ amount: 3, openRate: 92.5 });
});

test('its stop is that of the newest move before, else the first one', () => {
  const moves = [
    { time: midnight - 1, price: 85 },
    { time: midnight + 1, price: 99 },
  ];
  expect(tradeAt(trade, midnight, moves)).toMatchObject({ stop: 85, isStopTrailing: true });
  expect(tradeAt(trade, midnight, [])).toMatchObject({ stop: 80, isStopTrailing: false });
});

test('before its first fill, and after its end, there is none', () => {
  expect(tradeAt(trade, midnight - 61 * 60_000, [])).toBeNull();
  expect(tradeAt(trade, midnight + 31 * 60_000, [])).toBeNull();
});

test('the trade itself is left as it is, and what it was at midnight is worth what the day says', () => {
  const before = structuredClone(trade);
  const earlier = tradeAt(trade, midnight, [])!;
  expect(trade).toEqual(before);
  const day = aDay();
  // Both begin with two coins at 100; the one of midnight is held to the end at 110.
  expect(Number(resultOf(dayTrade(earlier, day)!).digits) / 10 ** resultOf(dayTrade(earlier, day)!).scale).toBe(20);
});
