import { dayMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { untilWaiting } from '../support/lock-waits.ts';
import type { TestBrowser } from '../support/test-server.ts';
import { password, startTestServer } from '../support/test-server.ts';
import { runSize } from '../support/run-size.ts';
import { appOf, setUpApp, type TestApp } from '../support/authenticator-app.ts';
import { addPasskeyAt, newPasskey, type PasskeyWithCodes } from '../support/passkey.ts';
import type { Victim } from './second-factor.ts';
import { peopleOf, statusOf } from './second-factor.ts';
import { sendCall } from './send-call.ts';

// Ways around the second factor. Whoever tries them knows the password, and mostly has another account; nobody who does
// not enter the code of this sign-in in this browser, once, may end up with a session of the victim.

const { size } = runSize(2);
const server = await startTestServer();
const { db } = server.dependencies;
const { anywhere, victim, appVictim, passkeyVictim, halfSignedIn, codeAfter } = peopleOf(server);
const verify = (at: TestBrowser, id: string, code: string, headers: Record<string, string> = {}) =>
  statusOf(at.verifyTwoFactor({ params: { id }, body: { code } }, { headers }));
const reset = (at: TestBrowser, email: string, code: string, fresh = 'another password') =>
  statusOf(at.resetPassword({ body: { email, code, password: fresh, confirmPassword: fresh } }));
const withCookies = (...cookies: [string, string | undefined][]): TestBrowser => {
  const at = anywhere();
  for (const [name, value] of cookies) at.cookies.set(name, value ?? '');
  return at;
};
const liveSessions = async (id: string): Promise<number> =>
  (await sql`select id from sessions where user_id = ${id} and revoked_at is null`.execute(db)).rows.length;

/** The ways: each is tried, and gives the browsers that may have gained something. */
const ways: Record<string, (of: Victim) => Promise<TestBrowser[]>> = {
  'a confirmation of the e-mail address': async (of) => {
    await sql`update users set email_verified = false where id = ${of.userId}`.execute(db);
    const at = anywhere();
    const code = await codeAfter(of.email, () => at.resendVerification({ body: { email: of.email } }));
    expect(await statusOf(at.verifyEmail({ body: { email: of.email, code } }))).toBe(400);
    return [at];
  },
  'a reset of the password, which the mailbox allows': async (of) => {
    const at = anywhere();
    const code = await codeAfter(of.email, () => at.forgotPassword({ body: { email: of.email } }));
    expect(await reset(at, of.email, code)).toBe(200);
    expect(await at.login({ body: { email: of.email, password: 'another password' } })).toMatchObject({
      status: '2FA code sent to your email',
    });
    return [at];
  },
  'the right code without the half login it belongs to': async (of) => {
    await halfSignedIn(of);
    const at = anywhere();
    expect(await verify(at, of.userId, server.mailBox.code(of.email))).toBe(400);
    return [at];
  },
  'a reset code in place of the sign-in code': async (of) => {
    const at = await halfSignedIn(of);
    const code = await codeAfter(of.email, () => at.forgotPassword({ body: { email: of.email } }));
    expect(await verify(at, of.userId, code)).toBe(400);
    return [at];
  },
  'a verification code in place of the sign-in code': async (of) => {
    await sql`update users set email_verified = false where id = ${of.userId}`.execute(db);
    const at = await halfSignedIn(of);
    const code = await codeAfter(of.email, () => at.resendVerification({ body: { email: of.email } }));
    expect(await verify(at, of.userId, code)).toBe(400);
    return [at];
  },
  'the code of an earlier challenge': async (of) => {
    const at = await halfSignedIn(of);
    const old = server.mailBox.code(of.email);
    server.pass(31_000);
    const fresh = await codeAfter(of.email, () => at.resendTwoFactor({ body: { email: of.email } }));
    if (old !== fresh) expect(await verify(at, of.userId, old)).toBe(400);
    return [at];
  },
  'a code that has run out': async (of) => {
    const at = await halfSignedIn(of);
    server.pass(10 * 60_000);
    expect(await verify(at, of.userId, server.mailBox.code(of.email))).toBe(400);
    return [at];
  },
  "the code of another account's sign-in": async (of) => {
    const own = await victim();
    await halfSignedIn(own);
    const at = await halfSignedIn(of);
    const code = server.mailBox.code(own.email);
    if (code !== server.mailBox.code(of.email)) expect(await verify(at, of.userId, code)).toBe(400);
    expect(await verify(at, own.userId, code)).toBe(403);
    return [at];
  },
  "another account's half login with the victim's id and code": async (of) => {
    const own = await victim();
    await halfSignedIn(of);
    const at = await halfSignedIn(own);
    expect(await verify(at, of.userId, server.mailBox.code(of.email))).toBe(403);
    expect(await verify(at, own.userId, server.mailBox.code(of.email))).toBe(400);
    return [at];
  },
  "a set-up for the victim's id": async (of) => {
    const at = await server.signedIn('trader');
    expect(await statusOf(at.setUpTwoFactor({ params: { id: of.userId } }))).toBe(403);
    await at.setUpTwoFactor({ params: { id: at.userId } });
    expect(await verify(at, of.userId, server.mailBox.code(at.email))).toBe(403);
    return [at];
  },
  "the code of an own set-up, entered with the victim's half login": async (of) => {
    const at = await server.signedIn('trader');
    await at.setUpTwoFactor({ params: { id: at.userId } });
    const code = server.mailBox.code(at.email);
    at.cookies.set('chal', (await halfSignedIn(of)).cookies.get('chal') ?? '');
    if (code !== server.mailBox.code(of.email)) expect(await verify(at, of.userId, code)).toBe(400);
    expect(await verify(at, at.userId, code)).toBe(403);
    return [at];
  },
  'a renewal of the half login': async (of) => {
    const half = await halfSignedIn(of);
    expect(await statusOf(half.refreshSession({}))).toBe(401);
    const at = withCookies(['sid', half.cookies.get('chal')]);
    expect(await statusOf(at.refreshSession({}))).toBe(401);
    return [half, at, withCookies(['sid', half.cookies.get('chal')])];
  },
  'streams, downloads and everything else that reads': async (of) => {
    const half = await halfSignedIn(of);
    const cookie = `chal=${half.cookies.get('chal')}; device=${of.cookies.get('device')}; sid=${half.cookies.get('chal')}`;
    for (const name of ['liveStatus', 'listBots', 'listApiKeys', 'backtestResults', 'listSessions', 'fundOverview'] as const)
      expect((await sendCall(server, name, {}, { cookie })).statusCode, name).toBe(401);
    expect((await sendCall(server, 'reportPdf', { params: { id: '2026-01-01' } }, { cookie })).statusCode).toBe(401);
    return [half];
  },
  'an admin who marks the account verified': async (of) => {
    const at = await halfSignedIn(of);
    const admin = await server.signedIn('admin');
    const flags = { verified: true, email_verified: false };
    expect((await admin.verifyUser({ params: { id: of.userId }, body: flags })).has_2fa).toBe(true);
    const code = await codeAfter(of.email, () => at.resendVerification({ body: { email: of.email } }));
    expect(await statusOf(at.verifyEmail({ body: { email: of.email, code } }))).toBe(400);
    expect(await at.login({ body: { email: of.email, password } })).toMatchObject({ status: '2FA code sent to your email' });
    return [at];
  },
  'new codes for new tries': async (of) => {
    const at = await halfSignedIn(of);
    let refused = 0;
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 5; i++) refused += (await verify(at, of.userId, '------')) === 429 ? 1 : 0;
      server.pass(31_000);
      await statusOf(at.resendTwoFactor({ body: { email: of.email } }));
    }
    expect(refused).toBe(10); // after ten wrong ones
    expect(await verify(at, of.userId, server.mailBox.code(of.email))).toBe(429);
    return [at];
  },
  'the code of a sign-in in another browser that knows the password': async (of) => {
    await halfSignedIn(of);
    const code = server.mailBox.code(of.email);
    const at = await halfSignedIn(of);
    expect(await verify(at, of.userId, code)).toBe(400);
    return [at];
  },
  'a half login that was begun before the password changed': async (of) => {
    const at = await halfSignedIn(of);
    const code = server.mailBox.code(of.email);
    const forReset = await codeAfter(of.email, () => anywhere().forgotPassword({ body: { email: of.email } }));
    expect(await reset(anywhere(), of.email, forReset)).toBe(200);
    expect(await verify(at, of.userId, code)).toBe(400);
    return [at];
  },
  'a half login that was signed out': async (of) => {
    const at = await halfSignedIn(of);
    const again = withCookies(['chal', at.cookies.get('chal')]);
    await at.logout({});
    expect(at.cookies.has('chal')).toBe(false);
    expect(await verify(again, of.userId, server.mailBox.code(of.email))).toBe(400);
    return [at, again];
  },
  'the mark of a known device': async (of) => {
    const at = withCookies(['device', of.cookies.get('device')]);
    expect(await at.login({ body: { email: of.email, password } })).toMatchObject({ status: '2FA code sent to your email' });
    return [at];
  },
  'a new code sent to another address': async (of) => {
    const own = await server.signedIn('trader');
    const at = await halfSignedIn(of);
    server.pass(31_000);
    expect(await statusOf(at.resendTwoFactor({ body: { email: own.email } }))).toBe(400);
    return [at];
  },
  'a second account with the same address in another spelling': async (of) => {
    const at = anywhere();
    const spelled = { email: of.email.toUpperCase(), password: 'another password', confirmPassword: 'another password' };
    expect(await statusOf(at.register({ body: spelled }))).toBe(409);
    return [at];
  },
  'a change of the password or of other things with a half login': async (of) => {
    const at = await halfSignedIn(of);
    expect(await statusOf(at.updatePassword({ body: { password: 'another password' } }))).toBe(401);
    expect(await statusOf(at.setUpTwoFactor({ params: { id: of.userId } }))).toBe(401);
    expect(await statusOf(at.endOtherSessions({}))).toBe(401);
    return [at];
  },
};

