import type { BacktestDetails, BacktestMetrics, TimedValue } from '#engine/report/backtest-summary.ts';
import type { PortfolioDetails } from '#engine/report/portfolio-summary.ts';
import type { PortfolioPlan } from '#engine/settings/portfolio-plan.ts';
import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';
import type { BotOfBacktest } from '#engine/settings/bot-of-backtest.ts';

/** A row of backtests as it is kept. */
export type BacktestRow = Selectable<Schema['backtests']>;

/** A backtest with what a reader of it needs besides. */
export type BacktestView = Omit<BacktestRow, 'result' | 'attempt'> & { strategyName: string; email: string };

/** What a person asks for. */
export type NewBacktest = Pick<
  BacktestRow,
  'userId' | 'strategyId' | 'exchangeId' | 'symbol' | 'tradingMode' | 'timeframe' | 'days' | 'maxOpenTrades'
> & { stakeAmount: number | string; bot: BotOfBacktest | null; codeId: string | null; plan: PortfolioPlan | null };

/** One try at a backtest: writes count only while it is the newest, and only until the run has ended. */
export interface BacktestAttempt {
  id: string;
  attempt: number; // 0 for the first
}

/** The error of a run whose candles could not be fetched; the cause is in the log. */
export const downloadFailed = 'Failed to download historical data';

/** What a run comes to. Rows may be of an earlier version: whoever reads them checks their shape. */
export interface BacktestOutcome<Details = BacktestDetails | PortfolioDetails> {
  metrics: BacktestMetrics;
  equity: TimedValue[];
  result: Details; // those of a portfolio of a run over several pairs
}

const unfinished = ['downloading', 'running'] as const;

/** How many runs a list has, the newest first. */
export const listedRuns = 50;

