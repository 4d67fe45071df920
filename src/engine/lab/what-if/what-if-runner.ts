import type { BacktestPair } from '../../backtest/input.ts';
import type { AccountView } from '../../backtest/account-view.ts';
import type { Timeframe } from '../../market/timeframe.ts';
import type { OtherPairs } from '../../strategy/series.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { type Compute, EpochRunner } from '../epoch-runner.ts';
import { type WhatIfChanges, type WhatIfReal, withChanges } from './changes.ts';
import { type ReportTerms, type WhatIfReport, whatIfReport } from './what-if-report.ts';

/** What all replays of one page share. */
export interface WhatIfSetup extends ReportTerms {
  real: Omit<WhatIfReal, 'declared'>;
  strategy: Pick<Strategy, 'name' | 'series' | 'startupCandles' | 'parameters' | 'callbacks'>;
  compute: Compute;
  timeframe: Timeframe;
  detailTimeframe: Timeframe | null;
  pairs: readonly Omit<BacktestPair, 'signals'>[]; // warm-up included, in the order in which they get free slots
  others: OtherPairs; // candles of pairs that are only read
  range: { from: number; to: number }; // opening times, both included
  watch?: (account: AccountView) => void; // see `EpochSetup`
  keepsNoSignals?: boolean;
}

/** A replay with changes: its report, or why there is none, each reason one sentence. */
export type Replayed = { ok: true; report: WhatIfReport } | { ok: false; reasons: string[] };

/**
 * Replays one backtest with other settings, again and again. Signals are kept by the parameters they were computed with: what only turns
 * settings costs the loop alone. A replay without changes is the backtest itself.
 *
 * Fails: as `backtest`, and as the strategy does
 */
export class WhatIfRunner {
  readonly #setup: WhatIfSetup;
  readonly #epochs: EpochRunner;

  constructor(setup: WhatIfSetup) {
    const { real, strategy, compute, timeframe, detailTimeframe, pairs, others, range, watch, keepsNoSignals } = setup;
    this.#setup = setup;
    this.#epochs = new EpochRunner({
      base: { strategy, settings: real.settings, timeframe },
      dimensions: [],
      loss: 'SharpeHyperOptLossDaily',
      minTrades: 0,
      pairs,
      others,
      detailTimeframe,
      range,
      quirksOff: [],
      compute,
      callbacks: strategy.callbacks ?? {},
      ...(watch === undefined ? {} : { watch }),
      ...(keepsNoSignals === undefined ? {} : { keepsNoSignals }),
    });
  }

  /** What the changes come to. */
  replay(changes: WhatIfChanges): Replayed {
    const { real, strategy } = this.#setup;
    const changed = withChanges({ ...real, declared: strategy.parameters }, changes);
    if (!changed.ok) return changed;
    return { ok: true, report: whatIfReport(this.#epochs.runWith(changed), this.#setup) };
  }
}
