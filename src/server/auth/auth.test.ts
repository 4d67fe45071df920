import { verifiedSignIn } from '#contract/auth.ts';
import { routes } from '#contract/routes.ts';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CallFailed, failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { limits } from './limits.ts';
import { sessionLife } from './sessions.ts';

const server = await startTestServer();
const { mailBox } = server;
const halfMinute = 30_001;
let people = 0;
const someone = (): string => `person-${++people}@example.com`;
const register = (email: string, at = server.browser(`10.1.0.${(people % 250) + 1}`)) =>
  at.register({ body: { email, password, confirmPassword: password } }).then((reply) => ({ at, reply }));

/** Waits until so many mails have arrived at an address: some are sent after the answer. */
const mailed = (email: string, count: number) =>
  expect.poll(() => mailBox.mails.filter((mail) => mail.to.includes(email)).length).toBe(count);

describe('sign-up', () => {
  test('API-03, OP-15, OP-16 makes an unverified trader, mails a code and gives no session', async () => {
    const email = someone();
    const { at, reply } = await register(email);
    expect(reply).toEqual({
      status: 'Verification code sent to your email',
      email,
      userId: reply.userId,
      role: 'trader',
      verified: false,
      email_verified: false,
      has_2fa: false,
    });
    expect(mailBox.mails.at(-1)).toMatchObject({ to: [email], subject: 'Your verification code' });
    expect(mailBox.code(email)).toMatch(/^\d{6}$/u);
    expect((await failure(at.getMe({}))).status).toBe(401);
  });

  test('API-03 answers each wrong input with its text, an e-mail that is taken with 409', async () => {
    const at = server.browser('10.2.0.1');
    const refused = async (body: Record<string, unknown>) => (await failure(at.register({ body: body as never }))).message;
    expect(await refused({})).toBe('400 Email is required');
    expect(await refused({ email: 'x', password, confirmPassword: password })).toBe('400 Invalid email address');
    expect(await refused({ email: 'a@b.cd', password: 'short', confirmPassword: 'short' })).toBe(
      '400 Password must be at least 8 characters',
    );
    expect(await refused({ email: 'a@b.cd', password, confirmPassword: `${password}!` })).toBe(
      '400 Passwords do not match. Please ensure both passwords are the same.',
    );
    expect(await refused({ email: 1, password, confirmPassword: password })).toBe('400 Invalid request');
    expect(await refused({ email: 'a@b.cd', password, confirmPassword: password, role: 'admin' })).toBe('400 Invalid request');
    const email = someone();
    await register(email);
    expect((await failure(register(email.toUpperCase()))).message).toBe('409 Email is already registered');
  });

  test('API-03, OP-25 a mail that cannot be sent answers 503, and the same person can try again', async () => {
    const email = someone();
    mailBox.refuse(true);
    expect((await failure(register(email))).message).toBe('503 Email could not be sent. Please try again.');
    mailBox.refuse(false);
    server.pass(halfMinute);
    expect((await register(email)).reply.status).toBe('Verification code sent to your email');
  });
});

