import type { Fill } from '#engine/account/fill.ts';
import { expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { FeeValues } from './fee-values.ts';

const market = await startMarket(1);
const spot = () => market.connect().market('sandbox', 'spot');
const minute = Math.floor(market.now() / 60_000) * 60_000 - 600_000;
const fill: Fill = {
  id: '1',
  price: 100,
  amount: 2,
  fee: 0.0003,
  feeCurrency: 'BNB',
  feeInQuote: null,
  liquidity: 'taker',
  time: minute + 12_345,
};

test('a fee in BNB is worth what BNB cost in its minute', async () => {
  const values = new FeeValues(spot, (error) => expect(error).toBeNull());
  const [candle] = await (await spot()).candles('BNB/USDT', '1m', minute, minute + 60_000);
  const valued = await values.valued(fill, 'BTC/USDT');
  expect(valued.feeInQuote).toBeCloseTo(0.0003 * (candle?.close ?? 0), 12);
  expect({ ...valued, feeInQuote: null }).toEqual(fill);
  const now = { ...fill, time: market.now() }; // its minute is not over
  expect((await values.valued(now, 'BTC/USDT')).feeInQuote).toBeGreaterThan(0);
});

test('one whose price cannot be had stays without a value, and is asked for again', async () => {
  const errors: unknown[] = [];
  const values = new FeeValues(spot, (error) => void errors.push(error));
  const odd = { ...fill, feeCurrency: 'NOSUCH' };
  expect(await values.valued(odd, 'BTC/USDT')).toEqual(odd);
  expect(await values.valued(odd, 'BTC/USDT')).toEqual(odd);
  expect(errors).toHaveLength(2);
  const known = { ...fill, feeInQuote: 0.5 };
  expect(await values.valued(known, 'BTC/USDT')).toBe(known);
});
