import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import { findBot, lockBot } from '../bots/bots.ts';
import type { Database } from '../database.ts';
import { addRules, countRules, isInUse, setRemoved, setShared } from '../strategies/rule-strategies.ts';
import { holdKeptStrategy, holdUsableStrategy } from '../strategies/seen-strategies.ts';
import { keepCode, newestCode } from '../strategies/strategy-code.ts';
import { lockStrategy } from '../strategies/strategy-settings.ts';
import { someRules } from '../testing/some-rules.ts';
import { addUser, lockUsers } from '../users/users.ts';

// Rules that one connection changes, shares or removes while another makes or changes something with them.

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
let owner = '';
let other = '';
let id = '';

beforeEach(async () => {
  await sql`delete from bots`.execute(db);
  await sql`delete from strategies where kind = 'rules'`.execute(db);
  [owner, other] = [await aPerson(), await aPerson()];
  id = await db.transaction().execute((trx) => addRules(trx, someRules(), owner));
  await keep(db, 'one');
});

const aPerson = async (): Promise<string> =>
  (await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';
const keep = (on: Database, hash: string) => keepCode(on, { strategyId: id, hash, document: { hash }, description: {}, madeBy: owner });
const reader = (userId: string) => ({ userId, usesAllRules: false, seesAllBots: false });
const within = <T>(work: (trx: Database) => Promise<T>): Promise<T> => db.transaction().execute(work);

/** Gives a bot the rules, as whoever makes one does: held until it is there. */
async function makeBot(trx: Database, botId: string, userId: string): Promise<boolean> {
  if (!(await holdUsableStrategy(trx, reader(userId), id))) return false;
  const code = await newestCode(trx, id);
  await sql`update bots set strategy_id = ${id}, code_id = ${code?.id} where id = ${botId}`.execute(trx);
  return true;
}
const remove = async (trx: Database): Promise<boolean> => {
  const strategy = await lockStrategy(trx, id);
  if (strategy === null || strategy.removedAt !== null || (await isInUse(trx, id))) return false;
  await setRemoved(trx, id, new Date());
  return true;
};
/** Saves a version that is based on another one. */
const save = async (trx: Database, basedOn: number, hash: string): Promise<number | 'changed meanwhile'> => {
  await lockStrategy(trx, id);
  if ((await newestCode(trx, id))?.number !== basedOn) return 'changed meanwhile';
  return (await keep(trx, hash)).number;
};

describe('two saves', () => {
  test('of the same version are one: the second waits, and is refused', async () => {
    const outcome = await meets(
      (trx) => save(trx, 1, 'two'),
      () => within((trx) => save(trx, 1, 'three')),
    );
    expect(outcome).toEqual({ hasWaited: true, value: 'changed meanwhile' });
    expect(await newestCode(db, id)).toMatchObject({ number: 2, hash: 'two' });
  });
});

describe('a bot that is made', () => {
  test('waits for a removal under way, and is refused then', async () => {
    const bot = await addTestBot(db, { strategy: 'AlwaysFlat' });
    const outcome = await meets(
      async (trx) => expect(await remove(trx)).toBe(true),
      () => within((trx) => makeBot(trx, bot, owner)),
    );
    expect(outcome).toEqual({ hasWaited: true, value: false });
  });

  test('is waited for by a removal, which is refused then', async () => {
    const bot = await addTestBot(db, { strategy: 'AlwaysFlat' });
    const outcome = await meets(
      (trx) => makeBot(trx, bot, owner),
      () => within(remove),
    );
    expect(outcome).toEqual({ hasWaited: true, value: false });
    expect((await findBot(db, bot))?.strategyId).toBe(id);
  });

  test('waits for rules that are unshared meanwhile, and is refused then', async () => {
    await setShared(db, id, true);
    const bot = await addTestBot(db, { strategy: 'AlwaysFlat' });
    const takenBack = async (trx: Database): Promise<void> => {
      await lockStrategy(trx, id);
      await setShared(trx, id, false);
    };
    const outcome = await meets(takenBack, () => within((trx) => makeBot(trx, bot, other)));
    expect(outcome).toEqual({ hasWaited: true, value: false });
  });

  test('does not wait for another one', async () => {
    const hold = (trx: Database) => holdUsableStrategy(trx, reader(owner), id);
    const outcome = await meets(hold, () => within(hold));
    expect(outcome).toEqual({ hasWaited: false, value: true });
  });
});

describe('a bot that takes a version', () => {
  test('waits for a save under way, and sees the version that came of it', async () => {
    const bot = await addTestBot(db, { strategy: 'AlwaysFlat' });
    await within((trx) => makeBot(trx, bot, owner));
    const take = async (trx: Database): Promise<number | undefined> => {
      await lockBot(trx, bot);
      expect(await holdUsableStrategy(trx, reader(owner), id)).toBe(true);
      return (await newestCode(trx, id))?.number;
    };
    const outcome = await meets(
      (trx) => save(trx, 1, 'two'),
      () => within(take),
    );
    expect(outcome).toEqual({ hasWaited: true, value: 2 });
  });

  test('is waited for by a save: the version it has seen is the newest until it has it', async () => {
    const bot = await addTestBot(db, { strategy: 'AlwaysFlat' });
    const outcome = await meets(
      (trx) => makeBot(trx, bot, owner),
      () => within((trx) => save(trx, 1, 'two')),
    );
    expect(outcome).toEqual({ hasWaited: true, value: 2 });
    expect(await findBot(db, bot)).toMatchObject({ codeNumber: 1, newestCodeNumber: 2 });
  });
});

test('a bot is not brought back while its rules are removed', async () => {
  const outcome = await meets(
    async (trx) => expect(await remove(trx)).toBe(true),
    () => within((trx) => holdKeptStrategy(trx, id)),
  );
  expect(outcome).toEqual({ hasWaited: true, value: false });
});

test('a person makes one after the other: the second counts the first', async () => {
  const make = async (trx: Database): Promise<number> => {
    await lockUsers(trx, [owner], 'locks');
    const before = await countRules(trx, owner);
    await addRules(trx, someRules(), owner);
    return before;
  };
  expect(await meets(make, () => within(make))).toEqual({ hasWaited: true, value: 2 });
});