describe('verification', () => {
  test('API-08 the right code verifies both flags and signs in, once', async () => {
    const email = someone();
    const { at } = await register(email);
    const code = mailBox.code(email);
    const reply = await at.verifyEmail({ body: { email, code } });
    expect(reply).toMatchObject({ status: 'Email verified successfully', verified: true, email_verified: true });
    expect(await at.getMe({})).toMatchObject({ email, role: 'trader' });
    expect((await failure(server.browser().verifyEmail({ body: { email, code } }))).message).toBe(
      '400 Invalid or expired verification code',
    );
  });

  test('API-08 a later proof of the mailbox proves the mailbox alone: it verifies nobody again, and opens no session', async () => {
    const admin = await server.signedIn('admin');
    const at = await server.signedIn('trader', someone());
    const { email, userId } = at;
    const confirm = async (browser: typeof at) => {
      await browser.resendVerification({ body: { email } });
      const before = mailBox.mails.filter((mail) => mail.to.includes(email)).length;
      await mailed(email, Math.max(before, 1));
      const reply = await browser.verifyEmail({ body: { email, code: mailBox.code(email) } });
      server.pass(halfMinute);
      return reply;
    };
    await admin.verifyUser({ params: { id: userId }, body: { verified: false, email_verified: false } });
    expect((await failure(at.getMe({}))).status).toBe(401);
    expect(await confirm(at)).toEqual({ status: verifiedSignIn, email });
    expect((await failure(at.getMe({}))).status).toBe(401);
    const found = () =>
      sql<{ verified: boolean; emailVerified: boolean }>`select verified, email_verified from users where id = ${userId}`.execute(
        server.dependencies.db,
      );
    expect((await found()).rows).toEqual([{ verified: false, emailVerified: true }]);
    expect((await at.login({ body: { email, password } })).status).toBe('Login successful');
    expect(await at.getMe({})).toMatchObject({ verified: false, email_verified: true });
    await admin.verifyUser({ params: { id: userId }, body: { verified: true, email_verified: true } });
    expect((await found()).rows).toEqual([{ verified: true, emailVerified: true }]);
  });

  test('API-08, OP-16 whoever an administrator verifies while the code is on its way reads that all is done, and signs in by the password', async () => {
    const admin = await server.signedIn('admin');
    const email = someone();
    const { at, reply } = await register(email);
    await admin.verifyUser({ params: { id: reply.userId }, body: { verified: true, email_verified: true } });
    const code = mailBox.code(email);
    const wrong = code === '111111' ? '222222' : '111111';
    expect((await failure(at.verifyEmail({ body: { email, code: wrong } }))).message).toBe('400 Invalid or expired verification code');
    expect(await at.verifyEmail({ body: { email, code } })).toEqual({ status: verifiedSignIn, email });
    expect((await failure(at.getMe({}))).status).toBe(401);
    expect((await at.login({ body: { email, password } })).status).toBe('Login successful');
  });

  test('API-08 an account that an administrator has decided about before its first code gets no session by it either', async () => {
    const admin = await server.signedIn('admin');
    const email = someone();
    const { at } = await register(email);
    const code = mailBox.code(email);
    const { id } = (await admin.listUsers({})).find((user) => user.email === email) ?? { id: '' };
    for (const flag of [true, false]) await admin.verifyUser({ params: { id }, body: { verified: flag, email_verified: flag } });
    expect(await at.verifyEmail({ body: { email, code } })).toMatchObject({ status: verifiedSignIn });
    expect((await failure(at.getMe({}))).status).toBe(401);
  });

  test('OP-17 a code lives 30 minutes, a newer one voids it, and five wrong tries void it', async () => {
    const email = someone();
    const { at } = await register(email);
    const first = mailBox.code(email);
    expect((await failure(at.resendVerification({ body: { email } }))).message).toBe('429 Too many requests. Please try again later.');
    server.pass(halfMinute);
    expect(await at.resendVerification({ body: { email } })).toEqual({ status: 'A new verification code has been sent to your email' });
    await mailed(email, 2);
    const second = mailBox.code(email);
    if (first !== second) expect((await failure(at.verifyEmail({ body: { email, code: first } }))).status).toBe(400);
    server.pass(30 * 60_000);
    expect((await failure(at.verifyEmail({ body: { email, code: second } }))).status).toBe(400);

    await at.resendVerification({ body: { email } });
    await mailed(email, 3);
    const third = mailBox.code(email);
    const wrong = third === '000000' ? '111111' : '000000';
    const guesses = await Promise.all(
      Array.from({ length: 5 }, () => failure(server.browser().verifyEmail({ body: { email, code: wrong } }))),
    );
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([400]));
    expect((await failure(at.verifyEmail({ body: { email, code: third } }))).status).toBe(400);
  });

  test('OP-17 ten wrong codes within an hour answer 429 for the rest of it', async () => {
    const email = someone();
    await register(email);
    // Five wrong ones void a code, and wrong ones count only while a code is open: ten take two codes.
    for (let i = 0; i < limits.wrongCodes.most; i++) {
      if (i === 5) {
        server.pass(halfMinute);
        await server.browser().resendVerification({ body: { email } });
        await mailed(email, 2);
      }
      expect((await failure(server.browser().verifyEmail({ body: { email, code: 'no' } }))).status).toBe(400);
    }
    const refused = await failure(server.browser().verifyEmail({ body: { email, code: 'no' } }));
    expect(refused.message).toBe('429 Too many attempts. Please try again later.');
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    server.pass(3_600_001);
    expect((await failure(server.browser().verifyEmail({ body: { email, code: 'no' } }))).status).toBe(400);
  });

  test('API-09 answers the same for an unknown address, and mails nothing', async () => {
    const email = someone();
    const before = mailBox.mails.length;
    expect(await server.browser('10.3.0.1').resendVerification({ body: { email } })).toEqual({
      status: 'A new verification code has been sent to your email',
    });
    expect((await failure(server.browser('10.3.0.1').resendVerification({ body: { email } }))).status).toBe(429);
    expect(mailBox.mails.length).toBe(before);
  });
});

