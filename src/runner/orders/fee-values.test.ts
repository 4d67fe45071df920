import type { Fill } from '#engine/account/fill.ts';
import type { Candle } from '#engine/market/candle.ts';
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
});

test('each of two fees in BNB is worth what BNB cost in its own minute', async () => {
  const values = new FeeValues(spot, (error) => expect(error).toBeNull());
  const prices = await (await spot()).candles('BNB/USDT', '1m', minute - 300 * 60_000, minute + 60_000);
  const [last, other] = [prices.at(-1), prices.findLast(({ close }) => close !== prices.at(-1)?.close)];
  for (const candle of [last, other, last]) {
    const valued = await values.valued({ ...fill, time: (candle?.openTime ?? 0) + 59_999 }, 'BTC/USDT');
    expect(valued.feeInQuote).toBeCloseTo(0.0003 * (candle?.close ?? 0), 12);
  }
  expect(other?.close).not.toBe(last?.close);
});

test('a fee is worth what it costs in the currency of its trade', async () => {
  const closes: Record<string, number> = { 'BNB/USDT': 600, 'BNB/BTC': 0.01 };
  const values = new FeeValues(
    async () => ({
      candles: async (symbol, _timeframe, openTime) => {
        const close = closes[symbol] ?? Number.NaN;
        return [{ openTime, open: close, high: close, low: close, close, volume: 1 }];
      },
    }),
    (error) => expect(error).toBeNull(),
  );
  expect((await values.valued(fill, 'BTC/USDT')).feeInQuote).toBeCloseTo(0.18, 12);
  expect((await values.valued(fill, 'ETH/BTC')).feeInQuote).toBeCloseTo(0.000003, 12);
  expect((await values.valued(fill, 'BTC/USDT:USDT')).feeInQuote).toBeCloseTo(0.18, 12);
});

test('while the minute of a fee is not over it is worth the price of the one before', async () => {
  const candles: Candle[] = [{ openTime: minute - 60_000, open: 600, high: 600, low: 600, close: 610, volume: 1 }];
  const values = new FeeValues(
    async () => ({ candles: async (_symbol, _timeframe, from, to) => candles.filter(({ openTime }) => openTime >= from && openTime < to) }),
    (error) => expect(error).toBeNull(),
  );
  expect((await values.valued(fill, 'BTC/USDT')).feeInQuote).toBeCloseTo(0.0003 * 610, 12);
});

test('a minute without a candle yet gives no value, and is asked for again', async () => {
  const candles: Candle[] = [];
  const values = new FeeValues(
    async () => ({ candles: async () => candles }),
    (error) => expect(error).toBeNull(),
  );
  expect((await values.valued(fill, 'BTC/USDT')).feeInQuote).toBeNull();
  candles.push({ openTime: minute, open: 600, high: 600, low: 600, close: 610, volume: 1 });
  expect((await values.valued(fill, 'BTC/USDT')).feeInQuote).toBeCloseTo(0.0003 * 610, 12);
});

test.each([Number.NaN, Infinity, 0])('a price of %s is none: the fill is given on without a value', async (close) => {
  const candles: Candle[] = [{ openTime: minute, open: 600, high: 600, low: 600, close, volume: 1 }];
  const values = new FeeValues(
    async () => ({ candles: async () => candles }),
    (error) => expect(error).toBeNull(),
  );
  expect(await values.valued(fill, 'BTC/USDT')).toEqual(fill);
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

test('OP-85 a fill does not wait for a price that does not come: the next of its minute is not held up again, and a late price is known then', async () => {
  const { promise, resolve } = Promise.withResolvers<Candle[]>();
  let asked = 0;
  const candles = () => {
    asked += 1;
    return promise;
  };
  const values = new FeeValues(
    async () => ({ candles }),
    (error) => expect(error).toBeNull(),
    1,
  );
  expect(await values.valued(fill, 'BTC/USDT')).toEqual(fill);
  expect(await values.valued(fill, 'BTC/USDT')).toEqual(fill);
  expect(asked).toBe(1);
  resolve([{ openTime: minute, open: 600, high: 600, low: 600, close: 610, volume: 1 }]);
  await expect.poll(async () => (await values.valued(fill, 'BTC/USDT')).feeInQuote).toBeCloseTo(0.0003 * 610, 12);
  expect(asked).toBe(1);
});

test('OP-85 and not for long where nobody says otherwise', { timeout: 60_000 }, async () => {
  const values = new FeeValues(
    async () => ({ candles: () => new Promise(() => undefined) }),
    (error) => expect(error).toBeNull(),
  );
  expect(await values.valued(fill, 'BTC/USDT')).toEqual(fill);
});
