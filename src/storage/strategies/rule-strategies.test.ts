import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';
import type { Database } from '../database.ts';
import { someRules } from '../testing/some-rules.ts';
import { addUser } from '../users/users.ts';
import { addRules, countRules, deleteUnnamedRules, isInUse, mostDeletedAtOnce, setRemoved } from './rule-strategies.ts';
import { holdUsableStrategy } from './seen-strategies.ts';
import { keepCode, newestCode } from './strategy-code.ts';
import { lockStrategy } from './strategy-settings.ts';

const { db } = await freshDatabase();
const { meets } = twoConnections(db);
let owner = '';

beforeEach(async () => {
  await sql`truncate bots, backtests, studies, trade_messages cascade`.execute(db);
  await sql`delete from strategies where kind = 'rules'`.execute(db);
  owner = (await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';
});

/** Makes rules with two versions. */
async function make(by = owner): Promise<string> {
  const id = await db.transaction().execute((trx) => addRules(trx, someRules(), by));
  for (const hash of ['one', 'two']) await keepCode(db, { strategyId: id, hash, document: { hash }, description: {}, madeBy: by });
  return id;
}
/** Removes rules as a call does: locked, and where no bot uses them. */
async function remove(trx: Database, id: string): Promise<boolean> {
  const strategy = await lockStrategy(trx, id);
  if (strategy === null || strategy.removedAt !== null || (await isInUse(trx, id))) return false;
  await setRemoved(trx, id, new Date());
  await deleteUnnamedRules(trx, strategy.ownerId);
  return true;
}
const within = <T>(work: (trx: Database) => Promise<T>): Promise<T> => db.transaction().execute(work);
const isThere = async (id: string): Promise<boolean> => {
  const { rows } = await sql<{ versions: number }>`
    select (select count(*)::int from strategy_code where strategy_id = s.id) as versions from strategies s where id = ${id}`.execute(db);
  expect(rows.length === 0 || rows[0]?.versions === 2).toBe(true); // with all its versions, or none
  return rows.length === 1;
};
const codeOf = async (id: string) => (await newestCode(db, id))?.id ?? '';

/** What names rules that were removed, each in one way: gives how to end that. */
const uses: Record<string, (id: string) => Promise<() => Promise<unknown>>> = {
  async 'an archived bot'(id) {
    const bot = await addTestBot(db, { strategy: 'AlwaysFlat' });
    await sql`update bots set strategy_id = ${id}, code_id = ${await codeOf(id)}, archived_at = now(), status = 'stopped' where id = ${bot}`.execute(
      db,
    );
    return () => sql`delete from bots where id = ${bot}`.execute(db);
  },
  async 'a backtest'(id) {
    const run = await addRun(db, id);
    return () => sql`delete from backtests where id = ${run}`.execute(db);
  },
  async 'a study'(id) {
    await sql`insert into studies (user_id, strategy_id, strategy_name, exchange_id, plan, search) values (${owner}, ${id}, 'Mine', 'sandbox', '{}', '{}')`.execute(
      db,
    );
    return () => sql`delete from studies`.execute(db);
  },
  async 'a message that waits'(id) {
    await sql`insert into trade_messages (strategy_id, kind, text) values (${id}, 'chat', 'closed')`.execute(db);
    return () => sql`delete from trade_messages`.execute(db);
  },
};

async function addRun(on: Database, strategyId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status)
    values (${owner}, ${strategyId}, 'sandbox', 'BTC/USDT', 'spot', '5m', 7, 100, 1, 'downloading') returning id`.execute(on);
  return rows[0]?.id ?? '';
}

describe('rules that are removed', () => {
  test('are deleted with their versions where nothing names them, however often somebody makes and removes them', async () => {
    for (let i = 0; i < 3; i++) {
      const id = await make();
      expect(await within((trx) => remove(trx, id))).toBe(true);
      expect(await isThere(id)).toBe(false);
    }
    expect(await countRules(db, owner)).toBe(0);
  });

  test.each(Object.keys(uses))('are kept for %s, and deleted with the next that are removed when that is gone', async (name) => {
    const id = await make();
    const end = await uses[name]?.(id);
    expect(await within((trx) => remove(trx, id))).toBe(true);
    expect(await isThere(id)).toBe(true);
    expect(await countRules(db, owner)).toBe(0); // they take no place of others
    await end?.();
    const next = await make();
    await within((trx) => remove(trx, next));
    expect([await isThere(id), await isThere(next)]).toEqual([false, false]);
  });

  test('are deleted a few at a time where many have waited, the oldest first, and without those that are held', async () => {
    const ids: string[] = [];
    for (let i = 0; i < mostDeletedAtOnce + 5; i++) {
      ids.push(await make());
      await setRemoved(db, ids.at(-1) ?? '', new Date(Date.now() - 60_000 * i)); // the last are the oldest
    }
    const left = async () => (await Promise.all(ids.map(isThere))).map((there, i) => (there ? i : null)).filter((i) => i !== null);
    const last = await make();
    await db.transaction().execute(async (trx) => {
      await sql`select from strategies where id = ${ids.at(-1) ?? ''} for key share`.execute(trx);
      await within((other) => remove(other, last));
      expect(await left()).toEqual([0, 1, 2, 3, ids.length - 1]);
      expect(await isThere(last)).toBe(true);
    });
    const next = await make();
    await within((trx) => remove(trx, next));
    expect(await left()).toEqual([]);
    expect([await isThere(last), await isThere(next)]).toEqual([false, false]);
  });

  test('are deleted without those of others, and without those that were not removed', async () => {
    const other =
      (await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';
    const [mine, kept, theirs] = [await make(), await make(), await make(other)];
    await setRemoved(db, theirs, new Date());
    await within((trx) => remove(trx, mine));
    expect([await isThere(mine), await isThere(kept), await isThere(theirs)]).toEqual([false, true, true]);
  });
});

describe('two at once', () => {
  const reader = () => ({ userId: owner, usesAllRules: false, seesAllBots: false });

  test('a use of rules waits for their removal, and is refused when they are gone', async () => {
    const id = await make();
    const outcome = await meets(
      async (trx) => expect(await remove(trx, id)).toBe(true),
      () => within((trx) => holdUsableStrategy(trx, reader(), id)),
    );
    expect(outcome).toEqual({ hasWaited: true, value: false });
  });

  test('a removal waits for a use that is being written, and keeps what it names', async () => {
    const id = await make();
    const outcome = await meets(
      async (trx) => {
        expect(await holdUsableStrategy(trx, reader(), id)).toBe(true);
        await addRun(trx, id);
      },
      () => within((trx) => remove(trx, id)),
    );
    expect(outcome).toEqual({ hasWaited: true, value: true });
    expect(await isThere(id)).toBe(true);
  });

  test('earlier ones that somebody holds are left, and nobody waits for them', async () => {
    const [held, id] = [await make(), await make()];
    await setRemoved(db, held, new Date());
    const outcome = await meets(
      (trx) => addRun(trx, held),
      () => within((trx) => remove(trx, id)),
    );
    expect(outcome).toEqual({ hasWaited: false, value: true });
    expect([await isThere(held), await isThere(id)]).toEqual([true, false]);
  });
});
