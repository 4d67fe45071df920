import { workStudies } from './work-studies.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { epochFigures } from '#engine/lab/epoch-figures.ts';
import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { valuesAt } from '#engine/lab/dimension.ts';
import { EpochRunner } from '#engine/lab/epoch-runner.ts';
import { searchSpace } from '#engine/lab/search-space.ts';
import type { StudySearch } from '#engine/lab/study-record.ts';
import { Study } from '#engine/lab/study.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { columnNames, writeCandles } from '#storage/candles/candle-chunks.ts';
import { aPlan } from '#storage/testing/a-backtest.ts';
import { aSearch, aStudy } from '#storage/testing/a-study.ts';
import { addStudy, cancelStudy, findStudy, listEpochs, requireStudy } from '#storage/studies/studies.ts';
import { triesOfStudy } from '#storage/studies/study-tries.ts';
import { findStrategyById } from '#storage/strategies/strategies.ts';
import { addUser } from '#storage/users/users.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { ampleDisk } from '../../../../test/support/ample-disk.ts';
import { freshDatabase } from '../../../../test/support/fresh-database.ts';
import { startMarket } from '../../../../test/support/market.ts';
import { enterBuiltInStrategies } from '../../built-in-strategies.ts';
import type { BacktestDependencies } from '../backtest-dependencies.ts';
import { loadPlan } from '../plan-candles.ts';
import { OpenStudy, strategyOfStudy, taskOfStudy } from './open-study.ts';
import { prepareStudy } from './prepare-study.ts';
import { settingsOfPlan } from '../settings-of-plan.ts';
import { fromKeptInstrument } from '#engine/market/kept-instrument.ts';

const root = join(import.meta.dirname, '../../../..');
const market = await startMarket(1);
const { db, url } = await freshDatabase();
const folder = mkdtempSync(join(tmpdir(), 'flotilla-studies-'));
const workers: ChildProcess[] = [];
let strategyId = '';

beforeAll(async () => {
  await enterBuiltInStrategies(db);
  strategyId = (await db.selectFrom('strategies').select('id').where('className', '=', 'EmaCross').executeTakeFirstOrThrow()).id;
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map(killed));
  // A worker of the next test would work on what is still to be done for this one.
  for (const { id } of await db.selectFrom('studies').select('id').execute()) await db.transaction().execute((trx) => cancelStudy(trx, id));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function killed(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exit = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exit;
}

/** A worker as on a machine of its own: it is given the address of the database, and a folder that nobody else has. */
function startWorker(): ChildProcess {
  return worker('test/support/studies-process.ts', url, market.sandbox.url, mkdtempSync(join(folder, 'home-')));
}

/** The same as the product starts it. */
function startRole(): ChildProcess {
  return worker('src/main.ts', 'serve', '--role', 'backtests');
}

function worker(...words: string[]): ChildProcess {
  const env = {
    ...process.env,
    DATABASE_URL: url,
    FLOTILLA_HOME: mkdtempSync(join(folder, 'home-')),
    SANDBOX_URL: market.sandbox.url,
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
  };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  workers.push(child);
  return child;
}

const today = Date.now(); // one day for all, also where midnight passes meanwhile
const dayBefore = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10);
const plan = { ...aPlan, from: dayBefore(60), to: dayBefore(3), slippage_ratio: 0, protections: [] };
let people = 0;
const aPerson = async (): Promise<string> =>
  (await addUser(db, { email: `p${(people += 1)}@example.com`, passwordHash: 'none', role: 'trader', verified: true }))?.id ?? '';

async function begin(search: Partial<StudySearch> = {}, userId?: string): Promise<string> {
  const id = await addStudy(db, aStudy({ userId: userId ?? (await aPerson()), strategyId, plan, search: { ...aSearch, ...search } }));
  return id ?? '';
}

const statusOf = async (id: string): Promise<string> => {
  const study = await findStudy(db, id);
  return study?.error ?? study?.status ?? 'gone';
};
const ended = (id: string) => expect.poll(() => statusOf(id), { timeout: 240_000 }).toBe('done');
const epochsOf = (id: string) => listEpochs(db, id, 0, 100_000);
const epochsSoFar = async (id: string): Promise<number> => (await findStudy(db, id))?.epochs ?? 0;
/** The same of several at one moment, in their sequence. */
async function epochsAtOnce(...ids: string[]): Promise<number[]> {
  const rows = await db.selectFrom('studies').select(['id', 'epochs']).where('id', 'in', ids).execute();
  return ids.map((id) => rows.find((row) => row.id === id)?.epochs ?? 0);
}

