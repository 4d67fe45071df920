import { hourMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TestBrowser } from '../support/test-server.ts';
import { startTestServer } from '../support/test-server.ts';
import { drawsOf } from '../torture/draws.ts';
import { report, runSize } from '../support/run-size.ts';
import { peopleOf, statusOf } from './second-factor.ts';

// Codes are guessed by whoever knows the password or the address: npm run torture guesses [HOW MANY] [SEED]

const { size, seed, isNight } = runSize(200);
const server = await startTestServer();
const { db, mailBox } = { ...server.dependencies, mailBox: server.mailBox };
const { victim, appVictim, anywhere, halfSignedIn } = peopleOf(server);
const guessesPerHour = isNight ? 500 : 50;
const atOnce = 25;

// The database itself counts the tries that codes are compared for; nobody's word is taken for it.
await sql`create table tries_taken (purpose text not null)`.execute(db);
await sql`create function count_try() returns trigger language plpgsql as $$
  begin if new.tries = old.tries + 1 then insert into tries_taken values (new.purpose); end if; return new; end $$`.execute(db);
await sql`create trigger count_try after update on codes for each row execute function count_try()`.execute(db);
// Reset codes entered by a browser that has not asked are counted for the address, and no further than its limit.
await sql`create function count_other_try() returns trigger language plpgsql as $$
  begin if new.count <= 10 and (tg_op = 'INSERT' or new.count > old.count) then insert into tries_taken values ('reset'); end if; return new; end $$`.execute(
  db,
);
await sql`create trigger count_other_try after insert or update on limit_counters for each row
  when (new.key ~ '^wrong-code:reset [^ ]+$') execute function count_other_try()`.execute(db);
const triesTaken = async (): Promise<number> =>
  Number((await sql<{ n: string }>`select count(*) as n from tries_taken`.execute(db)).rows[0]?.n);

/** One guess at the code of a victim. */
type Guess = (at: TestBrowser, code: string) => Promise<number>;

/** How each kind of code is asked for, and entered. */
async function attackOn(purpose: 'two-factor-login' | 'reset'): Promise<{ email: string; ask: () => Promise<number>; guess: Guess }> {
  const of = await victim();
  const half = await halfSignedIn(of);
  if (purpose === 'reset') {
    const body = (code: string) => ({ email: of.email, code, password: 'an attacker’s choice', confirmPassword: 'an attacker’s choice' });
    return {
      email: of.email,
      ask: () => statusOf(anywhere().forgotPassword({ body: { email: of.email } })),
      guess: (at, code) => statusOf(at.resetPassword({ body: body(code) })),
    };
  }
  return {
    email: of.email,
    ask: () => statusOf(half.resendTwoFactor({ body: { email: of.email } })),
    guess(at, code) {
      at.cookies.set('chal', half.cookies.get('chal') ?? '');
      return statusOf(at.verifyTwoFactor({ params: { id: of.userId }, body: { code } }));
    },
  };
}

