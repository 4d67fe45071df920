import { performance } from 'node:perf_hooks'; // a file that was loaded here has taken the global one away
import { WhatIfRunner, type WhatIfSetup } from '#engine/lab/what-if/what-if-runner.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { WhatIfResult, WhatIfTask } from './what-if-task.ts';

/** Replays with changes. Fails: as `backtest`, and as the strategy does */
export function runWhatIf(strategy: Strategy, task: WhatIfTask): WhatIfResult {
  const began = performance.now();
  const replayed = new WhatIfRunner(setupOfTask(strategy, task)).replay(task.changes);
  if (!replayed.ok) return { ok: false, fault: replayed.reasons.join(' ') };
  return { ok: true, report: replayed.report, tookMs: performance.now() - began };
}

/** What the engine replays for a task. */
export function setupOfTask(strategy: Strategy, { terms, fingerprinted, pairs, others }: WhatIfTask): WhatIfSetup {
  return {
    real: terms,
    strategy: { ...strategy, startupCandles: terms.strategy.startupCandles, parameters: terms.strategy.parameters },
    compute: (candles, parameters, symbol, beside) => strategy.compute(candles, parameters, beside, symbol),
    timeframe: terms.timeframe,
    detailTimeframe: terms.detailTimeframe,
    pairs,
    others,
    range: { from: terms.from, to: terms.to - 1 },
    currency: pairs[0]?.instrument.quote ?? '',
    fingerprinted,
  };
}
