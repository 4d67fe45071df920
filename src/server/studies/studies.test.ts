import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallInput } from '#contract/client.ts';
import { portfolioTexts } from '#contract/portfolios.ts';
import { studyTexts } from '#contract/studies.ts';
import { dayMs } from '#engine/market/durations.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { workStudies } from '#runner/jobs/studies/work-studies.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startMarket } from '../../../test/support/market.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
const warmPythons = new WarmParents(wallsOfSystem());
const cacheFolder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));

type Person = Awaited<ReturnType<typeof server.signedIn>>;
type Body = CallInput<'startStudy'>['body'];
let trader: Person;
let other: Person;
let admin: Person;
let strategyId: string;
const errors: Error[] = [];
let worker: ReturnType<typeof workStudies> | null = null;
const startWorker = (): void => {
  const dependencies = {
    db,
    python: noPython,
    warmPythons,
    markets: market.connect(),
    disk: ampleDisk,
    cacheFolder,
    now: Date.now,
    log: () => {},
  };
  worker = workStudies(dependencies, { onError: (error) => errors.push(error), threads: 1 });
};
const stopWorker = async (): Promise<void> => {
  await worker?.close();
  worker = null;
};

beforeAll(async () => {
  await enterBuiltInStrategies(db);
  [trader, other, admin] = await Promise.all([server.signedIn('trader'), server.signedIn('trader'), server.signedIn('admin')]);
  strategyId = (await trader.listStrategies({})).strategies.find(({ name }) => name === 'EMA cross')?.id ?? '';
  startWorker();
});
afterAll(async () => {
  await stopWorker();
  warmPythons.end();
  rmSync(cacheFolder, { recursive: true, force: true });
  expect(errors).toEqual([]);
});

const today = Date.now(); // one day for all, also where midnight passes meanwhile
const dayBefore = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10);

const aBody = (search: Partial<Body['search']> = {}, plan: Partial<Body['plan']> = {}): Body => ({
  strategy_id: strategyId,
  plan: {
    exchange: 'Sandbox',
    trading_mode: 'spot',
    pairs: ['BTC/USDT', 'ETH/USDT'],
    from: dayBefore(45),
    to: dayBefore(5),
    timeframe: '1h',
    detail_timeframe: null,
    max_open_trades: 2,
    starting_balance: 1_000,
    stake_amount: null,
    leverage: 1,
    fee_ratio: 0.001,
    slippage_ratio: 0,
    protections: [],
    ...plan,
  },
  search: {
    spaces: ['buy', 'stoploss'],
    ranges: [],
    sampler: 'tpe',
    loss: 'SharpeHyperOptLossDaily',
    epochs: 70,
    min_trades: 1,
    seed: 42,
    early_stop: null,
    sealed_ratio: 0.2,
    ...search,
  },
});

async function ended(person: Person, id: string) {
  await expect.poll(async () => (await person.study({ params: { id }, query: {} })).study.status).toMatch(/done|failed|cancelled/u);
  return person.study({ params: { id }, query: {} });
}

const ran = async (person: Person, body: Body) => ended(person, (await person.startStudy({ body })).id);
const refusal = async (person: Person, body: Body): Promise<string> => (await failure(person.startStudy({ body }))).message;

