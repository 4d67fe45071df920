import type { CandleColumns } from '#engine/market/candle.ts';
import type { SignalRow } from '#engine/bot/event.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import type { OtherPairs } from '#engine/strategy/series.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { candleAt, handMarket, series } from '#feeds/testing/hand-market.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { expect, test } from 'vitest';
import type { Series } from '#feeds/series.ts';
import { OtherSeries } from './other-series.ts';
import { localSignals } from './runnable-strategy.ts';
import { SignalFeed } from './signal-feed.ts';
import { aRowListener } from './testing/row-listener.ts';

const other = 'ETH/USDT';
const own = series.symbol;

/** What a strategy was given for a row: its own newest candle, and that of the other pair with its close. */
interface Given {
  own: number;
  other: number | undefined;
  close: number | undefined;
}

/** A strategy that reads another pair and enters where that costs more than 1. */
function reading(given: Given[]): Strategy {
  return {
    ...strategyOfClass('AlwaysFlat'),
    name: 'reading',
    startupCandles: 3,
    series: [{ symbol: other }],
    compute({ openTime }: CandleColumns, _parameters, others: OtherPairs = {}) {
      const { openTime: times, close } = others[other];
      given.push({ own: openTime.at(-1) ?? 0, other: times.at(-1), close: close.at(-1) });
      return { ...noSignals(openTime.length), enterLong: openTime.map(() => Number((close.at(-1) ?? 0) > 1)) as unknown as Uint8Array };
    },
  };
}

/** A feed that listens to it; history is answered for both pairs. */
async function listening(patienceMs: number) {
  const market = handMarket();
  const given: Given[] = [];
  const rows: { openTime: number; row: SignalRow }[] = [];
  const feed = new SignalFeed(market.windows, (error) => expect.fail(String(error)), { patienceMs });
  const opening = feed.listen(aRowListener(), localSignals(reading(given)), {}, series, ({ openTime }, row) =>
    rows.push({ openTime, row }),
  );
  await market.answer('candles'); // of the other pair, which is opened first
  await market.answer('candles');
  const end = await opening;
  return { market, given, rows, end };
}

/** The next minute passes; its candle of each pair is reported by hand. */
function nextCandle(market: Awaited<ReturnType<typeof listening>>['market']): number {
  const openTime = market.now();
  market.pass(minuteMs);
  return openTime;
}

test('a row waits for the candle of the other pair, and sees no later one', async () => {
  const { market, given, rows } = await listening(60_000);
  expect(rows).toHaveLength(1);
  expect(given).toEqual([{ own: rows[0]?.openTime, other: rows[0]?.openTime, close: 1 }]);
  const first = nextCandle(market);
  market.report(own, candleAt(first));
  await new Promise((resolve) => setImmediate(resolve));
  expect(rows).toHaveLength(1); // the other pair has not closed yet
  const second = nextCandle(market);
  market.report(own, candleAt(second));
  market.report(other, candleAt(first, 2));
  await expect.poll(() => rows.length).toBe(2);
  expect([rows[1]?.openTime, rows[1]?.row.enterLong]).toEqual([first, true]);
  market.report(other, candleAt(second, 1));
  await expect.poll(() => rows.length).toBe(3);
  expect(given.slice(1)).toEqual([
    { own: first, other: first, close: 2 },
    { own: second, other: second, close: 1 },
  ]);
});

test('a candle of the other pair that comes first is not seen before its time', async () => {
  const { market, given, rows } = await listening(60_000);
  const first = nextCandle(market);
  const second = nextCandle(market);
  for (const openTime of [first, second]) market.report(other, candleAt(openTime, openTime === second ? 9 : 1));
  market.report(own, candleAt(first));
  await expect.poll(() => rows.length).toBe(2);
  expect(given.at(-1)).toEqual({ own: first, other: first, close: 1 });
  expect(rows[1]?.row.enterLong).toBe(false);
});

test('one that does not come in time makes a row that says so, and the next one is computed again', async () => {
  const { market, given, rows } = await listening(30);
  const first = nextCandle(market);
  market.report(own, candleAt(first));
  await expect.poll(() => rows.length).toBe(2);
  expect(rows[1]?.row).toMatchObject({
    enterLong: false,
    failure: `The 1m candle of ${new Date(first).toISOString().slice(0, 16).replace('T', ' ')} of ETH/USDT, which the strategy reads, had not closed after 0.03 seconds.`,
  });
  expect(given).toHaveLength(1); // it was not computed with older candles
  const second = nextCandle(market);
  market.report(other, candleAt(second, 2));
  market.report(own, candleAt(second));
  await expect.poll(() => rows.length).toBe(3);
  expect(rows[2]?.row).toMatchObject({ enterLong: true });
  expect(given.at(-1)).toEqual({ own: second, other: second, close: 2 });
});