const appSignIn = (at: TestBrowser, code: string, headers: Record<string, string> = {}) =>
  statusOf(at.signInWithApp({ body: { code } }, { headers }));

/** The ways around an authenticator app that is the only second factor, where a mailed code would be one. */
const waysAroundApp: Record<string, (of: Victim & { app: TestApp }) => Promise<TestBrowser[]>> = {
  'a code by mail': async (of) => {
    const at = await halfSignedIn(of);
    expect(await statusOf(at.resendTwoFactor({ body: { email: of.email } }))).toBe(400);
    expect(await verify(at, of.userId, of.app.code())).toBe(400);
    return [at];
  },
  'a code that was mailed before mailed codes were switched off': async (of) => {
    await sql`update users set mailed_codes = true where id = ${of.userId}`.execute(db);
    const at = await halfSignedIn(of);
    const code = await codeAfter(of.email, () => at.resendTwoFactor({ body: { email: of.email } }));
    await sql`update users set mailed_codes = false where id = ${of.userId}`.execute(db); // and the half login is kept
    expect(await verify(at, of.userId, code)).toBe(400);
    return [at];
  },
  'a confirmation of the e-mail address': async (of) => {
    await sql`update users set email_verified = false where id = ${of.userId}`.execute(db);
    const at = await halfSignedIn(of);
    const code = await codeAfter(of.email, () => at.resendVerification({ body: { email: of.email } }));
    expect(await statusOf(at.verifyEmail({ body: { email: of.email, code } }))).toBe(200); // the mailbox is proven, no more
    return [at];
  },
  'a confirmation of an address that no admin has decided about': async (of) => {
    await sql`update users set email_verified = false, verified = false, verification_decided_at = null where id = ${of.userId}`.execute(
      db,
    );
    const at = await halfSignedIn(of);
    const code = await codeAfter(of.email, () => at.resendVerification({ body: { email: of.email } }));
    expect(await statusOf(at.verifyEmail({ body: { email: of.email, code } }))).toBe(200);
    const { verified } = await db.selectFrom('users').select('verified').where('id', '=', of.userId).executeTakeFirstOrThrow();
    expect(verified).toBe(false);
    return [at];
  },
  'a reset of the password, which the mailbox allows': async (of) => {
    const at = anywhere();
    const code = await codeAfter(of.email, () => at.forgotPassword({ body: { email: of.email } }));
    expect(await reset(at, of.email, code)).toBe(200);
    expect(await at.login({ body: { email: of.email, password: 'another password' } })).toMatchObject({
      status: 'Enter the code of your authenticator app',
      mailed_codes: false,
    });
    return [at];
  },
  'the right code without the half login': async (of) => {
    await halfSignedIn(of);
    const at = anywhere();
    expect(await appSignIn(at, of.app.code())).toBe(400);
    expect(await appSignIn(at, of.app.backupCodes[0] ?? '')).toBe(400);
    return [at];
  },
  "another account's app and backup codes": async (of) => {
    const own = await appVictim();
    const at = await halfSignedIn(of);
    if (own.app.code() !== of.app.code()) expect(await appSignIn(at, own.app.code())).toBe(400);
    expect(await appSignIn(at, own.app.backupCodes[0] ?? '')).toBe(400);
    expect(await appSignIn(await halfSignedIn(own), own.app.backupCodes[0] ?? '')).toBe(200); // it was not used up
    return [at];
  },
  'a code of two half minutes ago, or of two from now': async (of) => {
    const at = await halfSignedIn(of);
    for (const near of [-3, 3]) expect(await appSignIn(at, of.app.code(near))).toBe(400);
    return [at];
  },
  "a set-up that another person confirms, entered with the victim's half login": async (of) => {
    const own = await server.signedIn('trader');
    const app = appOf(server, (await own.startAuthenticator({})).secret);
    own.cookies.set('chal', (await halfSignedIn(of)).cookies.get('chal') ?? '');
    if (app.code() !== of.app.code()) expect(await appSignIn(own, app.code())).toBe(400);
    return [own];
  },
  'a change of the factor with a half login': async (of) => {
    const at = await halfSignedIn(of);
    const code = { body: { code: of.app.code() } };
    for (const call of [at.startAuthenticator({}), at.renewBackupCodes({}), at.stopAuthenticator(code), at.stopMailedCodes(code)])
      expect(await statusOf(call)).toBe(401);
    return [at];
  },
  'a half login that was begun before the password changed': async (of) => {
    const at = await halfSignedIn(of);
    const forReset = await codeAfter(of.email, () => anywhere().forgotPassword({ body: { email: of.email } }));
    expect(await reset(anywhere(), of.email, forReset)).toBe(200);
    expect(await appSignIn(at, of.app.code())).toBe(400);
    return [at];
  },
  'a half login that was signed out, or that has run out': async (of) => {
    const at = await halfSignedIn(of);
    const again = withCookies(['chal', at.cookies.get('chal')]);
    await at.logout({});
    expect(await appSignIn(again, of.app.code())).toBe(400);
    const late = await halfSignedIn(of);
    server.pass(10 * 60_000);
    expect(await appSignIn(late, of.app.code())).toBe(400);
    return [again, late];
  },
  'a repetition of the sign-in that ended well': async (of) => {
    const at = await halfSignedIn(of);
    const [chal, code] = [at.cookies.get('chal'), of.app.code()];
    const headers = { 'idempotency-key': 'of one sign-in by app' };
    expect(await appSignIn(at, code, headers)).toBe(200);
    await at.logout({});
    const again = withCookies(['chal', chal]);
    expect(await appSignIn(again, code)).toBe(400);
    const elsewhere = anywhere();
    expect(await appSignIn(elsewhere, code, headers)).toBe(400);
    return [again, elsewhere];
  },
  'the mark of a known device': async (of) => {
    const at = withCookies(['device', of.cookies.get('device')]);
    expect(await at.login({ body: { email: of.email, password } })).toMatchObject({ status: 'Enter the code of your authenticator app' });
    return [at];
  },
};