/** What a worker in this process works with. */
function dependenciesOn(on: Database): BacktestDependencies {
  const warmPythons = new WarmParents(wallsOfSystem());
  return {
    db: on,
    markets: market.connect(),
    disk: ampleDisk,
    cacheFolder: folder,
    python: noPython,
    warmPythons,
    now: Date.now,
    log: () => {},
  };
}

/** How many batches of a study are claimed and not run to their end. */
async function claimedBatches(id: string): Promise<number> {
  const claimed = sql<{
    count: number;
  }>`select count(*)::int from study_batches where study_id = ${id} and losses is null and claimed_until is not null`;
  return (await claimed.execute(db)).rows[0]?.count ?? -1;
}

/** The same study as the command runs it: proposed and received one after the other, by one who remembers all. */
async function byItself(id: string) {
  const row = await requireStudy(db, id);
  const { ground, search, exchangeId } = row;
  const terms = await findStrategyById(db, row.strategyId);
  if (ground === null || terms === null) throw new Error('It was not prepared');
  const strategy = strategyOfClass('EmaCross');
  const instruments = new Map(ground.instruments.map((kept) => [kept.symbol, fromKeptInstrument(kept)]));
  const span = { from: Date.parse(row.plan.from), to: ground.until };
  const { pairs, others } = await loadPlan({ db, cacheFolder: folder }, { exchangeId, plan: row.plan, strategy, span }, instruments);
  const [first] = pairs;
  if (first === undefined) throw new Error('There are no candles');
  const known = { ...strategy, adjustsPosition: false };
  const { settings } = settingsOfPlan({ exchangeId, plan: row.plan, bot: null, stakeAmount: '500' }, terms, known, first.instrument);
  const runner = new EpochRunner({
    base: { strategy, settings, timeframe: '1h' },
    dimensions: search.dimensions,
    loss: search.loss,
    minTrades: search.minTrades,
    pairs,
    others,
    detailTimeframe: null,
    range: ground.range,
    quirksOff: [],
    compute: (candles, parameters, symbol) => strategy.compute(candles, parameters, {}, symbol),
    callbacks: {},
  });
  // What stands beside the tries is measured as they are.
  const asConfigured = epochFigures(runner.runWith({ settings, parameters: defaultParameters(strategy) }));
  const { trades, profit, profitRatio, maxDrawdownRatio } = asConfigured;
  expect(ground.configured.trades).toBe(trades);
  for (const [name, value] of Object.entries({ profit, profitRatio, maxDrawdownRatio }))
    expect(ground.configured[name as 'profit'], name).toBeCloseTo(value, 9);
  const study = new Study(search);
  const epochs: { epoch: number; point: readonly number[]; loss: number | null; figures: object }[] = [];
  const open: NonNullable<ReturnType<Study['propose']>>[] = [];
  while (!study.isOver) {
    for (let batch = study.propose(); batch !== null; batch = study.propose()) open.push(batch);
    const batch = open.shift();
    if (batch === undefined) break;
    const outcomes = batch.points.map((point) => runner.outcome(point));
    outcomes.forEach(({ loss, figures }, i) => epochs.push({ epoch: batch.firstEpoch + i, point: batch.points[i] ?? [], loss, figures }));
    study.receive(
      batch,
      outcomes.map(({ loss }) => loss ?? Infinity),
    );
  }
  return epochs.slice(0, study.epochsReceived);
}

const withoutFaults = async (id: string) => (await epochsOf(id)).map(({ fault: _fault, ...epoch }) => epoch);

