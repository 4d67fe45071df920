import type { FundingEvent } from '#engine/account/funding.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { describe, expect, test } from 'vitest';
import { certainUntil, FundingFeed } from './funding-feed.ts';

const symbol = 'BTC/USDT:USDT';
const payment = Date.UTC(2026, 4, 20, 8);
const event = (time: number): FundingEvent => ({ time, rate: 0.0001, mark: 100 });

/** A feed on an exchange whose payments are given; `asked` are its requests. */
function feedOf(payments: readonly FundingEvent[], startTime: number) {
  const asked: [symbol: string, from: number, to: number][] = [];
  const exchange = { now: startTime, payments: [...payments], isDown: false, asked };
  const funding = async (of: string, from: number, to: number): Promise<FundingEvent[]> => {
    asked.push([of, from, to]);
    if (exchange.isDown) throw new Error('the exchange is down');
    return exchange.payments.filter(({ time }) => time >= from && time < to);
  };
  const feed = new FundingFeed({ market: async () => ({ funding }) as never }, () => exchange.now);
  const times = async (after: number, of = symbol) => (await feed.after('sandbox', of, after)).map(({ time }) => (time - payment) / hourMs);
  return { exchange, times };
}

test('many bots of one perpetual ask the exchange once, and again only when a full hour has passed', async () => {
  const payments = Array.from({ length: 40 }, (_, i) => event(payment - 80 * hourMs + i * 8 * hourMs));
  const { exchange, times } = feedOf(payments, payment + 10 * hourMs + 5 * minuteMs);
  const answers = await Promise.all([times(payment - 1), times(payment), times(payment + 3 * hourMs)]);
  expect(answers).toEqual([[0, 8], [8], [8]]);
  expect(exchange.asked).toHaveLength(1);
  expect(await times(payment + 8 * hourMs)).toEqual([]);
  exchange.now += 30_000;
  await times(payment);
  expect(exchange.asked).toHaveLength(1); // asked within this minute
  exchange.now = payment + 10 * hourMs + 31 * minuteMs;
  await times(payment);
  exchange.now += 20 * minuteMs;
  await times(payment);
  expect(exchange.asked).toHaveLength(2); // nothing was paid in this hour: that is certain by now
  exchange.now = payment + 16 * hourMs + 1_000;
  expect(await times(payment)).toEqual([8, 16]);
  expect(exchange.asked.at(-1)?.[1]).toBe(payment + 10 * hourMs + 1);
});

test('each perpetual is asked for by itself; one that fails keeps no other from its payments, and is asked for again', async () => {
  const { exchange, times } = feedOf([event(payment)], payment + 5 * minuteMs);
  expect(await times(payment - 1)).toEqual([0]);
  exchange.isDown = true;
  await expect(times(payment - 1, 'ETH/USDT:USDT')).rejects.toThrow('the exchange is down');
  expect(await times(payment - 1)).toEqual([0]); // known already
  exchange.isDown = false;
  expect(await times(payment - 1, 'ETH/USDT:USDT')).toEqual([0]);
  expect(exchange.asked.map(([of]) => of)).toEqual([symbol, 'ETH/USDT:USDT', 'ETH/USDT:USDT']);
});

test('a trade that began in an earlier week asks from there, and everything known until then is asked for once more', async () => {
  const old = payment - 10 * 24 * hourMs;
  const { exchange, times } = feedOf([event(old), event(payment)], payment + 40 * minuteMs);
  expect(await times(payment - 1)).toEqual([0]);
  expect(await times(old - 1)).toEqual([-240, 0]);
  expect(exchange.asked).toHaveLength(2);
  expect(exchange.asked[1]?.[1]).toBeLessThanOrEqual(old);
  expect(await times(payment - 1)).toEqual([0]); // no payment twice
  expect(exchange.asked).toHaveLength(2);
});

describe('a payment that is reported late', () => {
  test('is asked for every five seconds in the first two minutes: a trade that closes then must not miss it', async () => {
    const { exchange, times } = feedOf([], payment + 2_000);
    expect(await times(payment - hourMs)).toEqual([]);
    exchange.now = payment + 6_999;
    await times(payment - hourMs);
    expect(exchange.asked).toHaveLength(1);
    exchange.payments.push(event(payment));
    exchange.now = payment + 7_000;
    expect(await times(payment - hourMs)).toEqual([0]);
    expect(exchange.asked).toHaveLength(2);
    exchange.now = payment + 59 * minuteMs;
    await times(payment - hourMs);
    expect(exchange.asked).toHaveLength(2); // the payment of this hour is known
  });

  test('is asked for every minute after that', async () => {
    const { exchange, times } = feedOf([], payment + 2 * minuteMs);
    await times(payment - hourMs);
    exchange.now += minuteMs - 1;
    await times(payment - hourMs);
    expect(exchange.asked).toHaveLength(1);
    exchange.now += 1;
    await times(payment - hourMs);
    expect(exchange.asked).toHaveLength(2);
  });

  test('is asked for at once in a new hour, however short ago the last request was', async () => {
    const { exchange, times } = feedOf([], payment - 1);
    await times(payment - hourMs);
    exchange.now = payment + 1;
    exchange.payments.push(event(payment));
    expect(await times(payment - hourMs)).toEqual([0]);
  });
});

test.each([
  ['its payment is reported', 5 * minuteMs, [event(payment)], payment],
  ['it may be reported still', 30 * minuteMs - 1, [event(payment - hourMs)], payment - 1],
  ['half an hour has passed', 30 * minuteMs, [], payment],
])('an answer holds every payment of its hour when %s', (_, after, events, until) => {
  expect(certainUntil(payment + after, events)).toBe(until);
});