test.each(Object.entries(waysAroundApp))('OP-10, OP-17 an authenticator app is not bypassed by %s', async (_, way) => {
  const of = await appVictim();
  const before = await liveSessions(of.userId);
  for (const at of await way(of)) {
    const reply = await statusOf(at.getMe({}));
    if (reply === 200) expect((await at.getMe({})).userId).not.toBe(of.userId);
  }
  expect(await liveSessions(of.userId)).toBeLessThanOrEqual(before);
});

type Answer = Parameters<TestBrowser['signInWithPasskey']>[0]['body'];
const passkeySignIn = (at: TestBrowser, body: Answer, headers: Record<string, string> = {}) =>
  statusOf(at.signInWithPasskey({ body }, { headers }));

/** The ways around a passkey that is the only second factor. */
const waysAroundPasskey: Record<string, (of: Victim & { passkey: PasskeyWithCodes }) => Promise<TestBrowser[]>> = {
  'a code by mail': async (of) => {
    const at = await halfSignedIn(of);
    expect(await statusOf(at.resendTwoFactor({ body: { email: of.email } }))).toBe(400);
    expect(await verify(at, of.userId, '000000')).toBe(400);
    return [at];
  },
  'a confirmation of the e-mail address': async (of) => {
    await sql`update users set email_verified = false where id = ${of.userId}`.execute(db);
    const at = anywhere();
    const code = await codeAfter(of.email, () => at.resendVerification({ body: { email: of.email } }));
    expect(await statusOf(at.verifyEmail({ body: { email: of.email, code } }))).toBe(200); // the mailbox is proven, no more
    return [at];
  },
  'a reset of the password, which the mailbox allows': async (of) => {
    const at = anywhere();
    const code = await codeAfter(of.email, () => at.forgotPassword({ body: { email: of.email } }));
    expect(await reset(at, of.email, code)).toBe(200);
    expect(await at.login({ body: { email: of.email, password: 'another password' } })).toMatchObject({ status: 'Use a passkey' });
    return [at];
  },
  'its answer in a browser without the half login': async (of) => {
    const asked = await (await halfSignedIn(of)).startPasskeySignIn({});
    const at = anywhere();
    expect(await passkeySignIn(at, of.passkey.answer(asked))).toBe(400);
    return [at];
  },
  'its answer to the challenge of another half login, asked for by somebody who knows the password': async (of) => {
    const asked = await (await halfSignedIn(of)).startPasskeySignIn({});
    const at = await halfSignedIn(of);
    expect(await passkeySignIn(at, of.passkey.answer(asked))).toBe(400); // none was asked for here
    await at.startPasskeySignIn({});
    expect(await passkeySignIn(at, of.passkey.answer(asked))).toBe(400);
    return [at];
  },
  "its answer to the challenge of another person's sign-in": async (of) => {
    const own = await passkeyVictim();
    const at = await halfSignedIn(own);
    const answer = of.passkey.answer(await at.startPasskeySignIn({}));
    expect(await passkeySignIn(at, answer)).toBe(400);
    const other = await halfSignedIn(of);
    await other.startPasskeySignIn({});
    expect(await passkeySignIn(other, answer)).toBe(400);
    return [at, other];
  },
  "another person's passkey and backup codes": async (of) => {
    const own = await passkeyVictim();
    const at = await halfSignedIn(of);
    expect(await passkeySignIn(at, own.passkey.answer(await at.startPasskeySignIn({})))).toBe(400);
    const renamed = { ...own.passkey.answer(await at.startPasskeySignIn({})), id: of.passkey.id };
    expect(await passkeySignIn(at, renamed)).toBe(400);
    expect(await appSignIn(at, own.passkey.backupCodes[0] ?? '')).toBe(400);
    return [at];
  },
  'what it has signed for a page that only looks like this one': async (of) => {
    const at = await halfSignedIn(of);
    for (const odd of [{ origin: 'https://evil.example' }, { origin: 'http://localhost:3001' }, { rpId: 'evil.example' }])
      expect(await passkeySignIn(at, of.passkey.answer(await at.startPasskeySignIn({}), odd))).toBe(400);
    return [at];
  },
  'a copy of it, whose counter is behind': async (of) => {
    const owner = await halfSignedIn(of);
    expect(await passkeySignIn(owner, of.passkey.answer(await owner.startPasskeySignIn({}), { counter: 50 }))).toBe(200);
    await owner.logout({});
    const at = await halfSignedIn(of);
    for (const counter of [50, 49, 1, 0])
      expect(await passkeySignIn(at, of.passkey.answer(await at.startPasskeySignIn({}), { counter }))).toBe(400);
    return [at];
  },
  'what it has signed in a session, to change a factor': async (of) => {
    const at = await halfSignedIn(of);
    await at.startPasskeySignIn({});
    expect(await passkeySignIn(at, of.passkey.answer(await of.startPasskeyProof({})))).toBe(400);
    await at.startPasskeySignIn({});
    expect(await passkeySignIn(at, of.passkey.answer(await of.startPasskey({})))).toBe(400);
    return [at];
  },
  'a challenge that is answered a second time, wrong before': async (of) => {
    const at = await halfSignedIn(of);
    const asked = await at.startPasskeySignIn({});
    expect(await passkeySignIn(at, of.passkey.answer(asked, { origin: 'https://evil.example' }))).toBe(400);
    expect(await passkeySignIn(at, of.passkey.answer(asked))).toBe(400);
    return [at];
  },
  'a challenge that has run out': async (of) => {
    const at = await halfSignedIn(of);
    const asked = await at.startPasskeySignIn({});
    server.pass(5 * 60_000);
    expect(await passkeySignIn(at, of.passkey.answer(asked))).toBe(400);
    return [at];
  },
  'the answer of a finished sign-in, sent again after the sign-out': async (of) => {
    const at = await halfSignedIn(of);
    const chal = at.cookies.get('chal');
    const answer = of.passkey.answer(await at.startPasskeySignIn({}));
    const headers = { 'idempotency-key': 'of one sign-in by passkey' };
    expect(await passkeySignIn(at, answer, headers)).toBe(200);
    await at.logout({});
    const again = withCookies(['chal', chal]);
    expect(await statusOf(again.startPasskeySignIn({}))).toBe(400); // the half login has ended with the sign-in
    expect(await passkeySignIn(again, answer)).toBe(400);
    const elsewhere = anywhere();
    expect(await passkeySignIn(elsewhere, answer, headers)).toBe(400);
    const next = await halfSignedIn(of);
    await next.startPasskeySignIn({});
    expect(await passkeySignIn(next, answer)).toBe(400);
    return [again, elsewhere, next];
  },
  'a half login that was begun before the password changed': async (of) => {
    const at = await halfSignedIn(of);
    const asked = await at.startPasskeySignIn({});
    const forReset = await codeAfter(of.email, () => anywhere().forgotPassword({ body: { email: of.email } }));
    expect(await reset(anywhere(), of.email, forReset)).toBe(200);
    expect(await passkeySignIn(at, of.passkey.answer(asked))).toBe(400);
    return [at];
  },
  'a change of the factors with a half login': async (of) => {
    const at = await halfSignedIn(of);
    const { passkeys } = await of.getSecondFactors({});
    const id = passkeys[0]?.id ?? '';
    const asked = await at.startPasskeySignIn({});
    const made = { body: { name: 'mine', passkey: newPasskey().made(asked) } };
    const removals = [{ code: of.passkey.backupCodes[0] ?? '' }, { answer: of.passkey.answer(asked) }];
    const calls = [
      at.startPasskey({}),
      at.addPasskey(made),
      at.startPasskeyProof({}),
      ...removals.map((body) => at.removePasskey({ params: { id }, body })),
    ];
    expect(await Promise.all(calls.map(statusOf))).toEqual(calls.map(() => 401));
    return [at];
  },
  'a passkey that was taken away': async (of) => {
    await addPasskeyAt(of, { name: 'Another' });
    const [first] = (await of.getSecondFactors({})).passkeys;
    await of.removePasskey({ params: { id: first?.id ?? '' }, body: { code: of.passkey.backupCodes[1] ?? '' } });
    const at = await halfSignedIn(of);
    expect(await passkeySignIn(at, of.passkey.answer(await at.startPasskeySignIn({})))).toBe(400);
    return [at];
  },
};

