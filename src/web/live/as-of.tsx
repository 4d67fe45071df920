import './as-of.css';
import { useEffect, useState } from 'react';
import { formatDuration, formatTimeOfDay } from '../ui/moment.ts';

/** What is known of the age of a price. Times in ms. */
export interface PriceTimes {
  time: number | undefined; // when it was last known to be the price, by the server's clock
  ageMs: number; // how old it was when the answer was made; 0 while its source speaks
  receivedAt: number; // by the browser's clock
  everyMs: number; // how often it is asked for
}

/** After so many missed answers in a row a price counts as stale. */
const missedMax = 3;

/** When a price was last known; once its source, or the server, has fallen silent, how old it is. */
export function AsOf({ times }: { times: PriceTimes }) {
  const age = useStaleAge(times);
  const time = times.time ?? times.receivedAt;
  if (age === 0) return <span className="fl-as-of fl-number">as of {formatTimeOfDay(time)} UTC</span>;
  return (
    <span className="fl-as-of fl-number" data-stale role="status" title={`Last known at ${formatTimeOfDay(time)} UTC`}>
      stale, {formatDuration(age)} old
    </span>
  );
}

/** How old a stale price is, in ms; 0 while it is fresh, or none is known. Counted by the clock that measured it: the server's until the answer, ours since. */
export function useStaleAge(times: PriceTimes | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  if (times === null) return 0;
  const since = Math.max(0, now - times.receivedAt);
  return times.ageMs > 0 || since > missedMax * times.everyMs ? times.ageMs + since : 0;
}
