import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { anOutcome } from '../../../test/support/an-outcome.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import {
  addBacktest,
  beginAttempt,
  failBacktest,
  findBacktest,
  findUnfinishedBacktest,
  finishBacktest,
  isUnderWay,
  listBacktests,
  setBacktestProgress,
  stopBacktest,
} from './backtests.ts';
import { aBacktest, findBacktestResult } from '../testing/a-backtest.ts';
import { addUser } from '../users/users.ts';

const { db } = await freshDatabase();
const strategy = await db
  .insertInto('strategies')
  .values({
    className: 'A',
    name: 'Strategy A',
    description: '',
    supportedExchanges: ['binance'],
    defaultTimeframe: '5m',
    stoploss: -0.1,
    trailingStop: false,
    trailingOnlyOffsetIsReached: false,
    minimalRoi: '{}',
    orderTypes: '{}',
    orderTimeInForce: '{}',
    position: 1,
  })
  .returning('id')
  .executeTakeFirstOrThrow();

let userId = '';
let users = 0;

beforeEach(async () => {
  const user = await addUser(db, { email: `user${++users}@example.com`, passwordHash: 'x', role: 'trader', verified: true });
  userId = user?.id ?? '';
});

const run = () => aBacktest({ userId, strategyId: strategy.id, maxOpenTrades: 3, stakeAmount: '1000.123456789012345678' });

const outcome = anOutcome();

test('OP-60 a user has one run at a time, another user has one of their own', async () => {
  const first = await addBacktest(db, run());
  expect(first).not.toBeNull();
  expect(await addBacktest(db, run())).toBeNull();
  expect((await findUnfinishedBacktest(db, userId))?.id).toBe(first);
  const other = await addUser(db, { email: 'other@example.com', passwordHash: 'x', role: 'trader', verified: true });
  expect(await addBacktest(db, { ...run(), userId: other?.id ?? '' })).not.toBeNull();
  await stopBacktest(db, first ?? '', 'Cancelled');
  expect(await findUnfinishedBacktest(db, userId)).toBeNull();
  expect(await addBacktest(db, run())).not.toBeNull();
});

test('OP-60 a run goes from downloading over running to done and keeps what it came to', async () => {
  const id = (await addBacktest(db, run())) ?? '';
  expect(await findBacktest(db, id)).toMatchObject({
    status: 'downloading',
    progress: '0',
    strategyName: 'Strategy A',
    stakeAmount: '1000.123456789012345678',
    metrics: null,
    finishedAt: null,
  });
  expect(await beginAttempt(db, { id, attempt: 0 })).toMatchObject({ id, days: 30 });
  expect(await setBacktestProgress(db, { id, attempt: 0 }, { phase: 'downloading', ratio: 0.5, step: 'Loading candles' })).toBe(true);
  expect(await setBacktestProgress(db, { id, attempt: 0 }, { phase: 'running', ratio: 0.25, step: 'Loading candles' })).toBe(true);
  expect(await findBacktest(db, id)).toMatchObject({ status: 'running', progress: '0.25' });
  expect(await finishBacktest(db, { id, attempt: 0 }, outcome)).toBe(true);
  expect(await findBacktest(db, id)).toMatchObject({
    status: 'done',
    progress: '1',
    metrics: outcome.metrics,
    equity: outcome.equity,
    error: null,
  });
  expect((await findBacktest(db, id))?.finishedAt).toBeInstanceOf(Date);
});

test('a run that has ended stays as it ended', async () => {
  const id = (await addBacktest(db, run())) ?? '';
  expect(await failBacktest(db, { id, attempt: 0 }, 'No candles')).toBe(true);
  expect(await finishBacktest(db, { id, attempt: 0 }, outcome)).toBe(false);
  expect(await setBacktestProgress(db, { id, attempt: 0 }, { phase: 'running', ratio: 1, step: 'Loading candles' })).toBe(false);
  expect(await stopBacktest(db, id, 'Cancelled')).toBe(false);
  expect(await beginAttempt(db, { id, attempt: 1 })).toBeNull();
  expect(await findBacktest(db, id)).toMatchObject({ status: 'failed', error: 'No candles', metrics: null });
});

