import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { TestBrowser } from '../../../test/support/test-server.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { mailBox } = server;
const { db } = server.dependencies;
const halfMinute = 30_001;
const mailsTo = (email: string): number => mailBox.mails.filter((mail) => mail.to.includes(email)).length;
const holds = (browser: TestBrowser, name: string): boolean => [...browser.cookies.keys()].some((cookie) => cookie.endsWith(name));

/** An account with a second factor, and a browser in which its password was entered. */
async function halfSignedIn() {
  const owner = await server.signedIn('trader');
  await sql`update users set has2fa = true where id = ${owner.userId}`.execute(db);
  const at = server.browser('10.20.0.1');
  await at.login({ body: { email: owner.email, password } });
  return { owner, at };
}

describe('what a browser keeps', () => {
  test('OP-10 the mark of a half login goes when the sign-in is finished', async () => {
    const { owner, at } = await halfSignedIn();
    expect([holds(at, 'chal'), holds(at, 'sid')]).toEqual([true, false]);
    await at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
    expect([holds(at, 'chal'), holds(at, 'sid')]).toEqual([false, true]);
  });

  test('API-04 and when somebody signs out instead', async () => {
    const { at } = await halfSignedIn();
    await at.logout({});
    expect(holds(at, 'chal')).toBe(false);
  });

  test('API-13 a session that cannot be renewed goes', async () => {
    const owner = await server.signedIn('trader');
    await sql`update sessions set revoked_at = now() where user_id = ${owner.userId}`.execute(db);
    expect((await failure(owner.refreshSession({}))).message).toBe('401 Session expired');
    expect(holds(owner, 'sid')).toBe(false);
  });
});

describe('the second factor', () => {
  test('OP-10 whoever signs in after somebody else in the same browser ends their own sign-in, by their own code alone', async () => {
    const { owner: before, at } = await halfSignedIn();
    const { owner: next } = await halfSignedIn();
    server.pass(halfMinute);
    await at.login({ body: { email: next.email, password } });
    await expect.poll(() => mailsTo(next.email)).toBe(2);
    const ofBefore = { code: mailBox.code(before.email) };
    for (const { userId } of [before, next]) await failure(at.verifyTwoFactor({ params: { id: userId }, body: ofBefore }));
    expect(holds(at, 'sid')).toBe(false);
    await at.verifyTwoFactor({ params: { id: next.userId }, body: { code: mailBox.code(next.email) } });
    expect(await at.getMe({})).toMatchObject({ email: next.email });
  });

  test('API-10 a new code goes to the address of the half login alone', async () => {
    const { at } = await halfSignedIn();
    server.pass(halfMinute);
    expect((await failure(at.resendTwoFactor({ body: { email: 'somebody.else@example.com' } }))).message).toBe(
      '400 Email not found. Please go back to login.',
    );
  });

  test('OP-16 the code proves the mailbox', async () => {
    const { owner, at } = await halfSignedIn();
    await sql`update users set email_verified = false where id = ${owner.userId}`.execute(db);
    await at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
    expect(await at.getMe({})).toMatchObject({ email_verified: true });
  });

  test('OP-17 a set-up that is asked for twice within thirty seconds mails one code', async () => {
    const owner = await server.signedIn('trader');
    for (let i = 0; i < 2; i++) await owner.setUpTwoFactor({ params: { id: owner.userId } });
    expect(mailsTo(owner.email)).toBe(1);
  });

  test('API-12 nobody who has not begun a sign-in or a set-up can finish one', async () => {
    const owner = await server.signedIn('trader');
    const refused = '400 Invalid or expired 2FA code. Please try again.';
    const verify = (at: TestBrowser) => failure(at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: '123456' } }));
    expect((await verify(server.browser('10.20.0.2'))).message).toBe(refused);
    expect((await verify(owner)).message).toBe(refused);
  });
});

describe('addresses', () => {
  test('API-09 an account that is verified is mailed no verification code', async () => {
    const owner = await server.signedIn('trader');
    await server.browser('10.20.0.3').resendVerification({ body: { email: owner.email } });
    server.pass(halfMinute);
    const late = await server.signedIn('trader');
    await sql`update users set email_verified = false where id = ${late.userId}`.execute(db);
    await server.browser('10.20.0.3').resendVerification({ body: { email: late.email } });
    await expect.poll(() => mailsTo(late.email)).toBe(1);
    expect(mailsTo(owner.email)).toBe(0); // it would have come first
  });

  test('API-03 who registers is in the audit log, and a refused one is not', async () => {
    const email = 'listed@example.com';
    const register = () => server.browser('10.20.0.4').register({ body: { email, password, confirmPassword: password } });
    const lines = async () =>
      (await db.selectFrom('auditLog').select(['action', 'result']).where('action', '=', 'register').execute()).length;
    await register();
    expect(await lines()).toBe(1);
    expect((await failure(register())).message).toBe('409 Email is already registered');
    expect(await lines()).toBe(1);
  });
});

describe('codes in the audit log', () => {
  const lines = async (userId: string) =>
    (
      await sql<{ action: string; result: string; detail: unknown }>`
      select action, result, detail from audit_log where actor_id = ${userId} and action != 'sign-in' order by id`.execute(db)
    ).rows;

  test('one that was mailed, one that could not be, and wrong ones have a line each, without the code', async () => {
    const { owner, at } = await halfSignedIn();
    await failure(at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: '000000' } }));
    server.pass(halfMinute);
    mailBox.refuse(true);
    await failure(at.resendTwoFactor({ body: { email: owner.email } }));
    mailBox.refuse(false);
    await failure(at.verifyEmail({ body: { email: owner.email, code: '000000' } }));
    await failure(
      at.resetPassword({ body: { email: owner.email, code: '000000', password: 'a new password', confirmPassword: 'a new password' } }),
    );
    const purpose = 'two-factor-login';
    expect(await lines(owner.userId)).toEqual([
      { action: 'send-code', result: 'ok', detail: { purpose } },
      { action: 'send-code', result: 'failed', detail: { purpose } },
      { action: 'verify-email', result: 'refused', detail: {} },
      { action: 'reset-password', result: 'refused', detail: {} },
    ]);
    const refused = await sql`select 1 from audit_log where actor_id = ${owner.userId} and detail->>'reason' = 'wrong 2FA code'`.execute(
      db,
    );
    expect(refused.rows).toHaveLength(1);
  });
});
