import type { Figure } from '../ui/figure-bar.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { Report } from './use-report.ts';

/** The figures of a report in their order; the average confidence only where there is one. */
export function reportFigures(report: Report): Figure[] {
  const { total_trades: trades, net_pnl: pnl, win_rate: winRate, average_confidence: confidence } = report;
  return [
    { name: 'Trades', value: trades, isLead: true },
    { name: 'Net PNL', value: formatPnl(pnl), tone: toneOf(pnl), isLead: true },
    { name: 'Win Rate', value: formatRatio(winRate, 2) },
    { name: 'Max Drawdown', value: formatMoney(report.max_drawdown) },
    { name: 'Avg Stop Size', value: `${report.avg_stop_size.toFixed(2)}%` },
    ...(confidence === undefined ? [] : [{ name: 'Average Confidence', value: formatRatio(confidence) }]),
  ];
}
