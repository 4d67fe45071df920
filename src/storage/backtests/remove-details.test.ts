import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { dayMs } from '#engine/market/durations.ts';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { backup } from '../backup/backup.ts';
import { restore } from '../backup/restore.ts';
import type { Database } from '../database.ts';
import { noteTriedData } from '../studies/study-tries.ts';
import { aBacktest, aPlan, findBacktestResult } from '../testing/a-backtest.ts';
import { allRows } from '../testing/all-rows.ts';
import { fillEveryTable } from '../testing/every-table.ts';
import { addUser } from '../users/users.ts';
import type { BacktestRow } from './backtests.ts';
import {
  addBacktest,
  beginAttempt,
  failBacktest,
  findBacktest,
  finishBacktest,
  listBacktests,
  newestBacktestOf,
  stopBacktest,
} from './backtests.ts';
import { listPortfolios } from './portfolios.ts';
import { removeBacktestDetails } from './remove-details.ts';

const now = new Date('2026-11-27T12:00:00Z');
const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs);
const limit = daysAgo(90);

/** A database with two strategies, and what adds a person and their runs to it. */
async function used(db: Database) {
  const strategyOf = async (name: string): Promise<string> => {
    const { rows } = await sql<{ id: string }>`
      insert into strategies (class_name, name, description, supported_exchanges, default_timeframe, stoploss, trailing_stop,
        trailing_only_offset_is_reached, minimal_roi, order_types, order_time_in_force, position)
      values (${name}, ${name}, '', array['binance'], '5m', -0.1, false, false, '{}', '{}', '{}', 1) returning id`.execute(db);
    return rows[0]?.id ?? '';
  };
  const strategies = [await strategyOf('First'), await strategyOf('Second')] as const;
  let people = 0;
  return {
    strategies,
    person: async (): Promise<string> => {
      people += 1;
      return (await addUser(db, { email: `p${people}@example.com`, passwordHash: 'x', role: 'trader', verified: true }))?.id ?? '';
    },
    /** A run that began so many days ago and has ended in that way, if it has. */
    run: async (userId: string, ago: number, end: 'done' | 'failed' | 'cancelled' | 'running', given: Partial<BacktestRow> = {}) => {
      const id = (await addBacktest(db, aBacktest({ userId, strategyId: strategies[0], ...given }))) ?? '';
      await beginAttempt(db, { id, attempt: 0 });
      if (end === 'done') await finishBacktest(db, { id, attempt: 0 }, anOutcome());
      if (end === 'failed') await failBacktest(db, { id, attempt: 0 }, 'No candles');
      if (end === 'cancelled') await stopBacktest(db, id, 'Cancelled');
      const at = daysAgo(ago);
      await sql`update backtests set created_at = ${at}, finished_at = case when finished_at is not null then ${at}::timestamptz end where id = ${id}`.execute(
        db,
      );
      return id;
    },
  };
}

const idsWithout = async (db: Database): Promise<string[]> =>
  (await db.selectFrom('backtests').select('id').where('detailsRemovedAt', 'is not', null).orderBy('id').execute()).map(({ id }) => id);

test('OP-63 only runs of before the moment lose their details, beyond the newest 50 of their owner; who, what, when and the figures stay', async () => {
  const { db } = await freshDatabase();
  const { person, run } = await used(db);
  const [busy, seldom] = [await person(), await person()];
  const old: string[] = [];
  for (const ago of [200, 150, 91]) old.push(await run(busy, ago, 'done'));
  const justNot = await run(busy, 89, 'done');
  for (let i = 0; i < 50; i++) await run(busy, 80 - i, pickEnd(i));
  const theirs = [await run(seldom, 300, 'done'), await run(seldom, 250, 'done')]; // old, but all that this person has
  const before = await db.selectFrom('backtests').selectAll().where('id', 'in', old).orderBy('id').execute();

  expect(await removeBacktestDetails(db, limit)).toBe(3);
  expect(await idsWithout(db)).toEqual(old.toSorted());
  const after = await db.selectFrom('backtests').selectAll().where('id', 'in', old).orderBy('id').execute();
  expect(after).toEqual(before.map((row) => ({ ...row, equity: null, result: null, detailsRemovedAt: expect.any(Date) as Date })));
  expect(await findBacktest(db, old[0] ?? '')).toMatchObject({ metrics: anOutcome().metrics, equity: null, email: 'p1@example.com' });
  for (const id of [justNot, ...theirs]) expect(await findBacktestResult(db, id)).toEqual(anOutcome().result);
  // What a person's list shows is whole.
  expect((await listBacktests(db, busy)).every(({ detailsRemovedAt }) => detailsRemovedAt === null)).toBe(true);
  expect(await removeBacktestDetails(db, limit)).toBe(0);
});

/** Also runs that came to nothing are in the list. */
function pickEnd(i: number): 'done' | 'failed' | 'cancelled' {
  return i % 5 === 0 ? 'failed' : i % 7 === 0 ? 'cancelled' : 'done';
}

