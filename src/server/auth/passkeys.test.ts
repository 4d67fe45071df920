import { passkeyTexts, wrongPasskey } from '#contract/passkeys.ts';
import { factorTexts } from '#contract/second-factors.ts';
import { texts } from '#contract/errors.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { findUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { setUpApp } from '../../../test/support/authenticator-app.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { addPasskeyAt, newPasskey } from '../../../test/support/passkey.ts';
import { failure, origin, password, startTestServer, type TestBrowser } from '../../../test/support/test-server.ts';
import { relyingPartyOf } from './relying-party.ts';

const server = await startTestServer();
const { db } = server.dependencies;
let addresses = 0;
const anywhere = (): TestBrowser => server.browser(`10.8.0.${++addresses}`);
const half = async ({ email }: { email: string }): Promise<TestBrowser> => {
  const at = anywhere();
  await at.login({ body: { email, password } });
  return at;
};
const mailsTo = async (email: string, subject: string): Promise<number> => {
  const { rows } = await sql`select 1 from mail_outbox where recipient = ${email} and subject = ${subject}`.execute(db);
  return rows.length;
};
const refusals = async (userId: string, action = 'sign-in'): Promise<unknown[]> => {
  const { rows } = await sql<{
    reason: string;
  }>`select detail->>'reason' as reason from audit_log where actor_id = ${userId} and action = ${action} and result = 'refused' order by id`.execute(
    db,
  );
  return rows.map(({ reason }) => reason);
};
const sessions = async (id: string): Promise<number> =>
  (await sql`select id from sessions where user_id = ${id} and revoked_at is null`.execute(db)).rows.length;
const idOf = async (of: TestBrowser, at = 0): Promise<string> => (await of.getSecondFactors({})).passkeys[at]?.id ?? '';

test('AUTH-09 a passkey is the second factor of its account: asked for after the password, and its answer gives the session', async () => {
  const owner = await server.signedIn('trader');
  const elsewhere = await half(owner);
  const passkey = await addPasskeyAt(owner, { name: '  My phone ' });
  expect(passkey.backupCodes).toHaveLength(10);
  for (const code of passkey.backupCodes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/u);
  expect((await owner.getMe({})).has_2fa).toBe(true);
  expect((await failure(elsewhere.getMe({}))).status).toBe(401); // OP-19: the second factor was switched on
  expect(await owner.getSecondFactors({})).toMatchObject({
    app_since: null,
    backup_codes: 10,
    mailed_codes: false,
    passkeys: [{ name: 'My phone', last_used_at: null }],
    passkey_origin: origin,
  });
  expect(await mailsTo(owner.email, 'A passkey was added')).toBe(1);

  const before = server.mailBox.mails.length;
  const at = anywhere();
  expect(await at.login({ body: { email: owner.email, password } })).toMatchObject({
    status: 'Use a passkey',
    mailed_codes: false,
    passkeys: true,
  });
  const asked = await at.startPasskeySignIn({});
  expect(asked).toMatchObject({ rp_id: 'localhost', passkeys: [{ id: passkey.id, transports: ['internal'] }] });
  expect(await at.signInWithPasskey({ body: passkey.answer(asked) })).toMatchObject({ status: '2FA verified successfully', has_2fa: true });
  expect((await at.getMe({})).userId).toBe(owner.userId);
  expect((await at.getSecondFactors({})).passkeys[0]?.last_used_at).not.toBeNull();
  expect(server.mailBox.mails).toHaveLength(before); // no code was mailed
});

test('beside mailed codes and an app a passkey is one more factor, and no new backup codes are made', async () => {
  const owner = await server.signedIn('trader');
  const app = await setUpApp(server, owner);
  const passkey = await addPasskeyAt(owner);
  expect(passkey.backupCodes).toEqual([]);
  expect(await owner.getSecondFactors({})).toMatchObject({ backup_codes: 10, passkeys: [{}] });
  const at = anywhere();
  expect(await at.login({ body: { email: owner.email, password } })).toMatchObject({
    status: 'Enter the code of your authenticator app',
    passkeys: true,
  });
  await at.signInWithPasskey({ body: passkey.answer(await at.startPasskeySignIn({})) });
  const other = await half(owner);
  await other.signInWithApp({ body: { code: app.code() } });
  expect((await other.getMe({})).userId).toBe(owner.userId);
});