describe('a study', () => {
  test('searches, judges its best, is listed, and is followed from an epoch on', async () => {
    const { study, details, epochs } = await ran(trader, aBody());
    expect([study.status, study.error]).toEqual(['done', null]);
    expect(study).toMatchObject({ strategy_name: 'EMA cross', epochs: 70, epochs_wanted: 70, seed: 42, is_own: true, email: null });
    expect(epochs.map(({ epoch }) => epoch)).toEqual(Array.from({ length: 70 }, (_, i) => i + 1));
    const losses = epochs.map(({ loss }) => loss ?? Infinity);
    expect(study.best_loss).toBe(Math.min(...losses));
    expect(study.best_epoch).toBe(losses.indexOf(Math.min(...losses)) + 1);
    expect(details).toMatchObject({ tries: 70, studies: 1, unsealed: null });
    expect(details?.luck?.luckiest).toBeGreaterThan(0);
    expect(details?.judgement?.doubled_fees?.trades).toBeGreaterThan(0);
    expect(details?.judgement?.delayed_signals).not.toBeNull();
    expect(details?.judgement?.neighbourhood?.count).toBeGreaterThan(2);
    expect(details?.judgement?.overfitting?.probability).toBeGreaterThanOrEqual(0);
    expect(details?.sealed?.to).toBe(Date.parse(dayBefore(4)) - 3_600_000);
    expect(details?.configured.trades).toBeGreaterThan(0);
    expect((await trader.listStudies({})).studies.map(({ id }) => id)).toEqual([study.id]);
    const rest = await trader.study({ params: { id: study.id }, query: { after: '60' } });
    expect(rest.epochs).toEqual(epochs.slice(60));
    const lines = (await listAudit(db, { action: 'start-study', search: '' }, 1)).lines;
    expect(lines).toMatchObject([{ action: 'start-study', target: study.id }]);
  });
});

