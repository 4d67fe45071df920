import { useMemo, useState } from 'react';
import { chartHeight } from '../../chart/chart-style.ts';
import type { PnlRangeName } from '../../chart/pnl-window.ts';
import { pnlRangeSpans, pnlWindow, sinceFirst } from '../../chart/pnl-window.ts';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { Figure } from '../../ui/figure-bar.tsx';
import { FigureBar } from '../../ui/figure-bar.tsx';
import { decimalsOf, formatMoney, formatPnl, toneOf } from '../../ui/money.ts';
import { formatMoment } from '../../ui/moment.ts';
import { onDemand } from '../../ui/on-demand.tsx';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import { SelectBox } from '../../ui/select-box.tsx';
import { useNow } from '../../ui/use-now.ts';
import type { PnlSnapshot } from '../use-bot-details.ts';

const PnlChart = onDemand(
  () => import('../../chart/pnl-chart.tsx').then((module) => module.PnlChart),
  <div style={{ minHeight: chartHeight }} />,
);

type Range = 'all' | PnlRangeName;

const ranges: readonly { value: Range; label: string }[] = [
  { value: 'all', label: 'All' },
  ...(['daily', 'weekly', 'monthly', 'yearly'] as const).map((value) => ({ value, label: pnlRangeSpans[value].label })),
];

/**
 * What the snapshots of a bot come to: the newest one, and how the net profit has changed over a range as a line from 0 on. Amounts in
 * `currency`; at least one snapshot.
 */
export function PnlOverview({ snapshots, currency }: { snapshots: readonly PnlSnapshot[]; currency: string }) {
  const [range, setRange] = useState<Range>('all');
  const now = useNow(60_000);
  const rising = useMemo(() => snapshots.toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)), [snapshots]);
  const points = useMemo(() => rising.map(({ timestamp, net_pnl }) => ({ time: Date.parse(timestamp), pnl: net_pnl })), [rising]);
  const seen = useMemo(() => (range === 'all' ? sinceFirst(points) : pnlWindow(points, range, now)), [points, range, now]);
  const [first, newest] = [rising[0], rising.at(-1)];
  if (first === undefined || newest === undefined) return null;
  const change = <b className={`fl-${toneOf(seen.change, currency)}`}>{formatPnl(seen.change, currency)}</b>;
  return (
    <>
      <div className="fl-panel">
        <FigureBar label="Newest snapshot" figures={figuresOf(newest, currency)} />
      </div>
      <CardPanel
        title="Net PNL"
        flush
        aside={
          <>
            {range === 'all' ? (
              <>
                <span className="fl-number">{`${rising.length} snapshots since ${formatMoment(first.timestamp)} UTC`}</span>
                <span className="fl-number">change {change}</span>
                {first.net_pnl === 0 ? null : <span className="fl-number">{`Net PNL was ${formatPnl(first.net_pnl, currency)} then`}</span>}
              </>
            ) : (
              <span className="fl-number">
                {pnlRangeSpans[range].words}: {change}
                {seen.knownSince === null ? null : `, known since ${formatMoment(seen.knownSince)} UTC`}
              </span>
            )}
            <SelectBox<Range> label="PnL Range" hideLabel options={ranges} value={range} onChange={setRange} />
          </>
        }
      >
        {seen.points.length === 0 ? (
          <EmptyState text="No PNL data available" minHeight={chartHeight} />
        ) : (
          <PnlChart label="Net PNL of the bot" points={seen.points} decimals={decimalsOf(currency)} />
        )}
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
