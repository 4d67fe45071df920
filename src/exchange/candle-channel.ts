import type { OHLCV } from 'ccxt';
import type { Candle } from '#engine/market/candle.ts';
import { candleOpenTime, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { toCandle } from './ccxt-mapping.ts';

/** What a channel needs of its feed. */
export interface CandleChannelOwner {
  exchangeId: string;
  /** Exchange time in ms. */
  now(): number;
  /** Candles by REST, `from <= openTime < to`, closed or not. */
  fetch(symbol: string, timeframe: Timeframe, from: number, to: number): Promise<Candle[]>;
  closed(symbol: string, timeframe: Timeframe, candle: Candle): void;
  open(symbol: string, timeframe: Timeframe, candle: Candle): void;
  /** REST has answered for this symbol. */
  polled(symbol: string): void;
  /** The stream has missed several candles with trades in them although its socket is open. */
  streamIncomplete(symbol: string, timeframe: Timeframe): void;
  log(message: string): void;
}

const missesUntilIncomplete = 3;

/**
 * The candles of one symbol and timeframe: emits each closed candle exactly once, oldest first.
 *
 * A candle counts as closed when the stream has moved on to a newer one without an interruption, or when its time is
 * over and REST confirms it. After an interruption REST decides: what the stream had may be half of a candle.
 */
export class CandleChannel {
  readonly symbol: string;
  readonly timeframe: Timeframe;
  readonly #owner: CandleChannelOwner;
  readonly #graceMs: number;
  readonly #length: number;
  #lastClosed: number; // opening time of the newest candle that was emitted as closed
  #suspectUntil = -Infinity; // candles up to this one must come from REST: the stream broke off in them
  #busy = false;
  #dueSince: number | null = null; // machine time since when the expected candle is over
  #nextFetchAt = -Infinity; // machine time before which REST is not asked again
  #openText = ''; // the open candle as it was last emitted
  #open: Candle | null = null; // the same; callers get a copy
  #misses = 0;

  /** `graceMs`: how long after its close a candle is fetched by REST when the stream has sent no newer one. */
  constructor(owner: CandleChannelOwner, symbol: string, timeframe: Timeframe, graceMs: number) {
    this.#owner = owner;
    this.#graceMs = graceMs;
    this.symbol = symbol;
    this.timeframe = timeframe;
    this.#length = timeframeLengths[timeframe];
    this.#lastClosed = candleOpenTime(timeframe, owner.now()) - this.#length;
  }

  /** It has begun at this time or earlier: what closes from then on is emitted. */
  beginBy(time: number): void {
    this.#lastClosed = Math.min(this.#lastClosed, candleOpenTime(this.timeframe, time) - this.#length);
  }

  /** The time up to which candles are known to be closed, in ms. */
  closedUntil(): number {
    return this.#lastClosed + this.#length;
  }

  /** The open candle as the stream or REST last sent it; null when it has closed or has no trade yet. */
  openCandle(): Candle | null {
    return this.#open !== null && this.#open.openTime > this.#lastClosed ? { ...this.#open } : null;
  }

  /** The stream was interrupted: what it has sent of the candle that is open now may stay incomplete. */
  interrupt(rows: readonly OHLCV[] | undefined): void {
    this.#suspectUntil = Math.max(newestTime(rows), candleOpenTime(this.timeframe, this.#owner.now()));
  }

  /** Compares what the stream has with the clock; to be called after frames and on a timer. */
  evaluate(rows: readonly OHLCV[] | undefined): void {
    if (this.#busy) return;
    const newest = newestTime(rows);
    const expected = this.#lastClosed + this.#length;
    if (newest > expected) {
      this.#dueSince = null;
      if (expected <= this.#suspectUntil || !this.#closeFromStream(rows ?? [], expected, newest)) this.#fillGap(expected, newest);
    } else if (this.#owner.now() >= expected + this.#length) {
      this.#dueSince ??= performance.now();
      if (performance.now() - this.#dueSince >= this.#graceMs) this.poll();
    } else this.#dueSince = null;
    if (!this.#busy && newest === this.#lastClosed + this.#length) this.#emitOpenRow(rows!.at(-1)!);
  }

  /** Fetches by REST everything that was not emitted yet, the open candle too. */
  poll(): void {
    const from = this.#lastClosed + this.#length;
    const settled = this.#owner.now() - this.#graceMs; // taken before the request: the answer may be as old as that
    const to = Math.max(from, candleOpenTime(this.timeframe, this.#owner.now())) + this.#length;
    void this.#request(from, to, (candles) => {
      const newest = candles.at(-1);
      const closed = candles.filter(({ openTime }) => openTime < newest!.openTime || openTime + this.#length <= settled);
      this.#emitClosed(closed);
      if (newest !== undefined && newest.openTime === this.#lastClosed + this.#length) this.#emitOpen(newest);
      if (closed.length === 0) this.#nextFetchAt = performance.now() + this.#graceMs;
      else this.#noteMisses(closed);
    });
  }

  /** Emits the candles before `newest` when the stream has all of them and each can be right. */
  #closeFromStream(rows: readonly OHLCV[], expected: number, newest: number): boolean {
    const closed = rows.filter(([openTime]) => Number(openTime) >= expected && Number(openTime) < newest);
    if (closed.length !== (newest - expected) / this.#length) return false;
    let candles: Candle[];
    try {
      candles = closed.map((row) => toCandle(row, this.#owner.exchangeId, this.symbol));
    } catch (error) {
      this.#owner.log(String(error));
      return false;
    }
    this.#misses = 0;
    this.#emitClosed(candles);
    return true;
  }

  /**
   * REST fills the gap before the newest candle of the stream. Right after a close its list may have the last candle in part or not at all:
   * that one counts when a later one is listed, and otherwise once its grace has passed. Nothing was traded in what is lacking then.
   */
  #fillGap(from: number, newest: number): void {
    const settled = this.#owner.now() - this.#graceMs; // taken before the request: the answer may be as old as that
    void this.#request(from, newest + this.#length, (candles) => {
      const complete = new Set(candles.slice(0, -1).map(({ openTime }) => openTime));
      let next = from;
      while (next < newest && (next + this.#length <= settled || complete.has(next))) next += this.#length;
      this.#emitClosed(candles.filter(({ openTime }) => openTime < next));
      this.#lastClosed = next - this.#length;
      if (next === newest) return;
      const left = next + this.#length + this.#graceMs - this.#owner.now();
      this.#nextFetchAt = performance.now() + Math.min(left, this.#graceMs);
    });
  }

  async #request(from: number, to: number, accept: (candles: Candle[]) => void): Promise<void> {
    if (this.#busy || performance.now() < this.#nextFetchAt) return;
    this.#busy = true;
    const candles = await this.#fetch(from, to);
    if (candles !== null) accept(candles);
  }

  async #fetch(from: number, to: number): Promise<Candle[] | null> {
    try {
      const candles = await this.#owner.fetch(this.symbol, this.timeframe, from, to);
      this.#dueSince = null;
      this.#owner.polled(this.symbol);
      return candles;
    } catch (error) {
      this.#nextFetchAt = performance.now() + this.#graceMs;
      this.#owner.log(String(error));
      return null;
    } finally {
      this.#busy = false;
    }
  }

  #emitClosed(candles: readonly Candle[]): void {
    for (const candle of candles) {
      if (candle.openTime <= this.#lastClosed) continue;
      this.#lastClosed = candle.openTime;
      this.#owner.closed(this.symbol, this.timeframe, candle);
    }
  }

  #emitOpenRow(row: OHLCV): void {
    try {
      this.#emitOpen(toCandle(row, this.#owner.exchangeId, this.symbol));
    } catch {
      // An open candle that cannot be right is not worth a log line: the next frame replaces it, and closing checks again.
    }
  }

  #emitOpen(candle: Candle): void {
    const text = Object.values(candle).join(' ');
    if (text === this.#openText) return;
    this.#openText = text;
    this.#open = candle;
    this.#owner.open(this.symbol, this.timeframe, candle);
  }

  /** A stream that misses candles with trades in them is useless although its socket is open. Until it was interrupted another one was to send them. */
  #noteMisses(closed: readonly Candle[]): void {
    this.#misses += closed.filter(({ volume, openTime }) => volume > 0 && openTime > this.#suspectUntil).length;
    if (this.#misses < missesUntilIncomplete) return;
    this.#misses = 0;
    this.#owner.streamIncomplete(this.symbol, this.timeframe);
  }
}

function newestTime(rows: readonly OHLCV[] | undefined): number {
  return rows?.at(-1)?.[0] ?? -Infinity;
}
