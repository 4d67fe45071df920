import type { CandleColumns } from '#engine/market/candle.ts';
import { candleColumns, copyColumns, sliceColumns } from '#engine/market/candle.ts';
import { candlesOfBytes, candlesSize } from './column-bytes.ts';
import type { CandlesHead, CandlesHeads } from './questions.ts';

/** The two ends do not agree any more on what was sent: whoever finds it ends, and both begin with nothing again. */
export class OutOfStep extends Error {
  constructor() {
    super('The candles do not follow those that were sent before.');
    this.name = 'OutOfStep';
  }
}

/** The candles of a question, in memory of their own: whoever is shown them may change them. */
export interface CandlesGiven {
  own: CandleColumns;
  others: Readonly<Record<string, CandleColumns>>;
}

/** The candles that a process has been sent so far, series by series (`SentCandles` is the other end). */
export class HeldCandles {
  readonly #held = new Map<string, CandleColumns>();

  /** The candles of a question. Fails: OutOfStep when the heads do not fit what is held, or the body does not fit the heads */
  take({ own, others, forgotten }: CandlesHeads, body: Uint8Array): CandlesGiven {
    let at = 0;
    const next = (head: CandlesHead): CandleColumns => {
      const size = candlesSize(head.added);
      if (at + size > body.length) throw new OutOfStep();
      const candles = this.#joined(head, candlesOfBytes(body.subarray(at, at + size)));
      at += size;
      return candles;
    };
    const given = { own: next(own), others: Object.fromEntries(Object.entries(others).map(([name, head]) => [name, next(head)])) };
    if (at !== body.length) throw new OutOfStep();
    for (const series of forgotten) if (!this.#held.delete(series)) throw new OutOfStep();
    return given;
  }

  #joined({ series, dropped, kept }: CandlesHead, added: CandleColumns): CandleColumns {
    const before = series === null ? undefined : this.#held.get(series);
    if (dropped + kept > (before?.openTime.length ?? 0)) throw new OutOfStep();
    const candles = before === undefined || kept === 0 ? added : join(sliceColumns(before, dropped, dropped + kept), added);
    if (series === null) return candles;
    this.#held.set(series, candles);
    return copyColumns(candles);
  }
}

function join(first: CandleColumns, second: CandleColumns): CandleColumns {
  const joined = candleColumns(first.openTime.length + second.openTime.length);
  for (const name of Object.keys(joined) as (keyof CandleColumns)[]) {
    joined[name].set(first[name]);
    joined[name].set(second[name], first[name].length);
  }
  return joined;
}
