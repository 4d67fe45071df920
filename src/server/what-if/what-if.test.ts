import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { unpackHistory } from '#contract/packed-history.ts';
import { whatIfOfWhat } from '#contract/what-if.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { Hindsight } from '#runner/hindsight/hindsight.ts';
import { findTerms } from '#runner/hindsight/what-if/find-terms.ts';
import { backtestWorker } from '#runner/jobs/work-backtests.ts';
import { candleDownloader } from '#runner/jobs/download-candles.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { classText } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { enterStrategyFile } from '#processes/enter-strategy-file.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { strategyText } from '#strategy-process/testing/strategy-text.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { startMarket } from '../../../test/support/market.ts';
import { enterPython } from '../../../test/support/test-code.ts';
import { patientHindsight } from '../../../test/support/test-hindsight.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

// What a replay with other settings needs of the server, and what the server answers itself: equal to backtests of these settings.

const market = await startMarket(1);
const stoodStill = Date.now(); // so that all calculations have the same days
const processes = new StrategyProcesses(
  { node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces },
  productTimes,
  () => undefined,
);
const server = await startTestServer({
  markets: market.connect(),
  jobs: async () => jobs,
  processes,
  whatIf: {
    terms: (subject) => findTerms(subject, { markets: server.dependencies.markets, now: () => stoodStill }),
    answer(question, signal) {
      const answer = hindsight.whatIf(question, signal);
      onAsked();
      return answer;
    },
  },
});
const { db } = server.dependencies;
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const jobs = await openJobs(db, databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? ''), {
  isWorker: true,
  onError: (error) => console.error(error),
});
const hindsight = new Hindsight({
  db,
  markets: market.connect(),
  python: testPythonPlaces,
  now: () => stoodStill,
  log: () => {},
  ...patientHindsight,
});
let onAsked: () => void = () => {}; // a replay has been asked for
const warmPythons = new WarmParents(wallsOfSystem());
const cacheFolder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));
const [maker, other, admin] = [await server.signedIn('trader'), await server.signedIn('trader'), await server.signedIn('admin')];
await enterBuiltInStrategies(db);
const builtIn = await listStrategies(db);
const idOf = (className: string): string => builtIn.find((strategy) => strategy.className === className)?.id ?? '';

beforeAll(async () => {
  const dependencies = {
    db,
    markets: market.connect(),
    disk: ampleDisk,
    cacheFolder,
    python: testPythonPlaces,
    warmPythons,
    now: () => stoodStill,
    log: () => {},
  };
  await jobs.workBacktests(backtestWorker(dependencies), { concurrency: 2 });
  await jobs.workDownloads(
    candleDownloader(dependencies, () => undefined),
    { concurrency: 2 },
  );
});
afterAll(async () => {
  await processes.end();
  await hindsight.close();
  await jobs.close();
  warmPythons.end();
  rmSync(cacheFolder, { recursive: true, force: true });
});

const run = {
  exchange: 'Sandbox',
  symbol: 'ETH/USDT',
  trading_mode: 'spot',
  timeframe: '15m',
  days: 30,
  stake_amount: 100,
  max_open_trades: 2,
} as const;
const runOf = async (strategy_id: string, changes: Partial<typeof run> | object = {}) =>
  (await maker.runBacktest({ body: { ...run, ...changes, strategy_id } })).id;
const setupOf = (id: string, by = maker) => by.whatIf({ query: { run: id } });
const answerTo = async (id: string, changes: object = {}) => {
  const { state, why, report } = await maker.whatIfAnswer({ body: { run: id, changes } });
  expect([state, why]).toEqual(['done', null]);
  return report!;
};
const makeBot = (strategy_id: string, changes: object = {}) =>
  maker.createBot({
    body: {
      strategy_id,
      exchange_id: 'sandbox',
      margin_mode: 'spot',
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 2,
      leverage: 1,
      trading_pairs: ['ETH/USDT', 'BTC/USDT'],
      leverage_mode: 'isolated',
      user_email: maker.email,
      mode: 'paper',
      own_settings: { timeframe: '15m' },
      ...changes,
    },
  });
