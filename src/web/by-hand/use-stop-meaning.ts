import { useStaleAge } from '../live/as-of.tsx';
import type { OpenProfit } from '../live/use-open-profit.ts';
import type { StopMeaning } from './stop-loss-facts.ts';
import { stopMeaning } from './stop-loss-facts.ts';

/**
 * What it means to have the stop of a position at a price, by the newest price of its pair; null while that is not known. A stale price does
 * not say that it has passed the stop: the bot, which knows the price of now, decides.
 */
export function useStopMeaning(
  position: Parameters<typeof stopMeaning>[0],
  open: Pick<OpenProfit, 'price' | 'unrealizedPnl' | 'times'> | null,
  stop: number,
): StopMeaning | null {
  const isStale = useStaleAge(open?.times ?? null) > 0;
  if (open === null || open.price === null) return null;
  const meaning = stopMeaning(position, { ...open, price: open.price }, stop);
  return { ...meaning, isBeyond: meaning.isBeyond && !isStale };
}
