import { factorTexts } from '#contract/second-factors.ts';
import { texts } from '#contract/errors.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import { keyFact, writeFact } from '#storage/installation/facts.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { findUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { appOf, setUpApp } from '../../../test/support/authenticator-app.ts';
import { failure, password, startTestServer, type TestBrowser } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
let addresses = 0;
const anywhere = (): TestBrowser => server.browser(`10.9.0.${++addresses}`);
const asks = (email: string, mailed = false) => ({ status: 'Enter the code of your authenticator app', email, mailed_codes: mailed });
const half = async ({ email }: { email: string }, newPassword = password): Promise<TestBrowser> => {
  const at = anywhere();
  await at.login({ body: { email, password: newPassword } });
  return at;
};
const withMailedCodes = async (of: TestBrowser & { userId: string; email: string }): Promise<void> => {
  await of.setUpTwoFactor({ params: { id: of.userId } });
  await of.verifyTwoFactor({ params: { id: of.userId }, body: { code: server.mailBox.code(of.email) } });
  server.pass(31_000);
};
const signIn = (at: TestBrowser, code: string) => at.signInWithApp({ body: { code } });
const factors = (of: TestBrowser) => of.getSecondFactors({});
const mailsTo = async (email: string, subject: string): Promise<number> => {
  const { rows } = await sql`select 1 from mail_outbox where recipient = ${email} and subject = ${subject}`.execute(db);
  return rows.length;
};
const auditOf = async (userId: string, action: string): Promise<string[]> => {
  const { rows } = await sql<{
    result: string;
  }>`select result from audit_log where actor_id = ${userId} and action = ${action} order by id`.execute(db);
  return rows.map(({ result }) => result);
};

test('AUTH-09 an app that is set up is asked for at sign-in, and its code gives the session', async () => {
  const owner = await server.signedIn('trader');
  const elsewhere = await half(owner);
  const app = await setUpApp(server, owner);
  expect(app.backupCodes).toHaveLength(10);
  expect(new Set(app.backupCodes).size).toBe(10);
  for (const code of app.backupCodes) expect(code).toMatch(/^[a-z2-7]{5}-[a-z2-7]{5}$/u);
  expect(await factors(owner)).toMatchObject({ backup_codes: 10, mailed_codes: false, is_required: false });
  expect((await owner.getMe({})).has_2fa).toBe(true);
  expect((await failure(elsewhere.getMe({}))).status).toBe(401); // OP-19: the second factor was switched on
  expect(await mailsTo(owner.email, 'An authenticator app was set up')).toBe(1);
  expect(await auditOf(owner.userId, 'set-up-authenticator')).toEqual(['ok']);

  const before = server.mailBox.mails.length;
  const at = anywhere();
  expect(await at.login({ body: { email: owner.email, password } })).toMatchObject(asks(owner.email));
  expect(at.cookies.has('sid')).toBe(false);
  expect(await signIn(at, app.code())).toMatchObject({ status: '2FA verified successfully', has_2fa: true });
  expect((await at.getMe({})).userId).toBe(owner.userId);
  expect(server.mailBox.mails).toHaveLength(before); // no code was mailed
});

test('a code counts once, also the one that has confirmed the app, and none before one that was used', async () => {
  const owner = await server.signedIn('trader');
  const app = appOf(server, (await owner.startAuthenticator({})).secret);
  const first = app.code();
  await owner.confirmAuthenticator({ body: { code: first } });
  expect((await failure(signIn(await half(owner), first))).status).toBe(400);
  const next = app.code(1);
  expect((await signIn(await half(owner), next)).status).toBe('2FA verified successfully');
  for (const used of [next, first]) expect((await failure(signIn(await half(owner), used))).status).toBe(400);
  server.pass(31_000);
  server.pass(31_000);
  await signIn(await half(owner), app.code());
});

test('a code that is entered from many browsers at once begins one session', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  for (const code of [app.code(), app.backupCodes[0] ?? '']) {
    const browsers = await Promise.all(Array.from({ length: 5 }, () => half(owner)));
    const answers = await Promise.allSettled(browsers.map((at) => signIn(at, code)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(browsers.filter((at) => at.cookies.has('sid'))).toHaveLength(1);
  }
});

test('a backup code signs in once, however it is spelled, is mailed about and counted', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  const [one = '', two = ''] = app.backupCodes;
  await signIn(await half(owner), ` ${one.toUpperCase().replace('-', ' ')} `);
  expect((await failure(signIn(await half(owner), one))).status).toBe(400);
  expect(await factors(owner)).toMatchObject({ backup_codes: 9 });
  expect(await mailsTo(owner.email, 'A backup code was used')).toBe(1);
  expect(await auditOf(owner.userId, 'use-backup-code')).toEqual(['ok']);

  const { backup_codes: fresh } = await owner.renewBackupCodes({});
  expect(fresh).toHaveLength(10);
  expect((await failure(signIn(await half(owner), two))).status).toBe(400);
  await signIn(await half(owner), fresh[9] ?? '');
  expect(await mailsTo(owner.email, 'New backup codes were made')).toBe(1);
});