test.each([
  ['two-factor-login', 1, false],
  ['two-factor-login', 1_000, true],
  ['reset', 1, true],
  ['reset', 1_000, true],
] as const)(
  'OP-17, OP-22 of any number of %s codes guessed from %i addresses, new ones asked for: %s, ten an hour are compared',
  async (purpose, addresses, asks) => {
    const draws = drawsOf(seed);
    const { email, ask, guess } = await attackOn(purpose);
    const browsers = Array.from({ length: addresses }, () => anywhere());
    const count = Math.ceil(size / 4);
    const begun = await triesTaken();
    const answers = new Map<number, number>();
    let [done, hours] = [0, 0];
    for (; done < count; hours++) {
      const before = await triesTaken();
      for (let inHour = 0; inHour < guessesPerHour && done < count; inHour += atOnce) {
        if (asks) {
          await ask();
          server.pass(31_000);
        }
        const right = mailBox.code(email);
        const codes = Array.from({ length: atOnce }, () => String(draws.whole(0, 999_999)).padStart(6, '0')).filter(
          (code) => code !== right,
        );
        const found = await Promise.all(codes.map((code) => guess(draws.oneOf(browsers), code)));
        for (const status of found) answers.set(status, (answers.get(status) ?? 0) + 1);
        done += codes.length;
      }
      expect(answers.get(200)).toBeUndefined();
      const tries = (await triesTaken()) - before;
      expect(tries).toBeLessThanOrEqual(5 * 5); // of five codes an hour
      // After ten wrong ones nothing is compared any more: the right code is worth no more than the others.
      if (tries > 10) expect([400, 429]).toContain(await guess(anywhere(), mailBox.code(email)));
      server.pass(hourMs);
    }
    const tries = (await triesTaken()) - begun;
    // Five tries for each code, ten codes a day, however often one is asked for.
    expect(tries).toBeGreaterThan(0);
    expect(tries).toBeLessThanOrEqual(5 * 10 * (1 + Math.ceil(hours / 24)) + 5);
    const text = [...answers].map(([status, times]) => `${times} x ${status}`).join(', ');
    report(
      `guesses, seed ${seed}: ${done} ${purpose} codes from ${addresses} addresses in ${hours} h of the server's time: ${text}; ${tries} tries taken`,
    );
  },
);

test('OP-17 many guesses at once, of whatever number, take five tries of a code', async () => {
  const { guess } = await attackOn('two-factor-login');
  const before = await triesTaken();
  const all = Array.from({ length: isNight ? 1_000 : 60 }, () => guess(anywhere(), '------'));
  // Beyond those that are served at a time the server answers 429 without looking.
  for (const status of await Promise.all(all)) expect([400, 429]).toContain(status);
  expect((await triesTaken()) - before).toBe(5);
});

test.each([1, 1_000])(
  'OP-17 of any number of codes of an app guessed from %i addresses, ten an hour are compared, backup codes with them',
  async (addresses) => {
    const draws = drawsOf(seed);
    const of = await appVictim();
    const misses = async (): Promise<number> =>
      (await db.selectFrom('users').select('secondFactorMisses').where('id', '=', of.userId).executeTakeFirstOrThrow()).secondFactorMisses;
    const browsers = Array.from({ length: addresses }, () => anywhere());
    const hours = 3;
    for (let hour = 0; hour < hours; hour++) {
      const half = await halfSignedIn(of);
      const before = await misses();
      for (let inHour = 0; inHour < guessesPerHour; inHour += atOnce) {
        const right = new Set([-1, 0, 1].map((near) => of.app.code(near)));
        const guesses = Array.from({ length: atOnce }, () =>
          draws.whole(0, 1) === 0
            ? String(draws.whole(0, 999_999)).padStart(6, '0')
            : Array.from({ length: 10 }, () => 'abcdefghijklmnopqrstuvwxyz234567'[draws.whole(0, 31)]).join(''),
        ).filter((code) => !right.has(code) && !of.app.backupCodes.includes(code));
        const answers = await Promise.all(
          guesses.map((code) => {
            const at = draws.oneOf(browsers);
            at.cookies.set('chal', half.cookies.get('chal') ?? '');
            return statusOf(at.signInWithApp({ body: { code } }));
          }),
        );
        for (const status of answers) expect([400, 429]).toContain(status);
      }
      // A code is counted in the account's row before it is compared, and beyond the limit of the hour it is not compared.
      expect((await misses()) - before).toBe(10);
      for (const right of [of.app.code(), of.app.backupCodes[0] ?? ''])
        expect(await statusOf(half.signInWithApp({ body: { code: right } }))).toBe(429);
      server.pass(hourMs);
    }
    expect(await statusOf((await halfSignedIn(of)).signInWithApp({ body: { code: of.app.code() } }))).toBe(200);
  },
);