describe('sign-in', () => {
  test('API-01, API-02, OP-19 gives a session in one HttpOnly cookie; no token is readable', async () => {
    const at = await server.signedIn('operator');
    expect(await at.getMe({})).toEqual({
      email: at.email,
      userId: at.userId,
      role: 'operator',
      verified: true,
      email_verified: true,
      has_2fa: false,
    });
    const line = at.setCookies.find((cookie) => cookie.startsWith('sid=')) ?? '';
    expect(line).toMatch(/HttpOnly/u);
    expect(line).toMatch(/SameSite=Lax/u);
    expect(line).toMatch(/Path=\//u);
    const { rows } = await sql<{
      found: boolean;
    }>`select bool_or(encode(hash, 'escape') = ${at.cookies.get('sid') ?? ''}) as found from session_tokens`.execute(
      server.dependencies.db,
    );
    expect(rows[0]?.found).toBe(false);
  });

  test('API-02 a wrong password and an unknown account answer alike', async () => {
    const known = await server.signedIn('trader');
    for (const email of [known.email, someone()]) {
      expect((await failure(server.browser('10.4.0.1').login({ body: { email, password: 'wrong' } }))).message).toBe(
        '401 Invalid email or password',
      );
    }
    expect((await failure(server.browser().login({ body: {} as never }))).message).toBe('400 Email is required');
    expect((await failure(server.browser().login({ body: { email: 'a@b.cd' } as never }))).message).toBe('400 Password is required');
  });

  test('OP-22 after five wrong passwords from an address even the right one answers as a wrong one, for 15 minutes', async () => {
    const { email } = await server.signedIn('trader');
    const at = server.browser('10.5.0.1');
    for (let i = 0; i < 5; i++) await failure(at.login({ body: { email, password: 'wrong' } }));
    expect((await failure(at.login({ body: { email, password } }))).message).toBe('401 Invalid email or password');
    expect((await server.browser('10.5.0.2').login({ body: { email, password } })).status).toBe('Login successful');
    server.pass(15 * 60_000 + 1);
    expect((await at.login({ body: { email, password } })).status).toBe('Login successful');
  });

  test('OP-22 outsiders who guess from many addresses do not lock the owner out of a known device', async () => {
    const owner = await server.signedIn('trader');
    for (let i = 0; i < 21; i++)
      await failure(server.browser(`10.6.1.${i + 1}`).login({ body: { email: owner.email, password: 'wrong' } }));
    expect((await failure(server.browser('10.6.2.1').login({ body: { email: owner.email, password } }))).status).toBe(401);
    expect((await owner.login({ body: { email: owner.email, password } })).status).toBe('Login successful');
  });

  test('OP-22 an address may sign in 100 times in ten minutes, then 429 with Retry-After', async () => {
    await sql`insert into limit_counters (key, count, resets_at) values ('sign-in:10.7.0.1', 100, ${new Date(server.dependencies.now().getTime() + 60_000)})`.execute(
      server.dependencies.db,
    );
    const refused = await failure(server.browser('10.7.0.1').login({ body: { email: someone(), password } }));
    expect(refused.message).toBe('429 Too many attempts. Please try again later.');
    expect(Number(refused.retryAfter)).toBeGreaterThan(50);
  });

  test('OP-16 without a verified e-mail no session is given and a new code is mailed; a mail failure does not fail it', async () => {
    const email = someone();
    await register(email);
    server.pass(halfMinute);
    const at = server.browser('10.8.0.1');
    expect(await at.login({ body: { email, password } })).toMatchObject({
      status: 'Verification code sent to your email',
      email_verified: false,
    });
    expect(at.cookies.has('sid')).toBe(false);
    const sent = mailBox.mails.filter((mail) => mail.to.includes(email)).length;
    expect(sent).toBe(2);
    await at.login({ body: { email, password } });
    expect(mailBox.mails.filter((mail) => mail.to.includes(email)).length).toBe(sent);
    server.pass(halfMinute);
    mailBox.refuse(true);
    expect((await at.login({ body: { email, password } })).status).toBe('Verification code sent to your email');
    mailBox.refuse(false);
  });

  test('API-04, ERR-06 signing out ends the session and always answers 200', async () => {
    const at = await server.signedIn('trader');
    const stolen = at.cookies.get('sid') ?? '';
    expect(await at.logout({})).toEqual({ status: 'Logged out' });
    expect(at.cookies.has('sid')).toBe(false);
    const thief = server.browser();
    thief.cookies.set('sid', stolen);
    expect((await failure(thief.getMe({}))).message).toBe('401 Not authenticated');
    expect(await at.logout({})).toEqual({ status: 'Logged out' });
  });
});

describe('second factor', () => {
  test('API-02, API-10, API-12, OP-10 a sign-in with 2FA gives a session only after the code', async () => {
    const owner = await server.signedIn('trader');
    expect(await owner.setUpTwoFactor({ params: { id: owner.userId } })).toEqual({ status: '2FA code sent to your email' });
    expect(await owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } })).toMatchObject({
      status: '2FA verified successfully',
      has_2fa: true,
    });
    expect((await failure(owner.setUpTwoFactor({ params: { id: owner.userId } }))).message).toBe('400 2FA is already enabled');

    server.pass(halfMinute);
    const at = server.browser('10.9.0.1');
    const login = await at.login({ body: { email: owner.email, password } });
    expect(login).toEqual({ status: '2FA code sent to your email', email: owner.email, userId: owner.userId });
    expect((await failure(at.getMe({}))).status).toBe(401);
    const code = mailBox.code(owner.email);
    const other = server.browser('10.9.0.2');
    expect((await failure(other.verifyTwoFactor({ params: { id: owner.userId }, body: { code } }))).message).toBe(
      '400 Invalid or expired 2FA code. Please try again.',
    );
    server.pass(halfMinute);
    expect(await at.resendTwoFactor({ body: { email: owner.email } })).toEqual({ status: 'A new 2FA code has been sent to your email' });
    expect((await failure(other.resendTwoFactor({ body: { email: owner.email } }))).message).toBe(
      '400 Email not found. Please go back to login.',
    );
    const reply = await at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
    expect(reply.email_verified).toBe(true);
    expect((await at.getMe({})).has_2fa).toBe(true);
  });

  test('OP-25, API-02, API-11 while a code cannot be mailed every try says so, and the first one that can is mailed', async () => {
    const owner = await server.signedIn('trader');
    const setUp = () => owner.setUpTwoFactor({ params: { id: owner.userId } });
    const at = server.browser('10.9.2.1');
    const login = () => at.login({ body: { email: owner.email, password } });
    const failOften = async (call: () => Promise<unknown>) => {
      mailBox.refuse(true);
      for (let tries = 0; tries < 12; tries++)
        // more than codes are mailed in a day
        expect((await failure(call())).message).toBe('503 Email could not be sent. Please try again.');
      mailBox.refuse(false);
    };
    const before = mailBox.mails.length;
    await failOften(setUp);
    expect(await setUp()).toEqual({ status: '2FA code sent to your email' });
    expect(mailBox.mails.length).toBe(before + 1);
    await owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
    server.pass(halfMinute);
    await failOften(login);
    await login();
    const reply = await at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
    expect(reply.has_2fa).toBe(true);

    // Nor is it said of one that is too many.
    for (let codes = 1; codes < 5; codes++) {
      server.pass(halfMinute);
      await login();
    }
    const mailed = mailBox.mails.length;
    server.pass(halfMinute);
    for (let tries = 0; tries < 2; tries++) expect((await failure(login())).message).toBe('429 Too many requests. Please try again later.');
    expect(mailBox.mails.length).toBe(mailed);
  });

  test('API-10, OP-20 a set-up whose code is too late gets another one; one that has ended does not', async () => {
    const owner = await server.signedIn('trader');
    const [verify, resend] = [
      (code: string) => owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code } }),
      () => owner.resendTwoFactor({ body: { email: owner.email } }),
    ];
    expect((await failure(resend())).message).toBe('400 Email not found. Please go back to login.'); // none was begun
    await owner.setUpTwoFactor({ params: { id: owner.userId } });
    const late = mailBox.code(owner.email);
    server.pass(11 * 60_000);
    expect((await failure(verify(late))).message).toBe('400 Invalid or expired 2FA code. Please try again.');
    expect(await resend()).toEqual({ status: 'A new 2FA code has been sent to your email' });
    expect((await failure(verify(late))).status).toBe(400);
    expect(await verify(mailBox.code(owner.email))).toMatchObject({ has_2fa: true });
    server.pass(halfMinute);
    expect((await failure(resend())).message).toBe('400 Email not found. Please go back to login.');
  });

  test('ROLE-14 a sign-in that was begun with the old password cannot be ended after the password was changed', async () => {
    const owner = await server.signedIn('trader');
    await owner.setUpTwoFactor({ params: { id: owner.userId } });
    await owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
    server.pass(halfMinute);
    const at = server.browser('10.9.1.1');
    await at.login({ body: { email: owner.email, password } });
    const code = mailBox.code(owner.email);
    await owner.updatePassword({ body: { password: 'another password' } });
    expect((await failure(at.verifyTwoFactor({ params: { id: owner.userId }, body: { code } }))).message).toBe(
      '400 Invalid or expired 2FA code. Please try again.',
    );
  });

  test('API-11, API-12 set-up works for the own id only', async () => {
    const [one, two] = [await server.signedIn('trader'), await server.signedIn('trader')];
    expect((await failure(one.setUpTwoFactor({ params: { id: two.userId } }))).message).toBe(
      '403 You can only set up 2FA for your own account',
    );
    await one.setUpTwoFactor({ params: { id: one.userId } });
    const code = mailBox.code(one.email);
    expect((await failure(one.verifyTwoFactor({ params: { id: two.userId }, body: { code } }))).message).toBe(
      '403 You can only set up 2FA for your own account',
    );
    expect((await failure(one.verifyTwoFactor({ params: { id: one.userId }, body: { code: '12345' } }))).message).toBe(
      '400 Please enter a valid 6-digit 2FA code',
    );
  });

  test('a verification code never leads past a second factor', async () => {
    const owner = await server.signedIn('trader');
    await owner.setUpTwoFactor({ params: { id: owner.userId } });
    await owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
    await sql`update users set email_verified = false where id = ${owner.userId}`.execute(server.dependencies.db);
    const at = server.browser('10.9.1.1');
    const before = mailBox.mails.filter((mail) => mail.to.includes(owner.email)).length;
    await at.resendVerification({ body: { email: owner.email } });
    await mailed(owner.email, before + 1);
    expect((await failure(at.verifyEmail({ body: { email: owner.email, code: mailBox.code(owner.email) } }))).status).toBe(400);
  });
});

