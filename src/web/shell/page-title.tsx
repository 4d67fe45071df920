import { useEffect } from 'react';
import { useAlarms } from '../alarms/use-alarms.ts';
import { useConnection } from '../api/connection.ts';
import { useLiveStatus } from '../live/use-live-status.ts';
import { useNow } from '../ui/use-now.ts';
import { connectionState } from './connection-state.ts';

const product = 'Flotilla';

/** The title of the browser's tab: the screen, before it how many alarms nobody has acknowledged; of a lost server only that. */
export function PageTitle({ screen }: { screen: string }) {
  const state = connectionState(useConnection(), useLiveStatus().data, useNow());
  const waiting = useAlarms().alarms.filter(({ acknowledged_at: at }) => at === null).length;
  const named = `${waiting === 0 ? '' : `(${waiting}) `}${screen}`;
  const words = state === null || state.kind === 'connected' ? named : state.word;
  useEffect(() => {
    document.title = `${words} · ${product}`;
    return () => void (document.title = product);
  }, [words]);
  return null;
}
