import type { CallReply } from '#contract/client.ts';
import { useFleet } from '../live/use-fleet.ts';

/** A bot of the selector. */
export type MonitoredBot = CallReply<'availableBots'>['data'][number];

/**
 * The chosen bot as it is now: the list was loaded with the page, and in another tab its mode, status or exchange may have been changed since. The
 * list counts until the live state is there.
 */
export function useWatchedBot(bots: readonly MonitoredBot[] | undefined, botId: string | null): MonitoredBot | null {
  const fleet = useFleet();
  const listed = bots?.find(({ id }) => id === botId);
  if (listed === undefined) return null;
  const now = fleet.bots?.find(({ bot_id: id }) => id === botId);
  return now === undefined ? listed : { ...listed, mode: now.mode, status: now.status, exchange_id: now.exchange_id ?? listed.exchange_id };
}
