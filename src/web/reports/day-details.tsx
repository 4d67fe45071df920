import { dayListLength } from '#contract/reports.ts';
import { useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import { dayChartHeight } from '../chart/chart-style.ts';
import { CardPanel } from '../ui/card-panel.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DollarNote } from '../ui/dollar-note.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { useNow } from '../ui/use-now.ts';
import { dayCurves, modeColors } from './day-curves.ts';
import { dayTradeColumns, dayTradeColumnsOnPhone } from './day-trade-columns.tsx';
import { reportFigures } from './report-figures.ts';
import type { DayDetailsState } from './use-day-details.ts';

const DayChart = onDemand(
  () => import('../chart/day-chart.tsx').then((module) => module.DayChart),
  <div style={{ minHeight: dayChartHeight }} />,
);

/** What the figures of a day consist of: real and simulated money apart where there is both, the profit over the day, and the trades. */
export function DayDetails({ day, count, details, failure, isLoading, refresh }: DayDetailsState & { day: string; count: number }) {
  const now = useNow(60_000);
  const isNarrow = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  const rowHeight = isNarrow ? 40 : 28;
  const curves = useMemo(() => dayCurves(day, details?.modes ?? [], now), [day, details, now]);
  if (failure !== null)
    return <FailedLoad text="Failed to load the trades of the day" detail={failure} isLoading={isLoading} onRetry={refresh} />;
  if (details === undefined) {
    return (
      <CardPanel title="Trades of the Day" flush>
        <RowsSkeleton rows={Math.min(count, 8) + 9} />
      </CardPanel>
    );
  }
  return (
    <>
      {details.modes.length < 2 ? null : (
        <div className="reports-modes">
          {details.modes.map(({ mode, figures }) => (
            <section key={mode} className="fl-panel" aria-label={`Figures of the day, ${mode}`}>
              <p className={`fl-mode fl-mode-${mode}`}>
                <strong>{mode}</strong>
                <span>{moneyOf[mode]}</span>
              </p>
              <FigureBar label={`Figures of the day, ${mode}`} figures={reportFigures(figures)} />
              <DollarNote isNeeded={figures.leaves_out === true} />
            </section>
          ))}
        </div>
      )}
      <CardPanel
        title="Net PNL over the Day"
        flush
        aside={
          <span className="reports-legend">
            {details.modes.map(({ mode }) => (
              <span key={mode}>
                <i aria-hidden style={{ background: modeColors[mode] }} /> {mode}
              </span>
            ))}
            <span>closed trades, after fees and funding, UTC</span>
          </span>
        }
      >
        <DayChart label={`Net PNL over ${day}`} curves={curves} />
      </CardPanel>
      <CardPanel title="Trades of the Day" flush aside={listNote(details.trades.length, count)}>
        <DataTable
          label="Trades of the Day"
          long
          maxHeight={Math.min(560, 32 + details.trades.length * rowHeight)}
          rowHeight={rowHeight}
          columns={isNarrow ? dayTradeColumnsOnPhone : dayTradeColumns}
          rows={details.trades}
          rowKey={({ id }) => id}
          sortedBy={newestFirst}
        />
      </CardPanel>
    </>
  );
}

const moneyOf = { live: 'real money', testnet: 'money of a test network', paper: 'simulated money' } as const;
const newestFirst = { key: 'closed_at', descending: true };

function listNote(listed: number, count: number): string {
  return listed < dayListLength ? `${listed} closed` : `the newest ${listed} of ${count}`;
}