describe('workers of studies', () => {
  test(
    'one, two, and two of which one is killed in the middle come to the same epochs, which are those of one who runs them by itself',
    { timeout: 900_000 },
    async () => {
      const search = { epochs: 200 };
      const one = await begin(search);
      const alone = startWorker();
      await ended(one);
      await killed(alone);
      const epochs = await withoutFaults(one);
      expect(epochs).toHaveLength(200);
      expect(epochs).toEqual(await byItself(one));
      expect(new Set(epochs.map(({ point }) => JSON.stringify(valuesAt(aSearch.dimensions, point)))).size).toBe(200);

      const two = await begin(search);
      startWorker();
      startWorker();
      await ended(two);
      expect(await withoutFaults(two)).toEqual(epochs);
      await Promise.all(workers.splice(0).map(killed));

      let dying = await begin({ ...search, epochs: 1_000 });
      let survivors = 0; // studies that were done before the machine came to kill anybody: another one is begun
      const isDone = async (): Promise<boolean> => (await statusOf(dying)) === 'done';
      const leftBehind = async (): Promise<number> =>
        (await db.selectFrom('studyBatches').select('number').where('studyId', '=', dying).where('claimedUntil', 'is not', null).execute())
          .length;
      // Workers are killed until one leaves behind what it has taken.
      for (let victims = 0; victims === 0 || (await leftBehind()) === 0; victims++) {
        if (await isDone()) {
          survivors += 1;
          dying = await begin({ ...search, epochs: 1_000 });
        }
        const before = await epochsSoFar(dying);
        const victim = startWorker();
        await expect.poll(async () => (await epochsSoFar(dying)) > before + 40 || (await isDone())).toBe(true);
        await killed(victim);
      }
      expect(await epochsSoFar(dying)).toBeLessThan(1_000);
      startWorker();
      startWorker();
      await ended(dying);
      const rest = await withoutFaults(dying);
      expect(rest).toHaveLength(1_000);
      expect(rest.slice(0, 180)).toEqual(epochs.slice(0, 180)); // those of the shorter study, but for its last batch
      expect(rest).toEqual(await byItself(dying));
      const { tries } = await triesOfStudy(db, dying);
      expect(tries.count).toBe(200 + 200 + (survivors + 1) * 1_000); // each was counted once
      expect(await db.selectFrom('studyBatches').select('number').where('studyId', '=', dying).execute()).toEqual([]);
    },
  );

  test(
    'the epochs are those of the command for the same seed, on candles that it has downloaded itself',
    { timeout: 600_000 },
    async () => {
      // A limit that the command's configuration does not know.
      await sql`update strategies set max_consecutive_losses = 1000000 where id = ${strategyId}`.execute(db);
      const settings = { protections: [], stakeAmount: 'unlimited' as const };
      const { dimensions } = searchSpace({ strategy: strategyOfClass('EmaCross'), settings, timeframe: '1h' }, ['buy', 'stoploss']);
      const id = await begin({ dimensions, epochs: 120, sealedShare: null });
      startWorker();
      await ended(id);
      const { ground } = await requireStudy(db, id);
      const terms = await findStrategyById(db, strategyId);
      const config = {
        stake_currency: 'USDT',
        stake_amount: 'unlimited',
        dry_run_wallet: plan.starting_balance,
        max_open_trades: plan.max_open_trades,
        tradable_balance_ratio: 1,
        amend_last_stake_amount: true,
        trading_mode: 'spot',
        timeframe: '1h',
        stoploss: Number(terms?.stoploss),
        minimal_roi: terms?.minimalRoi,
        trailing_stop: terms?.trailingStop,
        trailing_stop_positive: Number(terms?.trailingStopPositive),
        trailing_stop_positive_offset: Number(terms?.trailingStopPositiveOffset),
        trailing_only_offset_is_reached: terms?.trailingOnlyOffsetIsReached,
        order_types: { ...terms?.orderTypes, stoploss_on_exchange: false },
        unfilledtimeout: { unit: 'minutes', entry: 60, exit: 60 },
        exchange: { name: 'sandbox', pair_whitelist: plan.pairs },
      };
      const place = mkdtempSync(join(folder, 'command-'));
      writeFileSync(join(place, 'config.json'), JSON.stringify(config));
      const { from, to } = ground?.range ?? { from: 0, to: 0 };
      const env = { ...process.env, SANDBOX_URL: market.sandbox.url, FLOTILLA_HOME: place };
      // Not at once: the exchange it asks is in this process.
      const command = (...words: string[]) => promisify(execFile)(process.execPath, ['src/main.ts', ...words], { cwd: root, env });
      const where = ['--datadir', join(place, 'candles'), '--pairs', ...plan.pairs];
      await command('download', ...where, '--exchange', 'sandbox', '--timeframe', '1h', '--timerange', `${from - 40 * dayMs}-${to + 1}`);
      const how = ['-e', '120', '--random-state', String(aSearch.seed), '--spaces', 'buy', 'stoploss', '-j', '2'];
      await command(
        'hyperopt',
        '--strategy',
        'EmaCross',
        '--config',
        join(place, 'config.json'),
        ...where,
        ...how,
        '--timerange',
        `${from}-${to}`,
      );
      const results = join(place, 'hyperopt_results');
      const [file = ''] = readdirSync(results).filter((name) => name.startsWith('strategy_'));
      const lines = readFileSync(join(results, file), 'utf8').trim().split('\n');
      const records = lines.map(
        (line) => JSON.parse(line) as { kind: string; epoch: number; point: number[]; loss: number | null; figures: object },
      );
      const ofCommand = records
        .filter(({ kind }) => kind === 'epoch')
        .map(({ epoch, point, loss, figures }) => ({ epoch, point, loss, figures }));
      expect(ofCommand).toHaveLength(120);
      expect(await withoutFaults(id)).toEqual(ofCommand);
      await sql`update strategies set max_consecutive_losses = 5 where id = ${strategyId}`.execute(db);
    },
  );

  test(
    'studies of one person and of another take turns, a cancelled one ends at once, and the others continue',
    { timeout: 900_000 },
    async () => {
      const [ann, bob] = [await aPerson(), await aPerson()];
      const [first, second, other] = [
        await begin({ epochs: 20_000 }, ann),
        await begin({ epochs: 20_000, seed: 8 }, ann),
        await begin({ epochs: 20_000, seed: 9 }, bob),
      ];
      startWorker();
      await expect
        .poll(async () => Math.min(...(await Promise.all([first, second, other].map(epochsSoFar)))), { timeout: 240_000 })
        .toBeGreaterThan(0);
      const start = await epochsAtOnce(first, second, other);
      await expect.poll(() => epochsSoFar(other), { timeout: 240_000 }).toBeGreaterThan((start[2] ?? 0) + 800);
      const now = await epochsAtOnce(first, second, other);
      const [a = 0, b = 0, c = 0] = now.map((epochs, i) => epochs - (start[i] ?? 0));
      expect(Math.abs(a + b - c)).toBeLessThan(160); // each person has half
      expect(Math.abs(a - b)).toBeLessThan(100); // and each study of a person as much as the other
      expect(await db.transaction().execute((trx) => cancelStudy(trx, other))).toBe(true);
      const cancelled = await epochsSoFar(other);
      const [atFirst, atSecond] = [await epochsSoFar(first), await epochsSoFar(second)];
      await expect.poll(() => epochsSoFar(first)).toBeGreaterThan(atFirst + 200);
      expect(await epochsSoFar(second)).toBeGreaterThan(atSecond);
      expect(await epochsSoFar(other)).toBe(cancelled);
    },
  );

  test(
    'candles that change in the middle end a study with a sentence: its epochs could not be compared',
    { timeout: 600_000 },
    async () => {
      const id = await begin({ epochs: 20_000 });
      const first = startWorker();
      await expect.poll(() => epochsSoFar(id), { timeout: 240_000 }).toBeGreaterThan(0);
      await killed(first);
      await sql`update studies set ground = jsonb_set(ground, '{candles}', '"other"') where id = ${id}`.execute(db);
      startWorker();
      await expect.poll(() => statusOf(id), { timeout: 240_000 }).toMatch(/^The candles of this study have changed since it began/u);
    },
  );

  test('a candle that was not there yet when a study was prepared changes nothing of it once it comes', { timeout: 600_000 }, async () => {
    const hour = 60 * minuteMs;
    const id = await addStudy(
      db,
      aStudy({ userId: await aPerson(), strategyId, plan: { ...plan, from: dayBefore(20), to: dayBefore(-1) }, search: aSearch }),
    );
    const row = await requireStudy(db, id ?? '');
    const early: BacktestDependencies = { ...dependenciesOn(db), now: () => Date.now() + 3 * hour }; // a clock that is ahead of the exchange's
    const signal = new AbortController().signal;
    const ground = await prepareStudy(early, row, { signal, progress: () => Promise.resolve() });
    expect(ground.until).toBeLessThanOrEqual(Date.now());
    expect(ground.range.to).toBeLessThan(ground.until);
    for (const symbol of row.plan.pairs) {
      const series = { exchangeId: row.exchangeId, marketType: row.plan.trading_mode, symbol, timeframe: '1h' as const };
      const came = candleColumns(1);
      for (const name of columnNames) came[name][0] = name === 'openTime' ? ground.until : 100;
      await writeCandles(db, series, { from: ground.until, to: ground.until + hour }, came);
    }
    const study = await OpenStudy.open(early, { ...row, ground }, 'studied', 1, signal);
    await study.close();
  });

  test(
    'what somebody changes of the strategy later changes neither the epochs of a study nor its sealed time',
    { timeout: 600_000 },
    async () => {
      const id = await begin({ sealedShare: 0.2 });
      const row = await requireStudy(db, id);
      const dependencies = dependenciesOn(db);
      const ground = await prepareStudy(dependencies, row, { signal: new AbortController().signal, progress: () => Promise.resolve() });
      const task = async (of: typeof ground) => {
        const instrument = fromKeptInstrument(ground.instruments[0]);
        const pairs = [{ instrument, candles: candleColumns(0), fundingRates: [] }];
        const loaded = { pairs, others: {}, range: ground.range };
        const { settings, parameters } = taskOfStudy(
          dependencies,
          { ...row, ground: JSON.parse(JSON.stringify(of)) as typeof of },
          await strategyOfStudy(dependencies, row),
          loaded,
          [],
        );
        return { settings, parameters };
      };
      const before = await task(ground);
      const { stoploss } = await db.selectFrom('strategies').select('stoploss').where('id', '=', strategyId).executeTakeFirstOrThrow();
      await sql`update strategies set stoploss = -0.01 where id = ${strategyId}`.execute(db);
      try {
        expect(await task(ground)).toEqual(before);
        const { settings: _none, ...ofBefore } = ground; // a study that was prepared before its settings were kept
        expect(await task(ofBefore as typeof ground)).not.toEqual(before);
      } finally {
        await sql`update strategies set stoploss = ${stoploss} where id = ${strategyId}`.execute(db);
      }
    },
  );

  test('a connection to the database that is lost while a study is prepared or opened does not end it', { timeout: 600_000 }, async () => {
    const id = await begin({ epochs: 60 });
    const own = openDatabase(url, { connections: 6, onError: () => undefined });
    const lost: string[] = [];
    const { promise: release, resolve: free } = Promise.withResolvers<void>();
    const held = db.transaction().execute(async (trx) => {
      await sql`lock table strategies in access exclusive mode`.execute(trx);
      await release;
    });
    const worker = workStudies(dependenciesOn(own), { onError: (error) => lost.push(error.message), threads: 1 });
    const cut = async (): Promise<number> =>
      (
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%"strategies"%'`.execute(db)
      ).rows.length;
    await expect.poll(cut).toBeGreaterThan(0);
    free();
    await held;
    await ended(id);
    await worker.close();
    await own.destroy();
    expect(lost.join()).toMatch(/terminat/u);
    expect(await withoutFaults(id)).toEqual(await byItself(id));
  });

  test('a worker that closes has given back what it is at before its threads have ended', { timeout: 600_000 }, async () => {
    const id = await begin({ epochs: 20_000 });
    const faults: Error[] = [];
    const worker = workStudies(dependenciesOn(db), { onError: (error) => faults.push(error), threads: 2 });
    await expect.poll(() => epochsSoFar(id), { timeout: 240_000 }).toBeGreaterThan(0);
    await expect.poll(() => claimedBatches(id)).toBeGreaterThan(0);
    const { promise: release, resolve: free } = Promise.withResolvers<void>();
    // oxlint-disable-next-line typescript/unbound-method -- called with its thread below
    const terminate = Worker.prototype.terminate;
    const held = vi.spyOn(Worker.prototype, 'terminate').mockImplementation(async function (this: Worker) {
      await release;
      return await terminate.call(this);
    });
    try {
      const closed = worker.close();
      await expect.poll(() => held.mock.calls.length).toBe(2); // both end as late as they can
      await expect.poll(() => claimedBatches(id)).toBe(0);
      free();
      await closed;
      expect(faults).toEqual([]);
    } finally {
      free();
      held.mockRestore();
    }
  });

  test('a worker whose reports never come in time runs each of its batches once', { timeout: 600_000 }, async () => {
    // As on a machine that gives it no time: every claim has run out as soon as it is made, and each write is slow.
    await sql`create table claims (number integer, attempts integer)`.execute(db);
    await sql`create function starved() returns trigger language plpgsql as $$ begin
      if new.losses is not null then perform pg_sleep(0.5); return new; end if;
      if new.attempts > old.attempts then insert into claims values (new.number, new.attempts); end if;
      new.claimed_until := now() - interval '1 s';
      return new; end $$`.execute(db);
    await sql`create trigger starved before update on study_batches for each row execute function starved()`.execute(db);
    try {
      const id = await begin({ epochs: 200 });
      startWorker();
      await ended(id);
      const claims = await sql<{ number: number; attempts: number }>`select * from claims order by number, attempts`.execute(db);
      expect(claims.rows).toEqual(Array.from({ length: 10 }, (_, number) => ({ number, attempts: 1 })));
    } finally {
      await sql`drop trigger starved on study_batches`.execute(db);
    }
  });

  test('a worker that is stopped gives back what it has not finished, and the next continues at once', { timeout: 600_000 }, async () => {
    const id = await begin({ epochs: 20_000 });
    const stopped = startRole();
    await expect.poll(() => epochsSoFar(id), { timeout: 240_000 }).toBeGreaterThan(0);
    const exit = once(stopped, 'exit');
    stopped.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(await claimedBatches(id)).toBe(0);
    const before = await epochsSoFar(id);
    startWorker();
    await expect.poll(() => epochsSoFar(id), { timeout: 240_000 }).toBeGreaterThan(before);
  });
});
