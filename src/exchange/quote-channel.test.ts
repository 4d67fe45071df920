import { expect, test } from 'vitest';
import type { Quote } from '#engine/ports/market-data.ts';
import { QuoteChannel } from './quote-channel.ts';

const quote: Quote = { symbol: 'BTC/USDT', bid: 100, ask: 101, last: 100.5, time: 1 };

test('a quote is reported when its bid, its ask or its last price is another, and only then', () => {
  const channel = new QuoteChannel('BTC/USDT');
  expect(channel.update(quote)).toBe(quote);
  expect(channel.update({ ...quote, time: 2 })).toBeNull();
  for (const moved of [
    { ...quote, bid: 99.9 },
    { ...quote, bid: 99.9, ask: 101.1 },
    { ...quote, bid: 99.9, ask: 101.1, last: 100.6 },
  ]) {
    expect(channel.update(moved)).toBe(moved);
    expect(channel.update({ ...moved })).toBeNull();
  }
  expect(channel.update(null)).toBeNull();
  expect(channel.update({ ...quote })).toEqual(quote);
});

test('the newest quote is fresh for a time, also one that says nothing new', () => {
  const channel = new QuoteChannel('BTC/USDT');
  expect(channel.fresh(Infinity)).toBeNull();
  channel.update(quote);
  const same = { ...quote, time: 5 };
  channel.update(same);
  expect(channel.fresh(60_000)).toBe(same);
  expect(channel.fresh(-1)).toBeNull();
});
