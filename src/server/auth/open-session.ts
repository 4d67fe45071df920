import type { User } from '#storage/users.ts';
import type { Call } from '../call.ts';
import type { ServerParts } from '../parts.ts';
import { deviceLifeMs, deviceMark } from './device.ts';
import { beginSession, sessionLife } from './sessions.ts';

/** Signs somebody in: a session cookie, and a mark on the device so that outsiders cannot lock its owner out. */
export async function openSession(
  { db, pepper }: ServerParts,
  call: Pick<Call<'login'>, 'cookies' | 'now' | 'address'>,
  user: User,
): Promise<void> {
  const token = await beginSession(db, user.id, call.now, call.address);
  call.cookies.set('session', token, sessionLife.absolute);
  call.cookies.set('device', deviceMark(pepper, user.id), deviceLifeMs);
  call.cookies.clear('halfLogin');
}