test.each(Object.entries(waysAroundPasskey))('OP-10, OP-17 a passkey is not bypassed by %s', async (_, way) => {
  const of = await passkeyVictim();
  const before = await liveSessions(of.userId);
  for (const at of await way(of)) {
    const reply = await statusOf(at.getMe({}));
    if (reply === 200) expect((await at.getMe({})).userId).not.toBe(of.userId);
  }
  expect(await liveSessions(of.userId)).toBeLessThanOrEqual(before);
});

test('no factor is added or taken away ten minutes after the password, whatever is signed or entered for it', async () => {
  const of = await appVictim();
  const passkey = await addPasskeyAt(of);
  const id = (await of.getSecondFactors({})).passkeys[0]?.id ?? '';
  await of.confirmPassword({ body: { password } });
  server.pass(8 * 60_000);
  const added = newPasskey().made(await of.startPasskey({}));
  const proof = passkey.answer(await of.startPasskeyProof({}));
  server.pass(3 * 60_000); // what was asked for is good for two minutes more, the password is not
  const changes = [
    of.addPasskey({ body: { name: 'mine', passkey: added } }),
    of.removePasskey({ params: { id }, body: { answer: proof } }),
    of.removePasskey({ params: { id }, body: { code: of.app.code() } }),
    of.stopAuthenticator({ body: { code: of.app.code() } }),
    of.stopMailedCodes({ body: { code: of.app.code() } }),
    of.startAuthenticator({}),
    of.renewBackupCodes({}),
  ];
  expect(await Promise.all(changes.map(statusOf))).toEqual(changes.map(() => 403));
  expect(await of.getSecondFactors({})).toMatchObject({ app_since: expect.any(String), backup_codes: 10, passkeys: [{ id }] });
  await of.confirmPassword({ body: { password } }); // and nothing was used up
  await of.removePasskey({ params: { id }, body: { answer: proof } });
});

