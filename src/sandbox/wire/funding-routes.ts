import { hourMs } from '#engine/market/durations.ts';
import { fundingMs, fundingRate } from '../market/funding.ts';
import type { Pair } from '../market/listings.ts';
import type { WireCandle } from '../market/market.ts';
import { numberOf } from './query.ts';
import { newestExecution, type World } from './world.ts';

/** The pair whose price is index and mark of a perpetual: the same on spot, else itself. */
export function indexPair(world: World, pair: Pair): Pair {
  return world.market.pair('spot', pair.id) ?? pair;
}

/** The answer of `premiumIndex`: the mark price now, and the rate that will be paid at the next funding time. */
export function premiumIndex(world: World, pair: Pair) {
  const now = world.clock.now();
  const index = indexPair(world, pair);
  const mark = markText(index, newestExecution(world, index).price);
  const nextFundingTime = (Math.floor(now / fundingMs) + 1) * fundingMs;
  return {
    symbol: pair.id,
    markPrice: mark,
    indexPrice: mark,
    estimatedSettlePrice: mark,
    lastFundingRate: rateText(world, pair, nextFundingTime),
    interestRate: '0.00010000',
    nextFundingTime,
    time: now,
  };
}

/** The answer of `fundingRate`: what was paid, oldest first; without a start the newest payments. */
export function fundingHistory(world: World, pair: Pair, query: URLSearchParams) {
  const now = world.clock.now();
  const limit = numberOf(query, 'limit', 100, 1000);
  const newest = Math.floor(Math.min(now, numberOf(query, 'endTime', now)) / fundingMs) * fundingMs;
  const wanted = query.has('startTime') ? numberOf(query, 'startTime', 0) : newest - (limit - 1) * fundingMs;
  const index = indexPair(world, pair);
  const rows = [];
  const first = Math.ceil(Math.max(pair.listedAt, wanted) / fundingMs) * fundingMs;
  for (let time = first; time <= newest && rows.length < limit; time += fundingMs) {
    const candle = world.market.candle(index, time, hourMs, now);
    if (candle === null) continue; // a replayed file has a hole here
    rows.push({
      symbol: pair.id,
      fundingTime: time,
      fundingRate: rateText(world, pair, time),
      markPrice: markText(index, candle.open),
    });
  }
  return rows;
}

/** A candle of the mark price as a row of `markPriceKlines`: prices of the index, and no volume. */
export function markRow(index: Pair, candle: WireCandle, length: number): (string | number)[] {
  const { openTime, open, high, low, close, trades } = candle;
  const prices = [open, high, low, close].map((price) => markText(index, price));
  return [openTime, ...prices, '0', openTime + length - 1, '0', trades, '0', '0', '0'];
}

function rateText(world: World, pair: Pair, time: number): string {
  return fundingRate(world.market.seed, pair, time).toFixed(8);
}

/** A mark price in ticks of the index; it is written with eight decimals, whatever the tick of the perpetual is. */
function markText(index: Pair, ticks: number): string {
  return (ticks / 10 ** index.decimals).toFixed(8);
}
