import { formatDuration } from '../ui/moment.ts';
import { baseOf, formatAmount, formatPrice, quoteOf } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { LiveAccount } from './use-live-accounts.ts';

/** One thing that is known of an account; what is wrong needs a person. */
export interface HealthLine {
  name: string;
  value: string;
  tone: 'good' | 'bad' | 'plain';
}

/** Accounts are compared every minute; after so long one has been missed, in ms. */
const lateMs = 3 * 60_000;

/** A clock this far off is worth a warning; orders are refused from a second on. In ms. */
const offsetMs = 250;

/** How an account stands at a time, in ms, thing by thing. */
export function accountHealth(account: LiveAccount, now: number): HealthLine[] {
  const line = (name: string, value: string, tone: HealthLine['tone'] = 'plain'): HealthLine => ({ name, value, tone });
  const ago = (at: string): string => `${formatDuration(Math.max(0, now - Date.parse(at)))} ago`;
  const {
    compared_at: comparedAt,
    clock_offset_ms: offset,
    budget_used: used,
    unknown_orders: unknown,
    oldest_unknown_at: since,
  } = account;
  const isRefused = account.key_check === 'refused';
  const isLate = comparedAt === null || now - Date.parse(comparedAt) > lateMs;
  return [
    line(
      'Connected',
      isRefused ? 'no: the exchange refuses its key' : account.has_runner ? 'yes' : 'no runner has a bot of it',
      isRefused || !account.has_runner ? 'bad' : 'good',
    ),
    line('Compared with the trades', comparedAt === null ? 'never' : ago(comparedAt), isLate ? 'bad' : 'good'),
    line('Differences', String(account.differences), account.differences > 0 ? 'bad' : 'good'),
    line('Positions without a stop', String(account.unprotected), account.unprotected > 0 ? 'bad' : 'good'),
    line(
      'Orders with an unknown outcome',
      unknown === 0 || since === null ? String(unknown) : `${unknown}, the oldest ${ago(since)}`,
      unknown > 0 ? 'bad' : 'good',
    ),
    line(
      'Clock against the exchange',
      offset === null ? 'not measured yet' : `${Math.round(offset) < 0 ? '-' : '+'}${Math.abs(Math.round(offset))} ms`,
      offset === null ? 'plain' : Math.abs(offset) > offsetMs ? 'bad' : 'good',
    ),
    line(
      'Requests used of a minute',
      used === null ? 'not known yet' : formatRatio(used, 0),
      used === null ? 'plain' : used > 0.8 ? 'bad' : 'good',
    ),
    line(
      'Longest gap while a stop was replaced, 24 hours',
      account.longest_stop_gap_ms === null ? 'none was replaced' : formatGap(account.longest_stop_gap_ms),
    ),
    line('Left over and too little to sell, 90 days', leftOverText(account)),
  ];
}

/** '0.000748 SOL ($0.12)', of several coins with what they are worth together. */
function leftOverText({ left_over: leftOver }: LiveAccount): string {
  if (leftOver.length === 0) return 'nothing';
  return leftOver
    .map(({ symbol, amount, worth }) => `${formatAmount(amount)} ${baseOf(symbol)} (${formatPrice(worth, quoteOf(symbol), 0.01)})`)
    .join(', ');
}

function formatGap(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : formatDuration(ms);
}
