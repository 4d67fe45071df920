import { MonthPanel } from '../profits/month-panel.tsx';
import { utcDay } from '../profits/profit-range.ts';
import { useNow } from '../ui/use-now.ts';

/** What an investor comes for, above everything else: the return of this month and its statement. */
export function FundThisMonth() {
  return <MonthPanel today={utcDay(useNow(60_000))} />;
}