/** The account of a victim at another browser, signed in with its app: whoever sits there knows the password too. */
const openBrowserOf = async (of: Victim & { app: TestApp }) => {
  const at = await halfSignedIn(of);
  await at.signInWithApp({ body: { code: of.app.code() } });
  server.pass(31_000);
  return at;
};

test('whoever sits at an open browser and knows the password takes no factor away with one of their own, nor with new codes, for a day', async () => {
  const of = await appVictim();
  const owned = await addPasskeyAt(of, { name: 'Owned' });
  await sql`update users set mailed_codes = true where id = ${of.userId}`.execute(db);
  server.pass(2 * dayMs);
  const at = await openBrowserOf(of);
  const own = await addPasskeyAt(at, { name: 'Of the intruder' });
  const { backup_codes: renewed } = await at.renewBackupCodes({});
  const ownedId = (await at.getSecondFactors({})).passkeys.find(({ name }) => name === 'Owned')?.id ?? '';
  const other = appOf(server, (await at.startAuthenticator({})).secret);
  const takesAway = async (by: string[]): Promise<number[]> => [
    await statusOf(at.stopAuthenticator({ body: { code: by[0] ?? '' } })),
    await statusOf(at.stopMailedCodes({ body: { code: by[1] ?? '' } })),
    await statusOf(at.confirmAuthenticator({ body: { code: other.code(), present_code: by[2] ?? '' } })),
    await statusOf(at.removePasskey({ params: { id: ownedId }, body: { code: by[3] ?? '' } })),
    await statusOf(at.removePasskey({ params: { id: ownedId }, body: { answer: own.answer(await at.startPasskeyProof({})) } })),
  ];
  expect(await takesAway(renewed)).toEqual([403, 403, 403, 403, 403]);
  expect(await at.getSecondFactors({})).toMatchObject({ app_since: expect.any(String), mailed_codes: true, backup_codes: 10 });
  expect((await at.getSecondFactors({})).passkeys).toHaveLength(2);

  // The owner has been mailed, and takes it away with what was there before.
  const added = (await at.getSecondFactors({})).passkeys.find(({ name }) => name === 'Of the intruder')?.id ?? '';
  const home = await openBrowserOf(of);
  expect(
    await statusOf(home.removePasskey({ params: { id: added }, body: { answer: owned.answer(await home.startPasskeyProof({})) } })),
  ).toBe(200);
});

