import { useMemo } from 'react';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { formatRatio, notAvailable } from '../ui/ratio.ts';
import { LoadingRows } from '../ui/skeleton.tsx';
import type { Performance } from './use-performance.ts';
import { usePerformance } from './use-performance.ts';

const PnlChart = onDemand(() => import('../chart/pnl-chart.tsx').then((module) => module.PnlChart), <div className="strategy-chart" />);

/** How the closed trades of all bots of a strategy went, in figures and day by day. */
export function PerformanceSection({ strategyId }: { strategyId: string }) {
  const { figures, isLoading, reload } = usePerformance(strategyId);
  return (
    <CardPanel title="Strategy Performance" aside="closed trades of all its bots" flush>
      <div className="strategy-performance">
        {figures === undefined ? (
          isLoading ? (
            <LoadingRows label="Loading performance" rows={8} height={46} />
          ) : (
            <EmptyState
              text="No figures to show"
              hint="They could not be loaded."
              minHeight={420}
              action={
                <Button variant="secondary" onClick={reload}>
                  Try Again
                </Button>
              }
            />
          )
        ) : (
          <Figures figures={figures} />
        )}
      </div>
    </CardPanel>
  );
}

function Figures({ figures }: { figures: Performance }) {
  const { daily_pnl: days } = figures;
  const points = useMemo(() => days.map(({ date, pnl }) => ({ time: Date.parse(date), pnl })), [days]);
  const amounts = days.map(({ pnl }) => pnl);
  return (
    <>
      <dl className="strategy-figures">
        <Figure label="Total PNL" value={formatPnl(figures.total_pnl)} tone={toneOf(figures.total_pnl)} />
        <Figure label="Sharpe Ratio" value={figures.sharpe_ratio?.toFixed(2) ?? notAvailable} />
        <Figure label="Win Rate" value={formatRatio(figures.win_rate)} />
        <Figure label="Total Trades" value={String(figures.total_trades)} />
        <Figure label="Winning Trades" value={String(figures.winning_trades)} />
        <Figure label="Losing Trades" value={String(figures.losing_trades)} />
        <Figure label="Max Drawdown" value={formatMoney(figures.max_drawdown)} />
        {days.length === 0 ? null : (
          <>
            <Figure label="Best Day" value={formatPnl(Math.max(...amounts))} tone={toneOf(Math.max(...amounts))} />
            <Figure label="Worst Day" value={formatPnl(Math.min(...amounts))} tone={toneOf(Math.min(...amounts))} />
          </>
        )}
      </dl>
      <h3 className="strategy-daily">
        Daily PNL <span className="strategy-hint">{days.length === 0 ? '' : `${days[0]?.date} to ${days.at(-1)?.date}, UTC`}</span>
      </h3>
      {days.length === 0 ? (
        <EmptyState text="No closed trades yet" hint="Each day with a closed trade becomes a point." minHeight={300} />
      ) : (
        <PnlChart label={`Daily PNL, ${days.length} days`} points={points} />
      )}
    </>
  );
}

function Figure({ label, value, tone }: { label: string; value: string; tone?: 'up' | 'down' | 'flat' }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className={tone === undefined ? 'fl-number' : `fl-number fl-${tone}`}>{value}</dd>
    </div>
  );
}
