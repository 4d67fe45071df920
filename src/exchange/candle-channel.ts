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
  /** REST has given an answer for this symbol. */
  polled(symbol: string): void;
  /** The stream has missed several candles in which something was traded although its socket speaks. */
  deaf(symbol: string, timeframe: Timeframe): void;
  log(message: string): void;
}

/** How long after its close a candle is asked for by REST when no newer one has arrived, in ms. */
const graceMs = 2000;
const missesUntilDeaf = 3;

/**
 * The candles of one symbol and timeframe: tells each closed candle exactly once and in order.
 *
 * A candle counts as closed when the stream has gone on to a newer one without an interruption, or when its time is
 * over and REST confirms it. After an interruption REST decides: what the stream knew may be half of a candle.
 */
export class CandleChannel {
  readonly symbol: string;
  readonly timeframe: Timeframe;
  readonly #owner: CandleChannelOwner;
  readonly #length: number;
  #lastClosed: number; // opening time of the newest candle that was told
  #suspectUntil = -Infinity; // candles up to this one must come from REST: the stream broke off in them
  #busy = false;
  #dueSince: number | null = null; // machine time since when the expected candle is over
  #nextAskAt = 0; // machine time before which REST is not asked again
  #openTold = ''; // the open candle as it was told last
  #open: Candle | null = null; // the same; a copy is handed out
  #misses = 0;

  constructor(owner: CandleChannelOwner, symbol: string, timeframe: Timeframe) {
    this.#owner = owner;
    this.symbol = symbol;
    this.timeframe = timeframe;
    this.#length = timeframeLengths[timeframe];
    this.#lastClosed = candleOpenTime(timeframe, owner.now()) - this.#length;
  }

  /** The time up to which candles are known to be closed, in ms. */
  closedUntil(): number {
    return this.#lastClosed + this.#length;
  }

  /** The open candle as the stream or REST gave it last; null when that one has closed or nothing was traded yet. */
  openCandle(): Candle | null {
    return this.#open !== null && this.#open.openTime > this.#lastClosed ? { ...this.#open } : null;
  }

  /** The stream was interrupted: what it has said of the candle that is open now may stay incomplete. */
  interrupt(rows: readonly OHLCV[] | undefined): void {
    this.#suspectUntil = Math.max(newestTime(rows), candleOpenTime(this.timeframe, this.#owner.now()));
  }

  /** Looks at what the stream has, and at the clock. To be called after frames and now and then. */
  look(rows: readonly OHLCV[] | undefined): void {
    if (this.#busy) return;
    const newest = newestTime(rows);
    const expected = this.#lastClosed + this.#length;
    if (newest > expected) {
      this.#dueSince = null;
      if (expected <= this.#suspectUntil || !this.#closeFromStream(rows ?? [], expected, newest)) this.#fill(expected, newest);
    } else if (this.#owner.now() >= expected + this.#length) {
      this.#dueSince ??= performance.now();
      if (performance.now() - this.#dueSince >= graceMs) this.poll();
    } else this.#dueSince = null;
    if (!this.#busy && newest === this.#lastClosed + this.#length) this.#tellOpen(rows!.at(-1)!);
  }

  /** Asks by REST for all that has not been told, also for the open candle. */
  poll(): void {
    const from = this.#lastClosed + this.#length;
    const settled = this.#owner.now() - graceMs; // taken before asking: the answer may be as old as the question
    const to = Math.max(from, candleOpenTime(this.timeframe, this.#owner.now())) + this.#length;
    void this.#ask(from, to, (candles) => {
      const newest = candles.at(-1);
      const closed = candles.filter(({ openTime }) => openTime < newest!.openTime || openTime + this.#length <= settled);
      this.#tellClosed(closed);
      if (newest !== undefined && newest.openTime === this.#lastClosed + this.#length) this.#tellOpenCandle(newest);
      if (closed.length === 0) this.#nextAskAt = performance.now() + graceMs;
      else this.#noteMisses(closed);
    });
  }

  /** Tells the candles before `newest` when the stream has them all and they can be believed. */
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
    this.#tellClosed(candles);
    return true;
  }

  /** REST fills what lies before the newest candle of the stream; what it does not have was not traded. */
  #fill(from: number, newest: number): void {
    void this.#ask(from, newest, (candles) => {
      this.#tellClosed(candles);
      this.#lastClosed = newest - this.#length;
    });
  }

  async #ask(from: number, to: number, take: (candles: Candle[]) => void): Promise<void> {
    if (this.#busy || performance.now() < this.#nextAskAt) return;
    this.#busy = true;
    const candles = await this.#fetch(from, to);
    if (candles !== null) take(candles);
  }

  async #fetch(from: number, to: number): Promise<Candle[] | null> {
    try {
      const candles = await this.#owner.fetch(this.symbol, this.timeframe, from, to);
      this.#dueSince = null;
      this.#owner.polled(this.symbol);
      return candles;
    } catch (error) {
      this.#nextAskAt = performance.now() + graceMs;
      this.#owner.log(String(error));
      return null;
    } finally {
      this.#busy = false;
    }
  }

  #tellClosed(candles: readonly Candle[]): void {
    for (const candle of candles) {
      if (candle.openTime <= this.#lastClosed) continue;
      this.#lastClosed = candle.openTime;
      this.#owner.closed(this.symbol, this.timeframe, candle);
    }
  }

  #tellOpen(row: OHLCV): void {
    try {
      this.#tellOpenCandle(toCandle(row, this.#owner.exchangeId, this.symbol));
    } catch {
      // A half-built open candle is not worth an alarm; the next frame replaces it, and closing checks again.
    }
  }

  #tellOpenCandle(candle: Candle): void {
    const text = Object.values(candle).join(' ');
    if (text === this.#openTold) return;
    this.#openTold = text;
    this.#open = candle;
    this.#owner.open(this.symbol, this.timeframe, candle);
  }

  /** A stream that has missed candles in which something was traded is not heard although its socket lives. */
  #noteMisses(closed: readonly Candle[]): void {
    this.#misses += closed.filter(({ volume }) => volume > 0).length;
    if (this.#misses < missesUntilDeaf) return;
    this.#misses = 0;
    this.#owner.deaf(this.symbol, this.timeframe);
  }
}

function newestTime(rows: readonly OHLCV[] | undefined): number {
  return rows?.at(-1)?.[0] ?? -Infinity;
}
