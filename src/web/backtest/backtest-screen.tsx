import './backtest.css';
import { Banner } from '../ui/banner.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { useComparedIds, useShownId } from './backtest-store.ts';
import { Comparison } from './comparison.tsx';
import type { MakeBot } from './run-actions.tsx';
import { RunForm } from './run-form.tsx';
import { RunResult } from './run-result.tsx';
import type { BacktestRun } from './run-list.ts';
import { newestFirst } from './run-list.ts';
import { RunTable } from './run-table.tsx';
import { useBacktests, useLinkedRuns } from './use-backtests.ts';

/** The Backtest tab: what to run, what has run, and how it went. */
export function BacktestScreen({ onMakeBot }: { onMakeBot: MakeBot }) {
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
