import type { Trade } from '../account/trade.ts';
import type { MetricSpan, ReferenceMetrics } from './reference-metrics.ts';
import { referenceMetrics } from './reference-metrics.ts';

type Sentinel = 'sharpe' | 'sortino' | 'calmar' | 'sqn' | 'expectancyRatio' | 'profitFactor';

/** Figures per trade, by freqtrade's definitions; null where they cannot be calculated. */
export type PerTradeMetrics = Omit<ReferenceMetrics, Sentinel> & Record<Sentinel, number | null>;

/**
 * The figures of trades for people and programs. Where a figure cannot be calculated freqtrade gives -100, 100 or 0, which
 * a reader would take for figures: here it is null.
 */
export function perTradeMetrics(trades: readonly Trade[], span: MetricSpan): PerTradeMetrics {
  const metrics = referenceMetrics(trades, span);
  const known = (value: number, sentinel: number): number | null => (metrics.tradeCount === 0 || value === sentinel ? null : value);
  return {
    ...metrics,
    sharpe: known(metrics.sharpe, -100),
    sortino: known(metrics.sortino, -100),
    calmar: known(metrics.calmar, -100),
    sqn: known(metrics.sqn, -100),
    expectancyRatio: known(metrics.expectancyRatio, 100),
    profitFactor: metrics.losses === 0 ? null : metrics.profitFactor,
  };
}
