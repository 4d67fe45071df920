import type { CallReply } from '#contract/client.ts';
import { limitRanges } from '#contract/limits.ts';
import { formatMoney } from '../ui/money.ts';
import { formatRatio } from '../ui/ratio.ts';
import type { Draft } from './draft-store.ts';

/** The limits of a bot, a user or the server. */
export type Limits = CallReply<'getLimits'>;

/** One of them. */
export type Limit = Limits['limits'][number];

/** A change of a limit that waits to be saved. */
export interface LimitChange {
  limit: Limit;
  value: number | null; // null: the default
  issue: string | null; // why it cannot be saved
}

/** What distinguishes the limits of one level. */
export function limitKey({ name, currency }: Pick<Limit, 'name' | 'currency'>): string {
  return currency === null ? name : `${name} ${currency}`;
}

/** A value as it stands in its field: a ratio in per cent. */
export function fieldText({ name }: Pick<Limit, 'name'>, value: number): string {
  return String(limitRanges[name].unit === 'ratio' ? shifted(value, 100) : value);
}

/** A value as people read it. */
export function valueText({ name, currency }: Pick<Limit, 'name' | 'currency'>, value: number): string {
  const { unit } = limitRanges[name];
  if (unit === 'amount') return formatMoney(value, currency ?? undefined);
  if (unit === 'ratio') return formatRatio(value, 2);
  return unit === 'times' ? `${value}x` : String(value);
}

/** What was entered that differs from what holds. */
export function changesOf(limits: readonly Limit[], draft: Draft): LimitChange[] {
  return limits.flatMap((limit): LimitChange[] => {
    const text = draft[limitKey(limit)]?.trim();
    if (text === undefined) return [];
    if (text === '') return limit.is_default ? [] : [{ limit, value: null, issue: issueOf(limit, limit.default) }];
    const { unit } = limitRanges[limit.name];
    const value = unit === 'ratio' ? shifted(Number(text), 0.01) : Number(text);
    return value === limit.value ? [] : [{ limit, value, issue: issueOf(limit, value) }];
  });
}

/** Whether a change allows more than what holds. */
export function isRaise({ limit, value }: LimitChange): boolean {
  return (value ?? limit.default) > (limit.has_no_rate ? 0 : limit.value);
}

function issueOf(limit: Limit, value: number): string | null {
  const { least, most, isWhole } = limitRanges[limit.name];
  if (!Number.isFinite(value)) return 'Enter a number.';
  if (isWhole && !Number.isInteger(value)) return 'Enter a whole number.';
  if (value < least || value > most) return `Between ${fieldText(limit, least)} and ${fieldText(limit, most)}.`;
  if (value > limit.value && !limit.may_raise) return 'An administrator has set this limit.';
  return null;
}

/** A product without the crumbs of binary fractions. */
function shifted(value: number, factor: number): number {
  return Number((value * factor).toFixed(8));
}