describe('passwords', () => {
  test('API-06, API-07, OP-02 a reset code sets a new password and ends all sessions', async () => {
    const owner = await server.signedIn('trader');
    const at = server.browser('10.10.0.1');
    expect(await at.forgotPassword({ body: { email: owner.email } })).toEqual({ status: 'A reset code has been sent to your email' });
    expect(await at.forgotPassword({ body: { email: someone() } })).toEqual({ status: 'A reset code has been sent to your email' });
    await expect
      .poll(() => mailBox.mails.some((mail) => mail.to.includes(owner.email) && mail.subject === 'Your password reset code'))
      .toBe(true);
    const code = mailBox.code(owner.email);
    const reset = { email: owner.email, code, password: 'another password', confirmPassword: 'another password' };
    expect((await failure(at.resetPassword({ body: { ...reset, code: 'nonono' } }))).message).toBe('400 Invalid or expired reset code');
    expect(await at.resetPassword({ body: reset })).toEqual({ status: 'Password reset successfully. Please sign in.' });
    expect((await failure(at.resetPassword({ body: reset }))).status).toBe(400);
    expect((await failure(owner.getMe({}))).status).toBe(401);
    expect((await at.login({ body: { email: owner.email, password: 'another password' } })).status).toBe('Login successful');
    await server.deliver();
    expect(mailBox.mails.map(({ to, subject }) => [to[0], subject])).toContainEqual([owner.email, 'Your password was changed']);
  });

  test('API-05, ROLE-14 changing the own password ends all other sessions and keeps this one', async () => {
    const here = await server.signedIn('investor');
    const there = server.browser('10.10.1.1');
    await there.login({ body: { email: here.email, password } });
    expect((await failure(here.updatePassword({ body: { password: 'short' } }))).message).toBe(
      '400 Password must be at least 8 characters',
    );
    expect((await failure(here.updatePassword({ body: {} as never }))).message).toBe('400 Password is required');
    expect(await here.updatePassword({ body: { password: 'another password' } })).toEqual({ status: 'Password updated successfully' });
    expect((await here.getMe({})).userId).toBe(here.userId);
    expect((await failure(there.getMe({}))).status).toBe(401);
    await server.deliver();
    expect(mailBox.mails.at(-1)).toMatchObject({ to: [here.email], subject: 'Your password was changed' });
  });

  test('a session whose password was checked long ago must give it again, and a wrong one does not sign out', async () => {
    const at = await server.signedIn('trader');
    server.pass(11 * 60_000);
    expect((await failure(at.updatePassword({ body: { password: 'another password' } }))).message).toBe(
      '403 Enter your current password to continue.',
    );
    expect((await failure(at.updatePassword({ body: { password: 'another password', currentPassword: 'wrong' } }))).message).toBe(
      '403 Current password is wrong',
    );
    expect((await at.updatePassword({ body: { password: 'another password', currentPassword: password } })).status).toBe(
      'Password updated successfully',
    );
  });
});

