import type { Ticker } from 'ccxt';
import { expect, onTestFinished, test, vi } from 'vitest';
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

const frame = (prices: Partial<Ticker>) => prices as Ticker;
const [best, ticker] = [frame({ bid: 98, ask: 99 }), frame({ last: 98.5, timestamp: 5 })];

test('a frame brings a part of a quote: the other is what REST has answered, when that is newer', () => {
  const channel = new QuoteChannel('BTC/USDT');
  channel.readStream(best, ticker, 0);
  channel.update({ ...quote, time: 7 });
  expect(channel.readStream(best, ticker, 0)).toBeNull();
  const newBest = frame({ bid: 102, ask: 103 });
  expect(channel.readStream(newBest, ticker, 0)).toEqual({ ...quote, bid: 102, ask: 103, time: 7 });
  channel.update({ ...quote, time: 8 });
  expect(channel.readStream(newBest, frame({ last: 104, timestamp: 9 }), 0)).toEqual({ ...quote, last: 104, time: 9 });
});

test('what ccxt has forgotten says nothing new, and what REST has answered holds until the stream brings another', () => {
  const channel = new QuoteChannel('BTC/USDT');
  channel.readStream(best, ticker, 0);
  channel.update({ ...quote, time: 7 });
  const quietFrom = performance.now();
  expect(channel.readStream(undefined, undefined, 0)).toBeNull();
  expect(channel.isQuiet(performance.now() - quietFrom - 1)).toBe(true);
  const newBest = frame({ bid: 102, ask: 103 });
  expect(channel.readStream(newBest, undefined, 0)).toEqual({ ...quote, bid: 102, ask: 103, time: 7 });
  expect(channel.readStream(undefined, frame({ last: 104, timestamp: 9 }), 0)).toEqual({
    ...quote,
    bid: 102,
    ask: 103,
    last: 104,
    time: 9,
  });
});

test('the middle of the best prices stands for the last price as long as no stream gives one', () => {
  const channel = new QuoteChannel('BTC/USDT');
  channel.readStream(best, undefined, 3);
  channel.update(quote);
  expect(channel.readStream(frame({ bid: 102, ask: 104 }), undefined, 3)).toMatchObject({ last: 103 });
});

test('an answer that was asked for before the newest frame came counts for nothing', () => {
  const channel = new QuoteChannel('BTC/USDT');
  const askedAt = performance.now() - 1;
  const newest = channel.readStream(best, ticker, 0);
  expect(channel.update(quote, askedAt)).toBeNull();
  expect(channel.fresh(Infinity)).toBe(newest);
  expect(channel.readStream(frame({ bid: 97, ask: 99 }), ticker, 0)).toMatchObject({ bid: 97, last: 98.5 });
  expect(channel.update(quote, performance.now())).toBe(quote);
});

test('a symbol is quiet when nothing has come of it for a while, not from the beginning', () => {
  const channel = new QuoteChannel('BTC/USDT');
  expect([channel.isQuiet(60_000), channel.isQuiet(-1)]).toEqual([false, true]);
  channel.update(quote);
  expect([channel.isQuiet(60_000), channel.isQuiet(-1)]).toEqual([false, true]);
});

test('the streams have missed what REST answers when it is another price than theirs', () => {
  const channel = new QuoteChannel('BTC/USDT');
  channel.readStream(best, ticker, 0);
  expect(channel.hasMissed({ ...quote, bid: 98, ask: 99, last: 98.5 })).toBe(false);
  for (const moved of [{ bid: 97 }, { ask: 100 }, { last: 99 }])
    expect(channel.hasMissed({ ...quote, bid: 98, ask: 99, last: 98.5, ...moved })).toBe(true);
});

test('streams that have given no last price have missed none, and those that have given nothing have missed nothing yet', () => {
  const channel = new QuoteChannel('BTC/USDT');
  expect(channel.hasMissed(quote)).toBe(false);
  channel.readStream(best, undefined, 0);
  expect(channel.hasMissed({ ...quote, bid: 98, ask: 99, last: 99 })).toBe(false);
  expect(channel.hasMissed({ ...quote, bid: 97, ask: 99, last: 99 })).toBe(true);
  const calm = new QuoteChannel('BTC/USDT');
  calm.update(quote);
  expect(calm.hasMissed({ ...quote, bid: 99 })).toBe(true);
});

