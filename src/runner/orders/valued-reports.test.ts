import type { Fill } from '#engine/account/fill.ts';
import { expect, test } from 'vitest';
import { FeeValues } from './fee-values.ts';
import { ValuedReports } from './valued-reports.ts';

const minute = 60_000;
const fill: Fill = { id: '1', price: 100, amount: 1, fee: 0.001, feeCurrency: 'BNB', feeInQuote: null, liquidity: 'taker', time: 0 };

test('OP-85 reports whose fees wait for their value are given on in their sequence, and all of them are waited for', async () => {
  const answers: (() => void)[] = [];
  const candles = async (_symbol: string, _timeframe: string, from: number) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return [{ openTime: from, open: 600, high: 600, low: 600, close: 600, volume: 1 }];
  };
  const given: string[] = [];
  const reports = new ValuedReports({
    feeValues: new FeeValues(
      async () => ({ candles }),
      (error) => expect(error).toBeNull(),
      10 * minute,
    ),
    symbolOf: () => 'BTC/USDT',
    onReport: (orderId, { fills }) => given.push(`${orderId} ${fills[0]?.feeInQuote?.toFixed(3)}`),
    onError: (error) => expect(error).toBeNull(),
  });
  const take = (orderId: string, time: number) =>
    reports.take(orderId, { state: 'filled', requested: 1, filled: 1, fills: [{ ...fill, time }] });
  take('first', 0);
  // That of a later minute may be known sooner: there is an answer, which the one before still lacks.
  await expect.poll(() => answers.length).toBe(1);
  take('second', 10 * minute);
  let isSettled = false;
  const settled = reports.settled().then(() => (isSettled = true));
  for (let i = 0; i < 20; i++) {
    answers[1]?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([given, isSettled, reports.isSettled]).toEqual([[], false, false]);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  await settled;
  expect([given, reports.isSettled]).toEqual([['first 0.600', 'second 0.600'], true]);
});
