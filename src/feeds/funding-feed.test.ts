import type { FundingEvent } from '#engine/account/funding.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { describe, expect, test } from 'vitest';
import { FundingFeed, certainUntil } from './funding-feed.ts';

const minute = 60_000;
const hour = 60 * minute;
const week = 168 * hour;
const monday = 2_900 * week; // a full hour, with which a week of the feed begins
const payment = (time: number): FundingEvent => ({ time, rate: 0.0001, mark: 100 });

/** An exchange that pays every eight hours and is asked at `now`; it reports the payments that `reports` names. */
function exchange(reports: (time: number) => boolean = () => true) {
  const asked: { symbol: string; from: number; to: number }[] = [];
  const state = { now: monday, isReachable: true, reports };
  const funding: MarketData['funding'] = async (symbol, from, to) => {
    asked.push({ symbol, from, to });
    if (!state.isReachable) throw new Error('not reachable');
    const events: FundingEvent[] = [];
    for (let time = Math.ceil(from / (8 * hour)) * 8 * hour; time < to; time += 8 * hour) {
      if (state.reports(time)) events.push(payment(time));
    }
    return events;
  };
  const market = async (): Promise<MarketData> => ({ funding }) as MarketData;
  return { asked, state, feed: new FundingFeed({ market }, () => state.now) };
}

const after = (feed: FundingFeed, time: number, symbol = 'BTC/USDT:USDT', until = Infinity) => feed.between('sandbox', symbol, time, until);
const times = (events: readonly FundingEvent[]) => events.map(({ time }) => time);

describe('until when payments are certain', () => {
  const at = monday + 8 * hour;
  test.each([
    ['on the hour, with its payment', 0, [at], at],
    ['on the hour, before its payment', 0, [at - 8 * hour], at - 1],
    ['on the hour, without any', 0, [], at - 1],
    ['a moment before half past', hour / 2 - 1, [], at - 1],
    ['at half past what was not reported was not paid', hour / 2, [], at],
    ['at the end of the hour', hour - 1, [], at],
  ])('%s', (_, late, events, until) => {
    expect(certainUntil(at + late, events.map(payment))).toBe(until);
  });
});

test('payments are those after a time, oldest first, and the time itself is not after it', async () => {
  const { feed, state } = exchange();
  state.now = monday + 24 * hour;
  expect(times(await after(feed, monday))).toEqual([8, 16, 24].map((hours) => monday + hours * hour));
  expect(times(await after(feed, monday + 8 * hour - 1))).toEqual([8, 16, 24].map((hours) => monday + hours * hour));
});

test('payments of a perpetual are those of its exchange, also where two exchanges name theirs alike', async () => {
  const rates: Record<string, number> = { one: 0.0001, other: -0.0002 };
  const market = async (exchangeId: string): Promise<MarketData> => {
    const funding: MarketData['funding'] = async () => [{ ...payment(monday + 8 * hour), rate: rates[exchangeId] ?? 0 }];
    return { funding } as MarketData;
  };
  const feed = new FundingFeed({ market }, () => monday + 9 * hour);
  for (const [exchange, rate] of Object.entries(rates))
    expect(await feed.between(exchange, 'BTC/USDT:USDT', monday, Infinity)).toMatchObject([{ rate }]);
});

test('the first question is for the whole week, so that trades begun in it ask no more', async () => {
  const { feed, state, asked } = exchange();
  state.now = monday + 50 * hour;
  await after(feed, monday + 49 * hour);
  expect(asked).toEqual([{ symbol: 'BTC/USDT:USDT', from: monday, to: state.now + 1 }]);
  await after(feed, monday);
  expect(asked).toHaveLength(1);
  expect(times(await after(feed, monday - 1))).toContain(monday);
  expect(asked[1]).toMatchObject({ from: monday - week });
});

test('an earlier trade does not make later weeks forgotten', async () => {
  const { feed, state, asked } = exchange();
  state.now = monday + 50 * hour;
  await after(feed, monday - week);
  await after(feed, monday + hour);
  expect(asked).toHaveLength(1);
});

test('until the next full hour nothing is asked again; then only what is new', async () => {
  const { feed, state, asked } = exchange();
  state.now = monday + 8 * hour;
  await after(feed, monday);
  state.now = monday + 9 * hour - 1;
  await after(feed, monday);
  expect(asked).toHaveLength(1);
  state.now = monday + 9 * hour;
  expect(times(await after(feed, monday))).toEqual([monday + 8 * hour]);
  expect(asked[1]).toMatchObject({ from: monday + 8 * hour + 1, to: monday + 9 * hour + 1 });
});

