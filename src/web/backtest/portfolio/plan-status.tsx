import { Progress } from '@mantine/core';
import { Button } from '../../ui/button.tsx';
import { timeLeftText } from '../run-list.ts';
import type { Portfolios } from './use-portfolios.ts';

/** How far the run is that is under way, or what the form still needs. Its room stays. */
export function PlanStatus({
  portfolios,
  missing,
  candles,
}: {
  portfolios: Portfolios;
  missing: readonly string[];
  candles: number | null;
}) {
  const { open, cancel, isCancelling } = portfolios;
  if (open === null) {
    const text =
      missing.length > 0 ? `Choose ${listOf(missing)} first` : candles === null ? '' : `${(candles / 1_000).toFixed(0)} thousand candles`;
    return (
      <p className="bp-status" role="status">
        {text}
      </p>
    );
  }
  const percent = Math.round(Math.min(1, Math.max(0, open.progress)) * 100);
  return (
    <div className="bp-status">
      <p className="fl-number">
        <span role="status">{open.status === 'downloading' ? 'Downloading' : 'Running'}</span> {percent}%
      </p>
      <Progress.Root size="sm">
        <Progress.Section value={percent} aria-label="Progress of the phase" />
      </Progress.Root>
      <p className="bp-note fl-number">{[open.step, timeLeftText(open.seconds_left)].filter((text) => text !== '').join(', ')}</p>
      <Button variant="secondary" size="small" loading={isCancelling} onClick={() => cancel(open.id)}>
        Cancel Backtest
      </Button>
    </div>
  );
}

/** 'a, b and c'. */
function listOf(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
