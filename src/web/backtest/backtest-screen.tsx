import './backtest.css';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { Banner } from '../ui/banner.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { TabStrip } from '../ui/tab-strip.tsx';
import { useComparedIds, useShownId } from './backtest-store.ts';
import { Comparison } from './comparison.tsx';
import type { UseTry } from './optimization/try-for-bot.ts';
import type { MakeBot } from './run-actions.tsx';
import { RunForm } from './run-form.tsx';
import { RunResult } from './run-result.tsx';
import type { BacktestRun } from './run-list.ts';
import { newestFirst } from './run-list.ts';
import { RunTable } from './run-table.tsx';
import { useBacktests, useLinkedRuns } from './use-backtests.ts';
import type { WhatIfTabProps } from './what-if/what-if-tab.tsx';

/** The Backtest tab: runs over one pair, as the form of the runner has them, over several, studies of many runs, and replays with other settings. */
export function BacktestScreen({ onMakeBot, onUseTry, ...whatIf }: { onMakeBot: MakeBot; onUseTry: UseTry } & WhatIfTabProps) {
  const view = useAddressValue('view');
  return (
    <TabStrip
      label="Backtest"
      tabs={[
        { value: 'runner', label: 'Runner', panel: <Runner onMakeBot={onMakeBot} /> },
        { value: 'portfolio', label: 'Portfolio', panel: <Portfolio /> },
        { value: 'optimization', label: 'Optimization', panel: <LateOptimization onUseTry={onUseTry} /> },
        { value: 'what-if', label: 'What-If', panel: <LateWhatIf {...whatIf} /> },
      ]}
      value={view === 'portfolio' || view === 'optimization' || view === 'what-if' ? view : 'runner'}
      onChange={(next) =>
        changeAddress({
          view: next === 'runner' ? null : next,
          run: null,
          compare: null,
          trade: null,
          days: null,
          gate: null,
          symbol: null,
          period: null,
        })
      }
    />
  );
}

const LatePortfolio = onDemand(
  () => import('./portfolio/portfolio-tab.tsx').then((module) => module.PortfolioTab),
  <RowsSkeleton rows={8} height={48} />,
);

const LateOptimization = onDemand(
  () => import('./optimization/optimization-tab.tsx').then((module) => module.OptimizationTab),
  <RowsSkeleton rows={8} height={48} />,
);

const LateWhatIf = onDemand(
  () => import('./what-if/what-if-tab.tsx').then((module) => module.WhatIfTab),
  <RowsSkeleton rows={8} height={48} />,
);

function Portfolio() {
  return <LatePortfolio />;
}

/** What to run, what has run, and how it went. */
function Runner({ onMakeBot }: { onMakeBot: MakeBot }) {
  const backtests = useBacktests();
  const { runs, isAsked, choicesFailure } = backtests;
  const shownId = useShownId();
  const comparedIds = useComparedIds();
  const known = useKnownRuns(runs, [shownId, ...comparedIds]);
  const shown = known.find(({ id }) => id === shownId);
  const compared = newestFirst(known.filter(({ id }) => comparedIds.includes(id))).toReversed(); // the oldest run first
  return (
    <div className="bt">
      <h1 className="fl-visually-hidden">Backtest</h1>
      {choicesFailure === null ? null : (
        <Banner tone="error" text="Failed to load strategies or exchanges" detail={choicesFailure.detail} />
      )}
      <div className="bt-top">
        <RunForm {...backtests} />
        <RunTable {...backtests} shownId={shownId} />
      </div>
      {compared.length > 1 ? (
        <Comparison key={compared.map(({ id }) => id).join(' ')} runs={compared} />
      ) : shown === undefined ? (
        <CardPanel title="Result">
          <EmptyState
            text={isAsked ? 'The result will appear here.' : 'No backtest is chosen.'}
            {...(isAsked ? {} : { hint: 'Fill in the form and run one, or choose an earlier run.' })}
            minHeight={220}
          />
        </CardPanel>
      ) : (
        <RunResult key={shown.id} run={shown} onMakeBot={onMakeBot} />
      )}
    </div>
  );
}

/** The runs of the list, with those that only the address names. */
function useKnownRuns(listed: readonly BacktestRun[] | undefined, named: readonly (string | null)[]): BacktestRun[] {
  const missing = listed === undefined ? [] : named.filter((id) => id !== null && listed.every((run) => run.id !== id));
  return [...(listed ?? []), ...useLinkedRuns([...new Set(missing)] as string[])];
}
