import type { auditResults } from '#contract/audit.ts';
import type { CallInput } from '#contract/client.ts';

/** How far back records are wanted. */
export type AuditPeriod = '1' | '7' | '30' | 'all';

/** Which records are wanted; an empty text means all. */
export interface AuditFilter {
  search: string;
  action: string;
  result: '' | (typeof auditResults)[number];
  period: AuditPeriod;
}

/** The filter of a screen that has just been opened. */
export const firstFilter: AuditFilter = { search: '', action: '', result: '', period: '7' };

/** The periods to choose from. */
export const periods: readonly { value: AuditPeriod; label: string }[] = [
  { value: '1', label: 'last 24 hours' },
  { value: '7', label: 'last 7 days' },
  { value: '30', label: 'last 30 days' },
  { value: 'all', label: 'all time' },
];

/** What the call for records is given. */
export type AuditQuery = CallInput<'listAudit'>['query'];

const dayMs = 86_400_000;

/** The query for the newest records that the filter lets through at `now`, in ms. The pages after it keep its beginning. */
export function auditQuery({ search, action, result, period }: AuditFilter, now: number): AuditQuery {
  const words = search.trim();
  return {
    ...(words === '' ? {} : { search: words }),
    ...(action === '' ? {} : { action }),
    ...(result === '' ? {} : { result }),
    ...(period === 'all' ? {} : { since: new Date(now - Number(period) * dayMs).toISOString() }),
  };
}