describe('refused, audited, and without a session, is', () => {
  const ways: Record<string, [(passkey: Awaited<ReturnType<typeof addPasskeyAt>>, asked: never) => unknown, string]> = {
    'an answer that another page has asked for': [
      (passkey, asked) => passkey.answer(asked, { origin: 'http://localhost.evil.example' }),
      'wrong passkey',
    ],
    'an answer at the same host and another port': [
      (passkey, asked) => passkey.answer(asked, { origin: 'http://localhost:3001' }),
      'wrong passkey',
    ],
    'an answer for another host': [(passkey, asked) => passkey.answer(asked, { rpId: 'evil.example' }), 'wrong passkey'],
    'an answer to another challenge': [(passkey, asked) => passkey.answer(asked, { challenge: 'AAAA' }), 'wrong passkey'],
    'an answer that was meant for a new passkey': [(passkey, asked) => passkey.answer(asked, { type: 'webauthn.create' }), 'wrong passkey'],
    'an answer without a person': [(passkey, asked) => passkey.answer(asked, { flags: 0 }), 'wrong passkey'],
    'an answer that another key has signed': [(passkey, asked) => ({ ...newPasskey().answer(asked), id: passkey.id }), 'wrong passkey'],
    'a passkey that nobody knows': [(_, asked) => newPasskey().answer(asked), 'unknown passkey'],
    'a signature that is none': [(passkey, asked) => ({ ...passkey.answer(asked), signature: 'AAAA' }), 'wrong passkey'],
    'a counter that goes back': [(passkey, asked) => passkey.answer(asked, { counter: 1 }), 'passkey counter went back'],
    'a counter that fell to zero': [(passkey, asked) => passkey.answer(asked, { counter: 0 }), 'passkey counter went back'],
  };
  test.each(Object.entries(ways))('%s', async (_, [answerOf, reason]) => {
    const owner = await server.signedIn('trader');
    const passkey = await addPasskeyAt(owner); // its counter is 1
    const before = await sessions(owner.userId);
    const at = await half(owner);
    const asked = await at.startPasskeySignIn({});
    const wrong = await failure(at.signInWithPasskey({ body: answerOf(passkey, asked as never) as never }));
    expect([wrong.status, wrong.detail]).toEqual([400, wrongPasskey]);
    expect(await refusals(owner.userId)).toEqual([reason]);
    expect(await sessions(owner.userId)).toBe(before);
    // The challenge is used up also by a wrong answer; the half login is not.
    expect((await failure(at.signInWithPasskey({ body: passkey.answer(asked) }))).status).toBe(400);
    await at.signInWithPasskey({ body: passkey.answer(await at.startPasskeySignIn({}), { counter: 9 }) });
  });

  test("another person's passkey, and their challenge", async () => {
    const [owner, thief] = [await server.signedIn('trader'), await server.signedIn('trader')];
    const [passkey, own] = [await addPasskeyAt(owner), await addPasskeyAt(thief)];
    const at = await half(owner);
    const asked = await at.startPasskeySignIn({});
    expect((await failure(at.signInWithPasskey({ body: own.answer(asked) }))).status).toBe(400);
    const theirs = await half(thief);
    const other = await theirs.startPasskeySignIn({});
    await at.startPasskeySignIn({});
    expect((await failure(at.signInWithPasskey({ body: passkey.answer(other) }))).status).toBe(400); // signed by the victim for another's sign-in
    expect((await failure(theirs.signInWithPasskey({ body: passkey.answer(other) }))).status).toBe(400);
    expect(await refusals(owner.userId)).toEqual(['unknown passkey', 'wrong passkey']);
  });

  test('a challenge of another half login, one of a session, one that was replaced and one that has run out', async () => {
    const owner = await server.signedIn('trader');
    const passkey = await addPasskeyAt(owner);
    const [one, two] = [await half(owner), await half(owner)];
    const asked = await one.startPasskeySignIn({});
    await two.startPasskeySignIn({});
    expect((await failure(two.signInWithPasskey({ body: passkey.answer(asked) }))).status).toBe(400);
    const proof = await owner.startPasskeyProof({});
    await two.startPasskeySignIn({});
    expect((await failure(two.signInWithPasskey({ body: passkey.answer(proof) }))).status).toBe(400);
    await one.startPasskeySignIn({});
    expect((await failure(one.signInWithPasskey({ body: passkey.answer(asked) }))).status).toBe(400);
    const late = await one.startPasskeySignIn({});
    server.pass(5 * minuteMs);
    expect((await failure(one.signInWithPasskey({ body: passkey.answer(late) }))).status).toBe(400);
    expect((await failure(anywhere().startPasskeySignIn({}))).detail).toBe(passkeyTexts.noPendingSignIn);
  });
});