describe('a study', () => {
  test('others see nothing of it, admins all; it is cancelled once, and removed when it has ended, with its tries still counted', async () => {
    await stopWorker();
    const { id } = await trader.startStudy({ body: aBody({ epochs: 20_000 }) });
    expect((await trader.study({ params: { id }, query: {} })).details).toBeNull();
    const notFound = { status: 404, message: `404 ${studyTexts.notFound}` };
    expect(await failure(other.study({ params: { id }, query: {} }))).toMatchObject(notFound);
    expect(await failure(other.cancelStudy({ params: { id } }))).toMatchObject(notFound);
    expect(await failure(other.removeStudy({ params: { id } }))).toMatchObject(notFound);
    expect(await failure(other.openSeal({ params: { id }, body: { epoch: 1 } }))).toMatchObject(notFound);
    expect((await other.listStudies({})).studies).toEqual([]);
    expect((await admin.listStudies({})).studies.find((study) => study.id === id)).toMatchObject({ is_own: false, email: trader.email });
    expect(await failure(trader.removeStudy({ params: { id } }))).toMatchObject({ status: 409 });

    startWorker();
    await expect.poll(async () => (await trader.study({ params: { id }, query: {} })).study.epochs).toBeGreaterThan(40);
    await trader.cancelStudy({ params: { id } });
    expect(await failure(trader.cancelStudy({ params: { id } }))).toMatchObject({ status: 409, message: `409 ${studyTexts.ended}` });
    const { study, details } = await trader.study({ params: { id }, query: {} });
    expect(study.status).toBe('cancelled');
    expect(study.best_epoch).not.toBeNull();
    expect(details?.luck).not.toBeNull();
    expect(details?.judgement).toBeNull();
    expect(details?.studies).toBe(2);
    expect(details?.tries).toBeGreaterThanOrEqual(70 + study.epochs);
    expect(await failure(trader.openSeal({ params: { id }, body: { epoch: 1 } }))).toMatchObject({ message: `409 ${studyTexts.notDone}` });

    await trader.removeStudy({ params: { id } });
    expect(await failure(trader.study({ params: { id }, query: {} }))).toMatchObject(notFound);
    const next = await ran(trader, aBody({ epochs: 20, seed: 5 }));
    expect(next.details?.tries).toBe((details?.tries ?? 0) + 20);
  });

  test('its seal is opened once, for one epoch, by one of two who press at the same moment, and what comes of it is kept', async () => {
    const { study } = await ran(trader, aBody({ epochs: 20, seed: 9 }));
    const open = (person: Person, epoch: number) => person.openSeal({ params: { id: study.id }, body: { epoch } });
    expect(await failure(open(trader, 21))).toMatchObject({ message: `400 ${studyTexts.epochFailed}` });
    const pressed = await Promise.allSettled([open(trader, 3), open(admin, 4), open(trader, 5)]);
    expect(pressed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = pressed.findIndex(({ status }) => status === 'fulfilled');
    expect(await failure(open(trader, 3))).toMatchObject({ message: `409 ${studyTexts.opened}` });
    const unsealed = async () => (await trader.study({ params: { id: study.id }, query: {} })).details?.unsealed;
    await expect.poll(async () => (await unsealed())?.figures ?? null).not.toBeNull();
    expect(await unsealed()).toMatchObject({ epoch: 3 + winner });
    expect((await listAudit(db, { action: 'open-seal', search: '' }, 1)).lines).toMatchObject([{ target: study.id }]);
    const none = await ran(trader, aBody({ epochs: 20, seed: 9, sealed_ratio: null }));
    expect(await failure(trader.openSeal({ params: { id: none.study.id }, body: { epoch: 1 } }))).toMatchObject({
      message: `409 ${studyTexts.nothingSealed}`,
    });
  });

  test('its seal stays open when the run on it has failed, with who opened it for what: the same epoch can be run again, and no other', async () => {
    const { study } = await ran(trader, aBody({ epochs: 20, seed: 12 }));
    const open = (epoch: number) => trader.openSeal({ params: { id: study.id }, body: { epoch } });
    const now = () => trader.study({ params: { id: study.id }, query: {} });
    await sql`update studies set unsealed_at = now(), unsealed_by = user_id, unsealed_epoch = 3, error = 'Gone.' where id = ${study.id}`.execute(
      db,
    );
    const failed = { at: expect.any(String), email: trader.email, epoch: 3, figures: null };
    expect(await now()).toMatchObject({ study: { error: 'Gone.' }, details: { unsealed: failed } });
    expect(await failure(open(4))).toMatchObject({ message: `409 ${studyTexts.opened}` });
    await open(3);
    await expect.poll(async () => (await now()).details?.unsealed?.figures ?? null).not.toBeNull();
    expect(await now()).toMatchObject({ study: { error: null }, details: { unsealed: { epoch: 3 } } });
    expect(await failure(open(3))).toMatchObject({ message: `409 ${studyTexts.opened}` });
  });

  test('who has opened its seal is named to that person and to admins: its owner does not learn which administrator it was', async () => {
    const { study } = await ran(trader, aBody({ epochs: 20, seed: 10 }));
    await admin.openSeal({ params: { id: study.id }, body: { epoch: 3 } });
    const namedTo = async (person: Person) => (await person.study({ params: { id: study.id }, query: {} })).details?.unsealed?.email;
    expect([await namedTo(trader), await namedTo(admin)]).toEqual([null, admin.email]);
    const own = await ran(trader, aBody({ epochs: 20, seed: 11 }));
    await trader.openSeal({ params: { id: own.study.id }, body: { epoch: 3 } });
    expect((await trader.study({ params: { id: own.study.id }, query: {} })).details?.unsealed?.email).toBe(trader.email);
  });

  test('five of a person may be under way, also when two calls come at once', async () => {
    await stopWorker();
    const starts = await Promise.allSettled(Array.from({ length: 7 }, () => other.startStudy({ body: aBody() })));
    const begun = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value.id] : []));
    expect(begun).toHaveLength(5);
    expect(await failure(other.startStudy({ body: aBody() }))).toMatchObject({ message: `409 ${studyTexts.tooMany}` });
    for (const id of begun) await other.cancelStudy({ params: { id } });
    startWorker();
  });

  test('perpetuals, a detail timeframe, protections and the settings of a bot are searched as a backtest has them', async () => {
    const bot = await addTestBot(db, {
      strategy: 'EmaCross',
      nickname: 'Tight',
      owner: trader.email,
      timeframe: '1h',
      stoploss: -0.004,
      marketType: 'futures',
      symbols: ['BTC/USDT:USDT'],
    });
    const body = aBody(
      { epochs: 20, spaces: ['protection'], sealed_ratio: null },
      {
        trading_mode: 'futures',
        pairs: ['BTC/USDT:USDT'],
        detail_timeframe: '15m',
        fee_ratio: null,
        leverage: 3,
        protections: [{ kind: 'cooldown', stopMinutes: 60 }],
      },
    );
    expect(await failure(other.startStudy({ body: { ...body, bot_id: bot } }))).toMatchObject({ status: 403 });
    const { study, epochs } = await ran(trader, { ...body, bot_id: bot });
    expect([study.status, study.error]).toEqual(['done', null]);
    expect(study).toMatchObject({ bot: { nickname: 'Tight', stoploss: -0.004 } });
    expect(study.dimensions.map(({ name }) => name)).toEqual(['protection_1_stop_minutes']);
    expect(epochs.some(({ figures }) => (figures?.trades ?? 0) > 0)).toBe(true);
  });

  test('it says what there is to search', async () => {
    const ask = {
      strategy_id: strategyId,
      timeframe: '1h' as const,
      is_stake_unlimited: true,
      protections: [],
      spaces: ['buy' as const, 'trades' as const],
    };
    const { dimensions } = await trader.studySpace({ body: ask });
    expect(dimensions.find(({ name }) => name === 'max_open_trades')).toEqual({
      name: 'max_open_trades',
      space: 'trades',
      min: 1,
      max: 10,
      step: 1,
    });
    expect(dimensions.filter(({ space }) => space === 'buy').length).toBeGreaterThan(1);
    expect((await trader.studySpace({ body: { ...ask, spaces: ['protection'] } })).dimensions).toEqual([]);
  });
});