test('a frame that was on its way when REST answered does not take its price back, the other part of it counts', () => {
  const channel = new QuoteChannel('BTC/USDT');
  channel.readStream(frame({ bid: 98, ask: 99, timestamp: 4 }), ticker, 0);
  const answer = { ...quote, time: 7 };
  channel.update(answer);
  const [oldBest, oldTicker] = [frame({ bid: 97, ask: 98, timestamp: 6 }), frame({ last: 97.5, timestamp: 6 })];
  expect(channel.isQuiet(60_000)).toBe(false);
  expect(channel.readStream(oldBest, ticker, 0)).toBeNull();
  expect(channel.readStream(oldBest, oldTicker, 0)).toBeNull();
  expect(channel.fresh(Infinity)).toBe(answer);
  expect(channel.isQuiet(60_000)).toBe(true); // nothing may follow it, and the clocks may differ: REST is asked once more
  const sameTime = frame({ bid: 102, ask: 103, timestamp: 7 });
  expect(channel.readStream(sameTime, frame({ last: 97.4, timestamp: 6 }), 0)).toEqual({ ...quote, bid: 102, ask: 103, time: 7 });
  expect(channel.readStream(frame({ bid: 1, ask: 2, timestamp: 6 }), frame({ last: 104, timestamp: 9 }), 0)).toEqual({
    symbol: 'BTC/USDT',
    bid: 102,
    ask: 103,
    last: 104,
    time: 9,
  });
});

test('a clock of the streams that is behind that of REST keeps no price: what comes later than two seconds after an answer counts', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const channel = new QuoteChannel('BTC/USDT');
  channel.readStream(frame({ bid: 98, ask: 99, timestamp: 4 }), ticker, 0);
  channel.update({ ...quote, time: 7 });
  vi.advanceTimersByTime(2_000);
  expect(channel.readStream(frame({ bid: 97, ask: 98, timestamp: 5 }), undefined, 0)).toBeNull();
  vi.advanceTimersByTime(1);
  expect(channel.readStream(frame({ bid: 96, ask: 97, timestamp: 6 }), undefined, 0)).toEqual({ ...quote, bid: 96, ask: 97, time: 7 });
});

test('a frame that counted for nothing is in doubt until one of the same stream, or REST, says more', () => {
  const channel = new QuoteChannel('BTC/USDT');
  channel.readStream(frame({ bid: 98, ask: 99, timestamp: 4 }), ticker, 0);
  const doubt = () => {
    channel.update({ ...quote, time: 7 });
    expect(channel.isQuiet(60_000)).toBe(false);
    channel.readStream(frame({ bid: 97, ask: 98, timestamp: 6 }), undefined, 0);
    channel.readStream(undefined, frame({ last: 104, timestamp: 8 }), 0);
    expect(channel.isQuiet(60_000)).toBe(true);
  };
  doubt();
  channel.readStream(frame({ bid: 102, ask: 103, timestamp: 9 }), undefined, 0);
  expect(channel.isQuiet(60_000)).toBe(false);
  doubt();
  doubt();
});

test('a first frame that was on its way says what streams there are, with the prices that REST has answered', () => {
  const channel = new QuoteChannel('BTC/USDT');
  channel.update({ ...quote, time: 7 });
  expect(channel.readStream(frame({ bid: 97, ask: 98, timestamp: 6 }), undefined, 0)).toBeNull();
  expect(channel.readStream(undefined, frame({ last: 104, timestamp: 8 }), 0)).toEqual({ ...quote, last: 104, time: 8 });
  const calm = new QuoteChannel('BTC/USDT');
  calm.update({ ...quote, time: 7 });
  expect(calm.readStream(undefined, frame({ last: 97, timestamp: 6 }), 0)).toBeNull();
  expect(calm.readStream(frame({ bid: 102, ask: 103, timestamp: 8 }), undefined, 0)).toEqual({ ...quote, bid: 102, ask: 103, time: 8 });
  expect(calm.hasMissed({ ...quote, bid: 102, ask: 103, last: 104 })).toBe(true);
});