test('nor do the backup codes of a first passkey switch off the codes by mail of the owner on that day', async () => {
  const of = await victim();
  const at = await halfSignedIn(of);
  await at.verifyTwoFactor({ params: { id: of.userId }, body: { code: server.mailBox.code(of.email) } });
  const { backupCodes } = await addPasskeyAt(at, { name: 'Of the intruder' });
  expect(backupCodes).toHaveLength(10);
  expect(await statusOf(at.stopMailedCodes({ body: { code: backupCodes[0] ?? '' } }))).toBe(403);
  expect(await at.getSecondFactors({})).toMatchObject({ mailed_codes: true });
});

test('a factor takes itself away, and what was added with or after it; after a day whatever there is', async () => {
  const of = await appVictim();
  const first = await addPasskeyAt(of, { name: 'First' });
  const second = await addPasskeyAt(of, { name: 'Second' });
  const idOf = async (name: string) => (await of.getSecondFactors({})).passkeys.find((each) => each.name === name)?.id ?? '';
  const removes = async (name: string, by: typeof first) => {
    const params = { id: await idOf(name) };
    return statusOf(of.removePasskey({ params, body: { answer: by.answer(await of.startPasskeyProof({})) } }));
  };
  expect(await removes('First', second)).toBe(403);
  expect(await removes('Second', first)).toBe(200);
  expect(await removes('First', first)).toBe(200);
  await addPasskeyAt(of, { name: 'Third' });
  const last = await addPasskeyAt(of, { name: 'Fourth' });
  server.pass(dayMs + 1_000);
  const at = await openBrowserOf(of);
  const third = (await at.getSecondFactors({})).passkeys.find(({ name }) => name === 'Third')?.id ?? '';
  expect(await statusOf(at.removePasskey({ params: { id: third }, body: { answer: last.answer(await at.startPasskeyProof({})) } }))).toBe(
    200,
  );
  expect(await statusOf(at.stopAuthenticator({ body: { code: of.app.backupCodes[0] ?? '' } }))).toBe(200);
});

