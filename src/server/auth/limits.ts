import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { texts } from '#contract/errors.ts';
import type { Database } from '#storage/database.ts';
import { countDown, countUp, readCounter } from '#storage/calls/limit-counters.ts';
import { isIPv6 } from 'node:net';
import { HttpError } from '../http/http-error.ts';

/** How often something may happen: at most `most` times in `windowMs`. */
export interface Limit {
  name: string;
  most: number;
  windowMs: number;
}

/** The limits of the sign-in calls. Each use names the key that is counted. */
export const limits = {
  wrongPasswordsHere: { name: 'wrong-password-address', most: 5, windowMs: 15 * minuteMs },
  wrongPasswordsElsewhere: { name: 'wrong-password-account', most: 20, windowMs: hourMs },
  wrongPasswordsKnown: { name: 'wrong-password-known-device', most: 20, windowMs: hourMs },
  signIns: { name: 'sign-in', most: 100, windowMs: 10 * minuteMs },
  registrations: { name: 'register', most: 10, windowMs: hourMs },
  wrongInvitations: { name: 'wrong-invitation', most: 5, windowMs: hourMs },
  invitations: { name: 'invite', most: 60, windowMs: hourMs },
  mailsAsked: { name: 'mail-address', most: 20, windowMs: hourMs },
  mailOfKind: { name: 'mail-kind', most: 1, windowMs: 30_000 },
  codesPerHour: { name: 'codes-hour', most: 5, windowMs: hourMs },
  codesPerDay: { name: 'codes-day', most: 10, windowMs: dayMs },
  wrongCodes: { name: 'wrong-code', most: 10, windowMs: hourMs },
  wrongPasswordsInAll: { name: 'wrong-password-server', most: 200, windowMs: 10 * minuteMs },
  lockMail: { name: 'lock-mail', most: 1, windowMs: hourMs },
  wrongCodesHere: { name: 'wrong-code-address', most: 30, windowMs: hourMs },
} as const satisfies Record<string, Limit>;

/** Counts one; fails with 429 and `text` when that is one too many. */
export async function spend(db: Database, limit: Limit, key: string, now: Date, text: string = texts.tooManyAttempts): Promise<void> {
  const { count, resetsAt } = await countUp(db, `${limit.name}:${key}`, now, limit.windowMs);
  if (count > limit.most) throw tooMany(resetsAt, now, text);
}

/** Counts one and gives how many there are now in the window. */
export async function spent(db: Database, limit: Limit, key: string, now: Date): Promise<number> {
  return (await countUp(db, `${limit.name}:${key}`, now, limit.windowMs)).count;
}

/** Counts one and says whether it was within the limit. */
export async function isWithin(db: Database, limit: Limit, key: string, now: Date): Promise<boolean> {
  return (await spent(db, limit, key, now)) <= limit.most;
}

/** Fails with 429 when the limit is used up, without counting: for what is refused in any case. */
export async function refuseWhenUsedUp(db: Database, limit: Limit, key: string, now: Date): Promise<void> {
  const { count, resetsAt } = await readCounter(db, `${limit.name}:${key}`, now, limit.windowMs);
  if (count >= limit.most) throw tooMany(resetsAt, now, texts.tooManyAttempts);
}

/** Until when a limit is used up, without counting; null while it is not. */
export async function usedUpUntil(db: Database, limit: Limit, key: string, now: Date): Promise<Date | null> {
  const { count, resetsAt } = await readCounter(db, `${limit.name}:${key}`, now, limit.windowMs);
  return count >= limit.most ? resetsAt : null;
}

/** Uncounts one that was counted: tries are counted before their outcome is known, so that many at once are counted too. */
export async function refund(db: Database, limit: Limit, key: string, now: Date): Promise<void> {
  await countDown(db, `${limit.name}:${key}`, now);
}

/** What an address is counted by: itself, or for IPv6 its /64, which one household or server holds. */
export function addressKey(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return isIPv6(plain) ? expand(plain).slice(0, 4).join(':') : plain;
}

function expand(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const front = head.split(':').filter((part) => part !== '');
  const back = tail.split(':').filter((part) => part !== '');
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => '0'), ...back].map((part) => part.padStart(4, '0'));
}

function tooMany(resetsAt: Date, now: Date, text: string): HttpError {
  return new HttpError(429, text, { retryAfterSeconds: Math.ceil((resetsAt.getTime() - now.getTime()) / 1000) });
}