const plan = (changes: object = {}) => {
  const day = (ago: number) => new Date(stoodStill - ago * dayMs).toISOString().slice(0, 10);
  return {
    exchange: 'Sandbox',
    trading_mode: 'spot' as const,
    pairs: ['ETH/USDT', 'BTC/USDT'],
    from: day(20),
    to: day(2),
    timeframe: '1h' as const,
    detail_timeframe: null,
    max_open_trades: 2,
    starting_balance: 1_000,
    stake_amount: 100,
    leverage: 1,
    fee_ratio: null,
    slippage_ratio: 0.0005,
    protections: [{ kind: 'cooldown' as const, stopMinutes: 120 }],
    ...changes,
  };
};
const portfolioOf = async (changes: object = {}) => {
  const { id } = await maker.startPortfolio({ body: { strategy_id: idOf('EmaCross'), plan: plan(changes) } });
  await expect.poll(async () => (await maker.portfolio({ params: { id } })).run.status).toBe('done');
  return { id, details: (await maker.portfolio({ params: { id } })).details };
};

describe('the server answers as its backtests do', () => {
  test('without changes: the trades that are kept of the run', async () => {
    const id = await runOf(idOf('EmaCross'));
    const { fingerprint } = await setupOf(id);
    const report = await answerTo(id);
    expect(report.figures.trades).toBeGreaterThan(10);
    expect(fingerprint).toEqual({ value: report.fingerprint, trades: report.figures.trades });
  });

  test('with another stake and other slots: a backtest of these', async () => {
    const [id, others] = [await runOf(idOf('RsiReversal')), await runOf(idOf('RsiReversal'), { stake_amount: 250, max_open_trades: 1 })];
    const report = await answerTo(id, { stake: 250, max_open_trades: 1 });
    expect(report.fingerprint).toBe((await setupOf(others)).fingerprint?.value);
    expect(report.fingerprint).not.toBe((await answerTo(id)).fingerprint);
  });

  test('with the settings and parameters of a bot: a backtest with the settings of that bot', async () => {
    const strategy = idOf('EmaCross');
    const bot = await makeBot(strategy, {
      own_settings: {
        timeframe: '15m',
        stoploss: -0.012,
        trailing: {
          trailing_stop: true,
          trailing_stop_positive: 0.004,
          trailing_stop_positive_offset: 0.01,
          trailing_only_offset_is_reached: true,
        },
        parameters: { fastPeriod: 8, slowPeriod: 40 },
      },
    });
    const ofBot = await runOf(strategy, { bot_id: bot.id });
    const plainRun = await runOf(strategy);
    const changes = {
      stoploss: -0.012,
      trailing_stop: 0.004,
      trailing_offset: 0.01,
      parameters: { fastPeriod: 8, slowPeriod: 40 },
    };
    expect((await answerTo(plainRun, changes)).fingerprint).toBe((await setupOf(ofBot)).fingerprint?.value);
  });

  test('without changes of a run with cross margin: the trades of the run, which the whole account has carried', async () => {
    const strategy = idOf('BuyAndHold');
    const symbol = 'ETH/USDT:USDT';
    // It leaves and enters again, so that it falls below an entry in any market.
    const own_settings = { timeframe: '15m', minimal_roi: { 0: 0.5 } };
    const perpetual = { margin_mode: 'futures', leverage: 50, stake_amount: 10, trading_pairs: [symbol], own_settings };
    const bots = await Promise.all(
      (['cross', 'isolated'] as const).map((leverage_mode) => makeBot(strategy, { ...perpetual, leverage_mode })),
    );
    const fingerprints: (string | undefined)[] = [];
    for (const bot of bots) {
      const id = await runOf(strategy, { bot_id: bot.id, trading_mode: 'futures', symbol, stake_amount: 10, max_open_trades: 50 });
      fingerprints.push((await answerTo(id)).fingerprint);
      expect((await setupOf(id)).fingerprint?.value).toBe(fingerprints.at(-1));
    }
    expect(new Set(fingerprints).size).toBe(2);
  });

  test('a run over several pairs with slippage and protections; its capital is its own', async () => {
    const { id, details } = await portfolioOf();
    const setup = await setupOf(id);
    expect(setup).toMatchObject({
      is_portfolio: true,
      own_capital: true,
      pairs: ['ETH/USDT', 'BTC/USDT'],
      fee_note: 'With slippage of 0.05%',
      fingerprint: { value: details?.fingerprint, trades: null },
    });
    const report = await answerTo(id);
    expect(report.figures.trades).toBeGreaterThan(5);
    expect(report.fingerprint).toBe(details?.fingerprint);
    const larger = await portfolioOf({ stake_amount: 300 });
    expect((await answerTo(id, { stake: 300 })).fingerprint).toBe(larger.details?.fingerprint);
  });

  test('the trades inside smaller candles, where the run had them', async () => {
    const { id, details } = await portfolioOf({ detail_timeframe: '5m', slippage_ratio: 0 });
    expect((await setupOf(id)).detail_timeframe).toBe('5m');
    expect((await answerTo(id)).fingerprint).toBe(details?.fingerprint);
  });

  test('a bot over its last days, with the settings of now', async () => {
    const bot = await makeBot(idOf('EmaCross'));
    const setup = await maker.whatIf({ query: { bot: bot.id, days: '30' } });
    expect(setup).toMatchObject({
      title: bot.nickname,
      bot: { id: bot.id, may_configure: true },
      run: null,
      fingerprint: null,
      pairs: ['ETH/USDT', 'BTC/USDT'],
      own_capital: false,
    });
    expect(setup.to - setup.from).toBe(30 * dayMs);
    const ask = (changes: object) => maker.whatIfAnswer({ body: { bot: bot.id, days: 30, to: setup.to, changes } });
    const [real, tighter] = [await ask({}), await ask({ stoploss: -0.005 })];
    expect(real.report?.endTime).toBe(setup.to - 15 * minuteMs);
    expect(real.report?.fingerprint).not.toBe(tighter.report?.fingerprint);
    await maker.updateBot({ params: { id: bot.id }, body: { own_settings: { stoploss: -0.005 } } });
    expect((await ask({})).report?.fingerprint).toBe(tighter.report?.fingerprint); // the settings of now
  });

  test('what contradicts itself is said in a sentence', async () => {
    const id = await runOf(idOf('EmaCross'));
    const { state, why, report } = await maker.whatIfAnswer({ body: { run: id, changes: { parameters: { fastPeriod: 5_000, no: 1 } } } });
    expect([state, report]).toEqual(['unavailable', null]);
    expect(why).toBe('fastPeriod goes from 5 to 25 in steps of 1, and was 5000. The strategy has no parameter no.');
  });
});

