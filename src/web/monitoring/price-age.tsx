import { useEffect, useState } from 'react';
import { formatDuration, formatTimeOfDay } from '../ui/moment.ts';
import type { KnownPrice } from './current-price.ts';
import { chartPollMs } from '../live/use-live-status.ts';

/** After so many missed answers in a row a price counts as stale. */
const missedMax = 3;

/** When the price was last known; once its source, or the server, has fallen silent, how old it is. */
export function PriceAge({ price }: { price: KnownPrice }) {
  const age = useAge(price);
  const time = price.time ?? price.receivedAt;
  if (age === 0) return <span className="mon-age fl-number">as of {formatTimeOfDay(time)} UTC</span>;
  return (
    <span className="mon-age fl-number" data-stale role="status" title={`Last known at ${formatTimeOfDay(time)} UTC`}>
      stale, {formatDuration(age)} old
    </span>
  );
}

/** How old a stale price is, in ms; 0 while it is fresh. Counted by the clock that measured it: the server's until the answer, ours since. */
function useAge({ ageMs, receivedAt }: KnownPrice): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const since = Math.max(0, now - receivedAt);
  return ageMs > 0 || since > missedMax * chartPollMs ? ageMs + since : 0;
}
