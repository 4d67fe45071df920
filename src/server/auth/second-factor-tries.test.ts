import { hourMs } from '#engine/market/durations.ts';
import { secondFactorUsedUp } from '#contract/auth.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { findUser, updateUser } from '#storage/users/users.ts';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { TestBrowser } from '../../../test/support/test-server.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { mostMisses } from './second-factor-tries.ts';

const server = await startTestServer();
const { mailBox } = server;
const { db } = server.dependencies;
const invalid = '400 Invalid or expired 2FA code. Please try again.';
const later = '429 Too many attempts. Please try again later.';

let owner: { userId: string; email: string };
let at: TestBrowser;
let made = 0;

beforeEach(async () => {
  owner = await server.signedIn('trader');
  await updateUser(db, owner.userId, { has2fa: true });
  at = server.browser(`10.40.0.${++made}`);
});

const signIn = () => at.login({ body: { email: owner.email, password } });
const enter = (code: string) => at.verifyTwoFactor({ params: { id: owner.userId }, body: { code } });
const misses = async () => (await findUser(db, owner.userId))?.secondFactorMisses;
const subjects = () => mailBox.mails.filter((mail) => mail.to.includes(owner.email)).map(({ subject }) => subject);
const aWrongCode = () => (mailBox.code(owner.email) === '111111' ? '222222' : '111111');

/** Enters wrong codes, with new codes where one is used up, and lets an hour pass where the tries of the hour are. */
async function miss(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    if (i % 5 === 0) {
      server.pass(hourMs);
      await signIn();
    }
    expect((await failure(enter(aWrongCode()))).message).toBe(invalid);
  }
}

describe('wrong second factors', () => {
  test('OP-17 ten in an hour close the codes, and the owner gets one mail', async () => {
    for (let i = 0; i < 2; i++) {
      server.pass(31_000);
      await signIn();
      for (let j = 0; j < 5; j++) expect((await failure(enter(aWrongCode()))).message).toBe(invalid);
    }
    server.pass(31_000);
    await signIn();
    expect((await failure(enter(mailBox.code(owner.email)))).message).toBe(later);
    await server.deliver();
    expect(subjects().filter((subject) => subject === '2FA is locked for a while')).toHaveLength(1);
    expect(await misses()).toBe(10);
  });

  test('a right one forgets them', async () => {
    await miss(4);
    expect(await misses()).toBe(4);
    await enter(mailBox.code(owner.email));
    expect(await misses()).toBe(0);
  });

  test('codes that nobody was sent are not counted', async () => {
    await signIn();
    const code = mailBox.code(owner.email);
    await enter(code);
    await failure(enter(code));
    expect(await misses()).toBe(0);
  });

  test('after a hundred in a row nobody signs in, the owner gets a mail, and a reset of the password opens the account again', async () => {
    await updateUser(db, owner.userId, { secondFactorMisses: mostMisses - 2 });
    await miss(1);
    expect(await misses()).toBe(mostMisses - 1);
    expect((await failure(enter(aWrongCode()))).message).toBe(invalid);
    expect((await failure(enter(mailBox.code(owner.email)))).message, 'the right one comes too late').toBe(invalid);
    expect((await failure(signIn())).message).toBe(`403 ${secondFactorUsedUp}`);
    expect((await failure(at.login({ body: { email: owner.email, password: 'a wrong one' } }))).message).toBe(
      '401 Invalid email or password',
    );
    await server.deliver();
    expect(subjects().filter((subject) => subject === 'A new password is needed')).toHaveLength(1);

    await at.forgotPassword({ body: { email: owner.email } });
    await expect.poll(() => subjects().includes('Your password reset code')).toBe(true);
    const next = 'another good password';
    await at.resetPassword({ body: { email: owner.email, code: mailBox.code(owner.email), password: next, confirmPassword: next } });
    expect(await misses()).toBe(0);
    server.pass(31_000);
    await at.login({ body: { email: owner.email, password: next } });
    expect(await enter(mailBox.code(owner.email))).toMatchObject({ email: owner.email });
  });

  test('the hundredth closes the account by itself: the owner is mailed, the log has a line, and the next sign-in asks for no code', async () => {
    await updateUser(db, owner.userId, { secondFactorMisses: mostMisses - 1 });
    await miss(1);
    await server.deliver();
    expect(subjects().filter((subject) => subject === 'A new password is needed')).toHaveLength(1);
    const { lines } = await listAudit(db, { action: 'password-reset-needed' }, 100);
    expect(lines.filter(({ actorId }) => actorId === owner.userId)).toHaveLength(1);
    expect(await misses()).toBe(mostMisses);
    expect((await failure(signIn())).message).toBe(`403 ${secondFactorUsedUp}`);
  });

  test('the owner is mailed that the account is closed also within the hour after a mail that codes are locked for a while', async () => {
    onTestFinished(server.hold());
    await updateUser(db, owner.userId, { secondFactorMisses: mostMisses - 11 });
    for (const laterMs of [0, 31_000]) {
      server.pass(laterMs);
      await signIn();
      for (let i = 0; i < 5; i++) await failure(enter(aWrongCode()));
    }
    server.pass(hourMs - 31_000); // the ten of this hour are over; the mail about them is not an hour old
    await signIn();
    expect((await failure(enter(aWrongCode()))).message).toBe(invalid);
    await server.deliver();
    const about = ['2FA is locked for a while', 'A new password is needed'];
    expect(subjects().filter((subject) => about.includes(subject))).toEqual(about);
  });

  test('a code that was sent while some were left is worth nothing when none are', async () => {
    await signIn();
    const code = mailBox.code(owner.email);
    await updateUser(db, owner.userId, { secondFactorMisses: mostMisses });
    expect((await failure(enter(code))).message).toBe(invalid);
  });
});