/** Enters a run, to be enqueued in the same transaction. Gives its id, or null when this user has one under way. */
export async function addBacktest(db: Database, run: NewBacktest): Promise<string | null> {
  const added = await db
    .insertInto('backtests')
    .values({
      ...run,
      bot: run.bot === null ? null : JSON.stringify(run.bot),
      plan: run.plan === null ? null : JSON.stringify(run.plan),
      status: 'downloading',
    })
    .onConflict((conflict) => conflict.column('userId').where('status', 'in', unfinished).doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id ?? null;
}

/** The run as an attempt at it begins, or null when it has ended or a later attempt has begun. */
export async function beginAttempt(db: Database, { id, attempt }: BacktestAttempt): Promise<BacktestRow | null> {
  const row = await db
    .updateTable('backtests')
    .set({ attempt, status: 'downloading', progress: 0, step: '', phaseStartedAt: new Date() })
    .where('id', '=', id)
    .where('attempt', '<=', attempt)
    .where('status', 'in', unfinished)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** How far a run is. */
export interface BacktestProgress {
  phase: (typeof unfinished)[number];
  ratio: number; // of the phase, 0 to 1
  step: string; // what is being done, e.g. 'Downloading candles 2025-03 (120 of 365 days)'
}

/** Keeps how far a run is. False: the run has ended or is another attempt's now. */
export async function setBacktestProgress(
  db: Database,
  attempt: BacktestAttempt,
  { phase, ratio, step }: BacktestProgress,
): Promise<boolean> {
  const set = await ofAttempt(db, attempt)
    .set((eb) => ({
      status: phase,
      progress: ratio,
      step,
      phaseStartedAt: eb.case().when('status', '=', phase).then(eb.ref('phaseStartedAt')).else(new Date()).end(),
    }))
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** Ends a run well. False: it has ended already or is another attempt's now; nothing is written then. */
export async function finishBacktest(db: Database, attempt: BacktestAttempt, outcome: BacktestOutcome): Promise<boolean> {
  const set = await ofAttempt(db, attempt)
    .set({
      status: 'done',
      progress: 1,
      finishedAt: new Date(),
      metrics: JSON.stringify(outcome.metrics),
      equity: JSON.stringify(outcome.equity),
      result: JSON.stringify(outcome.result),
    })
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** Ends a run with a sentence for its owner. False: it has ended already or is another attempt's now. */
export async function failBacktest(db: Database, attempt: BacktestAttempt, error: string): Promise<boolean> {
  const set = await ofAttempt(db, attempt).set({ status: 'failed', error, finishedAt: new Date() }).executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** Whether an attempt still has its run to work on. */
export async function isUnderWay(db: Database, { id, attempt }: BacktestAttempt): Promise<boolean> {
  const row = await db
    .selectFrom('backtests')
    .select('id')
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('status', 'in', unfinished)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a run as cancelled, whatever attempt is at work on it. False: it has ended already. */
export async function stopBacktest(db: Database, id: string, error: string): Promise<boolean> {
  const set = await db
    .updateTable('backtests')
    .set({ status: 'failed', error, cancelled: true, finishedAt: new Date() })
    .where('id', '=', id)
    .where('status', 'in', unfinished)
    .executeTakeFirst();
  return set.numUpdatedRows === 1n;
}

/** Ends what a person has under way as cancelled, over one pair or several; gives how many. Workers notice as of any other that is cancelled. */
export async function stopBacktestsOf(trx: Database, userId: string, error: string): Promise<number> {
  const set = await trx
    .updateTable('backtests')
    .set({ status: 'failed', error, cancelled: true, finishedAt: new Date() })
    .where('userId', '=', userId)
    .where('status', 'in', unfinished)
    .executeTakeFirst();
  return Number(set.numUpdatedRows);
}

/** Whether the bot whose settings a run takes is there, which it is until the transaction ends. */
export async function holdBotOfRun(trx: Database, botId: string): Promise<boolean> {
  const bot = await trx.selectFrom('bots').select('id').where('id', '=', botId).forKeyShare().executeTakeFirst();
  return bot !== undefined;
}

/** The newest 50 runs over one pair of everybody or of one owner, newest first. */
export async function listBacktests(db: Database, ownerId: string | null = null): Promise<BacktestView[]> {
  let query = selectBacktests(db)
    .where('backtests.plan', 'is', null)
    .orderBy('backtests.createdAt', 'desc')
    .orderBy('backtests.id')
    .limit(listedRuns);
  if (ownerId !== null) query = query.where('backtests.userId', '=', ownerId);
  return query.execute();
}

/** The newest run of a strategy over one pair that ended well, of everybody or of one owner, or null. */
export async function newestBacktestOf(db: Database, strategyId: string, ownerId: string | null): Promise<BacktestView | null> {
  let query = selectBacktests(db)
    .where('backtests.strategyId', '=', strategyId)
    .where('backtests.plan', 'is', null)
    .where('backtests.status', '=', 'done')
    .orderBy('backtests.finishedAt', 'desc')
    .orderBy('backtests.id')
    .limit(1);
  if (ownerId !== null) query = query.where('backtests.userId', '=', ownerId);
  return (await query.executeTakeFirst()) ?? null;
}

/** One run, or null. */
export async function findBacktest(db: Database, id: string): Promise<BacktestView | null> {
  return (await selectBacktests(db).where('backtests.id', '=', id).executeTakeFirst()) ?? null;
}

/** The run that a user has under way, or null. */
export async function findUnfinishedBacktest(db: Database, userId: string): Promise<BacktestView | null> {
  const query = selectBacktests(db).where('backtests.userId', '=', userId).where('backtests.status', 'in', unfinished);
  return (await query.executeTakeFirst()) ?? null;
}

function ofAttempt(db: Database, { id, attempt }: BacktestAttempt) {
  return db.updateTable('backtests').where('id', '=', id).where('attempt', '=', attempt).where('status', 'in', unfinished);
}

/** Runs with what a reader of them needs besides. */
export function selectBacktests(db: Database) {
  return db
    .selectFrom('backtests')
    .innerJoin('strategies', 'strategies.id', 'backtests.strategyId')
    .innerJoin('users', 'users.id', 'backtests.userId')
    .select([
      'backtests.id',
      'backtests.userId',
      'backtests.strategyId',
      'backtests.exchangeId',
      'backtests.symbol',
      'backtests.tradingMode',
      'backtests.timeframe',
      'backtests.days',
      'backtests.stakeAmount',
      'backtests.maxOpenTrades',
      'backtests.bot',
      'backtests.codeId',
      'backtests.plan',
      'backtests.status',
      'backtests.progress',
      'backtests.step',
      'backtests.phaseStartedAt',
      'backtests.cancelled',
      'backtests.error',
      'backtests.metrics',
      'backtests.equity',
      'backtests.createdAt',
      'backtests.finishedAt',
      'backtests.detailsRemovedAt',
      'strategies.name as strategyName',
      'users.email',
    ]);
}
