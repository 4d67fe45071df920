import { readConfig } from '#processes/config.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { addHalfLogin, addSession, listLiveSessions } from '#storage/auth/sessions.ts';
import { addUser, findUser, updateUser } from '#storage/users/users.ts';
import { addAuthenticator, confirmAuthenticator, findAuthenticator, replaceBackupCodes } from '#storage/auth/authenticators.ts';
import { addPasskey, listPasskeys, replacePasskeyBackupCodes } from '#storage/auth/passkeys.ts';
import { authenticatorSecrets } from '#vault/authenticator-secrets.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { endSessionsCommand, resetTwoFactorCommand } from './account-commands.ts';

const { db, url } = await freshDatabase();
const config = readConfig({ DATABASE_URL: url }, '/');
let said: string[] = [];
const say = (line: string) => void said.push(line);
let people = 0;

/** An account with a second factor, two sessions and a half login. */
async function somebody() {
  const user = await addUser(db, { email: `person-${++people}@example.com`, passwordHash: 'none', role: 'trader' });
  if (user === null) throw new Error('the address is taken');
  await updateUser(db, user.id, { has2fa: true, secondFactorMisses: 100 });
  const now = new Date();
  const later = new Date(now.getTime() + 3_600_000);
  for (let i = 0; i < 2; i++)
    await addSession(
      db,
      { userId: user.id, now, endsAt: later, address: '127.0.0.1' },
      { hash: randomBytes(32), accessUntil: later, refreshUntil: later },
    );
  await addHalfLogin(db, randomBytes(32), user.id, later);
  return user;
}
const sessionsOf = async ({ id }: { id: string }) => (await listLiveSessions(db, id, new Date())).length;
const halfLoginsOf = async ({ id }: { id: string }) =>
  (await db.selectFrom('halfLogins').select('hash').where('userId', '=', id).execute()).length;
const mailsTo = async ({ email }: { email: string }) =>
  (await db.selectFrom('mailOutbox').select('subject').where('recipient', '=', email).execute()).map(({ subject }) => subject);
const audited = async (action: string) => (await listAudit(db, { action }, 10)).lines.map(({ target }) => target);

beforeEach(() => {
  said = [];
});

test('end-sessions signs one account out, in any spelling of its e-mail, and nobody else', async () => {
  const [user, other] = [await somebody(), await somebody()];
  await endSessionsCommand(config, user.email.toUpperCase(), say);
  expect([await sessionsOf(user), await halfLoginsOf(user), await sessionsOf(other), await halfLoginsOf(other)]).toEqual([0, 0, 2, 1]);
  expect(said).toEqual(['2 sessions have ended.']);
  expect(await mailsTo(user)).toEqual(['Your sessions were ended']);
  expect(await audited('end-user-sessions')).toEqual([user.id]);
});

test('end-sessions --everybody signs everybody out', async () => {
  const users = [await somebody(), await somebody()];
  await db
    .updateTable('sessions')
    .set({ revokedAt: new Date() })
    .where('userId', '=', users[1]?.id ?? '')
    .execute();
  await endSessionsCommand(config, null, say);
  for (const user of users) expect([await sessionsOf(user), await halfLoginsOf(user)]).toEqual([0, 0]);
  expect(await audited('end-all-sessions')).toEqual([null]);
  await endSessionsCommand(config, null, say);
  expect(said.at(-1)).toBe('0 sessions have ended.');
});

test('reset-2fa switches the second factor off, ends the sessions and mails the owner', async () => {
  const user = await somebody();
  await resetTwoFactorCommand(config, user.email, say);
  expect(await findUser(db, user.id)).toMatchObject({ has2fa: false, secondFactorMisses: 0 });
  expect([await sessionsOf(user), await halfLoginsOf(user)]).toEqual([0, 0]);
  expect(await mailsTo(user)).toEqual(['Two-factor authentication was switched off']);
  expect(await audited('reset-2fa')).toEqual([user.id]);
  await expect(resetTwoFactorCommand(config, user.email, say)).rejects.toThrow(`${user.email} has no second factor.`);
});

test('reset-2fa takes an authenticator app and its backup codes away, too', async () => {
  const user = await somebody();
  const app = { id: randomUUID(), userId: user.id };
  await addAuthenticator(db, { ...app, createdAt: new Date(), sealed: authenticatorSecrets(randomBytes(32)).seal(app, randomBytes(20)) });
  await confirmAuthenticator(db, app, 1, new Date());
  await replaceBackupCodes(db, app.id, [randomBytes(32)], new Date());
  await updateUser(db, user.id, { mailedCodes: false });
  await resetTwoFactorCommand(config, user.email, say);
  expect(await findUser(db, user.id)).toMatchObject({ has2fa: false, mailedCodes: true });
  expect(await findAuthenticator(db, user.id)).toBeNull();
  expect(await db.selectFrom('backupCodes').selectAll().execute()).toEqual([]);
});

test('reset-2fa takes passkeys and their backup codes away, too', async () => {
  const user = await somebody();
  const passkey = { id: randomUUID(), userId: user.id, name: 'Phone', credentialId: randomBytes(16), publicKey: randomBytes(64) };
  await addPasskey(db, { ...passkey, transports: [], counter: 0, addedAt: new Date() });
  await replacePasskeyBackupCodes(db, user.id, [randomBytes(32)], new Date());
  await updateUser(db, user.id, { mailedCodes: false });
  await resetTwoFactorCommand(config, user.email, say);
  expect(await listPasskeys(db, user.id)).toEqual([]);
  expect(await db.selectFrom('passkeyBackupCodes').selectAll().execute()).toEqual([]);
});

test('an account that is not there is said, and nothing is done', async () => {
  await expect(endSessionsCommand(config, 'nobody@example.com', say)).rejects.toThrow(
    'There is no account with the e-mail nobody@example.com.',
  );
  await expect(resetTwoFactorCommand(config, 'nobody@example.com', say)).rejects.toThrow('There is no account');
  expect(said).toEqual([]);
});
