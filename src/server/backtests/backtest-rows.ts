import { type backtestDetails, backtestReply } from '#contract/backtests.ts';
import type { BacktestDetails } from '#engine/report/backtest-summary.ts';
import type { BacktestOutcome, BacktestView } from '#storage/backtests/backtests.ts';
import type { z } from 'zod';

const figures = backtestReply.omit({ id: true });

/** What is said of a run whose row this version cannot read. */
export const unreadable = 'This result was kept by another version of Flotilla and cannot be shown. Run the backtest again.';

/** The figures and the equity of a run; null when it has none, or `unreadable`. */
export function figuresOf(run: Pick<BacktestView, 'metrics' | 'equity'>): z.output<typeof figures> | typeof unreadable | null {
  if (run.metrics === null && run.equity === null) return null;
  const read = figures.safeParse({ metrics: run.metrics, equity: run.equity });
  return read.success ? read.data : unreadable;
}

/** The same as a list shows them: of an old run whose details were removed without the equity. */
export function listedFiguresOf(run: Pick<BacktestView, 'metrics' | 'equity' | 'detailsRemovedAt'>) {
  if (run.detailsRemovedAt === null) return figuresOf(run);
  const metrics = figures.shape.metrics.safeParse(run.metrics);
  return metrics.success ? { metrics: metrics.data, equity: null } : unreadable;
}

/** What runners keep is what the contract takes: a field that one of the two renames does not compile here. */
export type KeptIsWire = [
  BacktestDetails extends z.input<typeof backtestDetails> ? true : never,
  Pick<BacktestOutcome, 'metrics' | 'equity'> extends z.input<typeof figures> ? true : never,
];
const keptIsWire: KeptIsWire = [true, true];
void keptIsWire;