describe('renewal', () => {
  test('API-13, OP-19 after 15 minutes calls answer 401 until the session is renewed; 20 tabs at once get one successor', async () => {
    const at = await server.signedIn('trader');
    at.renews = false;
    server.pass(sessionLife.access + 1);
    expect((await failure(at.getMe({}))).message).toBe('401 Not authenticated');
    const old = at.cookies.get('sid') ?? '';
    const tabs = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const tab = server.browser();
        tab.cookies.set('sid', old);
        await tab.refreshSession({});
        return tab.cookies.get('sid');
      }),
    );
    expect(new Set(tabs).size).toBe(1);
    expect(tabs[0]).not.toBe(old);
    at.cookies.set('sid', tabs[0] ?? '');
    expect((await at.getMe({})).userId).toBe(at.userId);
  });

  test('OP-19 a replaced token used again after the grace ends the whole session and informs its owner', async () => {
    const at = await server.signedIn('trader');
    const old = at.cookies.get('sid') ?? '';
    await at.refreshSession({});
    server.pass(sessionLife.grace + 1);
    const thief = server.browser();
    thief.cookies.set('sid', old);
    expect((await failure(thief.refreshSession({}))).message).toBe('401 Session expired');
    expect((await failure(at.getMe({}))).status).toBe(401);
    await server.deliver();
    expect(mailBox.mails.at(-1)).toMatchObject({ to: [at.email], subject: 'A session was ended' });
  });

  test('OP-19 a session ends after 8 idle hours and after 7 days in any case', async () => {
    const idle = await server.signedIn('trader');
    server.pass(8 * 60 * 60_000 + 1);
    expect((await failure(idle.refreshSession({}))).message).toBe('401 Session expired');
    const busy = await server.signedIn('trader');
    for (let hours = 0; hours < 7 * 24; hours += 7) {
      await busy.refreshSession({});
      server.pass(7 * 3_600_000);
    }
    expect((await failure(busy.refreshSession({}))).message).toBe('401 Session expired');
    expect((await failure(server.browser().refreshSession({}))).message).toBe('401 Session expired');
  });

  test('OP-19 a changed role holds at the next call', async () => {
    const at = await server.signedIn('operator');
    await sql`update users set role = 'investor' where id = ${at.userId}`.execute(server.dependencies.db);
    expect((await at.getMe({})).role).toBe('investor');
  });
});