test('a passkey that does not count signs in again and again', async () => {
  const owner = await server.signedIn('trader');
  const passkey = await addPasskeyAt(owner, { counts: false });
  for (let i = 0; i < 2; i++) {
    const at = await half(owner);
    await at.signInWithPasskey({ body: passkey.answer(await at.startPasskeySignIn({})) });
  }
});

test('two answers to one challenge, at the same moment on two connections, begin one session', async () => {
  const owner = await server.signedIn('trader');
  const passkey = await addPasskeyAt(owner);
  const at = await half(owner);
  const before = await sessions(owner.userId);
  const asked = await at.startPasskeySignIn({});
  const twin = server.browser('10.8.9.9');
  twin.cookies.set('chal', at.cookies.get('chal') ?? '');
  const begun = await db.transaction().execute(async (trx) => {
    await sql`select from users where id = ${owner.userId} for update`.execute(trx);
    const calls = [];
    for (const [waiting, tab] of [at, twin].entries()) {
      calls.push(
        tab.signInWithPasskey({ body: passkey.answer(asked) }).then(
          () => 200,
          ({ status }: { status: number }) => status,
        ),
      );
      await untilWaiting(db, waiting + 1);
    }
    return calls;
  });
  expect((await Promise.all(begun)).toSorted((one, other) => one - other)).toEqual([200, 400]);
  expect(await sessions(owner.userId)).toBe(before + 1);
  const again = await half(owner);
  expect((await failure(again.signInWithPasskey({ body: passkey.answer(asked) }))).status).toBe(400);
});

test('OP-17 wrong passkeys are counted with wrong codes', async () => {
  const owner = await server.signedIn('trader');
  const passkey = await addPasskeyAt(owner);
  const at = await half(owner);
  for (let i = 0; i < 5; i++) expect((await failure(at.signInWithApp({ body: { code: 'aaaa-aaaa' } }))).status).toBe(400);
  for (let i = 0; i < 5; i++)
    expect((await failure(at.signInWithPasskey({ body: newPasskey().answer(await at.startPasskeySignIn({})) }))).status).toBe(400);
  expect((await failure(at.signInWithPasskey({ body: passkey.answer(await at.startPasskeySignIn({})) }))).status).toBe(429);
  expect((await failure(at.signInWithApp({ body: { code: passkey.backupCodes[0] ?? '' } }))).status).toBe(429);
  server.pass(hourMs);
  const later = await half(owner);
  await later.signInWithPasskey({ body: passkey.answer(await later.startPasskeySignIn({})) });
  expect((await findUser(db, owner.userId))?.secondFactorMisses).toBe(0);
});

test('a right backup code beside passkeys forgets the wrong ones of before, as it does beside an app', async () => {
  const owner = await server.signedIn('trader');
  const { backupCodes } = await addPasskeyAt(owner);
  const misses = async () => (await findUser(db, owner.userId))?.secondFactorMisses;
  const at = await half(owner);
  expect((await failure(at.signInWithApp({ body: { code: 'aaaa-aaaa-aaaa-aaaa' } }))).status).toBe(400);
  expect(await misses()).toBe(1);
  await at.signInWithApp({ body: { code: backupCodes[0] ?? '' } });
  expect(await misses()).toBe(0);
});

test('a backup code stands in for a passkey once, new ones make it void, and those of an app take their place', async () => {
  const owner = await server.signedIn('trader');
  const passkey = await addPasskeyAt(owner);
  const [first = '', second = ''] = passkey.backupCodes;
  const at = await half(owner);
  await at.signInWithApp({ body: { code: first.toUpperCase().replaceAll('-', ' ') } });
  expect((await at.getMe({})).userId).toBe(owner.userId);
  expect((await failure((await half(owner)).signInWithApp({ body: { code: first } }))).status).toBe(400);
  expect(await mailsTo(owner.email, 'A backup code was used')).toBe(1);
  expect(await owner.getSecondFactors({})).toMatchObject({ backup_codes: 9 });
  const stranger = await server.signedIn('trader');
  await addPasskeyAt(stranger);
  expect((await failure((await half(stranger)).signInWithApp({ body: { code: second } }))).status).toBe(400);
  const { backup_codes: renewed } = await owner.renewBackupCodes({});
  expect(renewed).toHaveLength(10);
  expect((await failure((await half(owner)).signInWithApp({ body: { code: second } }))).status).toBe(400);
  const app = await setUpApp(server, owner);
  expect(await owner.getSecondFactors({})).toMatchObject({ backup_codes: 10 });
  expect((await failure((await half(owner)).signInWithApp({ body: { code: renewed[0] ?? '' } }))).status).toBe(400);
  await (await half(owner)).signInWithApp({ body: { code: app.backupCodes[0] ?? '' } });
  // Without the app the passkey stays the factor, and its backup codes are made again.
  await owner.stopAuthenticator({ body: { code: app.code() } });
  expect(await owner.getSecondFactors({})).toMatchObject({ app_since: null, backup_codes: 0, passkeys: [{}] });
  expect((await owner.getMe({})).has_2fa).toBe(true);
  expect(await anywhere().login({ body: { email: owner.email, password } })).toMatchObject({ status: 'Use a passkey' });
});

