import { fundingColumns } from '#engine/account/funding.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import { loadCandles } from '#storage/candles/candle-cache.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { readFunding } from '#storage/candles/funding.ts';
import type { HistoryDependencies, HistoryRequest } from '../jobs/download-history.ts';
import { downloadHistory } from '../jobs/download-history.ts';
import type { HindsightPair } from './hindsight-task.ts';
import { Places } from './places.ts';

/** Pairs whose history is fetched at a time, of all questions together. */
const pairsAtOnce = 8;

/** Pairs of one question that are fetched at a time. */
const pairsOfOne = 4;

/** How long the history of one pair may take, in ms. */
const longestMs = 120_000;

/**
 * The history of pairs, fetched where it is missing and kept as that of backtests is. A pair that several questions need is
 * fetched once, and to its end also when nobody waits for it any more: the next question needs it.
 */
export class RecentHistory {
  readonly #dependencies: HistoryDependencies;
  readonly #places = new Places(pairsAtOnce, 1_000);
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(dependencies: HistoryDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Sees to it that the history of these pairs is stored; `onPair` is called after each. No further pair is begun once `signal`
   * has ended.
   *
   * Fails: as `downloadHistory`; with the signal's reason
   */
  async fetch(
    series: readonly CandleSeries[],
    request: HistoryRequest,
    { signal, onPair }: { signal: AbortSignal; onPair: () => void },
  ): Promise<Instrument[]> {
    const found = new Map<CandleSeries, Instrument>();
    const left = [...series];
    const fetchNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        signal.throwIfAborted();
        found.set(next, await this.#fetchOne(next, request, signal));
        onPair();
      }
    };
    await Promise.all(
      Array.from({ length: pairsOfOne }, () =>
        fetchNext().catch((error: unknown) => {
          left.length = 0;
          throw error;
        }),
      ),
    );
    return series.flatMap((each) => found.get(each) ?? []);
  }

  /** The stored history of a pair, for the thread. */
  async load(series: CandleSeries, instrument: Instrument, request: HistoryRequest): Promise<HindsightPair> {
    const { db } = this.#dependencies;
    const funding = request.funding === null ? null : fundingColumns(await readFunding(db, series, request.funding));
    return { instrument, candles: await loadCandles(db, null, series, request.candles), funding };
  }

  /** Ends all downloads. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The server is stopping'));
    await Promise.allSettled(this.#underWay.values());
  }

  async #fetchOne(series: CandleSeries, request: HistoryRequest, signal: AbortSignal): Promise<Instrument> {
    const key = JSON.stringify(series);
    // What is under way may end a candle earlier: after it, little is left.
    for (let running = this.#underWay.get(key); running !== undefined; running = this.#underWay.get(key)) {
      await running.catch(() => undefined);
      signal.throwIfAborted();
    }
    const work = this.#download(series, request, signal);
    this.#underWay.set(key, work);
    try {
      return await work;
    } finally {
      if (this.#underWay.get(key) === work) this.#underWay.delete(key);
    }
  }

  async #download(series: CandleSeries, request: HistoryRequest, signal: AbortSignal): Promise<Instrument> {
    const leave = await this.#places.take(signal);
    try {
      const end = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(longestMs)]);
      return await downloadHistory(this.#dependencies, series, request, { signal: end, progress: () => Promise.resolve() });
    } finally {
      leave();
    }
  }
}
