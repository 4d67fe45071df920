import { useConnection } from '../api/connection.ts';
import { useLiveStatus } from '../live/use-live-status.ts';
import { useNow } from '../ui/use-now.ts';
import { connectionState } from './connection-state.ts';

/** Whether the server answers and how old the data is; in the header of every screen. */
export function ConnectionPill() {
  const state = connectionState(useConnection(), useLiveStatus().data, useNow());
  if (state === null) return null;
  return (
    <p className={`shell-pill shell-pill-${state.kind}`}>
      <i aria-hidden />
      <b role={state.kind === 'connected' ? undefined : 'alert'}>{state.word}</b>
      <span className="fl-number">{state.detail}</span>
    </p>
  );
}
