import { useEffect } from 'react';
import { useConnection } from '../api/connection.ts';
import { useLiveStatus } from '../live/use-live-status.ts';
import { useNow } from '../ui/use-now.ts';
import { connectionState } from './connection-state.ts';

const plainTitle = 'Flotilla';

/** Whether the server answers and how old the data is; in the header of every screen, and in the title of the page when it does not. */
export function ConnectionPill() {
  const state = connectionState(useConnection(), useLiveStatus().data, useNow());
  const word = state === null || state.kind === 'connected' ? null : state.word;
  useEffect(() => {
    document.title = word === null ? plainTitle : `${word} · ${plainTitle}`;
    return () => void (document.title = plainTitle);
  }, [word]);
  if (state === null) return null;
  return (
    <p className={`shell-pill shell-pill-${state.kind}`}>
      <i aria-hidden />
      <b role={state.kind === 'connected' ? undefined : 'alert'}>{state.word}</b>
      <span className="fl-number">{state.detail}</span>
    </p>
  );
}
