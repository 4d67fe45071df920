import { mails } from '#mail/texts.ts';
import type { Config } from '#processes/config.ts';
import { writeAudit } from '#storage/audit-log.ts';
import { openDatabase, type Database } from '#storage/database.ts';
import { addMail } from '#storage/mail-outbox.ts';
import { endAllSessions, endHalfLogins, endSessionsOf } from '#storage/sessions.ts';
import { findUserByEmail, updateUser, type User } from '#storage/users.ts';
import { withDatabase } from './backup-command.ts';
import { CommandError } from './command-error.ts';

/** Ends the sessions of the account with this e-mail, or of everybody, and says how many. */
export async function endSessionsCommand(config: Config, email: string | null, say: (line: string) => void): Promise<void> {
  const why = 'ended from the command line';
  const ended = await inOneTransaction(config, async (trx) => {
    const user = email === null ? null : await accountOf(trx, email);
    const count = user === null ? await endAllSessions(trx, new Date(), why) : await endSessionsOf(trx, user.id, new Date(), why, null);
    if (user !== null) {
      await endHalfLogins(trx, user.id);
      await addMail(trx, mails.sessionsEnded(user.email));
    }
    await noted(trx, user === null ? 'end-all-sessions' : 'end-user-sessions', user?.id ?? null);
    return count;
  });
  say(`${ended} ${ended === 1 ? 'session has' : 'sessions have'} ended.`);
}

/** Switches the second factor of an account off and ends its sessions; its owner gets a mail. */
export async function resetTwoFactorCommand(config: Config, email: string, say: (line: string) => void): Promise<void> {
  const user = await inOneTransaction(config, async (trx) => {
    const found = await accountOf(trx, email);
    if (!found.has2fa) throw new CommandError(`${found.email} has no second factor.`);
    await updateUser(trx, found.id, { has2fa: false, secondFactorMisses: 0 });
    await endSessionsOf(trx, found.id, new Date(), '2FA was switched off from the command line', null);
    await endHalfLogins(trx, found.id);
    await addMail(trx, mails.twoFactorOff(found.email));
    await noted(trx, 'reset-2fa', found.id);
    return found;
  });
  say(`The second factor of ${user.email} is off and its sessions have ended. It can be set up again after the next sign-in.`);
}

async function inOneTransaction<T>(config: Config, work: (trx: Database) => Promise<T>): Promise<T> {
  return withDatabase(config, async (url) => {
    const db = openDatabase(url, { connections: 1 });
    try {
      return await db.transaction().execute(work);
    } finally {
      await db.destroy();
    }
  });
}

async function accountOf(trx: Database, email: string): Promise<User> {
  const user = await findUserByEmail(trx, email);
  if (user === null) throw new CommandError(`There is no account with the e-mail ${email}.`);
  return user;
}

async function noted(trx: Database, action: string, target: string | null): Promise<void> {
  await writeAudit(trx, { actorId: null, actorRole: null, action, ...(target === null ? {} : { target }), result: 'ok' });
}
