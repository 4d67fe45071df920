import type { Database } from '#storage/database.ts';
import { addMail } from '#storage/mail-outbox.ts';
import { mails } from '#mail/texts.ts';
import type { User } from '#storage/users.ts';
import { lockUnchanged } from '#storage/users.ts';
import type { Call } from '../call.ts';
import type { ServerParts } from '../parts.ts';
import { audit } from '../audit.ts';
import { deviceLifeMs, deviceMark, isDeviceMark } from './device.ts';
import { beginSession, sessionLife } from './sessions.ts';

/**
 * Signs a person in: a session cookie, and a mark on the device so that outsiders cannot lock its owner out.
 *
 * `user` is the account as it was when the proof was checked. A password or a second factor that was changed meanwhile
 * makes the proof worthless: then there is no session, and null is returned. `prove` does in the same transaction what
 * else the sign-in depends on, and gives the account as it is then, or null when that fails. The line of the audit log
 * with the name `action` is in that transaction too.
 */
export async function openSession(
  { db, pepper }: ServerParts,
  call: Pick<Call<'login'>, 'cookies' | 'now' | 'address' | 'device' | 'requestId'>,
  user: User,
  action: string,
  prove: (trx: Database, user: User) => Promise<User | null> = async (_, same) => same,
): Promise<User | null> {
  const opened = await db.transaction().execute(async (trx) => {
    const same = await lockUnchanged(trx, user);
    const proven = same === null ? null : await prove(trx, same);
    if (proven === null) return null;
    const token = await beginSession(trx, proven.id, call.now, call.address, call.device);
    const isFirst = action === 'verify-email'; // the account has just been made
    if (!isFirst && !isDeviceMark(pepper, proven.id, call.cookies.read('device')))
      await addMail(trx, mails.newDevice(proven.email, { device: call.device, address: call.address, time: call.now }));
    await audit(trx, call, proven, action, 'ok');
    return { proven, token };
  });
  if (opened === null) return null;
  call.cookies.set('session', opened.token, sessionLife.absolute);
  call.cookies.set('device', deviceMark(pepper, user.id), deviceLifeMs);
  call.cookies.clear('halfLogin');
  return opened.proven;
}
