import { anOrder } from '#engine/account/testing/an-order.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import type { FundingEvent } from '#engine/account/funding.ts';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { expect, test } from 'vitest';
import type { Payments } from './unpaid-funding.ts';
import { UnpaidFunding } from './unpaid-funding.ts';

const payment = Date.UTC(2026, 4, 20, 8);
const btc = 'BTC/USDT:USDT';

/** An exchange that is silent about SILENT and fails for GONE until it is mended. */
function exchangeAt(startTime: number) {
  const exchange = { now: startTime, isMended: false, isPublished: true, calls: 0 };
  const funding = async (symbol: string, from: number, to: number): Promise<FundingEvent[]> => {
    exchange.calls += 1;
    if (symbol === 'SILENT/USDT:USDT' && !exchange.isMended) return await new Promise(() => {});
    if (symbol === 'GONE/USDT:USDT' && !exchange.isMended) throw new Error(`no instrument ${symbol}`);
    return [{ time: payment, rate: 0.0001, mark: 100 }].filter(({ time }) => exchange.isPublished && time >= from && time < to);
  };
  const now = (): number => exchange.now;
  const unpaid = new UnpaidFunding(new FundingFeed({ market: async () => ({ funding }) as never }, now), 'sandbox', now);
  return { exchange, unpaid };
}
const trade = (symbol: string) => aTrade({ symbol, marketType: 'futures', openTime: payment - hourMs, amount: 1 });
/** A trade that was left at a time. */
const closedAt = (closeTime: number) => ({
  ...trade(btc),
  isOpen: false,
  closeTime,
  profit: 1,
  orders: [anOrder({ purpose: 'exit', filled: 1, filledTime: closeTime })],
});
const symbolsOf = ({ events }: Payments) => events.map((event) => (event as { symbol: string }).symbol);

test('a perpetual whose payments cannot be had keeps no other trade from paying; it is asked for again', async () => {
  const { exchange, unpaid } = exchangeAt(payment + 2 * minuteMs);
  const trades = [trade('GONE/USDT:USDT'), trade(btc)];
  const first = await unpaid.whenDue(trades);
  expect(symbolsOf(first)).toEqual([btc]);
  expect(String(first.failure)).toContain('GONE/USDT:USDT');
  exchange.isMended = true;
  expect(symbolsOf(await unpaid.whenDue(trades))).toEqual(['GONE/USDT:USDT', btc]);
  expect(await unpaid.whenDue(trades)).toEqual({ events: [], failure: null });
});

test('a step waits a while for payments, then goes without those of the silent ones', async () => {
  const { unpaid } = exchangeAt(payment + 2 * minuteMs);
  const found = await unpaid.atOnce([trade('SILENT/USDT:USDT'), trade(btc)]);
  expect(symbolsOf(found)).toEqual([btc]);
  expect(found.failure).toBeNull();
});

test('payments are checked for at minutes 1 and 31 of each hour, once', async () => {
  const { exchange, unpaid } = exchangeAt(payment + minuteMs - 1);
  const isDue = async (): Promise<boolean> => {
    const found = await unpaid.whenDue([trade(btc)]);
    return found.events.length > 0;
  };
  expect(await isDue()).toBe(true); // the first check of a bot is due at any time
  expect(await isDue()).toBe(false);
  for (const minute of [1, 31, 61, 91]) {
    exchange.now = payment + minute * minuteMs - 1;
    expect(await isDue(), `before minute ${minute}`).toBe(false);
    exchange.now += 1;
    expect(await isDue(), `at minute ${minute}`).toBe(true);
  }
});

test('two checks at the same time are one', async () => {
  const { unpaid } = exchangeAt(payment + 2 * minuteMs);
  const both = await Promise.all([unpaid.whenDue([trade(btc)]), unpaid.whenDue([trade(btc)])]);
  expect(both.map(({ events }) => events.length)).toEqual([1, 0]);
});

test('a trade that is over is asked for until its payment is certain, and for a day', async () => {
  const { exchange, unpaid } = exchangeAt(payment + 10_000);
  exchange.isPublished = false;
  const closed = closedAt(payment + 2_000);
  expect(await unpaid.whenDue([closed])).toEqual({ events: [], failure: null });
  exchange.isPublished = true;
  exchange.now = payment + minuteMs;
  expect(await unpaid.whenDue([closed])).toMatchObject({ events: [{ kind: 'funding', symbol: btc, time: payment }] });
  expect(exchange.calls).toBe(2);
  // It is known from here on, however often it is asked for.
  for (const later of [9 * hourMs, dayMs + 1_999]) {
    exchange.now = payment + later;
    expect(symbolsOf(await unpaid.atOnce([closed]))).toEqual([btc]);
  }
  expect(exchange.calls).toBe(2);
  expect(unpaid.isOwed(closed)).toBe(true);
  exchange.now = payment + dayMs + 2_000;
  expect(unpaid.isOwed(closed)).toBe(false);
  expect(symbolsOf(await unpaid.atOnce([closed]))).toEqual([]);
});

test('a trade that is over is not asked for when nothing can be missing: no hour, an hour that is accounted for, spot', async () => {
  const { exchange, unpaid } = exchangeAt(payment + 10_000);
  const closed = closedAt(payment + 2_000);
  const others = [
    { ...closed, openTime: payment },
    { ...closed, fundedUntil: payment },
    { ...closed, marketType: 'spot' as const },
  ];
  expect(await unpaid.atOnce(others)).toEqual({ events: [], failure: null });
  expect(others.map((each) => unpaid.isOwed(each))).toEqual([false, false, false]);
  expect(exchange.calls).toBe(0);
});

test('only what is held of perpetuals pays: neither spot nor an entry that waits is asked for', async () => {
  const { exchange, unpaid } = exchangeAt(payment + 2 * minuteMs);
  const spot = aTrade({ symbol: 'BTC/USDT', marketType: 'spot', openTime: payment - hourMs, amount: 1 });
  expect(await unpaid.atOnce([spot, { ...trade(btc), amount: 0 }])).toEqual({ events: [], failure: null });
  expect(exchange.calls).toBe(0);
});