test('a passkey is taken away by itself, by another or by a code, and by nothing less', async () => {
  const owner = await server.signedIn('trader');
  const passkey = await addPasskeyAt(owner);
  const second = await addPasskeyAt(owner, { name: 'Second' });
  const [firstId, secondId] = [await idOf(owner), await idOf(owner, 1)];
  const remove = (id: string, body: Parameters<TestBrowser['removePasskey']>[0]['body']) => owner.removePasskey({ params: { id }, body });
  expect((await failure(remove(firstId, {}))).detail).toBe(passkeyTexts.factorNeeded);
  expect((await failure(remove(firstId, { code: 'aaaa' }))).status).toBe(400);
  const ofSignIn = await (await half(owner)).startPasskeySignIn({});
  await owner.startPasskeyProof({});
  expect((await failure(remove(firstId, { answer: passkey.answer(ofSignIn) }))).detail).toBe(wrongPasskey);
  expect(await refusals(owner.userId, 'remove-passkey')).toEqual(['wrong 2FA code', 'wrong passkey']);
  const other = await server.signedIn('trader');
  await addPasskeyAt(other);
  expect((await failure(remove(await idOf(other), { answer: passkey.answer(await owner.startPasskeyProof({})) }))).status).toBe(404);
  await sql`update passkeys set added_at = added_at - interval '1 day' where user_id = ${owner.userId}`.execute(db);
  await sql`update passkey_backup_codes set made_at = made_at - interval '1 day' where user_id = ${owner.userId}`.execute(db);
  await remove(firstId, { answer: second.answer(await owner.startPasskeyProof({})) });
  const at = await half(owner);
  expect((await failure(at.signInWithPasskey({ body: passkey.answer(await at.startPasskeySignIn({})) }))).status).toBe(400);
  expect((await owner.getMe({})).has_2fa).toBe(true);
  await remove(secondId, { code: passkey.backupCodes[3] ?? '' });
  expect(await owner.getSecondFactors({})).toMatchObject({ passkeys: [], backup_codes: 0 });
  expect((await owner.getMe({})).has_2fa).toBe(false);
  expect(await mailsTo(owner.email, 'A passkey was removed')).toBe(2);
  expect(await anywhere().login({ body: { email: owner.email, password } })).toMatchObject({ status: 'Login successful' });
});

test('where 2FA is required the only factor stays, also the passkey that an app would leave', async () => {
  const owner = await server.signedIn('trader');
  const passkey = await addPasskeyAt(owner);
  await sql`insert into installation_settings (require_two_factor) values ('all')`.execute(db).catch(async () => undefined);
  await sql`update installation_settings set require_two_factor = 'all'`.execute(db);
  const id = await idOf(owner);
  const refused = await failure(owner.removePasskey({ params: { id }, body: { code: passkey.backupCodes[0] ?? '' } }));
  expect([refused.status, refused.detail]).toEqual([403, passkeyTexts.required]);
  expect(await owner.getSecondFactors({})).toMatchObject({ backup_codes: 10, is_required: true });
  const app = await setUpApp(server, owner);
  await owner.stopAuthenticator({ body: { code: app.code() } }); // the passkey is left
  await owner.renewBackupCodes({});
  expect((await failure(owner.stopAuthenticator({ body: { code: '000000' } }))).detail).toBe(factorTexts.noApp);
  await sql`update installation_settings set require_two_factor = 'off'`.execute(db);
});

