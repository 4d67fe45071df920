import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { LeastRecent } from './least-recent.ts';
import { listPairs, type Pair, type SandboxMarket } from './listings.ts';
import { dayMinutes, type DayOfMinutes, type MinuteSource, Paths, ProcessMinutes, ticksPerMinute } from './minutes.ts';
import { nameKey, normal } from './noise.ts';
import { SteeredPairs } from './steered-prices.ts';

/** Quote volume is counted in so many ticks x steps: days of a large pair must stay exact whole numbers. */
export const quoteUnit = 1000;

/** Milliseconds between two executions. */
export const tickMs = minuteMs / ticksPerMinute;

/**
 * A candle in whole numbers.
 *
 * Unit: prices in ticks, volume in steps, quoteVolume in `quoteUnit` ticks x steps, openTime in ms
 */
export interface WireCandle {
  openTime: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
  quoteVolume: number;
  trades: number;
}

/** One execution. */
export interface Execution {
  id: number; // number of the tick since the epoch
  time: number; // ms
  price: number; // ticks
  amount: number; // steps; 0 when nothing was traded at this tick
  buyerIsMaker: boolean;
}

/** One minute tick by tick. */
interface MinuteTicks {
  path: Float64Array;
  volumes: Float64Array; // of each tick
}

/** What is needed of a replayed file to stand for a pair. */
export interface Replay {
  pair: Pair;
  source: MinuteSource;
}

/** All pairs of the simulated market, and their candles and executions at any time. */
export class Market {
  readonly pairs: readonly Pair[];
  readonly seed: number;
  readonly steered = new SteeredPairs();
  readonly #paths: Paths;
  readonly #byId = new Map<string, Pair>();
  readonly #sources = new Map<Pair, MinuteSource>();
  readonly #hours = new LeastRecent<string, WireCandle[]>(12_000);
  readonly #ticks = new LeastRecent<string, MinuteTicks | null>(512);

  constructor(seed: number, crowd: number, replays: readonly Replay[]) {
    this.seed = seed;
    const paths = new Paths(seed);
    this.#paths = paths;
    for (const pair of listPairs(crowd)) {
      this.#byId.set(pairKey(pair), pair);
      this.#sources.set(pair, new ProcessMinutes(paths, pair));
    }
    for (const { pair, source } of replays) {
      this.#byId.set(pairKey(pair), pair);
      this.#sources.set(pair, source);
    }
    this.pairs = [...this.#byId.values()];
  }

  /** What has been computed so far, in days of candles; a minute tick by tick is a hundredth. */
  get work(): number {
    return this.#paths.work;
  }

  /** The pair with this id ('BTCUSDT') on this market, if it is listed. */
  pair(market: SandboxMarket, id: string): Pair | undefined {
    return this.#byId.get(`${market} ${id}`);
  }

  /** The execution that is newest at `time`, or null when there is none in that minute. */
  executionAt(pair: Pair, time: number): Execution | null {
    return this.execution(pair, tickNumber(time));
  }

  /** The execution with this number (ticks since the epoch). */
  execution(pair: Pair, id: number): Execution | null {
    const steered = this.steered.at(pair, id);
    if (steered !== null)
      return { id, time: id * tickMs, price: Math.round((steered.bid + steered.ask) / 2), amount: 0, buyerIsMaker: false };
    const minute = Math.floor(id / ticksPerMinute);
    const ticks = this.#minuteTicks(pair, minute);
    if (ticks === null) return null;
    const i = id - minute * ticksPerMinute;
    const price = ticks.path[i]!;
    const before = i > 0 ? ticks.path[i - 1]! : price;
    const buyerIsMaker = price < before || (price === before && i % 2 === 0);
    return { id, time: id * tickMs, price, amount: ticks.volumes[i]!, buyerIsMaker };
  }

  /** One-minute candle that holds `time`, as far as it has come; null without executions. */
  openMinute(pair: Pair, time: number): WireCandle | null {
    const minute = Math.floor(time / minuteMs);
    const ticks = this.#minuteTicks(pair, minute);
    if (ticks === null) return null;
    const { path, volumes } = ticks;
    const last = tickNumber(time) - minute * ticksPerMinute;
    const candle = emptyCandle(minute * minuteMs, path[0]!);
    for (let i = 0; i <= last; i++) {
      const price = path[i]!;
      candle.high = Math.max(candle.high, price);
      candle.low = Math.min(candle.low, price);
      candle.volume += volumes[i]!;
      candle.trades += 1;
    }
    candle.close = path[last]!;
    candle.quoteVolume = quoteVolume(candle);
    return candle;
  }

  /**
   * The candle that opens at `openTime` and lasts `length` ms, as far as it has come at `now`; null when nothing
   * was traded in it. It is the exact sum of its one-minute candles.
   */
  candle(pair: Pair, openTime: number, length: number, now: number): WireCandle | null {
    let sum: WireCandle | null = null;
    const end = Math.min(openTime + length, now + 1);
    let time = openTime;
    while (time < end) {
      const wholeHour = time % hourMs === 0 && time + hourMs <= end && time + hourMs <= openTime + length;
      const step = wholeHour ? hourMs : minuteMs;
      const part = wholeHour
        ? this.#hour(pair, time)
        : time + minuteMs <= now
          ? this.#minute(pair, time / minuteMs)
          : this.openMinute(pair, now);
      if (part !== null) sum = sum === null ? { ...part, openTime } : joinCandles(sum, part);
      time += step;
    }
    return sum;
  }

  #minute(pair: Pair, minute: number): WireCandle | null {
    const day = Math.floor(minute / dayMinutes);
    return minuteCandle(this.#source(pair).day(day), day, minute - day * dayMinutes);
  }

  #hour(pair: Pair, openTime: number): WireCandle | null {
    const day = Math.floor(openTime / dayMs);
    const hours = this.#hours.get(`${pairKey(pair)} ${day}`, () => hoursOfDay(this.#source(pair).day(day), day));
    return hours.find((hour) => hour.openTime === openTime) ?? null;
  }

