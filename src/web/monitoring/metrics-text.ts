import { formatRatio } from '../ui/ratio.ts';

/** Win rate, number of closed trades and strategy in one line. */
export function metricsText(metrics: { win_rate: number; trade_count: number }, strategy: string | null): string {
  return `Win Rate: ${formatRatio(metrics.win_rate)} | Trades: ${metrics.trade_count} | Strategy: ${strategy ?? ''}`;
}
