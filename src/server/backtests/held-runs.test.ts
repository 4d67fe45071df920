import { aDecision } from '#storage/testing/a-decision.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { texts } from '#contract/errors.ts';
import { dayMs } from '#engine/market/durations.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { stopBacktestsOf } from '#storage/backtests/backtests.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import type { Database } from '#storage/database.ts';
import { cancelStudiesOf } from '#storage/studies/studies.ts';
import { setRemoved, setShared } from '#storage/strategies/rule-strategies.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { startMarket } from '../../../test/support/market.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';

// Runs of the lab that are asked for while what they are of is taken away, or while who asks for them is suspended.

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect(), jobs: async () => jobs });
const { db } = server.dependencies;
const { meets } = twoConnections(db);
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const url = databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? '');
const jobs = await openJobs(db, url, { isWorker: false, onError: console.error }); // nobody works on them
afterAll(() => jobs.close());

type Person = Awaited<ReturnType<typeof server.signedIn>>;
let maker: Person;
let person: Person;
let admin: Person;
let strategyId = '';

beforeEach(async () => {
  [maker, person, admin] = await Promise.all([server.signedIn('trader'), server.signedIn('trader'), server.signedIn('admin')]);
  strategyId = (await maker.makeRules({ body: { document: emaCross } })).id;
  await maker.shareRules({ params: { id: strategyId }, body: { is_shared: true } });
});

const today = Date.now(); // one day for all, also where midnight passes meanwhile
const dayBefore = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10);
const plan = {
  exchange: 'Sandbox',
  trading_mode: 'spot' as const,
  pairs: ['BTC/USDT', 'ETH/USDT'],
  from: dayBefore(45),
  to: dayBefore(5),
  timeframe: '1h' as const,
  detail_timeframe: null,
  max_open_trades: 2,
  starting_balance: 1_000,
  stake_amount: null,
  leverage: 1,
  fee_ratio: 0.001,
  slippage_ratio: 0,
  protections: [],
};
const search = {
  spaces: ['stoploss' as const],
  ranges: [],
  sampler: 'random' as const,
  loss: 'SharpeHyperOptLossDaily' as const,
  epochs: 70,
  min_trades: 1,
  seed: 42,
  early_stop: null,
  sealed_ratio: null,
};
const settings = {
  exchange: 'Sandbox',
  symbol: 'BTC/USDT',
  trading_mode: 'spot' as const,
  timeframe: '15m' as const,
  stake_amount: 1_000,
  max_open_trades: 1,
  days: 30 as const,
};
/** Calls that begin something; a bot is one whose settings it takes. */
const runs = {
  'a study': (by: Person, bot_id?: string) => by.startStudy({ body: { strategy_id: strategyId, plan, search, ...ofBot(bot_id) } }),
  'a backtest over several pairs': (by: Person, bot_id?: string) =>
    by.startPortfolio({ body: { strategy_id: strategyId, plan, ...ofBot(bot_id) } }),
  'a backtest over one pair': (by: Person, bot_id?: string) =>
    by.runBacktest({ body: { strategy_id: strategyId, ...settings, ...ofBot(bot_id) } }),
};
const ofBot = (bot_id: string | undefined) => (bot_id === undefined ? {} : { bot_id });
const kinds = Object.keys(runs) as (keyof typeof runs)[];

/** How much there is of a person in the lab, under way and ended. */
async function workOf({ userId }: Person): Promise<{ open: number; all: number }> {
  const { rows: found } = await sql<{ open: number; all: number }>`
    select count(*) filter (where status in ('queued', 'running', 'judging', 'downloading'))::int as open, count(*)::int as all from (
      select status from studies where user_id = ${userId} union all select status from backtests where user_id = ${userId}
    ) work`.execute(db);
  return found[0] ?? { open: 0, all: 0 };
}

async function aBot(of: Person): Promise<string> {
  const made = await of.createBot({
    body: {
      strategy_id: strategyId,
      exchange_id: 'sandbox',
      margin_mode: 'spot',
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 1,
      leverage: 1,
      leverage_mode: 'isolated',
      trading_pairs: ['BTC/USDT'],
      user_email: of.email,
      mode: 'paper',
    },
  });
  return made.id;
}

