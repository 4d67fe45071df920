import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { LeastRecent } from './least-recent.ts';
import type { Pair } from './listings.ts';
import { marketShape } from './listings.ts';
import { nameKey, normal, uniform, wave } from './noise.ts';
import { blockMinutes, PricePath } from './price-path.ts';
import { Volatility } from './volatility.ts';

/** Minutes in a day: the minutes of a pair are computed day by day. */
export const dayMinutes = dayMs / minuteMs;

/**
 * The one-minute candles of one day and pair.
 *
 * Unit:  prices in ticks, volume in steps: whole numbers
 * Shape: 1,440 long; `open` is NaN in a minute without a candle
 */
export interface DayOfMinutes {
  open: Float64Array;
  high: Float64Array;
  low: Float64Array;
  close: Float64Array;
  volume: Float64Array;
}

/** Where the minutes of a pair come from: the random process, or a file that is replayed. */
export interface MinuteSource {
  /** The candles of day number `day` (days since the epoch). */
  day(day: number): DayOfMinutes;
  /** The prices of the executions inside a minute, in ticks, first to last; null without a candle. */
  pathInside(minute: number): Float64Array | null;
}

/** An empty day: no candle in any minute. */
export function emptyDay(): DayOfMinutes {
  const column = () => new Float64Array(dayMinutes);
  return { open: column().fill(NaN), high: column(), low: column(), close: column(), volume: column() };
}

/** The paths of all assets of one simulated market. */
export class Paths {
  readonly seed: number;
  readonly volatility: Volatility;
  work = 0; // days of candles computed so far, by all pairs
  readonly #market: PricePath;
  readonly #assets = new Map<string, PricePath>();

  constructor(seed: number) {
    this.seed = seed;
    this.volatility = new Volatility(seed);
    this.#market = new PricePath(seed, 'the common market', marketShape, this.volatility);
  }

  /** Logarithm of the price of a pair's asset at the starts of the minutes of a day, and at its end. */
  day(pair: Pair, day: number): Float64Array {
    const values = new Float64Array(dayMinutes + 1);
    const path = this.#asset(pair);
    const key = nameKey(`${pair.id} ${pair.market} basis`);
    const start = day * dayMinutes;
    const base = Math.log(pair.asset.price);
    for (let i = 0; i <= dayMinutes;) {
      const index = Math.floor((start + i) / blockMinutes);
      const market = this.#market.block(index);
      const own = path.block(index);
      for (let j = start + i - index * blockMinutes; j < blockMinutes && i <= dayMinutes; i++, j++) {
        // Spot, perpetual and USDC price of one asset differ by some hundredths of a per cent.
        const basis = 0.00012 * wave(this.seed, key, 45, start + i);
        values[i] = base + pair.asset.beta * market[j]! + own[j]! + basis;
      }
    }
    return values;
  }

  /** Standard deviation of the logarithm of a pair's price over a calm average minute. */
  calmMinuteMove(pair: Pair): number {
    const { beta, dailyMove } = pair.asset;
    return Math.hypot(beta * marketShape.dailyMove, dailyMove) / Math.sqrt(dayMinutes);
  }

  #asset(pair: Pair): PricePath {
    let path = this.#assets.get(pair.asset.name);
    if (path === undefined) {
      path = new PricePath(this.seed, pair.asset.name, { dailyMove: pair.asset.dailyMove, wander: 0.12 }, this.volatility);
      this.#assets.set(pair.asset.name, path);
    }
    return path;
  }
}

/** The random process as a source of a pair's minutes. */
export class ProcessMinutes implements MinuteSource {
  readonly #paths: Paths;
  readonly #pair: Pair;
  readonly #key: number;
  readonly #days = new LeastRecent<number, DayOfMinutes>(24);

  constructor(paths: Paths, pair: Pair) {
    this.#paths = paths;
    this.#pair = pair;
    this.#key = nameKey(`${pair.id} ${pair.market}`);
  }

  day(day: number): DayOfMinutes {
    return this.#days.get(day, () => this.#computeDay(day));
  }

