import type { QueryClient } from '@tanstack/react-query';
import { liveKey, type LiveStatus } from './live-key.ts';

const calls = new WeakMap<QueryClient, { sent: number; shown: number }>();

/**
 * Makes a call for the live state and keeps its answer as the state now. Two such calls may be under way at once, as the
 * plain poll and the one for the fleet are; when the one that was sent first is answered last, its answer is older than
 * what is shown, and the state stays as it is.
 */
export async function askLiveStatus(
  queryClient: QueryClient,
  call: () => Promise<LiveStatus>,
): Promise<{ answer: LiveStatus; newest: LiveStatus }> {
  const order = calls.get(queryClient) ?? { sent: 0, shown: 0 };
  calls.set(queryClient, order);
  order.sent += 1;
  const place = order.sent;
  const answer = await call();
  const shown = queryClient.getQueryData<LiveStatus>(liveKey);
  if (place < order.shown && shown !== undefined) return { answer, newest: shown };
  order.shown = place;
  return { answer, newest: answer };
}