test('what lies in the database neither shows the secret nor a backup code', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  const { rows } =
    await sql`select to_jsonb(a)::text || coalesce((select string_agg(encode(hash, 'escape'), ' ') from backup_codes), '') as all_of_it from authenticators a`.execute(
      db,
    );
  const text = JSON.stringify(rows);
  expect(text).not.toContain(app.secret.toString('base64'));
  for (const code of app.backupCodes) expect(text).not.toContain(code.replace('-', ''));
});

test('OP-17 wrong codes of app, backup and mail are counted together: ten an hour are compared', async () => {
  const owner = await server.signedIn('trader');
  await withMailedCodes(owner);
  const app = await setUpApp(server, owner);
  const at = await half(owner);
  await at.resendTwoFactor({ body: { email: owner.email } });
  const mailed = () => at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: '------' } });
  for (let i = 0; i < 4; i++) expect((await failure(mailed())).status).toBe(400);
  for (let i = 0; i < 3; i++) expect((await failure(signIn(at, '------'))).status).toBe(400);
  for (let i = 0; i < 3; i++) expect((await failure(signIn(at, 'aaaaa-aaaaa'))).status).toBe(400);
  for (const right of [app.code(), app.backupCodes[0] ?? '']) expect((await failure(signIn(at, right))).status).toBe(429);
  expect((await failure(mailed())).status).toBe(429);
  expect(await mailsTo(owner.email, '2FA is locked for a while')).toBe(1);
  expect((await findUser(db, owner.userId))?.secondFactorMisses).toBe(10);
  server.pass(hourMs);
  await signIn(await half(owner), app.code());
  expect((await findUser(db, owner.userId))?.secondFactorMisses).toBe(0);
});

test('right codes use up no try: eleven sign-ins within an hour', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  for (let i = 0; i < 11; i++) {
    expect((await signIn(await half(owner), app.code())).status).toBe('2FA verified successfully');
    server.pass(31_000);
  }
});

test('after a hundred wrong codes in a row not even the right one counts, until the password is reset; the app stays', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  const at = await half(owner);
  await sql`update users set second_factor_misses = 100 where id = ${owner.userId}`.execute(db);
  expect((await failure(signIn(at, app.code()))).status).toBe(400);
  const mine = anywhere();
  await mine.forgotPassword({ body: { email: owner.email } });
  await expect.poll(() => server.mailBox.mails.some(({ to }) => to.includes(owner.email))).toBe(true);
  const fresh = 'another password of mine';
  await mine.resetPassword({
    body: { email: owner.email, code: server.mailBox.code(owner.email), password: fresh, confirmPassword: fresh },
  });
  expect(await mine.login({ body: { email: owner.email, password: fresh } })).toMatchObject(asks(owner.email));
  await signIn(mine, app.code());
  // Whoever has the mailbox alone changes nothing of it for a day.
  expect((await failure(mine.startAuthenticator({}))).status).toBe(403);
  expect((await failure(mine.renewBackupCodes({}))).status).toBe(403);
  expect((await failure(mine.stopAuthenticator({ body: { code: app.backupCodes[0] ?? '' } }))).status).toBe(403);
  server.pass(dayMs);
});

