import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { CallFailed, failure, password, startTestServer } from '../../../test/support/test-server.ts';
import type { TestBrowser } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { mailBox } = server;
const halfMinute = 30_001;
const wrong = 'no-one';
let counter = 0;
const someone = (): string => `attacked-${++counter}@example.com`;
/** A browser at an address of its own. */
const anywhere = (): TestBrowser => server.browser(`10.${100 + Math.floor(++counter / 250)}.1.${(counter % 250) + 1}`);
const mails = (email: string): number => mailBox.mails.filter((mail) => mail.to.includes(email)).length;
const statusOf = async (call: Promise<unknown>): Promise<number> => {
  try {
    await call;
    return 200;
  } catch (error) {
    if (error instanceof CallFailed) return error.status;
    throw error;
  }
};
const reset = (at: TestBrowser, email: string, code: string, fresh = 'another password') =>
  at.resetPassword({ body: { email, code, password: fresh, confirmPassword: fresh } });

/** An account with a second factor, and the browser it was switched on in. */
async function withSecondFactor() {
  const owner = await server.signedIn('trader', someone());
  await owner.setUpTwoFactor({ params: { id: owner.userId } });
  await owner.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } });
  server.pass(halfMinute);
  return owner;
}

describe('codes', () => {
  test('OP-17 wrong codes that nobody was sent block none: neither the reset nor the second factor', async () => {
    const owner = await withSecondFactor();
    for (let i = 0; i < 12; i++)
      expect((await failure(reset(anywhere(), owner.email, '000000'))).message).toBe('400 Invalid or expired reset code');
    for (let i = 0; i < 12; i++)
      expect((await failure(anywhere().verifyEmail({ body: { email: owner.email, code: '000000' } }))).status).toBe(400);
    const at = anywhere();
    await at.login({ body: { email: owner.email, password } });
    expect(await statusOf(at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } }))).toBe(200);
    const before = mails(owner.email);
    await at.forgotPassword({ body: { email: owner.email } });
    await expect.poll(() => mails(owner.email)).toBe(before + 1);
    expect(await statusOf(reset(at, owner.email, mailBox.code(owner.email)))).toBe(200);
  });

  test('OP-17 wrong codes of one purpose do not count for another', async () => {
    const owner = await withSecondFactor();
    for (let round = 0; round < 2; round++) {
      const before = mails(owner.email);
      await anywhere().forgotPassword({ body: { email: owner.email } });
      await expect.poll(() => mails(owner.email)).toBe(before + 1);
      for (let i = 0; i < 5; i++) expect(await statusOf(reset(anywhere(), owner.email, wrong))).toBe(400);
      server.pass(halfMinute);
    }
    expect(await statusOf(reset(anywhere(), owner.email, wrong))).toBe(429);
    const at = anywhere();
    await at.login({ body: { email: owner.email, password } });
    expect(await statusOf(at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } }))).toBe(200);
  });

  test('OP-17 whoever knows an address blocks the reset of nobody: wrong codes of others count for them alone', async () => {
    const owner = await server.signedIn('trader', someone());
    const asked = async (at: TestBrowser) => {
      const before = mails(owner.email);
      await at.forgotPassword({ body: { email: owner.email } });
      await expect.poll(() => mails(owner.email)).toBe(before + 1);
      return mailBox.code(owner.email);
    };
    const stranger = anywhere();
    for (let round = 0; round < 2; round++) {
      await asked(stranger);
      for (let i = 0; i < 5; i++) expect(await statusOf(reset(stranger, owner.email, wrong))).toBe(400);
      server.pass(halfMinute);
    }
    const browser = anywhere(); // without a mark of an earlier sign-in
    const code = await asked(browser);
    for (let i = 0; i < 10; i++) expect([400, 429]).toContain(await statusOf(reset(anywhere(), owner.email, wrong)));
    expect(await statusOf(reset(anywhere(), owner.email, code))).toBe(429); // of those that have not asked
    expect(await statusOf(reset(browser, owner.email, wrong))).toBe(400);
    server.pass(halfMinute);
    const another = anywhere();
    const theirs = await asked(another); // voids the code of nobody else
    expect(await statusOf(reset(browser, owner.email, code))).toBe(200);
    expect(await statusOf(reset(another, owner.email, theirs, 'yet another one'))).not.toBe(200); // all are closed
  });

  test('OP-17 a device that its owner has signed in on gets its code, also when others have used theirs up', async () => {
    const owner = await server.signedIn('trader', someone());
    const stranger = anywhere();
    for (let i = 0; i < 12; i++) {
      await stranger.forgotPassword({ body: { email: owner.email } }).catch(() => null);
      server.pass(halfMinute);
    }
    await expect.poll(() => mails(owner.email)).toBe(5);
    expect(await statusOf(stranger.forgotPassword({ body: { email: owner.email } }))).toBe(200);
    await owner.forgotPassword({ body: { email: owner.email } }); // in the same 30 seconds
    await expect.poll(() => mails(owner.email)).toBe(6);
    expect(await statusOf(reset(owner, owner.email, mailBox.code(owner.email)))).toBe(200);
  });

  test('OP-17 twenty wrong codes at once use five tries, and the next code is good', async () => {
    const email = someone();
    const at = anywhere();
    await at.register({ body: { email, password, confirmPassword: password } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => statusOf(anywhere().verifyEmail({ body: { email, code: wrong } }))));
    expect(new Set(answers)).toEqual(new Set([400]));
    const { rows } = await sql<{ tries: number; count: number }>`
      select tries, count from codes, limit_counters where email_key = ${email} and key = ${`wrong-code:verification ${email}`}`.execute(
      server.dependencies.db,
    );
    expect(rows).toEqual([{ tries: 5, count: 5 }]);
    expect(await statusOf(at.verifyEmail({ body: { email, code: mailBox.code(email) } }))).toBe(400);
    server.pass(halfMinute);
    await at.resendVerification({ body: { email } });
    await expect.poll(() => mails(email)).toBe(2);
    expect(await statusOf(at.verifyEmail({ body: { email, code: mailBox.code(email) } }))).toBe(200);
  });

  test('OP-22 wrong codes of an address are limited, whatever accounts they are for, and right ones do not count', async () => {
    const at = server.browser('10.99.0.1');
    for (let i = 0; i < 30; i++) expect(await statusOf(at.verifyEmail({ body: { email: someone(), code: wrong } }))).toBe(400);
    const refused = await failure(at.verifyEmail({ body: { email: someone(), code: wrong } }));
    expect(refused.message).toBe('429 Too many attempts. Please try again later.');
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    for (let i = 0; i < 30; i++) expect(await statusOf(reset(at, someone(), wrong))).toBe(400);
    expect(await statusOf(reset(at, someone(), wrong))).toBe(429);
    const email = someone();
    await anywhere().register({ body: { email, password, confirmPassword: password } });
    const other = server.browser('10.99.0.2');
    await other.verifyEmail({ body: { email, code: mailBox.code(email) } });
    const { rows } = await sql`select count from limit_counters where key = 'wrong-code-address:verification 10.99.0.2'`.execute(
      server.dependencies.db,
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  test('OP-10 the code of a half login is worth nothing in another browser that knows the password too', async () => {
    const owner = await withSecondFactor();
    const [own, other] = [anywhere(), anywhere()];
    await own.login({ body: { email: owner.email, password } });
    const code = mailBox.code(owner.email);
    await other.login({ body: { email: owner.email, password } }); // within 30 s: no second mail
    const verify = (at: TestBrowser) => statusOf(at.verifyTwoFactor({ params: { id: owner.userId }, body: { code } }));
    expect(await verify(other)).toBe(400);
    expect(await verify(own)).toBe(200);
    expect(await verify(own)).toBe(400);
  });

  test('OP-17 a browser that signs in twice within 30 seconds may enter the code of the first time', async () => {
    const owner = await withSecondFactor();
    const at = anywhere();
    await at.login({ body: { email: owner.email, password } });
    const before = mails(owner.email);
    await at.login({ body: { email: owner.email, password } });
    expect(mails(owner.email)).toBe(before);
    expect(await statusOf(at.verifyTwoFactor({ params: { id: owner.userId }, body: { code: mailBox.code(owner.email) } }))).toBe(200);
  });
});

describe('whether an account exists', () => {
  /** The answers to one walk of an outsider, who asks for codes and enters wrong ones. */
  async function answers(email: string): Promise<string[]> {
    const found: string[] = [];
    const note = async (call: Promise<unknown>): Promise<void> =>
      void found.push(
        await call.then(
          (reply) => JSON.stringify(reply),
          (error: unknown) => (error as Error).message,
        ),
      );
    for (let round = 0; round < 7; round++) {
      const at = anywhere();
      await note(at.forgotPassword({ body: { email } }));
      await note(at.resendVerification({ body: { email } }));
      // What follows needs the codes to be there, which are made after the answer.
      const made = async (): Promise<unknown> =>
        (
          await sql<{ n: string }>`select count(*) as n from codes where email_key = ${email} and closed_at is null and tries = 0`.execute(
            server.dependencies.db,
          )
        ).rows[0]?.n;
      if (round < 5) await expect.poll(made).toBe('2');
      for (let i = 0; i < 6; i++) {
        await note(reset(at, email, wrong));
        await note(at.verifyEmail({ body: { email, code: wrong } }));
      }
      server.pass(halfMinute);
    }
    return found;
  }

  test('API-06 to API-09 fourteen requests for codes and 84 wrong ones get the same answers for a known and an unknown address', async () => {
    onTestFinished(server.hold()); // the limits are those of minutes and hours, of which the second walk may see another part
    const known = someone();
    await anywhere().register({ body: { email: known, password, confirmPassword: password } });
    await sql`update users set email_verified = false where email = ${known}`.execute(server.dependencies.db);
    await sql`delete from limit_counters`.execute(server.dependencies.db);
    await sql`delete from codes where email_key = ${known}`.execute(server.dependencies.db); // or the walk takes that of the sign-up for its own
    const ofKnown = await answers(known);
    await sql`delete from limit_counters where key like '%10.%'`.execute(server.dependencies.db);
    expect(ofKnown).toContain('429 Too many attempts. Please try again later.');
    expect(await answers(someone())).toEqual(ofKnown);
  });

  test('API-09 the same statements run for a known and an unknown address', async () => {
    const [known, unknown] = [someone(), someone()];
    await anywhere().register({ body: { email: known, password, confirmPassword: password } });
    server.pass(halfMinute);
    for (const email of [known, unknown]) await anywhere().resendVerification({ body: { email } });
    await expect.poll(() => mails(known)).toBe(2);
    const made = async (): Promise<unknown> =>
      (
        await sql`select (user_id is null) as decoy, tries from codes where email_key in (${known}, ${unknown}) order by 1`.execute(
          server.dependencies.db,
        )
      ).rows;
    await expect.poll(made).toEqual([
      { decoy: false, tries: 0 },
      { decoy: true, tries: 0 },
    ]);
  });

  test('API-09 without a mail server both answer 503', async () => {
    mailBox.close(true);
    try {
      for (const email of [(await server.signedIn('trader', someone())).email, someone()])
        expect((await failure(anywhere().resendVerification({ body: { email } }))).message).toBe(
          '503 Email could not be sent. Please try again.',
        );
    } finally {
      mailBox.close(false);
    }
  });

  test('API-03 who asks for a code before somebody registers does not keep the sign-up mail away', async () => {
    const email = someone();
    await anywhere().resendVerification({ body: { email } });
    const at = anywhere();
    await at.register({ body: { email, password, confirmPassword: password } });
    expect(mails(email)).toBe(1);
    expect(await statusOf(at.verifyEmail({ body: { email, code: mailBox.code(email) } }))).toBe(200);
  });

  test('API-03 who asks for codes of an address all day before somebody registers does not keep the sign-up away', async () => {
    const email = someone();
    for (let i = 0; i < 10; i++) {
      await anywhere().resendVerification({ body: { email } });
      server.pass(i === 4 ? 61 * 60_000 : halfMinute); // five an hour, ten a day
    }
    const counts = async () =>
      (
        await sql<{ count: number }>`select count from limit_counters where key = ${`codes-day:verification ${email}`}`.execute(
          server.dependencies.db,
        )
      ).rows;
    await expect.poll(counts).toEqual([{ count: 10 }]);
    expect(mails(email)).toBe(0); // there is no account
    const at = anywhere();
    await at.register({ body: { email, password, confirmPassword: password } });
    expect(mails(email)).toBe(1);
    expect(await statusOf(at.verifyEmail({ body: { email, code: mailBox.code(email) } }))).toBe(200);
  });

  test('API-03 sign-ups of an address whose mails fail are limited too', async () => {
    const email = someone();
    const signUp = () => anywhere().register({ body: { email, password, confirmPassword: password } });
    mailBox.close(true);
    try {
      for (let i = 0; i < 5; i++) expect(await statusOf(signUp())).toBe(503);
      expect(await statusOf(signUp())).toBe(429);
    } finally {
      mailBox.close(false);
    }
  });
});

describe('sessions', () => {
  test('API-04 signing out ends a session that was idle for longer than a call lives', async () => {
    const owner = await server.signedIn('trader', someone());
    const stolen = owner.cookies.get('sid') ?? '';
    server.pass(20 * 60_000);
    expect(await owner.logout({})).toEqual({ status: 'Logged out' });
    const thief = anywhere();
    thief.cookies.set('sid', stolen);
    expect((await failure(thief.refreshSession({}))).message).toBe('401 Session expired');
  });

  test('OP-19 a slow tab that renews with a token two behind, within the grace, ends nothing and pushes nothing out', async () => {
    const at = await server.signedIn('trader', someone());
    const tokens = [at.cookies.get('sid') ?? ''];
    for (let i = 0; i < 2; i++) {
      await at.refreshSession({});
      tokens.push(at.cookies.get('sid') ?? '');
    }
    const slow = anywhere();
    slow.cookies.set('sid', tokens[0] ?? '');
    expect(await slow.refreshSession({})).toEqual({ status: 'Session refreshed' });
    expect(slow.cookies.get('sid')).toBe(tokens[0]); // no cookie came: a browser keeps the newest
    expect((await at.getMe({})).userId).toBe(at.userId);
    server.pass(halfMinute);
    expect((await failure(slow.refreshSession({}))).message).toBe('401 Session expired'); // that late it is a thief
    expect((await failure(at.getMe({}))).status).toBe(401);
  });

  test.each([
    ['a change of the password', async (owner: TestBrowser) => () => owner.updatePassword({ body: { password: 'another password' } })],
    [
      'a reset of the password',
      async (_: TestBrowser, email: string) => {
        const before = mails(email);
        await anywhere().forgotPassword({ body: { email } });
        await expect.poll(() => mails(email)).toBe(before + 1);
        return () => reset(anywhere(), email, mailBox.code(email));
      },
    ],
  ] as const)('OP-19 sign-ins under way with the old password do not outlive %s', async (_, prepare) => {
    for (let round = 0; round < 6; round++) {
      const owner = await server.signedIn('trader', someone());
      const change = await prepare(owner, owner.email);
      const others = Array.from({ length: 6 }, () => anywhere());
      // The change begins while the sign-ins are at every stage of theirs.
      const signIns = others.map(async (at, i) => {
        await new Promise((resolve) => setTimeout(resolve, i * 4 + round));
        return statusOf(at.login({ body: { email: owner.email, password } }));
      });
      await Promise.all([...signIns, change()]);
      for (const at of others) expect(await statusOf(at.getMe({}))).toBe(401);
    }
  });

  test('OP-19 a session is not begun once the password or the second factor it was proven with has changed', async () => {
    // The account is changed after the password was checked: the audit of the first sign-in is held up until then.
    for (const change of [`password_hash = 'changed'`, 'has2fa = true']) {
      const owner = await server.signedIn('trader', someone());
      const at = anywhere();
      const lock = await server.dependencies.db.startTransaction().execute();
      await sql`update users set ${sql.raw(change)} where id = ${owner.userId}`.execute(lock);
      const login = statusOf(at.login({ body: { email: owner.email, password } }));
      await untilWaiting(server.dependencies.db, 1);
      await lock.commit().execute();
      expect(await login).toBe(401);
      expect(at.cookies.has('sid')).toBe(false);
    }
  });

  test('API-05 of two changes of the password in one session at once, one is made', async () => {
    const owner = await server.signedIn('trader', someone());
    const twin = anywhere();
    twin.cookies.set('sid', owner.cookies.get('sid') ?? '');
    const answers = await Promise.all([
      statusOf(owner.updatePassword({ body: { password: 'the first password' } })),
      statusOf(twin.updatePassword({ body: { password: 'the other password' } })),
    ]);
    expect(answers.toSorted()).toEqual([200, 401]);
  });
});

describe('passwords', () => {
  test('OP-22 of sixty passwords at once, five are tried: the right one among the others is worth nothing', async () => {
    const owner = await server.signedIn('trader', someone());
    const at = Array.from({ length: 60 }, () => server.browser('10.98.0.1'));
    const answers = await Promise.all(
      at.map((one, i) => statusOf(one.login({ body: { email: owner.email, password: i === 59 ? password : `wrong ${i}` } }))),
    );
    expect(new Set(answers)).toEqual(new Set([401]));
    expect(await statusOf(server.browser('10.98.0.1').login({ body: { email: owner.email, password } }))).toBe(401);
  });

  test('OP-22 a right password takes its own try back and nobody else’s', async () => {
    const owner = await server.signedIn('trader', someone());
    const at = server.browser('10.98.0.2');
    for (let i = 0; i < 4; i++) expect(await statusOf(at.login({ body: { email: owner.email, password: 'wrong' } }))).toBe(401);
    for (let i = 0; i < 7; i++) expect(await statusOf(at.login({ body: { email: owner.email, password } }))).toBe(200);
    expect(await statusOf(at.login({ body: { email: owner.email, password: 'wrong' } }))).toBe(401);
    expect(await statusOf(at.login({ body: { email: owner.email, password } }))).toBe(401);
  });

  test('OP-22 the current password is asked for at most five times in a quarter of an hour, also all at once', async () => {
    const owner = await server.signedIn('trader', someone());
    server.pass(11 * 60_000);
    const tries = Array.from({ length: 12 }, () =>
      statusOf(owner.updatePassword({ body: { password: 'another password', currentPassword: 'wrong' } })),
    );
    expect((await Promise.all(tries)).filter((status) => status === 403)).toHaveLength(5);
    expect(await statusOf(owner.updatePassword({ body: { password: 'another password', currentPassword: password } }))).toBe(429);
  });

  test.each(['password', '12345678', 'flotilla', 'Flotilla!', 'flotilla2026', '        ', 'aaaaaaaa', 'PASSW0RD', 'Qwerty123'])(
    'OP-23 %j is refused as a new password, at sign-up, change and reset',
    async (weak) => {
      const text = '400 Password is too easy to guess. Please choose another one.';
      expect((await failure(anywhere().register({ body: { email: someone(), password: weak, confirmPassword: weak } }))).message).toBe(
        text,
      );
      expect((await failure(reset(anywhere(), someone(), wrong, weak))).message).toBe(text);
      const owner = await server.signedIn('trader', someone());
      expect((await failure(owner.updatePassword({ body: { password: weak } }))).message).toBe(text);
    },
  );

  test('OP-23 the own address and its mailbox are refused, and a password that only holds them is not', async () => {
    const email = 'margaret.hamilton@example.com';
    const register = (word: string) => statusOf(anywhere().register({ body: { email, password: word, confirmPassword: word } }));
    for (const word of [email, 'Margaret.Hamilton', 'margaret.hamilton1', 'example.com']) expect(await register(word)).toBe(400);
    expect(await register('margaret.hamilton wrote the guidance')).toBe(200);
  });
});

describe('addresses', () => {
  test('OP-15 an address beyond ASCII registers once in any spelling, verifies and signs in', async () => {
    const at = anywhere();
    await at.register({ body: { email: 'Éva@x.example', password, confirmPassword: password } });
    expect(await statusOf(anywhere().register({ body: { email: 'e\u0301VA@X.example', password, confirmPassword: password } }))).toBe(409);
    const { rows } = await sql<{
      email: string;
      key: string;
    }>`select email, email_key as key from users where email_key = 'éva@x.example'`.execute(server.dependencies.db);
    expect(rows).toEqual([{ email: 'Éva@x.example', key: 'éva@x.example' }]);
    const mail = mailBox.mails.at(-1);
    const code = /^(\d{6})\s*$/mu.exec(mail?.text ?? '')?.[1] ?? '';
    expect(await statusOf(at.verifyEmail({ body: { email: 'ÉVA@x.example', code } }))).toBe(200);
    expect(await statusOf(anywhere().login({ body: { email: 'éva@x.example', password } }))).toBe(200);
  });

  test.each(['<half@x.example>', '"half"@x.example', 'a\u001b[31mred@x.example', 'a,b@x.example', `a@${'.'.repeat(200)}b`])(
    'API-03 %j cannot register',
    async (email) => {
      expect((await failure(anywhere().register({ body: { email, password, confirmPassword: password } }))).message).toBe(
        '400 Invalid email address',
      );
    },
  );
});

describe('a repeated key', () => {
  test('OP-82 with another body answers 400 and gives nobody the session of the first', async () => {
    const owner = await server.signedIn('trader', someone());
    const headers = { 'idempotency-key': 'the key of one action' };
    const at = server.browser('10.97.0.1');
    await at.login({ body: { email: owner.email, password } }, { headers });
    const other = server.browser('10.97.0.1');
    const refused = await failure(other.login({ body: { email: owner.email, password: 'wrong' } }, { headers }));
    expect(refused.message).toBe('400 Invalid request');
    expect(other.cookies.size).toBe(0);
    await other.login({ body: { email: owner.email, password } }, { headers });
    expect(other.cookies.get('sid')).toBe(at.cookies.get('sid'));
  });
});