  #minuteTicks(pair: Pair, minute: number): MinuteTicks | null {
    return this.#ticks.get(`${pairKey(pair)} ${minute}`, () => {
      const path = this.#source(pair).pathInside(minute);
      const candle = this.#minute(pair, minute);
      if (path === null || candle === null) return null;
      this.#paths.work += 0.01;
      return { path, volumes: this.#volumesInside(pair, minute, candle.volume) };
    });
  }

  /** The volume of a minute shared out among its ticks, in whole steps, nothing lost. */
  #volumesInside(pair: Pair, minute: number, volume: number): Float64Array {
    const key = nameKey(pairKey(pair));
    const weights = Float64Array.from({ length: ticksPerMinute }, (_, i) => Math.exp(0.9 * normal(this.seed, key, minute, i)));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let weightSoFar = 0;
    let given = 0;
    return weights.map((weight, i) => {
      weightSoFar += weight;
      const share = (i === ticksPerMinute - 1 ? volume : Math.floor((volume * weightSoFar) / total)) - given;
      given += share;
      return share;
    });
  }

  #source(pair: Pair): MinuteSource {
    const source = this.#sources.get(pair);
    if (source === undefined) throw new Error(`The pair ${pairKey(pair)} is not listed in this sandbox.`);
    return source;
  }
}

/** The number of the newest tick at `time`: ticks since the epoch. */
export function tickNumber(time: number): number {
  return Math.floor(time / tickMs);
}

/** A name that is unique among all pairs, e.g. 'spot BTCUSDT'. */
export function pairKey(pair: Pair): string {
  return `${pair.market} ${pair.id}`;
}

/** Two neighbouring candles as one. */
export function joinCandles(first: WireCandle, second: WireCandle): WireCandle {
  return {
    openTime: first.openTime,
    open: first.open,
    high: Math.max(first.high, second.high),
    low: Math.min(first.low, second.low),
    close: second.close,
    volume: first.volume + second.volume,
    quoteVolume: first.quoteVolume + second.quoteVolume,
    trades: first.trades + second.trades,
  };
}

function minuteCandle(minutes: DayOfMinutes, day: number, i: number): WireCandle | null {
  if (Number.isNaN(minutes.open[i]!)) return null;
  const candle = emptyCandle((day * dayMinutes + i) * minuteMs, minutes.open[i]!);
  candle.high = minutes.high[i]!;
  candle.low = minutes.low[i]!;
  candle.close = minutes.close[i]!;
  candle.volume = minutes.volume[i]!;
  candle.trades = ticksPerMinute;
  candle.quoteVolume = quoteVolume(candle);
  return candle;
}

function hoursOfDay(minutes: DayOfMinutes, day: number): WireCandle[] {
  const { open, high, low, close, volume } = minutes;
  const hours: WireCandle[] = [];
  for (let hour = 0; hour < 24; hour++) {
    const sum = emptyCandle((day * 24 + hour) * hourMs, NaN);
    for (let i = hour * 60; i < hour * 60 + 60; i++) {
      if (Number.isNaN(open[i]!)) continue;
      if (sum.trades === 0) Object.assign(sum, { open: open[i]!, high: high[i]!, low: low[i]! });
      if (high[i]! > sum.high) sum.high = high[i]!;
      if (low[i]! < sum.low) sum.low = low[i]!;
      sum.close = close[i]!;
      sum.volume += volume[i]!;
      sum.quoteVolume += minuteQuoteVolume(open[i]!, high[i]!, low[i]!, close[i]!, volume[i]!);
      sum.trades += ticksPerMinute;
    }
    if (sum.trades > 0) hours.push(sum);
  }
  return hours;
}

function emptyCandle(openTime: number, price: number): WireCandle {
  return { openTime, open: price, high: price, low: price, close: price, volume: 0, quoteVolume: 0, trades: 0 };
}

/** Within a minute the average price is taken as the mean of its four prices. */
function minuteQuoteVolume(open: number, high: number, low: number, close: number, volume: number): number {
  return Math.round((((open + high + low + close) / 4) * volume) / quoteUnit);
}

function quoteVolume(candle: WireCandle): number {
  return minuteQuoteVolume(candle.open, candle.high, candle.low, candle.close, candle.volume);
}
