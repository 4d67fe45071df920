import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { addAuthenticator, confirmAuthenticator, replaceBackupCodes, takeBackupCode } from '../auth/authenticators.ts';
import { addCode, takeTry, useCode } from '../auth/codes.ts';
import { replacePasskeyBackupCodes, takePasskeyBackupCode } from '../auth/passkeys.ts';
import { addHalfLogin, addSession, endSession, lockLiveSession, noteAuthenticated, takeHalfLogin } from '../auth/sessions.ts';
import { reserveKey } from '../calls/idempotency-keys.ts';
import { countUp } from '../calls/limit-counters.ts';
import type { Database } from '../database.ts';
import { claimFact } from '../installation/facts.ts';
import { addMail, takeDueMail } from '../mails/mail-outbox.ts';
import { addBotMessages, takeDueMessage } from '../trades/trade-messages.ts';
import { addInvitation, useInvitation, withdrawInvitation } from '../users/invitations.ts';
import { addUser, lockUnchanged, lockUsers } from '../users/users.ts';

// Sign-in, calls and what is sent, done by two connections at once.

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
const now = new Date();
const later = new Date(now.getTime() + 3_600_000);
const owner = 'owner@example.com';

beforeEach(async () => {
  await sql`truncate trades, backtests, api_keys cascade`.execute(db);
  for (const table of ['alarms', 'limits', 'trading_states', 'bots', 'trade_messages', 'runners'])
    await sql`delete from ${sql.table(table)}`.execute(db);
});

