import { Progress } from '@mantine/core';
import { periodLabel } from './backtest-form.ts';
import type { BacktestRun } from './run-list.ts';
import { statusText } from './run-list.ts';

/** The status line with the progress of its phase. It keeps its room when nothing runs. */
export function RunStatus({ open, isAsked }: { open: BacktestRun | null; isAsked: boolean }) {
  const percent = open === null ? null : Math.round(Math.min(1, Math.max(0, open.progress)) * 100);
  return (
    <div className="bt-status">
      <p className="bt-status-line">
        <span role="status">{statusText(open, isAsked)}</span>
        {percent === null ? null : <span className="fl-number">{percent}%</span>}
      </p>
      <div className="bt-progress">
        {open !== null || isAsked ? (
          <Progress.Root size="sm">
            <Progress.Section value={percent ?? 0} aria-label="Progress of the phase" animated={percent === null} />
          </Progress.Root>
        ) : null}
      </div>
      <p className="bt-status-run">
        {open === null ? '' : `${open.strategy_name}, ${open.symbol}, ${open.timeframe}, ${periodLabel(open.days)}`}
      </p>
    </div>
  );
}
