import { errorText } from '#engine/ports/error-text.ts';
import type { HindsightAnswer } from '#engine/report/hindsight.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { NoRoomForCandles } from '#storage/candles/no-room-for-candles.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryDependencies, HistoryRequest } from '../jobs/download-history.ts';
import { CalculatingThread, type Patience } from './calculating-thread.ts';
import type { HindsightPair } from './hindsight-task.ts';
import { NoPlace, Places } from './places.ts';
import { RecentHistory } from './recent-history.ts';

/** What calculations over recent history need besides it. */
export interface CalculationDependencies extends HistoryDependencies {
  log: (message: string, details: object) => void;
  thread?: Partial<Patience>; // of the thread that calculates
  patienceMs?: number; // how long a question waits for candles; the downloads continue, and the next question finds more of them
}

type Unanswered<State extends HindsightAnswer['state']> = Extract<HindsightAnswer, { state: State }>;

/** How long a question waits for candles, in ms. */
const defaultPatienceMs = 6_000;

/** Candles of all pairs together that one question may take: 22 pairs of one minute over 30 days. More need too long and too much memory. */
export const mostCandles = 1_000_000;

/** Questions of all people that may be at work at a time. */
const mostQuestions = 16;

/** Calculations that people wait for: over history that is fetched where it is missing, in one thread beside everything else. */
export class Calculations {
  readonly #dependencies: CalculationDependencies;
  readonly #history: RecentHistory;
  readonly #thread: CalculatingThread;
  readonly #questions = new Places(mostQuestions, 0);
  readonly #calculation = new Places(1, mostQuestions);
  readonly #asked = new Map<string, AbortController>();

  constructor(dependencies: CalculationDependencies) {
    this.#dependencies = dependencies;
    this.#history = new RecentHistory(dependencies);
    this.#thread = new CalculatingThread(dependencies.thread);
  }

  /** The time, in ms. */
  now(): number {
    return this.#dependencies.now();
  }

  /** Does what answers a question; a newer one of the same asker ends it, and so does `signal`. */
  async newest<Answer>(
    asker: string,
    signal: AbortSignal,
    answer: (over: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | Unanswered<'overtaken' | 'unavailable'>> {
    const newer = new AbortController();
    this.#asked.get(asker)?.abort();
    this.#asked.set(asker, newer);
    const over = AbortSignal.any([signal, newer.signal]);
    try {
      const leave = await this.#questions.take(over);
      try {
        return await answer(over);
      } finally {
        leave();
      }
    } catch (error) {
      if (over.aborted) return { state: 'overtaken' };
      if (error instanceof NoPlace) return { state: 'unavailable', why: 'The server calculates for others at the moment.' };
      throw error;
    } finally {
      newer.abort(); // no further pair is begun
      if (this.#asked.get(asker) === newer) this.#asked.delete(asker);
    }
  }

  /** Fetches the history of pairs and calculates with it, one calculation at a time; `failed` says why there is none of it. */
  async withHistory<Answer>(
    series: readonly CandleSeries[],
    request: HistoryRequest,
    failed: string,
    over: AbortSignal,
    calculate: (pairs: readonly HindsightPair[], thread: CalculatingThread) => Promise<Answer>,
  ): Promise<Answer | Unanswered<'downloading' | 'unavailable'>> {
    const { log, patienceMs = defaultPatienceMs } = this.#dependencies;
    let ready = 0;
    const fetching = this.#history.fetch(series, request, { signal: over, onPair: () => void (ready += 1) }).catch((error: unknown) => {
      over.throwIfAborted();
      const isRefused = error instanceof NoRoomForCandles;
      const cause = isRefused ? error.cause : error;
      log('the history for a calculation was not there', { exchange: series[0]?.exchangeId, error: errorText(cause) });
      return { why: isRefused ? error.message : failed };
    });
    const patience = sleep(patienceMs, 'late' as const, { signal: over });
    const instruments = await Promise.race([fetching, patience]);
    if (instruments === 'late') return { state: 'downloading', ready, pairs: series.length };
    if ('why' in instruments) return { state: 'unavailable', why: instruments.why };

    const leave = await this.#calculation.take(over);
    try {
      // One after the other: calls of others get their turn in between.
      const pairs: HindsightPair[] = [];
      for (const [i, instrument] of instruments.entries()) pairs.push(await this.#history.load(series[i]!, instrument, request));
      over.throwIfAborted();
      const answer = await calculate(pairs, this.#thread);
      over.throwIfAborted();
      return answer;
    } finally {
      leave();
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    for (const asked of this.#asked.values()) asked.abort();
    await Promise.all([this.#history.close(), this.#thread.close()]);
  }
}
