import { Progress } from '@mantine/core';
import { Button } from '../ui/button.tsx';
import { periodLabel } from './backtest-form.ts';
import type { BacktestRun } from './run-list.ts';
import { statusText, timeLeftText } from './run-list.ts';

/** See `RunStatus`. */
export interface RunStatusProps {
  open: BacktestRun | null;
  isAsked: boolean;
  missing: string | null; // what the form still needs
  isCancelling: boolean;
  onCancel: (id: string) => void;
}

/** The status line with the progress of its phase, what is being done, and the way to cancel it. Its room stays when nothing runs. */
export function RunStatus({ open, isAsked, missing, isCancelling, onCancel }: RunStatusProps) {
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
      {open === null && !isAsked && missing !== null ? <p className="bt-status-step">{missing}</p> : null}
      {open === null ? null : (
        <>
          <p className="bt-status-step fl-number">
            {[open.step, timeLeftText(open.seconds_left)].filter((text) => text !== '').join(', ')}
          </p>
          <div className="bt-status-open">
            <p className="bt-status-run">{`${open.strategy_name}, ${open.symbol}, ${open.timeframe}, ${periodLabel(open.days)}`}</p>
            <Button variant="secondary" size="small" loading={isCancelling} onClick={() => onCancel(open.id)}>
              Cancel Backtest
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