describe('every call', () => {
  test('OP-82 a repeated key gets the first answer with its cookies; another caller does not', async () => {
    const { email } = await server.signedIn('trader');
    const at = server.browser('10.11.0.1');
    const headers = { 'idempotency-key': 'the same action' };
    const first = await at.login({ body: { email, password } }, { headers });
    const cookie = at.cookies.get('sid');
    at.cookies.clear();
    expect(await at.login({ body: { email, password } }, { headers })).toEqual(first);
    expect(at.cookies.get('sid')).toBe(cookie);
    const other = server.browser('10.11.0.2');
    await other.login({ body: { email, password } }, { headers });
    expect(other.cookies.get('sid')).not.toBe(cookie);
    server.pass(0);
  });

  test('OP-82 the same action sent twenty times at once is done once', async () => {
    const email = someone();
    const headers = { 'idempotency-key': 'once' };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.browser('10.11.1.1').register({ body: { email, password, confirmPassword: password } }, { headers }),
      ),
    );
    expect(new Set(replies.map(({ userId }) => userId)).size).toBe(1);
    expect(mailBox.mails.filter((mail) => mail.to.includes(email))).toHaveLength(1);
  });

  test('an answer that cannot be kept is given all the same: the call has been done', async () => {
    const { email } = await server.signedIn('trader');
    await sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no room''; end'`.execute(
      server.dependencies.db,
    );
    await sql`create trigger refuse before update on idempotency_keys for each row execute function refuse()`.execute(
      server.dependencies.db,
    );
    try {
      const at = server.browser('10.11.2.1');
      await at.login({ body: { email, password } }, { headers: { 'idempotency-key': 'not kept' } });
      expect((await at.getMe({})).email).toBe(email);
    } finally {
      await sql`drop function refuse() cascade`.execute(server.dependencies.db);
    }
  });

  test.each(['https://evil.example', 'null', 'http://localhost:3001', 'http://localhost.evil.example:3000'])(
    'OP-82 a state-changing call of a page at %s answers 403',
    async (origin) => {
      const at = await server.signedIn('trader');
      expect((await failure(at.logout({}, { headers: { origin } }))).message).toBe('403 Origin not allowed');
      expect((await at.getMe({}, { headers: { origin } })).userId).toBe(at.userId);
    },
  );

  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
    [undefined, 200],
  ])('OP-82 a state-changing call without Origin whose browser says %s answers %i', async (site, status) => {
    const at = await server.signedIn('trader');
    const reply = await server.app.inject({
      method: 'POST',
      url: '/api/auth/logout',
      headers: {
        host: 'localhost:3000',
        cookie: `sid=${at.cookies.get('sid')}`,
        ...(site === undefined ? {} : { 'sec-fetch-site': site }),
      },
    });
    expect(reply.statusCode).toBe(status);
    expect(
      await at.getMe({}).then(
        () => 'in',
        () => 'out',
      ),
    ).toBe(status === 403 ? 'in' : 'out');
  });

  test('a name that was made to point here is not served', async () => {
    const at = server.browser();
    expect(
      (await failure(at.systemStatus({}, { headers: { host: 'evil.example:3000', origin: 'http://evil.example:3000' } }))).status,
    ).toBe(403);
  });

  test('ROLE-03, OP-45 X-Role is never believed', async () => {
    const at = await server.signedIn('trader');
    expect((await at.getMe({}, { headers: { 'x-role': 'admin' } })).role).toBe('trader');
    expect((await failure(at.listUsers({}, { headers: { 'x-role': 'admin' } }))).message).toBe('403 Admin access required');
  });

  test('text that cannot be kept, bodies that are no JSON, unknown paths: a sentence, never a 5xx', async () => {
    const raw = (payload: string, type: string, url = '/api/auth/login') =>
      server.app.inject({ method: 'POST', url, payload, headers: { 'content-type': type, host: 'localhost:3000' } });
    for (const [payload, type] of [
      ['{', 'application/json'],
      ['', 'application/json'],
      ['email=x', 'application/x-www-form-urlencoded'],
      ['[1,2]', 'application/json'],
      ['null', 'application/json'],
      [JSON.stringify({ email: 'a\u0000b@c.de', password: 'x' }), 'application/json'],
      [JSON.stringify({ email: '\ud800@c.de', password: 'x' }), 'application/json'],
      [`{"email":"${'x'.repeat(20_000)}"}`, 'application/json'],
      ['{"__proto__":{"x":1},"email":"a@b.cd","password":"x"}', 'application/json'],
    ] as const) {
      const reply = await raw(payload, type);
      expect([reply.statusCode, reply.json()], payload.slice(0, 40)).toEqual([400, { detail: 'Invalid request' }]);
    }
    expect((await raw('{}', 'application/json', '/api/nowhere')).json()).toEqual({ detail: 'Not found' });
    expect((await server.app.inject({ method: 'GET', url: '/api/%zz', headers: { host: 'localhost' } })).json()).toEqual({
      detail: 'Invalid request',
    });
  });

  test('signed-in reads are limited to 1,200 a minute with Retry-After', async () => {
    onTestFinished(server.hold()); // the limit is one of a minute, which these calls may take
    const at = await server.signedIn('trader');
    const untilRefused = async (): Promise<CallFailed> => {
      for (let i = 0; i < 1_201; i++) {
        const outcome = await at.getMe({}).catch((error: unknown) => error);
        if (outcome instanceof CallFailed) return outcome;
      }
      throw new Error('no call was refused');
    };
    const refused = await untilRefused();
    expect(refused.message).toBe('429 Too many requests. Please try again later.');
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
  });

  test('every answer of the API is guarded by its headers and the documentation lists every call', async () => {
    const reply = await server.app.inject({ method: 'GET', url: '/api/openapi.json', headers: { host: 'localhost' } });
    expect(reply.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    const { paths } = reply.json<{ paths: Record<string, Record<string, { security: unknown[] }>> }>();
    expect(Object.values(paths).flatMap((path) => Object.keys(path))).toHaveLength(Object.keys(routes).length);
    expect(paths['/api/auth/login']?.['post']?.security).toEqual([]);
    expect(paths['/api/bots']?.['get']?.security).toEqual([{ session: [] }]);
  });
});