test('what an earlier attempt writes no longer counts', async () => {
  const id = (await addBacktest(db, run())) ?? '';
  await beginAttempt(db, { id, attempt: 0 });
  await setBacktestProgress(db, { id, attempt: 0 }, { phase: 'running', ratio: 0.9, step: 'Loading candles' });
  expect(await beginAttempt(db, { id, attempt: 1 })).not.toBeNull();
  expect(await setBacktestProgress(db, { id, attempt: 0 }, { phase: 'running', ratio: 0.95, step: 'Loading candles' })).toBe(false);
  expect(await finishBacktest(db, { id, attempt: 0 }, outcome)).toBe(false);
  expect(await failBacktest(db, { id, attempt: 0 }, 'late')).toBe(false);
  expect(await beginAttempt(db, { id, attempt: 0 })).toBeNull();
  expect(await findBacktest(db, id)).toMatchObject({ status: 'downloading', progress: '0' });
  expect(await finishBacktest(db, { id, attempt: 1 }, outcome)).toBe(true);
});

test('OP-63 the list has the newest 50 first, own ones or all', async () => {
  await sql`
    insert into backtests (user_id, strategy_id, exchange_id, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades, status, created_at)
    select ${userId}, ${strategy.id}, 'binance', 'S' || n, 'spot', '5m', 30, 1, 1, 'done', now() + n * interval '1 minute' from generate_series(1, 60) n`.execute(
    db,
  );
  const own = await listBacktests(db, userId);
  expect(own.map(({ symbol }) => symbol)).toEqual(Array.from({ length: 50 }, (_, i) => `S${60 - i}`));
  const other = await addUser(db, { email: 'newest@example.com', passwordHash: 'x', role: 'trader', verified: true });
  const theirs = (await addBacktest(db, { ...run(), userId: other?.id ?? '' })) ?? '';
  await sql`update backtests set created_at = now() + interval '1 day' where id = ${theirs}`.execute(db);
  const all = await listBacktests(db);
  expect(all).toHaveLength(50);
  expect(all[0]).toMatchObject({ id: theirs, email: 'newest@example.com' });
  expect((await listBacktests(db, userId)).some(({ id }) => id === theirs)).toBe(false);
  expect(await findBacktest(db, randomUUID())).toBeNull();
});

test('an attempt is under way until its run ends or a later attempt begins', async () => {
  const id = (await addBacktest(db, run())) ?? '';
  await beginAttempt(db, { id, attempt: 1 });
  const isAtWork = (attempt: number) => isUnderWay(db, { id, attempt });
  expect([await isAtWork(0), await isAtWork(1)]).toEqual([false, true]);
  await setBacktestProgress(db, { id, attempt: 1 }, { phase: 'running', ratio: 0.5, step: 'Running' });
  expect(await isAtWork(1)).toBe(true);
  await finishBacktest(db, { id, attempt: 1 }, outcome);
  expect(await isAtWork(1)).toBe(false);
});

test('a run that somebody cancels ends at once, as cancelled', async () => {
  const id = (await addBacktest(db, run())) ?? '';
  expect(await stopBacktest(db, id, 'Cancelled by its owner')).toBe(true);
  expect(await findBacktest(db, id)).toMatchObject({ status: 'failed', error: 'Cancelled by its owner', cancelled: true });
  const failed = (await addBacktest(db, run())) ?? '';
  await failBacktest(db, { id: failed, attempt: 0 }, 'No candles');
  expect(await findBacktest(db, failed)).toMatchObject({ cancelled: false });
});

test('the full result of a run is there once it has ended well', async () => {
  const id = (await addBacktest(db, run())) ?? '';
  expect(await findBacktestResult(db, id)).toBeNull();
  await finishBacktest(db, { id, attempt: 0 }, outcome);
  expect(await findBacktestResult(db, id)).toEqual(outcome.result);
  expect(await findBacktestResult(db, randomUUID())).toBeNull();
});
