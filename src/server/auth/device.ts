import { dayMs } from '#engine/market/durations.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long a device is remembered, in ms. */
export const deviceLifeMs = 365 * dayMs;

/** What a device keeps of a person who has signed in on it. */
export function deviceMark(pepper: Buffer, userId: string): string {
  return createHmac('sha256', pepper).update('device').update(userId).digest('base64url');
}

/** Whether a device has kept the mark of this person: then strangers cannot lock the person out on it. */
export function isDeviceMark(pepper: Buffer, userId: string, mark: string | null): boolean {
  const right = Buffer.from(deviceMark(pepper, userId));
  const given = Buffer.from(mark ?? '');
  return given.length === right.length && timingSafeEqual(given, right);
}