test('what a passkey has signed for one change is worth nothing for another', async () => {
  const of = await passkeyVictim();
  const id = (await of.getSecondFactors({})).passkeys[0]?.id ?? '';
  const remove = (answer: Answer) => statusOf(of.removePasskey({ params: { id }, body: { answer } }));
  expect(await remove(of.passkey.answer(await of.startPasskey({})))).toBe(400); // a challenge for a passkey that is added
  const proof = await of.startPasskeyProof({});
  expect(await statusOf(of.addPasskey({ body: { name: 'mine', passkey: newPasskey().made(proof) } }))).toBe(400);
  const elsewhere = await halfSignedIn(of);
  await elsewhere.signInWithPasskey({ body: of.passkey.answer(await elsewhere.startPasskeySignIn({})) });
  const other = of.passkey.answer(await elsewhere.startPasskeyProof({}));
  await of.startPasskeyProof({});
  expect(await remove(other)).toBe(400); // of another session of the same person
  expect((await of.getSecondFactors({})).passkeys).toHaveLength(1);
});

/** Makes calls one after the other while the account is held, and gives their statuses when it is free. */
const whileHeld = async (userId: string, calls: readonly (() => Promise<unknown>)[], meanwhile = async (): Promise<void> => {}) => {
  const begun = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${userId} for update`.execute(trx);
    const waiting: Promise<number>[] = [];
    for (const [at, call] of calls.entries()) {
      waiting.push(statusOf(call()));
      await untilWaiting(db, at + 1);
    }
    await meanwhile();
    return waiting;
  });
  return Promise.all(begun);
};

const sorted = (statuses: (number | undefined)[]) => statuses.toSorted((one = 0, other = 0) => one - other);

test('a backup code at two doors in one moment opens one', async () => {
  for (const kind of ['app', 'passkey'] as const) {
    const of = kind === 'app' ? await appVictim() : await passkeyVictim();
    const code = 'app' in of ? (of.app.backupCodes[0] ?? '') : (of.passkey.backupCodes[0] ?? '');
    const at = await halfSignedIn(of);
    const id = (await of.getSecondFactors({})).passkeys[0]?.id ?? '';
    const takeAway = () =>
      kind === 'app' ? of.stopAuthenticator({ body: { code } }) : of.removePasskey({ params: { id }, body: { code } });
    const before = await liveSessions(of.userId);
    const [signedIn, takenAway] = await whileHeld(of.userId, [() => at.signInWithApp({ body: { code } }), takeAway]);
    // Whichever comes first.
    expect(sorted([signedIn, takenAway]), kind).toEqual([200, 400]);
    expect(await liveSessions(of.userId)).toBe(before + (signedIn === 200 ? 1 : 0));
    expect(await of.getSecondFactors({})).toMatchObject({ backup_codes: signedIn === 200 ? 9 : 0 });
  }
});

test('the same at two sessions: a code and a signature each allow one change', async () => {
  const of = await appVictim();
  const passkey = await addPasskeyAt(of);
  await addPasskeyAt(of, { name: 'Another' });
  const ids = (await of.getSecondFactors({})).passkeys.map(({ id }) => id);
  const answer = passkey.answer(await of.startPasskeyProof({}));
  const removals = ids.map((id) => () => of.removePasskey({ params: { id }, body: { answer } }));
  expect(sorted(await whileHeld(of.userId, removals))).toEqual([200, 400]);
  const [left = ''] = (await of.getSecondFactors({})).passkeys.map(({ id }) => id);
  const code = of.app.code();
  const both = [() => of.removePasskey({ params: { id: left }, body: { code } }), () => of.stopAuthenticator({ body: { code } })];
  expect(sorted(await whileHeld(of.userId, both))).toEqual([200, 400]);
  const { app_since: since, passkeys } = await of.getSecondFactors({});
  expect([since === null, passkeys.length]).toEqual(since === null ? [true, 1] : [false, 0]);
});

test('a change of the factors by a session that is ended while the change waits is not made', async () => {
  const of = await appVictim();
  const code = of.app.code();
  const end = () =>
    sql`update sessions set revoked_at = ${server.dependencies.now()} where user_id = ${of.userId}`.execute(db).then(() => undefined);
  expect(await whileHeld(of.userId, [() => of.stopAuthenticator({ body: { code } })], end)).toEqual([401]);
  expect(await appSignIn(await halfSignedIn(of), code)).toBe(200); // the app is there, and the code was not used up
});

test('a code of the app of before, and its backup codes, are worth nothing beside the app that replaced it', async () => {
  const of = await appVictim();
  const [old, backup] = [of.app, of.app.backupCodes[2] ?? ''];
  const replaced = await setUpApp(server, of, old.code());
  const at = await halfSignedIn(of);
  if (old.code() !== replaced.code()) expect(await appSignIn(at, old.code())).toBe(400);
  expect(await appSignIn(at, backup)).toBe(400);
  expect(await appSignIn(at, replaced.code())).toBe(200);
});

test('a code of an app that is entered while the account is held begins one session, whatever waits', async () => {
  for (const kind of ['app', 'backup']) {
    const of = await appVictim();
    const before = await liveSessions(of.userId);
    const code = kind === 'app' ? of.app.code() : (of.app.backupCodes[0] ?? '');
    const tabs = await Promise.all(Array.from({ length: 3 }, () => halfSignedIn(of)));
    const answers = await db.transaction().execute(async (trx) => {
      await sql`select from users where id = ${of.userId} for update`.execute(trx);
      const begun = [];
      for (const [at, tab] of tabs.entries()) {
        begun.push(appSignIn(tab, code));
        await untilWaiting(db, at + 1);
      }
      return begun;
    });
    expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(1);
    expect(await liveSessions(of.userId)).toBe(before + 1);
  }
});

test.each(Object.entries(ways))('OP-10, OP-17 2FA is not bypassed by %s', async (_, way) => {
  const of = await victim();
  const before = await liveSessions(of.userId);
  for (const at of await way(of)) {
    const reply = await statusOf(at.getMe({}));
    if (reply === 200) expect((await at.getMe({})).userId).not.toBe(of.userId);
  }
  expect(await liveSessions(of.userId)).toBeLessThanOrEqual(before);
});

test('OP-10, OP-19 a session from before the second factor was switched on has ended with it', async () => {
  const owner = await server.signedIn('trader');
  const earlier = anywhere();
  await earlier.login({ body: { email: owner.email, password } });
  await owner.setUpTwoFactor({ params: { id: owner.userId } });
  expect(await verify(owner, owner.userId, server.mailBox.code(owner.email))).toBe(200);
  expect(await statusOf(earlier.getMe({}))).toBe(401);
  expect(await statusOf(earlier.refreshSession({}))).toBe(401);
  expect(await liveSessions(owner.userId)).toBe(1);
});

test('OP-10, OP-17 a code that is entered many times at once begins one session', async () => {
  for (let round = 0; round < size; round++) {
    const of = await victim();
    const before = await liveSessions(of.userId);
    const at = await halfSignedIn(of);
    const code = server.mailBox.code(of.email);
    const tabs = Array.from({ length: 2 + round }, () => withCookies(['chal', at.cookies.get('chal')]));
    const answers = await Promise.all(tabs.map((tab) => verify(tab, of.userId, code)));
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
    expect(await liveSessions(of.userId)).toBe(before + 1);
  }
});

test('OP-10 what a finished sign-in was made of is worth nothing when it is sent again', async () => {
  const of = await victim();
  const at = await halfSignedIn(of);
  const [chal, code] = [at.cookies.get('chal'), server.mailBox.code(of.email)];
  expect(await verify(at, of.userId, code)).toBe(200);
  const again = withCookies(['chal', chal]);
  expect(await verify(again, of.userId, code)).toBe(400);
  server.pass(31_000);
  expect(await statusOf(again.resendTwoFactor({ body: { email: of.email } }))).toBe(400);
  expect(again.cookies.has('sid')).toBe(false);
});

test('OP-82 a repetition gives the session only to who knows the key, the code and the address of the first', async () => {
  const of = await victim();
  const at = await halfSignedIn(of);
  const code = server.mailBox.code(of.email);
  const headers = { 'idempotency-key': 'of one sign-in' };
  expect(await verify(at, of.userId, code, headers)).toBe(200);
  const elsewhere = anywhere();
  expect(await verify(elsewhere, of.userId, code, headers)).toBe(400);
  expect(await verify(elsewhere, of.userId, '------', headers)).toBe(400);
  expect(elsewhere.cookies.has('sid')).toBe(false);
});

test('OP-17 a verification code that is entered many times at once begins one session', async () => {
  const email = 'entered-many-times@attack.example';
  await anywhere().register({ body: { email, password, confirmPassword: password } });
  const code = server.mailBox.code(email);
  // The code is held until all of them want it.
  const tabs = Array.from({ length: 4 }, () => anywhere());
  const answers = await db.transaction().execute(async (trx) => {
    await sql`select from codes where email_key = ${email} for update`.execute(trx);
    const begun = tabs.map((tab) => statusOf(tab.verifyEmail({ body: { email, code } })));
    await untilWaiting(db, 4);
    return begun;
  });
  expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(1);
  expect(tabs.filter((tab) => tab.cookies.has('sid'))).toHaveLength(1);
});
