import { dayMs } from '#engine/market/durations.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { HindsightAnswer } from '#engine/report/hindsight.ts';
import { hindsightDays } from '#engine/report/hindsight.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import type { BotTerms } from '../bots/bot-settings.ts';
import { valuesOf } from '../bots/bot-settings.ts';
import type { HistoryDependencies, HistoryRequest } from '../jobs/download-history.ts';
import { CalculatingThread } from './calculating-thread.ts';
import { checkedSettings } from './checked-settings.ts';
import type { HindsightPair } from './hindsight-task.ts';
import { NoPlace, Places } from './places.ts';
import { RecentHistory } from './recent-history.ts';

/** What settings would have done over the last 30 days is asked with this. */
export interface HindsightQuestion {
  userId: string; // a newer question of the same person ends this one
  bot: BotTerms & { symbols: readonly string[] };
  strategy: StrategyTerms & { className: string };
}

/** What a `Hindsight` needs besides history. */
export interface HindsightDependencies extends HistoryDependencies {
  log: (message: string, details: object) => void;
  patienceMs?: number; // how long a question waits for candles; the downloads continue, and the next question finds more of them
}

/** How long a question waits for candles, in ms. */
const defaultPatienceMs = 6_000;

/** Candles of all pairs together that one question may take: 22 pairs of one minute. More need too long and too much memory. */
const mostCandles = 1_000_000;

/** Questions of all people that may be at work at a time. */
const mostQuestions = 16;

/**
 * Says what settings would have done over the last 30 days, with the candles, rules and fees of a backtest. It takes nobody's
 * place in the queue of backtests and keeps nothing but the candles.
 */
export class Hindsight {
  readonly #dependencies: HindsightDependencies;
  readonly #history: RecentHistory;
  readonly #thread = new CalculatingThread();
  readonly #questions = new Places(mostQuestions, 0);
  readonly #calculation = new Places(1, mostQuestions);
  readonly #asked = new Map<string, AbortController>();

  constructor(dependencies: HindsightDependencies) {
    this.#dependencies = dependencies;
    this.#history = new RecentHistory(dependencies);
  }

  /** Answers a question; `signal` ends it when nobody waits any more. */
  async ask(question: HindsightQuestion, signal: AbortSignal): Promise<HindsightAnswer> {
    const newer = new AbortController();
    this.#asked.get(question.userId)?.abort();
    this.#asked.set(question.userId, newer);
    const over = AbortSignal.any([signal, newer.signal]);
    try {
      const leave = await this.#questions.take(over);
      try {
        return await this.#answer(question, over);
      } finally {
        leave();
      }
    } catch (error) {
      if (over.aborted) return { state: 'overtaken' };
      if (error instanceof NoPlace) return { state: 'unavailable', why: 'The server calculates for others at the moment.' };
      throw error;
    } finally {
      newer.abort(); // no further pair is begun
      if (this.#asked.get(question.userId) === newer) this.#asked.delete(question.userId);
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    for (const asked of this.#asked.values()) asked.abort();
    await Promise.all([this.#history.close(), this.#thread.close()]);
  }

  async #answer({ bot, strategy: terms }: HindsightQuestion, over: AbortSignal): Promise<HindsightAnswer> {
    const { now, log, patienceMs = defaultPatienceMs } = this.#dependencies;
    const strategy = strategyOfClass(terms.className);
    const values = valuesOf(bot, terms, strategy);
    const { timeframe, parameters } = values;
    const length = timeframeLengths[timeframe];
    const to = candleOpenTime(timeframe, now());
    const from = to - hindsightDays * dayMs;
    const span = { from: from - strategy.startupCandles * length, to };
    const mostPairs = Math.floor(mostCandles / ((span.to - span.from) / length));
    if (bot.symbols.length > mostPairs)
      return {
        state: 'unavailable',
        why: `At ${timeframe} it is calculated for up to ${mostPairs} pairs, and these are ${bot.symbols.length}.`,
      };
    const checked = checkedSettings(bot, values, strategy);
    if ('why' in checked) return { state: 'unavailable', why: checked.why };

    const request: HistoryRequest = { candles: span, funding: bot.marketType === 'futures' ? { from, to } : null };
    const series = bot.symbols.map((symbol): CandleSeries => ({
      exchangeId: bot.exchangeId,
      marketType: bot.marketType,
      symbol,
      timeframe,
    }));
    let ready = 0;
    const fetching = this.#history.fetch(series, request, { signal: over, onPair: () => void (ready += 1) }).catch((error: unknown) => {
      over.throwIfAborted();
      log('the history for a hindsight was not there', { exchange: bot.exchangeId, error: errorText(error) });
      return 'failed' as const;
    });
    const patience = sleep(patienceMs, 'late' as const, { signal: over });
    const instruments = await Promise.race([fetching, patience]);
    if (instruments === 'late') return { state: 'downloading', ready, pairs: series.length };
    if (instruments === 'failed') return { state: 'unavailable', why: 'The exchange does not give the candles of the last 30 days.' };

    const leave = await this.#calculation.take(over);
    try {
      // One after the other: calls of others get their turn in between.
      const pairs: HindsightPair[] = [];
      for (const [i, instrument] of instruments.entries()) pairs.push(await this.#history.load(series[i]!, instrument, request));
      over.throwIfAborted();
      if (!pairs.some(({ candles }) => candles.openTime.length > strategy.startupCandles))
        return {
          state: 'unavailable',
          why: 'The exchange has too few candles of these pairs: the strategy needs some before the 30 days.',
        };
      const result = await this.#thread.calculate({
        strategyClass: terms.className,
        settings: checked.settings,
        parameters,
        timeframe,
        pairs,
        from,
        to,
      });
      over.throwIfAborted();
      return result.ok ? { state: 'done', figures: result.figures } : { state: 'unavailable', why: result.fault };
    } finally {
      leave();
    }
  }
}
