import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { DollarNote } from '../ui/dollar-note.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ModeWords } from '../ui/mode-words.tsx';
import { formatMoney, formatPnl, toneOf } from '../ui/money.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { formatRatio, notAvailable } from '../ui/ratio.ts';
import { LoadingRows } from '../ui/skeleton.tsx';
import type { Performance } from './use-performance.ts';
import { usePerformance } from './use-performance.ts';

const PnlChart = onDemand(() => import('../chart/pnl-chart.tsx').then((module) => module.PnlChart), <div className="strategy-chart" />);

const moneyOf = { live: 'real orders, real money', testnet: 'real orders, no real money', paper: 'simulated orders' } as const;

/** How the closed trades of all bots of a strategy went, in figures and day by day; real and simulated money apart. */
export function PerformanceSection({ strategyId }: { strategyId: string }) {
  const { figures: loaded, isLoading, reload } = usePerformance(strategyId);
  const [chosen, setChosen] = useState<string | null>(null);
  const others = loaded?.other_modes ?? [];
  const figures = others.find(({ mode }) => mode === chosen) ?? loaded;
  const mode = figures?.mode;
  const aside = mode === undefined ? 'closed trades of all its bots' : `closed ${mode} trades of its bots`;
  return (
    <CardPanel title="Strategy Performance" aside={aside} flush>
      <div className="strategy-performance">
        {mode === undefined ? null : (
          <p className={`fl-mode fl-mode-${mode}`}>
            <ModeWords mode={mode} size={13} />
            <span>{moneyOf[mode]}</span>
          </p>
        )}
        {mode === undefined || others.length === 0 ? null : (
          <SegmentedControl
            aria-label="Mode"
            fullWidth
            size="xs"
            value={mode}
            data={[loaded?.mode ?? mode, ...others.map((each) => each.mode)].map((value) => ({ value, label: value.toUpperCase() }))}
            onChange={setChosen}
          />
        )}
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
      <DollarNote isNeeded={figures.leaves_out === true} />
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