test('a run that waits or is under way is never touched, however old; nor is one that failed', async () => {
  const { db } = await freshDatabase();
  const { person, run } = await used(db);
  const userId = await person();
  const [failed, cancelled] = [await run(userId, 400, 'failed'), await run(userId, 400, 'cancelled')];
  const running = await run(userId, 400, 'running');
  const rows = () => db.selectFrom('backtests').selectAll().where('id', 'in', [failed, cancelled, running]).orderBy('id').execute();
  await sql`
    insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, created_at, finished_at)
    select user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, 'failed', ${daysAgo(10)}, ${daysAgo(10)}
    from backtests, generate_series(1, 60) where id = ${failed}`.execute(db);
  const before = await rows();
  expect(await removeBacktestDetails(db, limit)).toBe(0);
  expect(await rows()).toEqual(before);
  expect(await finishBacktest(db, { id: running, attempt: 0 }, anOutcome())).toBe(true);
});

test('the newest good run of a strategy stays whole, to which the page of the strategy leads', async () => {
  const { db } = await freshDatabase();
  const { person, run, strategies } = await used(db);
  const [one, other] = [await person(), await person()];
  const strategyId = strategies[1];
  const gone = await run(one, 300, 'done', { strategyId });
  const kept = await run(one, 200, 'done', { strategyId });
  await run(one, 150, 'failed', { strategyId });
  await run(other, 100, 'done', { strategyId });
  for (let i = 0; i < 50; i++) await run(one, 10, 'done');
  await removeBacktestDetails(db, limit);
  expect(await idsWithout(db)).toEqual([gone]);
  expect(await newestBacktestOf(db, strategyId, one)).toMatchObject({ id: kept, equity: anOutcome().equity });
});

test('runs over several pairs are listed apart, so they are counted apart; their tries stay counted', async () => {
  const { db } = await freshDatabase();
  const { person, run } = await used(db);
  const userId = await person();
  const single = await run(userId, 300, 'done');
  const several: string[] = [];
  for (let i = 0; i < 53; i++) several.push(await run(userId, 300 - i, 'done', { plan: aPlan }));
  const tries = async () => (await listPortfolios(db, userId)).map((each) => each.tries);
  const before = await tries();
  expect(await removeBacktestDetails(db, limit)).toBe(3);
  expect(await idsWithout(db)).toEqual(several.slice(0, 3).toSorted());
  expect(await findBacktestResult(db, single)).not.toBeNull();
  expect(await tries()).toEqual(before);
  expect(before[0]).toBe(53);
});

test('OP-85 many runs of several people: what is removed is exactly that, its bytes are gone, and a backup of the rest is restored as it is', async () => {
  const { db, url } = await freshDatabase();
  await fillEveryTable(db);
  const { person, run, strategies } = await used(db);
  const people = [await person(), await person(), await person()];
  for (const [number, userId] of people.entries())
    await run(userId, 365, 'done', { strategyId: strategies[1], plan: number === 0 ? aPlan : null });
  // Two a day for 120 days, of all people but the last; results that chance keeps from being compressed.
  for (const userId of people.slice(0, 2))
    await sql`
      insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, metrics, equity, result,
        plan, created_at, finished_at)
      select ${userId}, ${strategies[0]}, 'binance', 'BTC/USDT', 'spot', '5m', 30, 10, 1, 'done', '{"total_trades": 1, "win_rate": 1, "net_pnl": 0.30000000000000004}',
        '[{"time": 1, "value": 2.5}]',
        jsonb_build_object('trades', (select jsonb_agg(md5(n::text || i::text || ${userId})) from generate_series(1, 300) i)),
        case when n % 4 = 0 then ${JSON.stringify(aPlan)}::jsonb end,
        ${now}::timestamptz - n * interval '12 hours', ${now}::timestamptz - n * interval '12 hours' + interval '1 minute'
      from generate_series(1, 240) n`.execute(db);
  await db.transaction().execute(async (trx) => {
    const { id } = await trx.selectFrom('studies').select('id').executeTakeFirstOrThrow();
    await noteTriedData(trx, id, { strategyName: 'First', timeframe: '5m', pairs: ['BTC/USDT'], from: 1, to: 2 });
  });
  const size = async (): Promise<number> => {
    const { rows } = await sql<{ bytes: string }>`select coalesce(sum(pg_column_size(result)), 0)::bigint as bytes from backtests`.execute(
      db,
    );
    return Number(rows[0]?.bytes);
  };
  const before = await allRows(db);
  const bytesBefore = await size();

  // 60 runs of each are older than 90 days: 45 over one pair, 15 over several, of which the newest five are in the list.
  const removed = await removeBacktestDetails(db, limit);
  expect(removed).toBe(2 * (60 - 5));
  expect(await size()).toBeLessThan(bytesBefore * 0.8);
  const after = await allRows(db);
  for (const [table, rows] of Object.entries(before))
    if (table === 'backtests') expect(after[table]).toHaveLength(rows.length);
    else expect(after[table], table).toEqual(rows);

  const folder = mkdtempSync(join(tmpdir(), 'flotilla-removed-details-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await backup(url, join(folder, 'backup'));
  const target = await freshDatabase('template0');
  await restore(target.url, join(folder, 'backup'));
  expect((await allRows(target.db))['backtests']).toEqual(after['backtests']);
  expect(await removeBacktestDetails(target.db, limit)).toBe(0);
  const [first] = await idsWithout(target.db);
  expect(await findBacktest(target.db, first ?? '')).toMatchObject({
    status: 'done',
    equity: null,
    detailsRemovedAt: expect.any(Date) as Date,
  });
});
