import { mails } from '#mail/texts.ts';
import { writeAudit } from '#storage/audit/audit-log.ts';
import { openDatabase, type Database } from '#storage/database.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { removeAuthenticators } from '#storage/auth/authenticators.ts';
import { removePasskeys } from '#storage/auth/passkeys.ts';
import { endAllSessions, endHalfLogins, endSessionsOf } from '#storage/auth/sessions.ts';
import { findUserByEmail, updateUser, type User } from '#storage/users/users.ts';

/** The command line knows no person: whoever reaches it has the machine. */
const byNobody = { actorId: null, actorRole: null } as const;

/** Ends the sessions of the account with this e-mail, or of everybody, and gives how many. Fails: with one sentence for an unknown e-mail */
export async function endSessions(databaseUrl: string, email: string | null): Promise<number> {
  const why = 'ended from the command line';
  return inOneTransaction(databaseUrl, async (trx) => {
    const user = email === null ? null : await accountOf(trx, email);
    const count = user === null ? await endAllSessions(trx, new Date(), why) : await endSessionsOf(trx, user.id, new Date(), why, null);
    if (user === null) {
      await writeAudit(trx, { ...byNobody, action: 'end-all-sessions', result: 'ok' });
      return count;
    }
    await endHalfLogins(trx, user.id);
    await addMail(trx, mails.sessionsEnded(user.email));
    await writeAudit(trx, { ...byNobody, action: 'end-user-sessions', target: user.id, result: 'ok' });
    return count;
  });
}

/** Switches every second factor of an account off, authenticator app, passkeys and backup codes too, and ends its sessions; its owner gets a mail. Fails: with one sentence */
export async function resetTwoFactor(databaseUrl: string, email: string): Promise<User> {
  return inOneTransaction(databaseUrl, async (trx) => {
    const found = await accountOf(trx, email);
    if (!found.has2fa) throw new Error(`${found.email} has no second factor.`);
    await updateUser(trx, found.id, { has2fa: false, mailedCodes: true, secondFactorMisses: 0 });
    await removeAuthenticators(trx, found.id);
    await removePasskeys(trx, found.id);
    await endSessionsOf(trx, found.id, new Date(), '2FA was switched off from the command line', null);
    await endHalfLogins(trx, found.id);
    await addMail(trx, mails.twoFactorOff(found.email));
    await writeAudit(trx, { ...byNobody, action: 'reset-2fa', target: found.id, result: 'ok' });
    return found;
  });
}

async function inOneTransaction<T>(databaseUrl: string, work: (trx: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    return await db.transaction().execute(work);
  } finally {
    await db.destroy();
  }
}

async function accountOf(trx: Database, email: string): Promise<User> {
  const user = await findUserByEmail(trx, email);
  if (user === null) throw new Error(`There is no account with the e-mail ${email}.`);
  return user;
}
