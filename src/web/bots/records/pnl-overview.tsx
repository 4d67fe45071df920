import { lazy, Suspense, useMemo } from 'react';
import { chartHeight } from '../../chart/chart-style.ts';
import { CardPanel } from '../../ui/card-panel.tsx';
import type { Figure } from '../../ui/figure-bar.tsx';
import { FigureBar } from '../../ui/figure-bar.tsx';
import { decimalsOf, formatMoney, formatPnl, toneOf } from '../../ui/money.ts';
import { formatMoment } from '../../ui/moment.ts';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import type { PnlSnapshot } from '../use-bot-details.ts';

const PnlChart = lazy(async () => ({ default: (await import('../../chart/pnl-chart.tsx')).PnlChart }));

/** What the snapshots of a bot come to: the newest one, and all of them as a line. Amounts in `currency`; at least one snapshot. */
export function PnlOverview({ snapshots, currency }: { snapshots: readonly PnlSnapshot[]; currency: string }) {
  const rising = useMemo(() => snapshots.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)), [snapshots]);
  const points = useMemo(() => rising.map(({ timestamp, net_pnl }) => ({ time: Date.parse(timestamp), pnl: net_pnl })), [rising]);
  const [first, newest] = [rising[0], rising.at(-1)];
  if (first === undefined || newest === undefined) return null;
  return (
    <>
      <div className="fl-panel">
        <FigureBar label="Newest snapshot" figures={figuresOf(newest, currency)} />
      </div>
      <CardPanel
        title="Net PNL"
        flush
        aside={<span className="fl-number">{`${rising.length} snapshots since ${formatMoment(first.timestamp)} UTC`}</span>}
      >
        <Suspense fallback={<div style={{ minHeight: chartHeight }} />}>
          <PnlChart label="Net PNL of the bot" points={points} decimals={decimalsOf(currency)} />
        </Suspense>
      </CardPanel>
    </>
  );
}

function figuresOf(newest: PnlSnapshot, currency: string): Figure[] {
  const pnl = (name: string, amount: number): Figure => ({ name, value: formatPnl(amount, currency), tone: toneOf(amount, currency) });
  return [
    { ...pnl('Net PNL', newest.net_pnl), isLead: true, note: formatSignedRatio(newest.net_pnl_pct / 100) },
    pnl('Realized PNL', newest.realized_pnl),
    pnl('Unrealized PNL', newest.unrealized_pnl),
    { name: 'Total Fees', value: formatMoney(newest.total_fees, currency) },
    { name: 'Win Rate', value: formatRatio(newest.win_rate, 2) },
    { name: 'Current Balance', value: formatMoney(newest.current_balance, currency) },
  ];
}
