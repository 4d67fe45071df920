import { expect, test } from 'vitest';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { fetchFunding } from './funding-history.ts';
import { RequestBudget } from './request-budget.ts';

const start = Date.UTC(2026, 0, 1);
const symbol = 'BTC/USDT:USDT';
const paid = Array.from({ length: 450 }, (_, i) => ({ timestamp: start + i * 8 * hourMs, fundingRate: (i + 1) / 1e6 }));
type Params = { until?: number; after?: number; pageNo?: number; page_num?: number };

/** The payments as an exchange returns them through ccxt, which cuts off what lies before the start. */
function fundingOf(id: string, answer: (from: number, most: number, params: Params) => typeof paid) {
  const client = {
    id,
    has: { fetchFundingRateHistory: true, fetchMarkOHLCV: true },
    fetchFundingRateHistory: async (_: string, from: number, most: number, params: Params) =>
      answer(from, most, params).filter(({ timestamp }) => timestamp >= from),
    fetchOHLCV: async (_: string, _timeframe: string, from: number, count: number) =>
      Array.from({ length: count }, (_each, i) => [from + i * hourMs, 100, 100, 100, 100, 0]),
  } as unknown as CcxtClient;
  const source = { client, budget: new RequestBudget(1000), exchangeId: id, marketType: 'futures', price: 'mark', retryMs: 1 } as const;
  return (from: number, to: number, stop?: { aborted: boolean }) =>
    fetchFunding(source, symbol, start + from * hourMs, start + to * hourMs, stop);
}

const newest = (rates: typeof paid, most: number) => rates.slice(-most);
const numbersOf = (events: readonly { rate: number }[]) => events.map(({ rate }) => Math.round(rate * 1e6));
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

test('OKX ignores ccxt’s end and returns the newest payments: old ones are requested by an end parameter of its own', async () => {
  const funding = fundingOf('okx', (from, most, { after = Infinity }) =>
    newest(
      paid.filter(({ timestamp }) => timestamp >= from && timestamp < after),
      most,
    ),
  );
  expect(numbersOf(await funding(0, 450 * 8))).toEqual(upTo(1, 450));
  expect(numbersOf(await funding(0, 80))).toEqual(upTo(1, 10));
});

test('Bitget and MEXC know neither beginning nor end: their payments come page by page, newest first', async () => {
  for (const [id, name] of [
    ['bitget', 'pageNo'],
    ['mexc', 'page_num'],
  ] as const) {
    const funding = fundingOf(id, (_, most, { [name]: page = 1 }) => newest(paid.slice(0, paid.length - (page - 1) * most), most));
    expect(numbersOf(await funding(0, 450 * 8))).toEqual(upTo(1, 450));
    expect(numbersOf(await funding(0, 80))).toEqual(upTo(1, 10));
    expect(numbersOf(await funding(449 * 8, 450 * 8))).toEqual([450]);
  }
});

test('a rate that is not a number is left out, and its full page does not count as a short one', async () => {
  const broken = paid.map((row, i) => (i === 400 ? { ...row, fundingRate: NaN } : row));
  const funding = fundingOf('mexc', (_, most, { page_num: page = 1 }) => newest(broken.slice(0, broken.length - (page - 1) * most), most));
  expect(numbersOf(await funding(0, 450 * 8))).toEqual([...upTo(1, 400), ...upTo(402, 450)]);
});

test('a payment that is noted some seconds off belongs to its full minute, also at both ends of the range', async () => {
  const off = paid.map((row, i) => ({ ...row, timestamp: row.timestamp + (i % 2 === 0 ? 7 : -7_000) }));
  const funding = fundingOf('binance', (from, most, { until = Infinity }) =>
    off.filter(({ timestamp }) => timestamp >= from && timestamp <= until).slice(0, most),
  );
  const events = await funding(0, 4 * 8);
  expect(events.map(({ time }) => (time - start) / hourMs)).toEqual([0, 8, 16, 24]);
  expect(numbersOf(events)).toEqual([1, 2, 3, 4]);
});

test('pages that are ended early give nothing: the newest payments alone would leave a hole', async () => {
  const stop = { aborted: false };
  const funding = fundingOf('mexc', (_, most, { page_num: page = 1 }) => {
    stop.aborted = page === 2;
    return newest(paid.slice(0, paid.length - (page - 1) * most), most);
  });
  expect(await funding(0, 450 * 8, stop)).toEqual([]);
});

test('an exchange that repeats the same page is not taken to have returned all', async () => {
  const funding = fundingOf('mexc', (_, most) => newest(paid, most));
  await expect(funding(0, 80)).rejects.toMatchObject({ kind: 'rejected' });
});

test('Bitfinex publishes states of a contract, many between two payments: none of them counts as a payment', async () => {
  const states = Array.from({ length: 600 }, (_, i) => ({ timestamp: start + i * minuteMs + 19_000, fundingRate: 0.0001 }));
  const funding = fundingOf('bitfinex', (_, most, { until = Infinity }) =>
    newest(
      states.filter(({ timestamp }) => timestamp <= until),
      most,
    ),
  );
  expect(await funding(0, 10)).toEqual([]);
});

test('Kraken returns its whole history to every request: it is asked once', async () => {
  let asked = 0;
  const funding = fundingOf('krakenfutures', (from, most) => {
    asked += 1;
    return paid.filter(({ timestamp }) => timestamp >= from).slice(0, most); // ccxt keeps the first ones from the beginning on
  });
  expect(numbersOf(await funding(0, 450 * 8))).toEqual(upTo(1, 450));
  expect(asked).toBe(1);
});