describe('bad input', () => {
  test.each<[string, Partial<Body['search']>]>([
    [
      'This cannot be searched: The range of "stoploss" is upside down: it runs from -0.02 to -0.1.',
      { ranges: [{ name: 'stoploss', min: -0.02, max: -0.1, step: 0.01 }] },
    ],
    [studyTexts.loss, { loss: 'NoLoss' as 'SharpeHyperOptLoss' }],
    [studyTexts.epochs, { epochs: 1e9 }],
    [studyTexts.sealed, { sealed_ratio: 0.95 }],
    [studyTexts.spaces, { spaces: [] }],
  ])('%s', async (sentence, search) => {
    expect(await refusal(trader, aBody(search))).toBe(`400 ${sentence}`);
  });

  test('a grid of more points than can be tried, a name that is not there', async () => {
    const grid = aBody({ sampler: 'grid', spaces: ['roi', 'trailing', 'stoploss', 'buy'], epochs: 20_000 });
    expect(await refusal(trader, grid)).toMatch(
      /^400 This cannot be searched: The grid has about 10\^2\d points, and a grid may have 1000000 at most: /u,
    );
    expect(await refusal(trader, aBody({ ranges: [{ name: 'nothing', min: 1, max: 2, step: 1 }] }))).toMatch(
      /^400 This cannot be searched: There is nothing named "nothing" to search; there are /u,
    );
  });

  test('no trade in any epoch: the study fails with that sentence', async () => {
    const { study, details } = await ran(trader, aBody({ epochs: 20, min_trades: 5_000 }));
    expect([study.status, study.error]).toEqual(['failed', 'None of 20 epochs made 5000 trades: ask for fewer.']);
    expect(details?.luck).toBeNull();
  });

  test('a pair that is not there, a time without candles', async () => {
    expect(await refusal(trader, aBody({}, { pairs: ['NONE/USDT'] }))).toBe('404 Trading pair not found');
    expect(await refusal(trader, aBody({}, { from: dayBefore(2), to: dayBefore(9) }))).toBe(`400 ${portfolioTexts.range}`);
    expect(await refusal(trader, aBody({}, { pairs: ['BTC/USDT', 'BTC/USDC'] }))).toBe(`400 ${portfolioTexts.quotes}`);
  });
});
