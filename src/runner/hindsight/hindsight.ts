import { dayMs } from '#engine/market/durations.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { HindsightAnswer } from '#engine/report/hindsight.ts';
import { hindsightDays } from '#engine/report/hindsight.ts';
import type { WhatIfAnswer } from '#engine/lab/what-if/what-if-answer.ts';
import type { ReplayAnswer } from '#engine/report/refused-replay.ts';
import { pairsBeside } from '#engine/strategy/series.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import { requireKnownStrategy } from '#strategies/known-strategy.ts';
import { apart, runnableOn } from './runnable-on.ts';
import { valuesOf } from '../bots/bot-settings.ts';
import { codeToRun } from '../strategy-of-task.ts';
import type { HistoryRequest } from '../jobs/download-history.ts';
import { Calculations, mostCandles } from './calculations.ts';
import { checkedSettings } from './checked-settings.ts';
import type { HindsightQuestion } from './hindsight-question.ts';
import type { ReplayQuestion } from './refused-replay.ts';
import { answerReplay } from './refused-replay.ts';
import { answerWhatIf, type WhatIfQuestion } from './what-if/answer-what-if.ts';
import { type HindsightDependencies, isInPython, PythonWhatIf } from './what-if/python-what-if.ts';

/**
 * Says what settings would have done over the last 30 days, and what refused entries would have become, with the candles, rules and
 * fees of a backtest. It takes nobody's place in the queue of backtests and keeps nothing but the candles.
 */
export class Hindsight {
  readonly #calculations: Calculations;
  readonly #python: PythonWhatIf;

  constructor(dependencies: HindsightDependencies) {
    this.#calculations = new Calculations(dependencies);
    this.#python = new PythonWhatIf(dependencies);
  }

  /** Answers a question; `signal` ends it when nobody waits any more. */
  async ask(question: HindsightQuestion, signal: AbortSignal): Promise<HindsightAnswer> {
    return this.#calculations.newest(`settings ${question.userId}`, signal, (over) => this.#answer(question, over));
  }

  /** Replays refused entries; `signal` ends it when nobody waits any more. */
  async replay(question: ReplayQuestion, signal: AbortSignal): Promise<ReplayAnswer> {
    return this.#calculations.newest(`refused ${question.userId}`, signal, (over) => answerReplay(this.#calculations, question, over));
  }

  /** Replays a run or a bot with changes; `signal` ends it when nobody waits any more. */
  async whatIf(question: WhatIfQuestion, signal: AbortSignal): Promise<WhatIfAnswer> {
    if (isInPython(question.code)) return this.#python.ask(question, signal);
    return this.#calculations.newest(`what-if ${question.userId}`, signal, (over) => answerWhatIf(this.#calculations, question, over));
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await Promise.all([this.#calculations.close(), this.#python.close()]);
  }

  async #answer({ bot, strategy: terms, code }: HindsightQuestion, over: AbortSignal): Promise<HindsightAnswer> {
    const values = valuesOf(bot, terms, requireKnownStrategy(terms.className, code?.description ?? null));
    const { timeframe, parameters } = values;
    const runnable = runnableOn(terms.className, code, timeframe);
    if ('why' in runnable) return { state: 'unavailable', why: runnable.why };
    const { strategy } = runnable;
    const length = timeframeLengths[timeframe];
    const to = candleOpenTime(timeframe, this.#calculations.now());
    const from = to - hindsightDays * dayMs;
    const span = { from: from - strategy.startupCandles * length, to };
    const otherPairs = pairsBeside(strategy, bot.symbols);
    const mostPairs = Math.floor(mostCandles / ((span.to - span.from) / length)) - otherPairs.length;
    if (bot.symbols.length > mostPairs)
      return {
        state: 'unavailable',
        why: `At ${timeframe} it is calculated for up to ${mostPairs} pairs, and these are ${bot.symbols.length}.`,
      };
    const checked = checkedSettings(bot, values, strategy);
    if ('why' in checked) return { state: 'unavailable', why: checked.why };

    const request: HistoryRequest = { candles: span, funding: bot.marketType === 'futures' ? { from, to } : null };
    const series = [...bot.symbols, ...otherPairs].map((symbol): CandleSeries => ({
      exchangeId: bot.exchangeId,
      marketType: bot.marketType,
      symbol,
      timeframe,
    }));
    const failed = 'The exchange does not give the candles of the last 30 days.';
    return this.#calculations.withHistory(series, request, failed, over, async (all, thread): Promise<HindsightAnswer> => {
      const { pairs, others } = apart(all, bot.symbols);
      if (!pairs.some(({ candles }) => candles.openTime.length > strategy.startupCandles))
        return {
          state: 'unavailable',
          why: 'The exchange has too few candles of these pairs: the strategy needs some before the 30 days.',
        };
      const run = { strategyClass: terms.className, code: code === null ? null : codeToRun(code) };
      const result = await thread.calculate({ ...run, settings: checked.settings, parameters, timeframe, pairs, others, from, to });
      return result.ok ? { state: 'done', figures: result.figures } : { state: 'unavailable', why: result.fault };
    });
  }
}