test('a row that has waited for the other pair is made though the next candle of all has closed in the same moment', async () => {
  const { market, rows } = await listening(60_000);
  const first = nextCandle(market);
  market.report(own, candleAt(first));
  await new Promise((resolve) => setImmediate(resolve));
  const second = nextCandle(market);
  for (const openTime of [first, second]) market.report(other, candleAt(openTime, 2));
  market.report(own, candleAt(second));
  await expect.poll(() => rows.length).toBe(3);
  expect(rows.slice(1).map(({ openTime, row }) => [openTime, row.failure, row.enterLong])).toEqual([
    [first, undefined, true],
    [second, undefined, true],
  ]);
});

test('rows are reported in the sequence of their candles', async () => {
  const { market, rows } = await listening(60_000);
  const times = [nextCandle(market), nextCandle(market), nextCandle(market)];
  for (const openTime of times) market.report(own, candleAt(openTime));
  for (const openTime of times) market.report(other, candleAt(openTime));
  await expect.poll(() => rows.length).toBe(4);
  expect(rows.slice(1).map(({ openTime }) => openTime)).toEqual(times);
});

test('when nobody listens any more neither pair is watched, nor when one of them cannot be had', async () => {
  const { market, end } = await listening(60_000);
  end();
  market.pass(10 * minuteMs);
  market.windows.releaseIdle();
  expect(market.listeners.size).toBe(0);
  const broken = handMarket();
  const feed = new SignalFeed(broken.windows, () => {});
  const opening = feed.listen(aRowListener(), localSignals(reading([])), {}, series, () => {});
  opening.catch(() => {});
  await broken.answer('candles');
  await broken.answer('error');
  await expect(opening).rejects.toThrow('no answer');
  broken.pass(10 * minuteMs);
  broken.windows.releaseIdle();
  expect(broken.listeners.size).toBe(0);
});

test('a candle of a longer timeframe is seen once it has closed with the own one, and is waited for then', async () => {
  const market = handMarket();
  const hours: Series = { ...series, symbol: other, timeframe: '5m' };
  const opening = OtherSeries.open(market.windows, series, [{ name: 'five', series: hours }], 3);
  await market.answer(
    'candles',
    [0, 1, 2].map((i) => candleAt(market.now() - (3 - i) * 5 * minuteMs, i)),
  );
  const others = await opening;
  const start = market.now(); // a full five minutes
  const closeOf = (found: OtherPairs | string) => (typeof found === 'string' ? found : found['five']?.close.at(-1));
  expect(closeOf(await others.until(start - minuteMs, 0))).toBe(2); // the own candle that closes now
  expect(closeOf(await others.until(start - 2 * minuteMs, 0))).toBe(1); // the one before: the five minutes had not closed
  expect(closeOf(await others.until(start + 3 * minuteMs, 0))).toBe(2);
  expect(closeOf(await others.until(start + 4 * minuteMs, 5))).toMatch(
    /^The 5m candle of .+ of ETH\/USDT, which the strategy reads, had not closed after 0\.005 seconds\.$/u,
  );
  const waiting = others.until(start + 4 * minuteMs, 60_000);
  market.pass(5 * minuteMs);
  market.report(other, candleAt(start, 7), '5m');
  expect(closeOf(await waiting)).toBe(7);
  others.end();
});

test('of another pair that was away for a month there are as many candles as ever, those of the month flat', async () => {
  const market = handMarket();
  const opening = OtherSeries.open(market.windows, series, [{ name: other, series: { ...series, symbol: other } }], 3);
  const request = await market.request();
  request.answer('candles', [{ ...candleAt(market.now() - minuteMs), close: 7 }]);
  await market.answer('candles', []);
  const others = await opening;
  market.pass(30 * dayMs);
  const back = market.now();
  market.report(other, { ...candleAt(back), close: 9 });
  const openTime = Float64Array.of(back - 2 * minuteMs, back - minuteMs, back);
  expect(await others.until(back, 0)).toMatchObject({ [other]: { openTime, close: Float64Array.of(7, 7, 9) } });
  others.end();
});

test('of another pair that came back a moment before a bot starts there are as many candles as ever, those of before flat', async () => {
  const market = handMarket();
  const opening = OtherSeries.open(market.windows, series, [{ name: other, series: { ...series, symbol: other } }], 3);
  const to = market.now();
  (await market.request()).answer('candles', [{ ...candleAt(to - minuteMs), close: 9 }]);
  await market.answer('candles', [{ ...candleAt(to - 200 * minuteMs), close: 7 }]);
  const others = await opening;
  const openTime = Float64Array.of(to - 3 * minuteMs, to - 2 * minuteMs, to - minuteMs);
  expect(await others.until(to - minuteMs, 0)).toMatchObject({ [other]: { openTime, close: Float64Array.of(7, 7, 9) } });
  others.end();
});
