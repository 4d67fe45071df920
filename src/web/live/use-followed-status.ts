import type { CallInput, CallReply } from '#contract/client.ts';
import { useDocumentVisibility } from '@mantine/hooks';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { api } from '../api/api.ts';
import { followingStore } from './following.ts';
import { liveKey } from './live-key.ts';
import { askLiveStatus } from './newest-live-status.ts';
import { pulseKey } from './use-pulse.ts';

/** A line comes every two seconds; when none has come for so long, the page asks by itself again, in ms. */
export const silenceMs = 5000;

/** The pause after a failure, in ms; it doubles with each in a row. */
const pauseMs = 2000;
const longestPauseMs = 60_000;

/** A line that comes so soon after an answer to the page, in ms, may have been made before it: of before what was pressed. */
const doubtMs = 2000;

/** What is followed, and what becomes of it. */
export interface Followed {
  asked: Omit<CallInput<'followStatus'>['query'], 'after'>;
  cursor: string | undefined; // of the chart that is shown; nothing is followed before there is one
  onChart: (answer: CallReply<'chartCandles'>) => void;
  onLost: () => void; // no line comes any more
}

/**
 * Has the server send what changes of the chart, the live state and the pulse while the page is in sight. Whatever keeps the lines from coming, the
 * page then asks by itself, as it would without this, and says what is wrong.
 */
export function useFollowedStatus({ asked, cursor, onChart, onLost }: Followed): void {
  const queryClient = useQueryClient();
  const isInSight = useDocumentVisibility() === 'visible';
  const isReady = cursor !== undefined;
  const newestCursor = useEffectEvent(() => cursor);
  const take = useEffectEvent((line: CallReply<'followStatus'>) => {
    if (line.chart !== undefined) onChart(line.chart);
    if (line.pulse !== undefined && !askedAgain(queryClient, pulseKey)) queryClient.setQueryData(pulseKey, line.pulse);
    const { live } = line;
    if (live === undefined || askedAgain(queryClient, liveKey)) return;
    void askLiveStatus(queryClient, () => Promise.resolve(live)).then(({ newest }) => queryClient.setQueryData(liveKey, newest));
  });
  const lose = useEffectEvent(() => onLost());
  const { bot_id: botId, symbol, timeframe } = asked;

  useEffect(() => {
    if (!isReady || !isInSight) return undefined;
    const over = new AbortController();
    const query = { bot_id: botId, symbol, ...(timeframe === undefined ? {} : { timeframe }) };
    void follow(
      over.signal,
      (onLine, signal) => {
        const after = newestCursor();
        return api.followStatus({ query: { ...query, ...(after === undefined ? {} : { after }) } }, { signal, onLine });
      },
      (line) => take(line),
      () => lose(),
    );
    return () => {
      over.abort();
      followingStore.setState({ isFollowing: false });
    };
  }, [botId, symbol, timeframe, isReady, isInSight]);
}

/** What a line says of something that the page has just asked for, or asks for now, may be older: it is asked for once more in its place. */
function askedAgain(queryClient: QueryClient, queryKey: readonly string[]): boolean {
  const state = queryClient.getQueryState(queryKey);
  if (state === undefined || (state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt >= doubtMs)) return false;
  // One that is under way on a slow server is not given up for it: with a line every ten seconds none would ever be answered.
  void queryClient.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
  return true;
}

type Line = CallReply<'followStatus'>;

/** Follows until `over` says so: again at once where an answer ended as it should, after a pause where it failed. */
async function follow(
  over: AbortSignal,
  ask: (onLine: (line: unknown) => void, signal: AbortSignal) => Promise<unknown>,
  take: (line: Line) => void,
  lose: () => void,
): Promise<void> {
  for (let failures = 0; !over.aborted;) {
    const silence = new AbortController();
    const wait = (): ReturnType<typeof setTimeout> => setTimeout(() => silence.abort(), silenceMs);
    let timer = wait();
    const beganAt = Date.now();
    try {
      await ask(
        (line) => {
          if (over.aborted) return;
          clearTimeout(timer);
          timer = wait();
          failures = 0;
          take(line as Line);
          followingStore.setState({ isFollowing: true });
        },
        AbortSignal.any([over, silence.signal]),
      );
      if (Date.now() - beganAt < silenceMs) await pause(pauseMs, over); // an answer that ends soon is not a reason to ask all the time
    } catch {
      if (over.aborted) return; // what is followed now is not this any more
      failures += 1;
      if (followingStore.getState().isFollowing) {
        followingStore.setState({ isFollowing: false });
        lose();
      }
      await pause(Math.min(longestPauseMs, pauseMs * 2 ** (failures - 1)), over);
    } finally {
      clearTimeout(timer);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
