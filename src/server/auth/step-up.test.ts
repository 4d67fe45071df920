import { noTwoFactorAfterReset } from '#contract/auth.ts';
import { noLiveAfterReset } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import { minuteMs, dayMs, hourMs } from '#engine/market/durations.ts';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/routes.ts';
import { giveKey } from '#storage/bots/bots.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { updateUser } from '#storage/users/users.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const needed = '403 Enter your current password to continue.';

/** A person whose password was checked eleven minutes ago; the session is in use. */
async function earlier(role: 'admin' | 'trader' = 'trader') {
  const person = await server.signedIn(role);
  server.pass(11 * minuteMs);
  return person;
}

describe('a password checked more than ten minutes ago', () => {
  test.each((Object.values(routes) as Route[]).filter(({ access }) => access.stepUp === true).map((route) => [route.id, route] as const))(
    '%s asks for it again before anything else',
    async (_, route) => {
      const admin = await earlier('admin');
      const reply = await server.app.inject({
        method: route.method,
        url: `/api${route.path.replaceAll(/\{\w+\}/gu, '00000000-0000-4000-8000-00000000dead')}`,
        headers: {
          host: 'localhost:3000',
          origin: 'http://localhost:3000',
          cookie: [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
        payload: {},
      });
      expect([reply.statusCode, reply.json()]).toEqual([403, { detail: 'Enter your current password to continue.' }]);
    },
  );

  test('the calls that ask for it are those that would let a stranger at an open browser stay, or take money', () => {
    const asking = (Object.values(routes) as Route[]).filter(({ access }) => access.stepUp === true).map(({ path }) => path);
    expect(asking.sort()).toEqual([
      '/api-keys',
      '/auth/authenticator',
      '/auth/authenticator/confirm',
      '/auth/authenticator/stop',
      '/auth/backup-codes',
      '/auth/end-other-sessions',
      '/auth/generate-2fa/{id}',
      '/auth/mailed-codes/stop',
      '/auth/passkeys',
      '/auth/passkeys/prove',
      '/auth/passkeys/start',
      '/auth/passkeys/{id}/remove',
      '/auth/sessions/{id}/end',
      '/channels',
      '/differences/{id}/resolve',
      '/installation',
      '/invitations',
      '/settings/users/{id}/end-sessions',
      '/settings/users/{id}/role',
      '/trading-state/close-all',
      '/trading-state/re-arm',
    ]);
  });

  test('once confirmed they go through for ten minutes, in this session alone', async () => {
    const person = await server.signedIn('trader');
    const elsewhere = server.browser('10.30.0.1');
    await elsewhere.login({ body: { email: person.email, password } });
    server.pass(11 * minuteMs);
    onTestFinished(server.hold());
    expect(await person.confirmPassword({ body: { password } })).toEqual({ status: 'Password confirmed' });
    expect((await failure(elsewhere.endOtherSessions({}))).message).toBe(needed);
    server.pass(10 * minuteMs - 1_000);
    await person.refreshSession({});
    expect(await person.endOtherSessions({})).toEqual({ status: 'All other sessions have ended' });
    server.pass(2_000);
    expect((await failure(person.endOtherSessions({}))).message).toBe(needed);
  });

  test('OP-22 a wrong one is refused five times in a quarter of an hour, then every one, and is in the audit log', async () => {
    const person = await earlier();
    for (let i = 0; i < 5; i++) {
      expect((await failure(person.confirmPassword({ body: { password: 'not this one' } }))).message).toBe('403 Current password is wrong');
    }
    expect((await failure(person.confirmPassword({ body: { password } }))).message).toBe('429 Too many attempts. Please try again later.');
    expect((await failure(person.endOtherSessions({}))).message).toBe(needed);
    const { lines } = await listAudit(db, { action: 'confirm-password' }, 100);
    expect(lines.filter(({ actorId }) => actorId === person.userId).map(({ result }) => result)).toEqual(
      Array.from({ length: 6 }, () => 'refused'),
    );
  });

  test('right ones use up no try: whoever confirms at several browsers can still close everything', async () => {
    const person = await earlier();
    onTestFinished(server.hold());
    for (let i = 0; i < 6; i++) expect(await person.confirmPassword({ body: { password } })).toEqual({ status: 'Password confirmed' });
  });

  test('a confirmation that crosses a change of the password confirms nothing', async () => {
    const person = await earlier();
    person.renews = false;
    const lockedBy = db.transaction().execute(async (trx) => {
      await updateUser(trx, person.userId, { passwordHash: 'another' });
      const confirming = failure(person.confirmPassword({ body: { password } }));
      await untilWaiting(db, 1);
      return { confirming };
    });
    const { confirming } = await lockedBy;
    expect((await confirming).message).toBe('401 Not authenticated');
  });
});

test('API-07, OP-19 ending the sessions of an account', async () => {
  const admin = await server.signedIn('admin');
  const person = await server.signedIn('trader');
  const half = server.browser('10.31.0.1');
  await updateUser(db, person.userId, { has2fa: true });
  await half.login({ body: { email: person.email, password } });
  const end = (id: string) => admin.endUserSessions({ params: { id } });
  expect(await end(person.userId)).toEqual({ status: 'Sessions ended' });
  expect((await failure(person.getMe({}))).message).toBe('401 Not authenticated');
  expect((await failure(person.refreshSession({}))).message).toBe('401 Session expired');
  const code = server.mailBox.code(person.email);
  expect((await failure(half.verifyTwoFactor({ params: { id: person.userId }, body: { code } }))).message).toBe(
    '400 Invalid or expired 2FA code. Please try again.',
  );
  await server.deliver();
  expect(server.mailBox.mails.filter((mail) => mail.to.includes(person.email)).at(-1)?.subject).toBe('Your sessions were ended');

  const elsewhere = server.browser('10.31.0.2');
  await elsewhere.login({ body: { email: admin.email, password } });
  await end(admin.userId);
  expect((await failure(elsewhere.getMe({}))).message).toBe('401 Not authenticated');
  expect(await admin.getMe({})).toMatchObject({ email: admin.email }); // the session it was done in continues
  expect((await failure(end('00000000-0000-4000-8000-00000000dead'))).message).toBe('404 User not found');
  const { lines } = await listAudit(db, { action: 'end-user-sessions' }, 10);
  expect(lines.map(({ target }) => target)).toEqual([admin.userId, person.userId]);
});

describe('live mode', () => {
  test('asks for the password again, and is refused on the day after a reset; paper is not', async () => {
    const person = await server.signedIn('trader');
    const id = await addTestBot(db, { strategy: 'MacdTrend', owner: person.email });
    const key = await db
      .insertInto('apiKeys')
      .values({ userId: person.userId, exchangeId: 'sandbox', keyHint: 'wxyz', sealed: '{}' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await giveKey(db, id, key.id);
    server.pass(11 * minuteMs);
    const goLive = () => person.changeBotMode({ params: { id }, query: { mode: 'live' } });
    expect((await failure(goLive())).message).toBe(needed);
    await person.confirmPassword({ body: { password } });
    await updateUser(db, person.userId, { passwordResetAt: new Date(server.dependencies.now().getTime() - 23 * hourMs) });
    expect((await failure(goLive())).message).toBe(`403 ${noLiveAfterReset}`);
    await updateUser(db, person.userId, { passwordResetAt: new Date(server.dependencies.now().getTime() - dayMs) });
    expect(await goLive()).toMatchObject({ mode: 'live' });
    server.pass(11 * minuteMs);
    await person.refreshSession({});
    expect(await person.changeBotMode({ params: { id }, query: { mode: 'paper' } })).toMatchObject({ mode: 'paper' });
  });
});

describe('an admin on the day after a reset of the password', () => {
  test('changes no role and no setting of the installation, and invites nobody', async () => {
    const admin = await server.signedIn('admin');
    const person = await server.signedIn('trader');
    const { version } = await admin.getInstallation({});
    const calls = [
      () => admin.changeRole({ params: { id: person.userId }, body: { role: 'admin' } }),
      () => admin.invite({ body: { email: 'friend@example.com', role: 'trader' } }),
      () => admin.changeInstallation({ body: { version, registration: 'invitation' } }),
    ];
    await updateUser(db, admin.userId, { passwordResetAt: new Date(server.dependencies.now().getTime() - 23 * hourMs) });
    for (const call of calls) expect((await failure(call())).message).toBe(`403 ${texts.noChangesAfterReset}`);
    expect(await db.selectFrom('users').select('role').where('id', '=', person.userId).executeTakeFirst()).toEqual({ role: 'trader' });
    await updateUser(db, admin.userId, { passwordResetAt: new Date(server.dependencies.now().getTime() - dayMs) });
    for (const call of calls.toReversed()) await call();
  });
});

test('API-11 the second factor cannot be switched on during the 24 hours after a reset of the password', async () => {
  const person = await server.signedIn('trader');
  const setUp = () => person.setUpTwoFactor({ params: { id: person.userId } });
  await updateUser(db, person.userId, { passwordResetAt: new Date(server.dependencies.now().getTime() - dayMs + minuteMs) });
  expect((await failure(setUp())).message).toBe(`403 ${noTwoFactorAfterReset}`);
  server.pass(minuteMs);
  expect(await setUp()).toEqual({ status: '2FA code sent to your email' });
});