  pathInside(minute: number): Float64Array | null {
    const day = Math.floor(minute / dayMinutes);
    const i = minute - day * dayMinutes;
    const { open, high, low, close } = this.day(day);
    if (Number.isNaN(open[i]!)) return null;
    return pathBetween(open[i]!, high[i]!, low[i]!, close[i]!, ticksPerMinute, { seed: this.#paths.seed, key: this.#key, minute });
  }

  #computeDay(day: number): DayOfMinutes {
    this.#paths.work += 1;
    const result = emptyDay();
    const pair = this.#pair;
    const seed = this.#paths.seed;
    const logs = this.#paths.day(pair, day);
    const scale = 10 ** pair.decimals;
    const calm = this.#paths.calmMinuteMove(pair);
    const minuteVolume = ((pair.asset.dailyVolume * pair.share) / pair.asset.price / dayMinutes) * 10 ** pair.amountDecimals;
    const start = day * dayMinutes;
    let close = Math.max(1, Math.round(Math.exp(logs[0]!) * scale));
    for (let i = 0; i < dayMinutes; i++) {
      const minute = start + i;
      const open = close;
      close = Math.max(1, Math.round(Math.exp(logs[i + 1]!) * scale));
      if (minute * minuteMs < pair.listedAt) continue;
      const from = logs[i]!;
      const to = logs[i + 1]!;
      const lively = this.#paths.volatility.at(minute, 1);
      const move = calm * lively * (uniform(seed, this.#key, 1, minute) < 0.03 ? 2.2 : 0.85);
      const high = Math.floor(Math.exp(bridgeHigh(from, to, move, uniform(seed, this.#key, 2, minute))) * scale);
      const low = Math.ceil(Math.exp(-bridgeHigh(-from, -to, move, uniform(seed, this.#key, 3, minute))) * scale);
      result.open[i] = open;
      result.close[i] = close;
      result.high[i] = Math.max(open, close, high);
      result.low[i] = Math.max(1, Math.min(open, close, low));
      const stir = 0.35 + 0.5 * lively + (0.45 * Math.abs(to - from)) / calm;
      const chance = Math.exp(0.45 * normal(seed, this.#key, 4, minute) - 0.1);
      result.volume[i] = Math.max(1, Math.round(minuteVolume * stir * dayShape(i) * chance * 0.8));
    }
    return result;
  }
}

/** Executions computed inside each minute: one every 400 ms. */
export const ticksPerMinute = 150;

/**
 * A way from open to close that touches high and low and never leaves them.
 *
 * Unit: ticks; whole numbers
 */
export function pathBetween(
  open: number,
  high: number,
  low: number,
  close: number,
  length: number,
  chance: { seed: number; key: number; minute: number },
): Float64Array {
  const { seed, key, minute } = chance;
  const path = new Float64Array(length);
  const highAt = 1 + Math.floor(uniform(seed, key, 5, minute) * (length - 3));
  let lowAt = 1 + Math.floor(uniform(seed, key, 6, minute) * (length - 3));
  if (lowAt === highAt) lowAt += 1;
  const stops = [
    { at: 0, price: open },
    ...(highAt < lowAt
      ? [
          { at: highAt, price: high },
          { at: lowAt, price: low },
        ]
      : [
          { at: lowAt, price: low },
          { at: highAt, price: high },
        ]),
    { at: length - 1, price: close },
  ];
  const unrest = (high - low) * 0.12;
  for (let s = 0; s < stops.length - 1; s++) {
    const { at: from, price } = stops[s]!;
    const { at: to, price: target } = stops[s + 1]!;
    let drift = 0;
    for (let i = from; i <= to; i++) {
      const x = to === from ? 1 : (i - from) / (to - from);
      drift = 0.8 * drift + normal(seed, key + 7, minute, i) * unrest;
      const bend = i === from || i === to ? 0 : drift * Math.min(1, 4 * x * (1 - x));
      path[i] = Math.min(high, Math.max(low, Math.round(price + (target - price) * x + bend)));
    }
  }
  return path;
}

/**
 * The highest point of a random way from `from` to `to` with the given standard deviation; `chance` picks it.
 *
 * Source: distribution of the maximum of a Brownian bridge
 */
function bridgeHigh(from: number, to: number, move: number, chance: number): number {
  return (from + to + Math.sqrt((to - from) ** 2 - 2 * move * move * Math.log(chance))) / 2;
}

/** How lively trade is at minute `i` of the day: quiet at 4 h UTC, busy at 15 h. */
function dayShape(i: number): number {
  return 1 + 0.45 * Math.cos((i / dayMinutes - 15 / 24) * 2 * Math.PI);
}
