import './trading.css';
import { useMemo } from 'react';
import { useExchanges } from '../api/use-exchanges.ts';
import type { FleetBot } from '../live/joined-fleet.ts';
import { useFleet } from '../live/use-fleet.ts';
import { ModeWords } from '../ui/mode-words.tsx';
import { venueName } from '../ui/venue.ts';

/** Says that bots of the viewer trade live now: how many, and on which exchanges, real money apart from test networks. */
export function LiveBanner() {
  const { bots } = useFleet();
  const exchanges = useExchanges();
  const groups = useMemo(() => liveGroups(bots ?? []), [bots]);
  if (groups.length === 0) return null;
  const nameOf = (id: string) => exchanges.data?.find((exchange) => exchange.id === id)?.name ?? id;
  return (
    <section aria-label="Live trading">
      {groups.map(({ venue, count, exchangeIds }) => (
        <p key={venue ?? ''} className={`fl-mode fl-mode-${venue === null ? 'live' : 'testnet'} trading-live`}>
          <ModeWords mode="live" exchangeId={exchangeIds[0]} size={13} />
          <span>
            {count} of your bots {count === 1 ? 'trades' : 'trade'}
            {venue === null ? ' with real money' : <span className="trading-live-more"> with real orders, no real money</span>}:{' '}
            {exchangeIds.map(nameOf).join(', ')}
          </span>
        </p>
      ))}
    </section>
  );
}

interface LiveGroup {
  venue: string | null; // null: real money
  count: number;
  exchangeIds: string[];
}

/** The viewer's live and active bots: those with real money first, then those of the sandbox and of test networks. */
function liveGroups(bots: readonly FleetBot[]): LiveGroup[] {
  const own = bots.filter(({ mode, status, is_own: isOwn }) => mode === 'live' && status === 'active' && isOwn === true);
  return [...Map.groupBy(own, ({ exchange_id: id }) => venueName(id))]
    .map(([venue, some]) => ({ venue, count: some.length, exchangeIds: [...new Set(some.flatMap(({ exchange_id: id }) => id ?? []))] }))
    .sort((a, b) => (a.venue ?? '').localeCompare(b.venue ?? ''));
}
