import { WhatIfRunner } from '#engine/lab/what-if/what-if-runner.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { WhatIfResult, WhatIfTask } from './what-if-task.ts';

/** Replays with changes. Fails: as `backtest`, and as the strategy does */
export function runWhatIf(strategy: Strategy, task: WhatIfTask): WhatIfResult {
  const { terms, changes, fingerprinted, pairs, others } = task;
  const began = performance.now();
  const runner = new WhatIfRunner({
    real: terms,
    strategy,
    compute: (candles, parameters, symbol, beside) => strategy.compute(candles, parameters, beside, symbol),
    timeframe: terms.timeframe,
    detailTimeframe: terms.detailTimeframe,
    pairs,
    others,
    range: { from: terms.from, to: terms.to - 1 },
    currency: pairs[0]?.instrument.quote ?? '',
    fingerprinted,
  });
  const replayed = runner.replay(changes);
  if (!replayed.ok) return { ok: false, fault: replayed.reasons.join(' ') };
  return { ok: true, report: replayed.report, tookMs: performance.now() - began };
}
