import { type Execution, type Market, pairKey } from './market.ts';
import type { Pair } from './listings.ts';
import { hash, nameKey, normal } from './noise.ts';

/** One level: price in ticks, amount in steps. */
export type WireLevel = readonly [price: number, amount: number];

/** Bids and asks at one tick of the market, best first. */
export interface WireBook {
  updateId: number; // the number of the tick
  bids: WireLevel[];
  asks: WireLevel[];
}

/** The most levels a side has. */
export const bookDepth = 100;

/**
 * The book around an execution: the best bid and ask lie at least one tick from its price. An amount belongs to its
 * price and changes now and then, so that the book moves as a real one does.
 */
export function bookAt(market: Market, pair: Pair, execution: Execution, depth: number): WireBook {
  const steered = market.steered.at(pair, execution.id);
  if (steered !== null) return { updateId: execution.id, bids: [[steered.bid, steered.depth]], asks: [[steered.ask, steered.depth]] };
  const key = nameKey(pairKey(pair));
  const half = halfSpread(pair, execution.price);
  const gap = levelGap(execution.price);
  const amount = (side: number, price: number) => amountAt(market.seed, key + side, pair, price, execution.id);
  const bids: WireLevel[] = [];
  const asks: WireLevel[] = [];
  const bestBid = Math.max(1, execution.price - half);
  const bestAsk = execution.price + half;
  for (let i = 0; i < Math.min(depth, bookDepth); i++) {
    // Deeper levels stand on round prices, so they stay where they are while the price moves.
    const bid = i === 0 ? bestBid : (Math.ceil(bestBid / gap) - i) * gap;
    const ask = i === 0 ? bestAsk : (Math.floor(bestAsk / gap) + i) * gap;
    if (bid > 0) bids.push([bid, amount(11, bid)]);
    asks.push([ask, amount(12, ask)]);
  }
  return { updateId: execution.id, bids, asks };
}

/** What changed from one side of a book to another: new amounts, and 0 for levels that are gone. */
export function changedLevels(before: readonly WireLevel[], after: readonly WireLevel[]): WireLevel[] {
  const old = new Map(before);
  const changes = after.filter(([price, amount]) => old.get(price) !== amount);
  const kept = new Set(after.map(([price]) => price));
  for (const [price] of before) if (!kept.has(price)) changes.push([price, 0]);
  return changes;
}

/** Half of the spread in ticks: about 0.3 to 1 hundredth of a per cent, at least one tick. */
function halfSpread(pair: Pair, price: number): number {
  const width = pair.asset.dailyVolume > 1_000_000_000 ? 0.000_005 : pair.asset.dailyVolume > 100_000_000 ? 0.000_03 : 0.000_08;
  return Math.max(1, Math.round(price * width));
}

function levelGap(price: number): number {
  return Math.max(1, Math.round(price * 0.000_05));
}

/** A level holds some thousands of quote currency, more for pairs that trade more. */
function amountAt(seed: number, key: number, pair: Pair, price: number, tick: number): number {
  const age = hash(seed, key, 20, price) % 64;
  const spell = Math.floor((tick + age) / 64); // a level keeps its amount for 64 ticks, about 26 seconds
  const cost = 3000 + (pair.asset.dailyVolume * pair.share) / 60_000;
  const steps = (cost / (price / 10 ** pair.decimals)) * 10 ** pair.amountDecimals;
  return Math.max(1, Math.round(steps * Math.exp(0.6 * normal(seed, key + spell, 21, price))));
}
