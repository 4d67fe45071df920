import type { BacktestPair } from '#engine/backtest/input.ts';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import { candlesOf, type WhatIfTerms, withCandles } from '#engine/lab/what-if/terms.ts';
import type { WhatIfAnswer } from '#engine/lab/what-if/what-if-answer.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { CandleSeries } from '#storage/candles/candle-chunks.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { Calculations } from '../calculations.ts';
import { mostCandles } from '../calculations.ts';
import { runnableOn } from '../runnable-on.ts';
import type { CalculatingThread } from '../calculating-thread.ts';
import { codeToRun } from '../../strategy-of-task.ts';
import type { WhatIfTask } from './what-if-task.ts';

/** What is asked: what terms come to with changes. */
export interface WhatIfQuestion {
  userId: string; // a newer question of the same person ends this one
  className: string;
  code: StrategyCode | null;
  terms: WhatIfTerms;
  changes: WhatIfChanges;
  fingerprinted: number | null;
}

/** Replays terms with changes, over candles that are fetched where they are missing. */
export async function answerWhatIf(calculations: Calculations, question: WhatIfQuestion, over: AbortSignal): Promise<WhatIfAnswer> {
  const runnable = runnableOn(question.className, question.code, question.terms.timeframe);
  if ('why' in runnable) return { state: 'unavailable', why: runnable.why };
  return withTask(calculations, question, over, async (task, thread) => {
    const result = await thread.calculate(task);
    if (!result.ok) return { state: 'unavailable', why: result.fault };
    if ('wanted' in result) throw new Error('Only a strategy in Python wants series');
    return { state: 'done', report: result.report, tookMs: result.tookMs };
  });
}

/** Fetches what a question needs, and answers it with the task of the thread. */
export async function withTask(
  calculations: Calculations,
  { className, code, terms, changes, fingerprinted }: WhatIfQuestion,
  over: AbortSignal,
  answer: (task: WhatIfTask, thread: CalculatingThread) => Promise<WhatIfAnswer>,
): Promise<WhatIfAnswer> {
  const { exchangeId, marketType, timeframe, detailTimeframe, from, to, warmUp } = terms;
  if (candlesOf(terms) > mostCandles)
    return {
      state: 'unavailable',
      why: 'These are more candles than can be replayed while you wait. Choose fewer pairs or a shorter period.',
    };
  const seriesOf = (symbol: string, of: string): CandleSeries => ({ exchangeId, marketType, symbol, timeframe: of });
  const series = [
    ...terms.pairs.map((symbol) => seriesOf(symbol, timeframe)),
    ...terms.others.map((symbol) => seriesOf(symbol, timeframe)),
    ...(detailTimeframe === null ? [] : terms.pairs.map((symbol) => seriesOf(symbol, detailTimeframe))),
  ];
  const request = {
    candles: { from: from - warmUp * timeframeLengths[timeframe], to },
    funding: marketType === 'futures' ? { from, to } : null,
  };
  return calculations.withHistory(series, request, 'The exchange does not give the candles of these pairs.', over, async (all, thread) => {
    const count = terms.pairs.length;
    const traded = all.slice(0, count).map((pair, i): Omit<BacktestPair, 'signals'> => {
      const detail = detailTimeframe === null ? null : (all[count + terms.others.length + i]?.candles ?? null);
      return { ...pair, detail };
    });
    const others = Object.fromEntries(terms.others.map((symbol, i) => [symbol, all[count + i]!.candles]));
    const pairs = withCandles(traded, from);
    if (pairs.length === 0) return { state: 'unavailable', why: 'None of the pairs has candles in this range.' };
    const run = { strategyClass: className, code: code === null ? null : codeToRun(code), timeframe };
    return answer({ ...run, terms, changes, fingerprinted, pairs, others, python: null, key: '' }, thread);
  });
}