test('an app beside mailed codes: either signs in, until mailed codes are switched off', async () => {
  const owner = await server.signedIn('trader');
  await withMailedCodes(owner);
  const elsewhere = await half(owner);
  await elsewhere.verifyTwoFactor({ params: { id: owner.userId }, body: { code: server.mailBox.code(owner.email) } });
  const app = await setUpApp(server, owner);
  expect((await elsewhere.getMe({})).userId).toBe(owner.userId); // a change of the factor ends nothing else
  expect(await factors(owner)).toMatchObject({ mailed_codes: true });

  const at = anywhere();
  expect(await at.login({ body: { email: owner.email, password } })).toMatchObject(asks(owner.email, true));
  await at.resendTwoFactor({ body: { email: owner.email } });
  await at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: server.mailBox.code(owner.email) } });

  const pending = await half(owner);
  server.pass(31_000);
  await pending.resendTwoFactor({ body: { email: owner.email } });
  const mailed = server.mailBox.code(owner.email);
  expect((await failure(owner.stopMailedCodes({ body: { code: '000000' } }))).status).toBe(400);
  const tooNew = await failure(owner.stopMailedCodes({ body: { code: app.code() } }));
  expect(tooNew).toMatchObject({ status: 403, detail: factorTexts.unsettled });
  await sql`update authenticators set confirmed_at = confirmed_at - interval '1 day' where user_id = ${owner.userId}`.execute(db);
  await owner.stopMailedCodes({ body: { code: app.code() } }); // it was not used up
  expect(await mailsTo(owner.email, 'Mailed 2FA codes were switched off')).toBe(1);
  expect((await failure(pending.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailed } }))).status).toBe(400);
  const later = anywhere();
  expect(await later.login({ body: { email: owner.email, password } })).toMatchObject(asks(owner.email, false));
  expect((await failure(later.resendTwoFactor({ body: { email: owner.email } }))).detail).toContain('No codes are mailed');
  server.pass(31_000);

  // Without the app mailed codes were off, so nothing is left.
  await owner.stopAuthenticator({ body: { code: app.code() } });
  expect((await owner.getMe({})).has_2fa).toBe(false);
  expect(await mailsTo(owner.email, 'An authenticator app was taken away')).toBe(1);
  expect(await anywhere().login({ body: { email: owner.email, password } })).toMatchObject({ status: 'Login successful' });
});

test('an app that is taken away from beside mailed codes leaves those', async () => {
  const owner = await server.signedIn('trader');
  await withMailedCodes(owner);
  const app = await setUpApp(server, owner);
  await owner.stopAuthenticator({ body: { code: app.backupCodes[3] ?? '' } });
  expect(await factors(owner)).toMatchObject({ app_since: null, backup_codes: 0, mailed_codes: true });
  expect(await anywhere().login({ body: { email: owner.email, password } })).toMatchObject({ status: '2FA code sent to your email' });
});

test('another phone takes the place of the first by a code of that one, or a backup code', async () => {
  const owner = await server.signedIn('trader');
  const first = await setUpApp(server, owner);
  const second = appOf(server, (await owner.startAuthenticator({})).secret);
  await signIn(await half(owner), first.code()); // nothing has changed yet
  expect((await failure(owner.confirmAuthenticator({ body: { code: second.code() } }))).detail).toBe(factorTexts.presentNeeded);
  expect((await failure(owner.confirmAuthenticator({ body: { code: second.code(), present_code: second.code() } }))).status).toBe(400);
  expect((await failure(owner.confirmAuthenticator({ body: { code: '000000', present_code: first.backupCodes[0] ?? '' } }))).status).toBe(
    400,
  );
  const { backup_codes: codes } = await owner.confirmAuthenticator({
    body: { code: second.code(), present_code: first.backupCodes[0] ?? '' },
  });
  server.pass(31_000);
  for (const old of [first.code(), first.backupCodes[1] ?? '']) expect((await failure(signIn(await half(owner), old))).status).toBe(400);
  await signIn(await half(owner), second.code());
  await signIn(await half(owner), codes[0] ?? '');
});

test('a secret is confirmed within an hour and once, and a second set-up voids the first', async () => {
  const owner = await server.signedIn('trader');
  expect((await failure(owner.confirmAuthenticator({ body: { code: '123456' } }))).detail).toBe(factorTexts.notStarted);
  const voided = appOf(server, (await owner.startAuthenticator({})).secret);
  const app = appOf(server, (await owner.startAuthenticator({})).secret);
  expect((await failure(owner.confirmAuthenticator({ body: { code: voided.code() } }))).status).toBe(400);
  await sql`update authenticators set created_at = created_at - interval '1 hour' where user_id = ${owner.userId}`.execute(db);
  expect((await failure(owner.confirmAuthenticator({ body: { code: app.code() } }))).status).toBe(409);
  const next = appOf(server, (await owner.startAuthenticator({})).secret);
  const both = await Promise.allSettled([1, 2].map(() => owner.confirmAuthenticator({ body: { code: next.code() } })));
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('wrong codes of a set-up are counted, and lock no sign-in', async () => {
  const owner = await server.signedIn('trader');
  await owner.startAuthenticator({});
  for (let i = 0; i < 10; i++) expect((await failure(owner.confirmAuthenticator({ body: { code: '------' } }))).status).toBe(400);
  expect((await failure(owner.confirmAuthenticator({ body: { code: '------' } }))).status).toBe(429);
  expect((await findUser(db, owner.userId))?.secondFactorMisses).toBe(0);
});

test('OP-17 wrong codes of the present app are counted too when another is to take its place: ten an hour are compared', async () => {
  const owner = await server.signedIn('trader');
  const first = await setUpApp(server, owner);
  const second = appOf(server, (await owner.startAuthenticator({})).secret);
  const replace = (present_code: string) => owner.confirmAuthenticator({ body: { code: second.code(), present_code } });
  for (let i = 0; i < 10; i++) expect((await failure(replace('------'))).status).toBe(400);
  for (const right of [first.code(), first.backupCodes[0] ?? '']) expect((await failure(replace(right))).status).toBe(429);
  expect((await findUser(db, owner.userId))?.secondFactorMisses).toBe(10);
});

test('an app is not set up by a web process whose key of the installation has been replaced: nobody could read it', async () => {
  const owner = await server.signedIn('trader');
  await writeFact(db, keyFact, 'the next key');
  try {
    expect((await failure(owner.startAuthenticator({}))).status).toBe(500);
  } finally {
    await writeFact(db, keyFact, server.dependencies.sealing.id);
  }
  expect((await sql`select 1 from authenticators where user_id = ${owner.userId}`.execute(db)).rows).toEqual([]);
  await setUpApp(server, owner);
});

test('right codes for what is refused count as no wrong ones, and a wrong one does', async () => {
  const owner = await server.signedIn('trader');
  await owner.setUpTwoFactor({ params: { id: owner.userId } });
  await owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code: server.mailBox.code(owner.email) } });
  server.pass(31_000);
  const app = await setUpApp(server, owner);
  const stop = async (code: string) => (await failure(owner.stopMailedCodes({ body: { code } }))).status;
  expect(await stop('000000')).toBe(400);
  for (let i = 0; i < 10; i++) expect(await stop(app.code())).toBe(403); // the app is of today
  const { rows } = await sql`select second_factor_misses from users where id = ${owner.userId}`.execute(db);
  expect(rows).toEqual([{ secondFactorMisses: 1 }]);
  expect((await signIn(await half(owner), app.code())).status).toBe('2FA verified successfully');
});

