import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { candleBytes } from './column-bytes.ts';
import type { CandlesHead, CandlesHeads } from './questions.ts';

/** Candles of a series as they are to be sent. */
export interface SeriesToSend {
  candles: CandleColumns; // must not be changed afterwards
  series?: string; // its name between the two ends; without one it goes over whole and is not kept
}

/** The candles that a question is about: the strategy's own, and those of other pairs by the names that the strategy has for them. */
export interface CandlesOfQuestion {
  own: SeriesToSend;
  others?: Readonly<Record<string, SeriesToSend>>;
}

/** How many candles the other end keeps at most, of all series together: 24 MB. */
const mostKept = 500_000;

/**
 * What the other end has been sent of each series, so that only what is new or was corrected has to follow. The other end does with
 * each question what its heads say (`HeldCandles`); both begin with nothing.
 */
export class SentCandles {
  readonly #most: number;
  readonly #sent = new Map<string, CandleColumns>(); // the one that was asked for longest ago first

  constructor(most = mostKept) {
    this.#most = most;
  }

  /** The heads and the body of a question about these candles. */
  next({ own, others = {} }: CandlesOfQuestion): { heads: CandlesHeads; body: Uint8Array } {
    const parts: Uint8Array[] = [];
    const headOf = ({ candles, series }: SeriesToSend): CandlesHead => {
      const { head, added } = series === undefined ? whole(candles, null) : this.#since(candles, series);
      parts.push(candleBytes(added));
      return head;
    };
    const heads = {
      own: headOf(own),
      others: Object.fromEntries(Object.entries(others).map(([name, each]) => [name, headOf(each)])),
    };
    return { heads: { ...heads, forgotten: this.#forgotten() }, body: Buffer.concat(parts) };
  }

  #since(candles: CandleColumns, series: string): { head: CandlesHead; added: CandleColumns } {
    const before = this.#sent.get(series);
    this.#sent.delete(series); // and set again: it is the newest now
    this.#sent.set(series, candles);
    if (before === undefined) return whole(candles, series);
    const [first = NaN] = candles.openTime;
    const dropped = firstAtOrAfter(before.openTime, first);
    const kept = same(sliceColumns(before, dropped, before.openTime.length), candles);
    if (kept === 0) return whole(candles, series);
    const added = sliceColumns(candles, kept, candles.openTime.length);
    return { head: { series, dropped, kept, added: added.openTime.length }, added };
  }

  #forgotten(): string[] {
    let count = 0;
    for (const { openTime } of this.#sent.values()) count += openTime.length;
    const forgotten: string[] = [];
    for (const [series, { openTime }] of this.#sent) {
      if (count <= this.#most) break;
      this.#sent.delete(series);
      forgotten.push(series);
      count -= openTime.length;
    }
    return forgotten;
  }
}

function whole(candles: CandleColumns, series: string | null): { head: CandlesHead; added: CandleColumns } {
  return { head: { series, dropped: 0, kept: 0, added: candles.openTime.length }, added: candles };
}

/** How many candles are the same from the first on, to the last bit. */
function same(before: CandleColumns, now: CandleColumns): number {
  const count = Math.min(before.openTime.length, now.openTime.length);
  let kept = count;
  for (const name of Object.keys(now) as (keyof CandleColumns)[]) {
    const [a, b] = [before[name], now[name]];
    let i = 0;
    while (i < kept && Object.is(a[i], b[i])) i++;
    kept = i;
  }
  return kept;
}