describe.each(kinds)('%s', (kind) => {
  const run = runs[kind];

  test.each([
    ['is not shared any more', (trx: Database) => setShared(trx, strategyId, false)],
    ['is removed', (trx: Database) => setRemoved(trx, strategyId, new Date())],
  ])('does not begin of a strategy that in the same moment %s', async (_, takeAway) => {
    const { hasWaited, value } = await meets(takeAway, () => outcomeOf(person, run(person)));
    expect([hasWaited, value]).toMatchObject([true, { status: 404, detail: 'Strategy not found' }]);
    expect(await workOf(person)).toEqual({ open: 0, all: 0 });
  });

  test('does not begin with the settings of a bot that is deleted in the same moment', async () => {
    const botId = await aBot(person);
    await setShared(db, strategyId, false); // seen through the bot alone
    const { hasWaited, value } = await meets(
      async (trx) => void (await sql`delete from bots where id = ${botId}`.execute(trx)),
      () => outcomeOf(person, run(person, botId)),
    );
    expect([hasWaited, value]).toMatchObject([true, { status: 404, detail: texts.botNotFound }]);
    expect(await workOf(person)).toEqual({ open: 0, all: 0 });
  });

  test('begins with the settings of a bot whose strategy nobody else may use any more', async () => {
    const botId = await aBot(person);
    await setShared(db, strategyId, false);
    expect(await outcomeOf(person, run(person, botId))).toBe(begun);
    expect((await workOf(person)).all).toBe(1);
  });

  test('does not begin for somebody who is suspended in the same moment', async () => {
    const [, refused] = await atOnce([() => suspend(person), () => outcomeOf(person, run(person))]);
    expect(refused).toMatchObject({ status: 401, detail: texts.notAuthenticated });
    expect(await workOf(person)).toEqual({ open: 0, all: 0 });
  });

  test('does not begin for somebody who was suspended and has signed in again', async () => {
    await suspend(person);
    person.renews = false;
    await person.login({ body: { email: person.email, password } });
    expect(await failure(run(person))).toMatchObject({ status: 403, detail: texts.notVerified });
    expect(await workOf(person)).toEqual({ open: 0, all: 0 });
    await admin.verifyUser({ params: { id: person.userId }, body: { verified: true, email_verified: true } });
    await person.login({ body: { email: person.email, password } });
    expect(await outcomeOf(person, run(person))).toBe(begun);
  });
});

test('a study that begins just before its person is suspended ends with it', async () => {
  await atOnce([() => runs['a study'](person), () => suspend(person)]);
  expect(await workOf(person)).toEqual({ open: 0, all: 1 });
});

test('a day is not replayed for somebody who is suspended in the same moment', async () => {
  const botId = await aBot(person);
  const day = dayBefore(1);
  await addDecisions(db, [aDecision(botId, Date.parse(`${day}T10:00:00Z`))]);
  const press = () => person.replayDay({ params: { id: botId, day } });
  const [, refused] = await atOnce([() => suspend(person), () => failure(press())]);
  expect(refused).toMatchObject({ status: 401 });
  await person.login({ body: { email: person.email, password } });
  expect(await failure(press())).toMatchObject({ status: 403, detail: texts.notVerified });
  expect((await sql`select from certificates where bot_id = ${botId}`.execute(db)).rows).toEqual([]);
});

async function suspend(of: Person): Promise<unknown> {
  of.renews = false;
  return admin.verifyUser({ params: { id: of.userId }, body: { verified: false, email_verified: true } });
}

/** What a call that begins something comes to: its refusal, or that others see it under way. A backtest over one pair is answered when it ends. */
async function outcomeOf(by: Person, call: Promise<unknown>): Promise<unknown> {
  let answer: unknown;
  const answered = call.then(
    () => (answer = begun),
    (error: unknown) => (answer = error),
  );
  await expect.poll(async () => answer !== undefined || (await workOf(by)).open > 0).toBe(true);
  if (answer === undefined) {
    await cancelAll(by);
    await answered;
    return begun;
  }
  return answer;
}

const begun = 'it has begun';

async function cancelAll({ userId }: Person): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await cancelStudiesOf(trx, userId);
    await stopBacktestsOf(trx, userId, 'cancelled');
  });
}

/** Makes two calls, the second once the first has come to the audit log and waits there; gives what both come to. */
async function atOnce(calls: readonly [() => Promise<unknown>, () => Promise<unknown>]): Promise<unknown[]> {
  const both = await db.transaction().execute(async (trx) => {
    await sql`lock table audit_log in exclusive mode`.execute(trx);
    const first = calls[0]();
    await untilWaiting(db, 1);
    const second = calls[1]();
    await Promise.race([untilWaiting(db, 2), second]);
    return [first, second];
  });
  return Promise.all(both);
}