test('each change asks for the password after ten minutes', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  server.pass(11 * 60_000);
  const code = { body: { code: app.code() } };
  const calls = [
    () => owner.startAuthenticator({}),
    () => owner.confirmAuthenticator(code),
    () => owner.renewBackupCodes({}),
    () => owner.stopAuthenticator(code),
    () => owner.stopMailedCodes(code),
  ];
  for (const call of calls) expect(await failure(call())).toMatchObject({ status: 403, detail: texts.passwordNeeded });
  expect(await factors(owner)).toMatchObject({ backup_codes: 10 });
});

test('an app is a second factor where the installation requires one, and is not taken away there when it is the only one', async () => {
  const admin = await server.signedIn('admin');
  const app = await setUpApp(server, admin);
  await admin.changeInstallation({ body: { version: (await readSettings(db)).version, require_2fa: 'admins' } });
  try {
    expect((await signIn(await half(admin), app.code())).status).toBe('2FA verified successfully');
    expect(await factors(admin)).toMatchObject({ is_required: true });
    server.pass(31_000);
    expect(await failure(admin.stopAuthenticator({ body: { code: app.code() } }))).toMatchObject({
      status: 403,
      detail: factorTexts.required,
    });
    await signIn(await half(admin), app.code()); // it was not used up
  } finally {
    await sql`update installation_settings set require_two_factor = 'off'`.execute(db);
  }
});

test('OP-10 an app proves no mailbox: where that is unproven it comes first, and no session with it', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  await sql`update users set email_verified = false where id = ${owner.userId}`.execute(db);
  const at = await half(owner);
  expect(await signIn(at, app.code())).toEqual({ status: 'Verification code sent to your email', email: owner.email });
  expect(at.cookies.has('sid')).toBe(false);
  expect(at.cookies.has('chal')).toBe(false);
  const verified = await at.verifyEmail({ body: { email: owner.email, code: server.mailBox.code(owner.email) } });
  expect(verified.status).toBe('Email verified successfully. Please sign in.');
  expect(at.cookies.has('sid')).toBe(false);
  server.pass(31_000);
  await signIn(await half(owner), app.code());
});

test('a sign-in that waits ends with the app it was asked for', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  const at = await half(owner);
  await owner.stopAuthenticator({ body: { code: app.backupCodes[0] ?? '' } });
  expect((await failure(signIn(at, app.code()))).status).toBe(400);
  expect(at.cookies.has('sid')).toBe(false);
});

test('an app whose secret was sealed with a lost key is said, and not taken for a wrong code', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  await sql`update authenticators set sealed = jsonb_set(sealed, '{ct}', '"AAAA"') where user_id = ${owner.userId}`.execute(db);
  expect(await failure(signIn(await half(owner), app.code()))).toMatchObject({ status: 409, detail: factorTexts.unreadable });
  expect(await failure(owner.renewBackupCodes({}))).toMatchObject({ status: 409, detail: factorTexts.unreadable });
});
