import './backtest.css';
import { Banner } from '../ui/banner.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { useBacktestChoices } from './backtest-store.ts';
import { Comparison } from './comparison.tsx';
import { RunForm } from './run-form.tsx';
import { RunResult } from './run-result.tsx';
import { RunTable } from './run-table.tsx';
import { useBacktests } from './use-backtests.ts';

/** The Backtest tab: what to run, what has run, and how it went. */
export function BacktestScreen() {
  const backtests = useBacktests();
  const { runs, isAsked, choicesFailure } = backtests;
  const shownId = useBacktestChoices((choices) => choices.shownId);
  const comparedIds = useBacktestChoices((choices) => choices.comparedIds);
  const shown = runs?.find(({ id }) => id === shownId);
  const compared = (runs ?? []).filter(({ id }) => comparedIds.includes(id)).toReversed(); // the older run first
  const [first, second] = compared;
  return (
    <div className="bt">
      {choicesFailure === null ? null : (
        <Banner tone="error" text="Failed to load strategies or exchanges" detail={choicesFailure.detail} />
      )}
      <div className="bt-top">
        <RunForm {...backtests} />
        <RunTable {...backtests} shownId={shownId} />
      </div>
      {first !== undefined && second !== undefined ? (
        <Comparison key={`${first.id} ${second.id}`} first={first} second={second} />
      ) : shown === undefined ? (
        <CardPanel title="Result">
          <EmptyState
            text={isAsked ? 'The result will appear here.' : 'No backtest is chosen.'}
            {...(isAsked ? {} : { hint: 'Fill in the form and run one, or choose an earlier run.' })}
            minHeight={220}
          />
        </CardPanel>
      ) : (
        <RunResult key={shown.id} run={shown} />
      )}
    </div>
  );
}
