import { dayMs } from '#engine/market/durations.ts';
import type { User } from '#storage/users/users.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long a device is remembered, in ms. */
export const deviceLifeMs = 365 * dayMs;

/** Whose mark it is. Every new password has another hash, so that whoever has taken a mark away has it until then. */
type Marked = Pick<User, 'id' | 'passwordHash'>;

/** What a device keeps of a person who has signed in on it. */
export function deviceMark(pepper: Buffer, { id, passwordHash }: Marked): string {
  return createHmac('sha256', pepper).update('device').update(id).update(passwordHash).digest('base64url');
}

/** Whether a device has kept the mark of this person: then strangers cannot lock the person out on it. */
export function isDeviceMark(pepper: Buffer, user: Marked, mark: string | null): boolean {
  const right = Buffer.from(deviceMark(pepper, user));
  const given = Buffer.from(mark ?? '');
  return given.length === right.length && timingSafeEqual(given, right);
}
