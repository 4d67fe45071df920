import { factorTexts } from '#contract/second-factors.ts';
import { lockSettings, readSettings } from '#storage/installation/installation-settings.ts';
import { updateUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { setUpApp } from '../../../test/support/authenticator-app.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let trader: Person;
let strangers = 0;

const require2fa = async (rule: 'off' | 'admins' | 'all', by = admin) =>
  by.changeInstallation({ body: { version: (await readSettings(db)).version, require_2fa: rule } });

/** An account that nobody has signed in to; made by hand, because the settings may not let anybody register. */
const signUp = async () => {
  const email = `stranger-${++strangers}@example.com`;
  const at = server.browser(`10.3.0.${strangers}`);
  await at.register({ body: { email, password, confirmPassword: password } });
  return { at, email };
};
const isSignedIn = async (at: ReturnType<typeof server.browser>) =>
  at.getMe({}).then(
    () => true,
    () => false,
  );
const has2fa = async (id: string) => (await db.selectFrom('users').select('has2fa').where('id', '=', id).executeTakeFirstOrThrow()).has2fa;
/** Holds an account while calls run into its lock, one after the other, and gives how they ended. */
async function whileHeld(userId: string, calls: readonly (() => Promise<unknown>)[]): Promise<PromiseSettledResult<unknown>[]> {
  const begun = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${userId} for update`.execute(trx);
    const under: Promise<PromiseSettledResult<unknown>[]>[] = [];
    for (const call of calls) {
      under.push(Promise.allSettled([call()]));
      await untilWaiting(db, under.length);
    }
    return under;
  });
  return (await Promise.all(begun)).flat();
}

beforeEach(async () => {
  admin = await server.signedIn('admin');
  await updateUser(db, admin.userId, { has2fa: true });
  trader = await server.signedIn('trader');
});
afterEach(async () => void (await sql`update installation_settings set require_two_factor = 'off', registration = 'open'`.execute(db)));

describe('switching it on', () => {
  test('ends the sessions of all accounts without 2FA, and of nobody else', async () => {
    const secured = await server.signedIn('operator');
    await updateUser(db, secured.userId, { has2fa: true });
    await require2fa('all');
    expect(await Promise.all([admin, secured, trader].map(isSignedIn))).toEqual([true, true, false]);
    expect((await failure(trader.refreshSession({}))).message).toBe('401 Session expired');
  });

  test('for admins ends those of admins without 2FA only', async () => {
    const other = await server.signedIn('admin');
    await require2fa('admins');
    expect(await Promise.all([admin, other, trader].map(isSignedIn))).toEqual([true, false, true]);
    await require2fa('all');
    expect(await isSignedIn(trader)).toBe(false);
  });

  test('needs 2FA on the own account first, and changes nothing without', async () => {
    const other = await server.signedIn('admin');
    for (const rule of ['admins', 'all'] as const)
      expect((await failure(require2fa(rule, other))).message).toBe('400 Switch on 2FA for your own account first.');
    expect(await readSettings(db)).toMatchObject({ requireTwoFactor: 'off' });
    expect(await isSignedIn(trader)).toBe(true);
  });

  test('ends nothing when it is on already, or switched off', async () => {
    await require2fa('admins');
    await require2fa('admins');
    await require2fa('off');
    expect(await isSignedIn(trader)).toBe(true);
  });
});

describe('a sign-in of an account without 2FA', () => {
  test('asks for a mailed code, and the right one switches 2FA on with the session', async () => {
    await require2fa('all');
    const at = server.browser('10.4.0.1');
    expect(await at.login({ body: { email: trader.email, password } })).toEqual({
      status: '2FA code sent to your email',
      email: trader.email,
      userId: trader.userId,
    });
    expect([await isSignedIn(at), await has2fa(trader.userId)]).toEqual([false, false]);
    const wrong = await failure(at.verifyTwoFactor({ params: { id: trader.userId }, body: { code: '000000' } }));
    expect([wrong.status, await isSignedIn(at), await has2fa(trader.userId)]).toEqual([400, false, false]);
    const code = server.mailBox.code(trader.email);
    expect(await at.verifyTwoFactor({ params: { id: trader.userId }, body: { code } })).toMatchObject({ has_2fa: true });
    expect([await isSignedIn(at), await has2fa(trader.userId)]).toEqual([true, true]);
    await server.deliver();
    expect(server.mailBox.mails.some(({ to, subject }) => to.includes(trader.email) && subject === '2FA was switched on')).toBe(true);
    const { rows } = await sql<{ action: string; detail: unknown }>`
      select action, detail from audit_log where actor_id = ${trader.userId} order by id desc limit 2`.execute(db);
    expect(rows.map(({ action }) => action)).toEqual(['set-up-2fa', 'sign-in']);
    expect(rows[0]?.detail).toEqual({ required: true });
  });

  test('that has 2FA is as before: nothing is switched on a second time', async () => {
    const secured = await server.signedIn('operator');
    await updateUser(db, secured.userId, { has2fa: true });
    await require2fa('all');
    const at = server.browser('10.4.0.6');
    await at.login({ body: { email: secured.email, password } });
    await at.verifyTwoFactor({ params: { id: secured.userId }, body: { code: server.mailBox.code(secured.email) } });
    expect(await Promise.all([at, secured].map(isSignedIn))).toEqual([true, true]);
    const { rows } = await sql`select 1 from audit_log where actor_id = ${secured.userId} and action = 'set-up-2fa'`.execute(db);
    expect(rows).toEqual([]);
  });

  test('is as before while nothing is required of its role', async () => {
    await require2fa('admins');
    const at = server.browser('10.4.0.2');
    expect(await at.login({ body: { email: trader.email, password } })).toMatchObject({ status: 'Login successful', has_2fa: false });
  });

  test('leaves 2FA off when the rule was switched off before the code was entered', async () => {
    await require2fa('all');
    const at = server.browser('10.4.0.3');
    await at.login({ body: { email: trader.email, password } });
    await require2fa('off');
    const code = server.mailBox.code(trader.email);
    expect(await at.verifyTwoFactor({ params: { id: trader.userId }, body: { code } })).toMatchObject({ has_2fa: false });
    expect(await isSignedIn(at)).toBe(true);
  });

  test('by a reset password asks for the code too', async () => {
    await require2fa('all');
    const at = server.browser('10.4.0.4');
    await at.forgotPassword({ body: { email: trader.email } });
    await expect
      .poll(() => server.mailBox.mails.some(({ to, subject }) => to.includes(trader.email) && subject.includes('reset')))
      .toBe(true);
    const code = server.mailBox.code(trader.email);
    const other = 'a password of another kind';
    await at.resetPassword({ body: { email: trader.email, code, password: other, confirmPassword: other } });
    expect(await isSignedIn(at)).toBe(false);
    expect(await at.login({ body: { email: trader.email, password: other } })).toMatchObject({ status: '2FA code sent to your email' });
    expect(await isSignedIn(at)).toBe(false);
  });

  test('an account that becomes an admin is asked at its next sign-in', async () => {
    await require2fa('admins');
    await admin.changeRole({ params: { id: trader.userId }, body: { role: 'admin' } });
    expect(await isSignedIn(trader)).toBe(false);
    const at = server.browser('10.4.0.5');
    expect(await at.login({ body: { email: trader.email, password } })).toMatchObject({ status: '2FA code sent to your email' });
  });
});

describe('a fresh account', () => {
  test('is verified by its code and signed in by nothing but password and code', async () => {
    await require2fa('all');
    const { at, email } = await signUp();
    const code = server.mailBox.code(email);
    expect(await at.verifyEmail({ body: { email, code } })).toEqual({ status: 'Email verified successfully. Please sign in.', email });
    expect(await isSignedIn(at)).toBe(false);
    const user = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow();
    expect(user).toMatchObject({ verified: true, emailVerified: true, has2fa: false });
    expect((await failure(at.verifyEmail({ body: { email, code } }))).status).toBe(400);
    await at.login({ body: { email, password } });
    await at.verifyTwoFactor({ params: { id: user.id }, body: { code: server.mailBox.code(email) } });
    expect(await at.getMe({})).toMatchObject({ email, has_2fa: true });
  });

  test('signs in by its verification as before where only admins need 2FA', async () => {
    await require2fa('admins');
    const { at, email } = await signUp();
    expect(await at.verifyEmail({ body: { email, code: server.mailBox.code(email) } })).toMatchObject({
      status: 'Email verified successfully',
      role: 'trader',
    });
    expect(await isSignedIn(at)).toBe(true);
  });
});

describe('switched on while somebody', () => {
  test('signs in: a session that was begun before is ended', async () => {
    const at = server.browser('10.5.0.1');
    const [login, change] = await whileHeld(trader.userId, [
      () => at.login({ body: { email: trader.email, password } }),
      () => require2fa('all'),
    ]);
    expect([login?.status, change?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await isSignedIn(at)).toBe(false);
  });

  test('signs in: whoever comes after it is asked for the code', async () => {
    const at = server.browser('10.5.0.2');
    const [change, login] = await whileHeld(trader.userId, [
      () => require2fa('all'),
      () => at.login({ body: { email: trader.email, password } }),
    ]);
    expect(change?.status).toBe('fulfilled');
    expect(login).toMatchObject({ status: 'fulfilled', value: { status: '2FA code sent to your email' } });
    expect(await isSignedIn(at)).toBe(false);
  });

  test('confirms an e-mail address: there is no session', async () => {
    const { at, email } = await signUp();
    const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    const code = server.mailBox.code(email);
    const [, verified] = await whileHeld(id, [() => require2fa('all'), () => at.verifyEmail({ body: { email, code } })]);
    expect(verified).toMatchObject({ status: 'fulfilled', value: { status: 'Email verified successfully. Please sign in.' } });
    expect(await isSignedIn(at)).toBe(false);
  });

  test('changes a password: there is no new session', async () => {
    const [, changed] = await whileHeld(trader.userId, [
      () => require2fa('all'),
      () => trader.updatePassword({ body: { password: 'yet another password' } }),
    ]);
    expect(changed).toMatchObject({ status: 'rejected', reason: { status: 401 } });
    expect(await isSignedIn(trader)).toBe(false);
    const { rows } = await sql`select 1 from sessions where user_id = ${trader.userId} and revoked_at is null`.execute(db);
    expect(rows).toEqual([]);
  });

  test('renews a session: it ends all the same', async () => {
    const [, renewed] = await whileHeld(trader.userId, [
      () => require2fa('all'),
      async () => {
        await trader.refreshSession({});
        await trader.login({ body: { email: trader.email, password } }); // waits, as the calls above do
      },
    ]);
    expect(renewed?.status).toBe('fulfilled');
    expect(await isSignedIn(trader)).toBe(false);
  });

  test('takes an app away that is the only second factor: it stays', async () => {
    const app = await setUpApp(server, trader);
    let stopped: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await lockSettings(trx, 'change');
      await sql`update installation_settings set require_two_factor = 'all'`.execute(trx); // not seen by others yet
      stopped = failure(trader.stopAuthenticator({ body: { code: app.code() } }));
      await Promise.race([untilWaiting(db, 1), stopped]);
    });
    expect(await stopped).toMatchObject({ status: 403, detail: factorTexts.required });
    expect(await has2fa(trader.userId)).toBe(true);
    expect((await trader.getSecondFactors({})).app_since).not.toBeNull();
  });
});