describe('what a browser is given', () => {
  test('candles of the range with those before it, their instrument and what perpetuals have paid', async () => {
    const length = 15 * minuteMs;
    const to = Math.floor((stoodStill - dayMs) / length) * length;
    const query = {
      exchange: 'sandbox',
      symbol: 'BTC/USDT:USDT',
      trading_mode: 'futures' as const,
      timeframe: '15m' as const,
      from: String(to - 3 * dayMs),
      to: String(to),
      warm_up: '50',
    };
    const { rawPayload, statusCode } = await server.app.inject({
      url: `/api/what-if/candles?${new URLSearchParams(query).toString()}`,
      headers: { host: 'localhost:3000', cookie: [...maker.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    expect(statusCode).toBe(200);
    const history = unpackHistory(new Uint8Array(rawPayload).buffer);
    expect([history.from, history.to]).toEqual([to - 3 * dayMs, to]);
    expect(history.candles.openTime).toHaveLength(50 + 3 * 96);
    expect(history.candles.openTime.at(-1)).toBe(to - length);
    expect(history.instrument.symbol).toBe('BTC/USDT:USDT');
    expect(history.funding?.time.length).toBeGreaterThan(0);
    const refused = async (changes: Partial<typeof query>): Promise<string> =>
      (await failure(maker.whatIfCandles({ query: { ...query, ...changes } }))).message;
    expect(await refused({ from: String(to) })).toBe('400 Invalid data period');
    expect(await refused({ to: String(to + 1) })).toBe('400 Invalid data period');
    expect(await refused({ to: String(to + 400 * dayMs) })).toBe('400 Invalid data period');
    expect(await refused({ from: '0' })).toBe('400 Invalid data period'); // more than a million candles
    expect(await refused({ symbol: 'NONE/USDT' })).toBe('404 Trading pair not found');
  });

  test('built-in strategies come as modules of the program, rules as their document', async () => {
    const { source } = await setupOf(await runOf(idOf('EmaCross')));
    expect(source).toEqual({ kind: 'program', module: server.dependencies.programModules().addressOf('strategies/built-in.ts') });
    const rules = (await maker.makeRules({ body: { document: { ...emaCross, title: 'What if rules' } } })).id;
    const ofRules = await setupOf(await runOf(rules));
    expect(ofRules.source).toMatchObject({ kind: 'rules', document: { title: 'What if rules' } });
  });

  test('a module is served under the hash of the program alone, as JavaScript that may be kept', async () => {
    const { hash } = server.dependencies.programModules();
    const found = await server.app.inject({
      url: `/api/program-modules/${hash}/strategies/ema-cross.js`,
      headers: { host: 'localhost:3000' },
    });
    expect([found.statusCode, found.headers['content-type'], found.headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    for (const path of ['0000/strategies/ema-cross.js', `${hash}/src/server/server.js`, `${hash}/..%2Fpackage.json`, `${hash}/`])
      expect((await server.app.inject({ url: `/api/program-modules/${path}`, headers: { host: 'localhost:3000' } })).statusCode, path).toBe(
        404,
      );
  });
});

describe('whose it is', () => {
  test('a run is replayed by who has it and by admins; a bot by who sees it, and configured by who may', async () => {
    const id = await runOf(idOf('EmaCross'));
    expect((await failure(setupOf(id, other))).message).toBe('404 Backtest not found');
    expect((await failure(other.whatIfAnswer({ body: { run: id, changes: {} } }))).message).toBe('404 Backtest not found');
    expect((await setupOf(id, admin)).run).toBe(id);
    const bot = await makeBot(idOf('EmaCross'));
    expect((await failure(other.whatIf({ query: { bot: bot.id } }))).message).toBe('403 You do not have access to this bot');
    const [investor, operator] = [await server.signedIn('investor'), await server.signedIn('operator')];
    for (const reader of [investor, operator])
      expect((await reader.whatIf({ query: { bot: bot.id } })).bot, reader.email).toMatchObject({ may_configure: false });
    expect((await failure(maker.whatIf({ query: {} }))).message).toBe(`400 ${whatIfOfWhat}`);
    expect((await failure(maker.whatIf({ query: { run: id, bot: bot.id } }))).message).toBe(`400 ${whatIfOfWhat}`);
  });

  test('of a person the newest replay counts; that of another person is not ended by it', async () => {
    const mine = await runOf(idOf('EmaCross'));
    const theirs = (await other.runBacktest({ body: { ...run, strategy_id: idOf('EmaCross') } })).id;
    const ask = async <T>(answer: () => Promise<T>): Promise<{ answer: Promise<T> }> => {
      const asked = Promise.withResolvers<void>();
      onAsked = asked.resolve;
      const given = answer();
      await asked.promise;
      return { answer: given };
    };
    const replayed = (by: typeof maker, of: string, stake: number) => by.whatIfAnswer({ body: { run: of, changes: { stake } } });
    // All wait for their candles: on a quick machine the first would be answered before the next is asked.
    const asked = await db.transaction().execute(async (trx) => {
      await sql`lock table candle_chunks`.execute(trx);
      const older = await ask(() => failure(replayed(maker, mine, 50)));
      const newest = await ask(() => replayed(maker, mine, 60));
      return { older, newest, others: await ask(() => replayed(other, theirs, 70)) };
    });
    expect((await asked.older.answer).status).toBe(409);
    for (const { answer } of [asked.newest, asked.others]) expect((await answer).state).toBe('done');
  });

  test('rules of somebody else are calculated by the server, and their document stays where it is', async () => {
    const rules = (await maker.makeRules({ body: { document: { ...emaCross, title: 'Mine alone' } } })).id;
    const id = await runOf(rules);
    const [mine, ofAdmin] = [await setupOf(id), await setupOf(id, admin)];
    expect([mine.source?.kind, ofAdmin.source?.kind]).toEqual(['rules', 'rules']);
    await maker.shareRules({ params: { id: rules }, body: { is_shared: true } });
    const theirs = (await other.runBacktest({ body: { ...run, strategy_id: rules } })).id;
    expect((await setupOf(theirs, other)).source?.kind).toBe('rules');
    await maker.shareRules({ params: { id: rules }, body: { is_shared: false } });
    const after = await setupOf(theirs, other);
    expect([after.source, after.source_note]).toEqual([null, 'These rules belong to somebody else, so the server calculates.']);
    expect(JSON.stringify(after)).not.toContain('enterLong');
    const { report } = await other.whatIfAnswer({ body: { run: theirs, changes: {} } });
    expect(report?.fingerprint).toBe(after.fingerprint?.value);
  });
});

describe('a file in TypeScript', () => {
  const text = strategyText({
    before: "import { late } from './lines/late.ts';",
    callbacks: 'customExit: ({ trade, time }) => late(trade, time)',
  });
  const helper =
    "export const late = (trade: { openTime: number }, time: number) => (time - trade.openTime > 7_200_000 ? 'late' : null);\n";
  const enter = async (): Promise<string> => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-strategies-'));
    try {
      mkdirSync(join(folder, 'lines'));
      writeFileSync(join(folder, 'above.ts'), text);
      writeFileSync(join(folder, 'lines/late.ts'), helper);
      const options = { node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces };
      const checked = await checkFile(options, folder, 'above.ts');
      expect(await enterStrategyFile(db, 'above.ts', checked, ['sandbox'])).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    return (await listStrategies(db)).find(({ className }) => className === 'Above')?.id ?? '';
  };

  test('is a module to admins, who may read it; to others the server answers, twice the same', async () => {
    const strategy = await enter();
    const id = await runOf(strategy);
    const [mine, ofAdmin] = [await setupOf(id), await setupOf(id, admin)];
    expect([mine.source, mine.source_note]).toEqual([null, "The text of a strategy's file is for admins, so the server calculates."]);
    const address = (path: string): string => `/api/strategies/${strategy}/code/1/module/${path}`;
    expect(ofAdmin.source).toMatchObject({ kind: 'file', module: address('above.ts'), export_name: 'default' });
    const changed = [await answerTo(id, { stake: 50 }), await answerTo(id, { stake: 50 })];
    expect(changed[0]).toEqual(changed[1]);
    expect((await answerTo(id)).fingerprint).toBe(mine.fingerprint?.value);

    const fetched = (path: string, by: typeof maker) =>
      server.app.inject({
        url: address(path),
        headers: { host: 'localhost:3000', cookie: [...by.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      });
    const found = await fetched('above.ts', admin);
    expect([found.statusCode, found.headers['content-type']]).toEqual([200, 'text/javascript']);
    expect(found.body).toContain(`from '${address('lines%2Flate.ts')}'`);
    expect(found.body).toContain(server.dependencies.programModules().addressOf('src/engine/indicators/ema.ts'));
    expect(found.body).not.toContain(': Strategy');
    expect((await fetched('lines%2Flate.ts', admin)).body).toContain('export const late');
    for (const path of ['none.ts', '..%2Fabove.ts', 'constructor', '__proto__'])
      expect((await fetched(path, admin)).statusCode, path).toBe(404);
    expect((await fetched('above.ts', maker)).statusCode).toBe(403);
  });
});

describe.skipIf(testPython === null)(needsPython('a strategy in Python'), () => {
  test('is calculated by the server as a backtest is: real, with other settings, again and again', async () => {
    const strategy = await enterPython(db, 'WhatAbove', classText('WhatAbove'));
    const id = await runOf(strategy);
    const setup = await setupOf(id, maker);
    expect([setup.source, setup.source_note]).toEqual([null, 'Strategies in Python are calculated by the server.']);
    const real = await answerTo(id);
    expect(real.figures.trades).toBeGreaterThan(10);
    expect(real.fingerprint).toBe(setup.fingerprint?.value);
    const other = await runOf(strategy, { stake_amount: 40 });
    expect((await answerTo(id, { stake: 40 })).fingerprint).toBe((await setupOf(other)).fingerprint?.value);
    expect((await answerTo(id)).fingerprint).toBe(real.fingerprint);
  });

  test('that looks at its settings is given those that were turned', async () => {
    const methods = `def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
    return "half" if current_profit < self.config["stoploss"] / 2 else None`;
    const strategy = await enterPython(db, 'WhatLooks', classText('WhatLooks', { methods }));
    const id = await runOf(strategy);
    const [wide, narrow] = [await answerTo(id, { stoploss: -0.05 }), await answerTo(id, { stoploss: -0.01 })];
    const lowest = (report: typeof wide): number =>
      Math.min(...report.trades.map(({ exitPrice, entryPrice }) => exitPrice / entryPrice - 1));
    expect(narrow.trades.some(({ exitReason }) => exitReason === 'half')).toBe(true);
    expect(lowest(wide)).toBeLessThan(lowest(narrow));
  });
});