const aBot = (): Promise<string> => addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner });
const aPerson = async (): Promise<string> =>
  (await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';

describe('sign-in', () => {
  const email = (): string => `${randomUUID()}@example.com`;
  const aCode = { userId: null, salt: Buffer.alloc(16), hash: Buffer.alloc(32), createdAt: now, expiresAt: later };

  test('the last try of a code is had once, and a code is used once', async () => {
    const of = { emailKey: email(), purpose: 'reset', holder: '' } as const;
    await addCode(db, { ...of, ...aCode });
    const take = (on: Database) => takeTry(on, of, now, 1);
    expect(await meets(take, () => take(db))).toEqual({ hasWaited: true, value: null });
    const { id } = await db.selectFrom('codes').select('id').where('emailKey', '=', of.emailKey).executeTakeFirstOrThrow();
    const use = (on: Database) => useCode(on, id, now);
    expect(await meets(use, () => use(db))).toEqual({ hasWaited: true, value: false });
  });

  test('a backup code is used once, beside an app and beside passkeys', async () => {
    const userId = await aPerson();
    const app = { id: randomUUID(), userId };
    await addAuthenticator(db, { ...app, createdAt: now, sealed: { v: 1 } });
    await confirmAuthenticator(db, app, 1, now);
    const hash = Buffer.alloc(32, 1);
    await replaceBackupCodes(db, app.id, [hash], now);
    await replacePasskeyBackupCodes(db, userId, [hash], now);
    const takes = [(on: Database) => takeBackupCode(on, app.id, hash, now), (on: Database) => takePasskeyBackupCode(on, userId, hash, now)];
    for (const take of takes) {
      expect(await meets(take, () => take(db))).toEqual({ hasWaited: true, value: null });
      expect(await take(db)).toBeNull(); // nor at any later time
    }
  });

  test('a code that a newer one replaces meanwhile is not used', async () => {
    const of = { emailKey: email(), purpose: 'reset', holder: '' } as const;
    await addCode(db, { ...of, ...aCode });
    const code = await takeTry(db, of, now, 5);
    const second = await meets(
      (trx) => addCode(trx, { ...of, ...aCode }),
      () => useCode(db, code?.id ?? '', now),
    );
    expect(second).toEqual({ hasWaited: true, value: false });
  });

  test('a half login is used once', async () => {
    const hash = Buffer.from(randomUUID());
    await addHalfLogin(db, hash, await aPerson(), later);
    const take = (on: Database) => takeHalfLogin(on, hash);
    expect(await meets(take, () => take(db))).toEqual({ hasWaited: true, value: false });
  });

  test('a session that is being ended does nothing more', async () => {
    const session = async (): Promise<string> =>
      (
        await addSession(
          db,
          { userId: await aPerson(), now, endsAt: later, address: '127.0.0.1' },
          { hash: Buffer.from(randomUUID()), accessUntil: later, refreshUntil: later },
        )
      ).id;
    const [one, other] = [await session(), await session()];
    const ended = (id: string) => (trx: Database) => endSession(trx, id, now, 'test');
    const locked = await meets(ended(one), () => db.transaction().execute((trx) => lockLiveSession(trx, one)));
    expect(locked).toEqual({ hasWaited: true, value: false });
    expect(await meets(ended(other), () => noteAuthenticated(db, other, now))).toEqual({ hasWaited: true, value: false });
  });

  test('an invitation is used once, and not when it is withdrawn', async () => {
    const admin = await aPerson();
    const invite = async (): Promise<{ id: string; by: { email: string; codeHash: Buffer; now: Date } }> => {
      const by = { email: email(), codeHash: Buffer.from(randomUUID()), now };
      const id = await addInvitation(db, { email: by.email, role: 'trader', codeHash: by.codeHash, invitedBy: admin, now, lifeMs: 60_000 });
      return { id: id ?? '', by };
    };
    const one = await invite();
    const used = await meets(
      (trx) => useInvitation(trx, one.by),
      () => useInvitation(db, one.by),
    );
    expect(used).toEqual({ hasWaited: true, value: null });
    const other = await invite();
    const withdrawn = await meets(
      (trx) => withdrawInvitation(trx, other.id, now),
      () => useInvitation(db, other.by),
    );
    expect(withdrawn).toEqual({ hasWaited: true, value: null });
  });

  test('an account of an address is made once', async () => {
    const user = { email: email(), passwordHash: 'none', role: 'trader', verified: true } as const;
    const second = await meets(
      (trx) => addUser(trx, user),
      () => addUser(db, user),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });

  test('whoever goes by a password that is being changed does not', async () => {
    const id = await aPerson();
    const second = await meets(
      async (trx) => {
        await lockUsers(trx, [id], 'changes');
        await sql`update users set password_hash = 'another' where id = ${id}`.execute(trx);
      },
      () => db.transaction().execute((trx) => lockUnchanged(trx, { id, passwordHash: 'none', has2fa: false })),
    );
    expect(second).toEqual({ hasWaited: true, value: null });
  });
});

describe('calls', () => {
  test('a call is done once for its key', async () => {
    const of = { caller: randomUUID(), call: 'c', key: 'k' };
    const reserve = (on: Database) => reserveKey(on, of, Buffer.alloc(32), now);
    expect(await meets(reserve, () => reserve(db))).toEqual({ hasWaited: true, value: { state: 'busy' } });
  });

  test('every try is counted', async () => {
    const key = randomUUID();
    const count = (on: Database) => countUp(on, key, now, 60_000);
    await count(db);
    expect(await meets(count, () => count(db))).toMatchObject({ hasWaited: true, value: { count: 3 } });
  });

  test('a fact of the installation is written by the first', async () => {
    const key = randomUUID();
    const second = await meets(
      (trx) => claimFact(trx, key, 'first'),
      () => claimFact(db, key, 'second'),
    );
    expect(second).toEqual({ hasWaited: true, value: 'first' });
  });
});

describe('what is sent', () => {
  test('a mail is taken by one sender', async () => {
    await addMail(db, { recipient: owner, subject: 'one', body: '' });
    const second = await meets(
      (trx) => sql`select from mail_outbox for update`.execute(trx), // as a sender does
      () => takeDueMail(db, later),
    );
    expect(second).toEqual({ hasWaited: false, value: null });
    expect(await takeDueMail(db, later)).toMatchObject({ subject: 'one' });
    expect(await takeDueMail(db, later)).toBeNull();
  });

  test('so is a message about a trade', async () => {
    const id = await aBot();
    await sql`update strategies set webhook = '{"v":1}'`.execute(db);
    await addBotMessages(db, [{ botId: id, text: 'one', cells: [] }]);
    const take = (on: Database) => takeDueMessage(on, 'chat', later);
    const second = await meets(take, () => take(db));
    expect(second.value ?? null).toBeNull();
  });
});