test('a payment that is late is asked for every five seconds for two minutes, then every minute until half past', async () => {
  const { feed, state, asked } = exchange(() => false);
  const hourNow = monday + 8 * hour;
  const countAt = async (ms: number): Promise<number> => {
    state.now = hourNow + ms;
    await after(feed, monday);
    return asked.length;
  };
  expect(await countAt(0)).toBe(1);
  expect(await countAt(4_999)).toBe(1);
  expect(await countAt(5_000)).toBe(2);
  expect(await countAt(2 * minute - 1)).toBe(3);
  expect(await countAt(2 * minute + 5_000)).toBe(3);
  expect(await countAt(3 * minute - 2)).toBe(3);
  expect(await countAt(3 * minute - 1)).toBe(4);
  expect(await countAt(30 * minute)).toBe(5);
  expect(await countAt(59 * minute)).toBe(5);
});

test('what a time in the past asks for ends there, and is asked for again only while it may be late', async () => {
  const { feed, state, asked } = exchange(() => false);
  const at = monday + 8 * hour;
  const known = async (ms: number): Promise<number[]> => {
    state.now = at + ms;
    return times(await after(feed, monday, undefined, at + 2_000));
  };
  expect(await known(3_000)).toEqual([]);
  state.reports = () => true;
  expect(await known(8_000)).toEqual([at]);
  // Hours that came later are none of its concern.
  expect(await known(9 * hour)).toEqual([at]);
  expect(asked).toHaveLength(2);
  state.now = at + 9 * hour;
  expect(times(await after(feed, monday))).toEqual([at, at + 8 * hour]);
  expect(times(await after(feed, monday, undefined, at + 8 * hour))).toEqual([at, at + 8 * hour]);
  expect(times(await after(feed, monday, undefined, at + 8 * hour - 1))).toEqual([at]);
  expect(asked).toHaveLength(3);
});

test('an answer from before the hour is not one of this hour, however recent it is', async () => {
  const { feed, state, asked } = exchange();
  state.now = monday + 8 * hour - 1;
  await after(feed, monday);
  state.now = monday + 8 * hour;
  expect(times(await after(feed, monday))).toEqual([monday + 8 * hour]);
  expect(asked).toHaveLength(2);
});

test('a payment that is reported late is found by the next question', async () => {
  const { feed, state, asked } = exchange(() => false);
  state.now = monday + 8 * hour + 2_000;
  expect(await after(feed, monday)).toEqual([]);
  state.reports = () => true;
  state.now += 5_000;
  expect(times(await after(feed, monday))).toEqual([monday + 8 * hour]);
  state.now = monday + 9 * hour - 1;
  await after(feed, monday);
  expect(asked).toHaveLength(2); // the payment of this hour is known
});

test('a trade that began in an earlier week asks from there, and no payment is there twice', async () => {
  const { feed, state, asked } = exchange();
  state.now = monday + 9 * hour;
  expect(times(await after(feed, monday))).toEqual([monday + 8 * hour]);
  expect(times(await after(feed, monday - 8 * hour))).toEqual([monday, monday + 8 * hour]);
  expect(times(await after(feed, monday))).toEqual([monday + 8 * hour]);
  expect(asked).toHaveLength(2);
});

test('a perpetual whose payments cannot be had keeps no other from its own', async () => {
  const { feed, state, asked } = exchange();
  state.now = monday + 8 * hour;
  await after(feed, monday);
  state.isReachable = false;
  await expect(after(feed, monday, 'ETH/USDT:USDT')).rejects.toThrow('not reachable');
  expect(times(await after(feed, monday))).toEqual([monday + 8 * hour]); // known already
  expect(asked).toHaveLength(2);
});

test('two that ask at once are one question, and another symbol is another', async () => {
  const { feed, state, asked } = exchange();
  state.now = monday + hour;
  await Promise.all([after(feed, monday), after(feed, monday + 1), after(feed, monday, 'ETH/USDT:USDT')]);
  expect(asked.map(({ symbol }) => symbol)).toEqual(['BTC/USDT:USDT', 'ETH/USDT:USDT']);
});

test('two trades that began in different weeks and ask at once are each given the payments of their own', async () => {
  const { feed, state } = exchange();
  state.now = monday + 9 * hour;
  const [newer, older] = await Promise.all([after(feed, monday), after(feed, monday - 24 * hour)]);
  expect(times(newer)).toEqual([monday + 8 * hour]);
  expect(times(older)).toEqual([-16, -8, 0, 8].map((hours) => monday + hours * hour));
});

test('after a failure the next who asks is answered', async () => {
  const { feed, state } = exchange();
  state.now = monday + 8 * hour;
  state.isReachable = false;
  await expect(after(feed, monday)).rejects.toThrow('not reachable');
  state.isReachable = true;
  expect(times(await after(feed, monday))).toEqual([monday + 8 * hour]);
});