describe('a passkey is not added', () => {
  test.each([
    ['of another page', { origin: 'https://evil.example' }],
    ['of another host', { rpId: 'evil.example' }],
    ['of another challenge', { challenge: 'AAAA' }],
    ['that is an answer of a sign-in', { type: 'webauthn.get' }],
  ])('%s', async (_, odd) => {
    const owner = await server.signedIn('trader');
    const asked = await owner.startPasskey({});
    const passkey = newPasskey();
    expect((await failure(owner.addPasskey({ body: { name: 'x', passkey: passkey.made(asked, odd) } }))).detail).toBe(wrongPasskey);
    expect((await failure(owner.addPasskey({ body: { name: 'x', passkey: passkey.made(asked) } }))).detail).toBe(wrongPasskey); // used up
    expect((await owner.getMe({})).has_2fa).toBe(false);
  });

  test("by another person's challenge, twice, or beyond ten", async () => {
    const [owner, other] = [await server.signedIn('trader'), await server.signedIn('trader')];
    const asked = await owner.startPasskey({});
    await other.startPasskey({});
    expect((await failure(other.addPasskey({ body: { name: 'x', passkey: newPasskey().made(asked) } }))).status).toBe(400);
    const passkey = newPasskey();
    const add = async (of: TestBrowser) => of.addPasskey({ body: { name: 'x', passkey: passkey.made(await of.startPasskey({})) } });
    await add(owner);
    expect((await failure(add(owner))).detail).toBe(passkeyTexts.known);
    expect((await failure(add(other))).detail).toBe(passkeyTexts.known);
    const early = await owner.startPasskey({});
    const ninth = newPasskey().made(early);
    for (let i = 1; i < 9; i++) await addPasskeyAt(owner);
    const both = [await owner.startPasskey({})].map((each) => newPasskey().made(each));
    await addPasskeyAt(owner).catch(() => undefined); // takes the place of the challenge before
    expect((await failure(owner.startPasskey({}))).detail).toBe(passkeyTexts.tooMany);
    for (const made of [ninth, ...both]) expect((await failure(owner.addPasskey({ body: { name: 'x', passkey: made } }))).status).toBe(400);
    expect((await owner.getSecondFactors({})).passkeys).toHaveLength(10);
  });

  test('without the password of the last ten minutes, or on the day after a reset', async () => {
    const owner = await server.signedIn('trader');
    server.pass(11 * minuteMs);
    expect((await failure(owner.startPasskey({}))).detail).toBe(texts.passwordNeeded);
    expect((await failure(owner.startPasskeyProof({}))).detail).toBe(texts.passwordNeeded);
    const removal = owner.removePasskey({ params: { id: owner.userId }, body: { code: 'x' } });
    expect((await failure(removal)).detail).toBe(texts.passwordNeeded);
    await owner.confirmPassword({ body: { password } });
    await sql`update users set password_reset_at = ${server.dependencies.now()} where id = ${owner.userId}`.execute(db);
    expect((await failure(owner.startPasskey({}))).status).toBe(403);
  });
});

test('passkeys belong to the public address, or to localhost; without https there are none', () => {
  const at = (publicUrl: string | null, isLoopback = true) =>
    relyingPartyOf({
      address: { publicUrl: publicUrl === null ? null : new URL(publicUrl), isLoopback },
      pageUrl: 'http://127.0.0.1:8080',
    });
  expect(at('https://bots.example.com:8443/x')).toEqual({ id: 'bots.example.com', origin: 'https://bots.example.com:8443' });
  expect(at(null)).toEqual({ id: 'localhost', origin: 'http://localhost:8080' });
  expect(at('http://localhost:3000')).toEqual({ id: 'localhost', origin: 'http://localhost:3000' });
  for (const none of ['http://bots.example.com', 'https://10.0.0.7', 'https://[::1]:8080']) expect(at(none), none).toBeNull();
  expect(at(null, false)).toBeNull();
});

test('where the address is not known passkeys are refused in words', async () => {
  const open = await startTestServer({ address: { publicUrl: new URL('http://localhost'), isLoopback: true } });
  const elsewhere = await startTestServer({ address: { publicUrl: new URL('http://bots.example.com'), isLoopback: true } });
  const headers = { headers: {} };
  expect((await (await open.signedIn('trader')).getSecondFactors({})).passkey_origin).toBe('http://localhost');
  const owner = await elsewhere.signedIn('trader');
  expect((await owner.getSecondFactors({})).passkey_origin).toBeNull();
  expect((await failure(owner.startPasskey({}, headers))).detail).toBe(passkeyTexts.notHere);
});
