import { noPython } from '#strategy-process/python/find-python.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, indicator, parameter, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { Hindsight } from '#runner/hindsight/hindsight.ts';
import { backtestWorker } from '#runner/jobs/work-backtests.ts';
import { toTypeScript } from '#engine/rules/to-typescript.ts';
import { enterFileStrategy } from '#storage/strategies/strategies.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { sql } from 'kysely';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { startMarket } from '../../../test/support/market.ts';
import { patientHindsight } from '../../../test/support/test-hindsight.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

// What is calculated with rules, and with files, that read another pair: backtests in the worker, what settings would have done, refused entries, lines of a chart.

const market = await startMarket(1);
const stoodStill = Date.now(); // so that all calculations have the same days
const atStart = { node: process.execPath, walls: wallsOfSystem(), python: noPython };
const processes = new StrategyProcesses(atStart, productTimes, () => undefined);
const server = await startTestServer({
  markets: market.connect(),
  jobs: async () => jobs,
  askHindsight: (question, signal) => hindsight.ask(question, signal),
  askReplay: (question, signal) => hindsight.replay(question, signal),
  processes,
});
const { db } = server.dependencies;
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const jobs = await openJobs(db, databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? ''), {
  isWorker: true,
  onError: (error) => console.error(error),
});
const hindsight = new Hindsight({ db, markets: market.connect(), now: () => stoodStill, log: () => {}, ...patientHindsight });
const strategies = mkdtempSync(join(tmpdir(), 'flotilla-strategies-'));
const cacheFolder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));
const [maker, other] = [await server.signedIn('trader'), await server.signedIn('trader')];
let gate: Promise<void> | null = null; // a run that a test holds up

beforeAll(async () => {
  const work = backtestWorker({
    db,
    markets: market.connect(),
    disk: ampleDisk,
    cacheFolder,
    python: noPython,
    warmPythons: new WarmParents(wallsOfSystem()),
    now: () => stoodStill,
    log: () => {},
  });
  await jobs.workBacktests(
    async (run, each) => {
      await gate;
      return work(run, each);
    },
    { concurrency: 2 },
  );
});
afterAll(async () => {
  await processes.end();
  await hindsight.close();
  await jobs.close();
  for (const folder of [cacheFolder, strategies]) rmSync(folder, { recursive: true, force: true });
});

const close = price('close');
const bitcoin = { ...close, symbol: 'BTC/USDT' };
const average = (of: object) => ({ ...indicator('ema', { period: parameter('period') }, 'value', close), ...of });

/** Follows the average of Bitcoin, whatever it trades. */
const followsBitcoin: RulesDocument = {
  ...emaCross,
  title: 'Follows Bitcoin',
  defaults: { ...emaCross.defaults, timeframe: '15m', minimalRoi: {}, stoploss: -0.5, trailingStop: false },
  parameters: { period: { default: 20, min: 5, max: 50, step: 5, unit: 'candles', meaning: '' } },
  enterLong: [{ tag: 'above', when: compare(bitcoin, 'crossesAbove', average({ symbol: 'BTC/USDT' })) }],
  exitLong: [{ tag: 'below', when: compare(bitcoin, 'crossesBelow', average({ symbol: 'BTC/USDT' })) }],
  enterShort: [],
  exitShort: [],
};
/** The same of its own pair. */
const followsItself: RulesDocument = {
  ...followsBitcoin,
  title: 'Follows itself',
  enterLong: [{ tag: 'above', when: compare(close, 'crossesAbove', average({})) }],
  exitLong: [{ tag: 'below', when: compare(close, 'crossesBelow', average({})) }],
};
const run = {
  exchange: 'Sandbox',
  symbol: 'ETH/USDT',
  trading_mode: 'spot',
  timeframe: '15m',
  days: 30,
  stake_amount: 100,
  max_open_trades: 1,
} as const;
const make = async (document: RulesDocument) => (await maker.makeRules({ body: { document } })).id;
/** Enters a strategy's file as the folder does; gives the id of the strategy. */
const makeFile = async (text: string) => {
  writeFileSync(join(strategies, 'mine.ts'), text);
  const { files, hash, strategies: found } = await checkFile(atStart, strategies, 'mine.ts');
  const [described] = found;
  if (described === undefined) throw new Error('The file has no strategy');
  const { timeframe, minimalRoi, ...defaults } = described.defaults;
  const entered = await enterFileStrategy(db, {
    ...defaults,
    className: described.name,
    name: described.title,
    description: '',
    supportedExchanges: ['sandbox'],
    defaultTimeframe: timeframe,
    minimalRoi,
    position: 1_000,
  });
  await keepCode(db, {
    strategyId: entered!.id,
    hash,
    file: 'mine.ts',
    exportName: 'default',
    files,
    description: described,
    madeBy: null,
  });
  return entered!.id;
};
const tradesOf = async (id: string) => {
  const details = (await maker.backtestResults({ query: { id } })).results[0]?.details;
  return (details?.trades ?? []).map(({ timestamp, exit_timestamp, exit_reason }) => [timestamp, exit_timestamp, exit_reason]);
};
const settings = (strategy_id: string) => ({
  strategy_id,
  exchange_id: 'sandbox',
  margin_mode: 'spot' as const,
  stake_currency: 'USDT',
  stake_amount: 100,
  max_open_trades: 1,
  leverage: 1,
  trading_pairs: ['ETH/USDT'],
  leverage_mode: 'isolated' as const,
});
const makeBot = (strategy: string, by = maker) => by.createBot({ body: { ...settings(strategy), user_email: by.email, mode: 'paper' } });

test('a backtest trades one pair by the candles of another one, at the same times as that pair itself is traded', async () => {
  const [reading, plain] = [await make(followsBitcoin), await make(followsItself)];
  const ofEther = await maker.runBacktest({ body: { ...run, strategy_id: reading } });
  const ofBitcoin = await maker.runBacktest({ body: { ...run, symbol: 'BTC/USDT', strategy_id: plain } });
  expect(ofEther.metrics.total_trades).toBeGreaterThan(10);
  expect(await tradesOf(ofEther.id)).toEqual(await tradesOf(ofBitcoin.id));
  expect(ofEther.metrics.net_pnl).not.toBe(ofBitcoin.metrics.net_pnl); // the prices are those of the pair that is traded
  const itself = await maker.runBacktest({ body: { ...run, symbol: 'BTC/USDT', strategy_id: reading } });
  expect(await tradesOf(itself.id)).toEqual(await tradesOf(ofBitcoin.id));
});

test('what settings would have done is what the backtest of them comes to; a pair that is read is not traded', async () => {
  const strategy = await make(followsBitcoin);
  const { metrics } = await maker.runBacktest({ body: { ...run, strategy_id: strategy } });
  const { state, figures } = await maker.newBotHindsight({ body: settings(strategy) });
  expect(state).toBe('done');
  expect(figures).toMatchObject({ trades: metrics.total_trades, timeframe: '15m' });
  expect(figures?.profit).toBeCloseTo(metrics.net_pnl, 6);
  const own = { ...settings(strategy), own_settings: { parameters: { period: 50 } } };
  expect((await maker.newBotHindsight({ body: own })).figures?.trades).toBeLessThan(metrics.total_trades);
  const both = await maker.newBotHindsight({
    body: { ...settings(strategy), trading_pairs: ['ETH/USDT', 'BTC/USDT'], max_open_trades: 2 },
  });
  expect(both.figures?.trades).toBeGreaterThan(metrics.total_trades); // now it is traded too
});

test('what the settings of a bot would have done is of the version that it runs, not of a newer one', async () => {
  const strategy = await make(followsBitcoin);
  const bot = await makeBot(strategy);
  const ask = async () => (await maker.botHindsight({ params: { id: bot.id }, body: {} })).figures;
  const asRun = await ask();
  expect(asRun?.trades).toBeGreaterThan(10);
  await maker.saveRules({ params: { id: strategy }, body: { document: { ...followsItself, title: followsBitcoin.title }, based_on: 1 } });
  expect((await maker.newBotHindsight({ body: settings(strategy) })).figures?.profit).not.toBe(asRun?.profit);
  expect(await ask()).toEqual(asRun);
});

const plan = (pairs: string[]) => {
  const day = (ago: number) => new Date(stoodStill - ago * dayMs).toISOString().slice(0, 10);
  return {
    exchange: 'Sandbox',
    trading_mode: 'spot' as const,
    pairs,
    from: day(20),
    to: day(2),
    timeframe: '15m' as const,
    detail_timeframe: null,
    max_open_trades: 2,
    starting_balance: 1_000,
    stake_amount: 100,
    leverage: 1,
    fee_ratio: null,
    slippage_ratio: 0,
    protections: [],
  };
};

test('a file that reads an hour of another pair does what rules do that read the same: backtests, hindsight, charts', async () => {
  const ofHours = { symbol: 'BTC/USDT', timeframe: '1h' as const };
  const document: RulesDocument = {
    ...followsBitcoin,
    title: 'Follows hours',
    enterLong: [{ tag: 'above', when: compare({ ...bitcoin, ...ofHours }, 'crossesAbove', average(ofHours)) }],
    exitLong: [{ tag: 'below', when: compare({ ...bitcoin, ...ofHours }, 'crossesBelow', average(ofHours)) }],
  };
  const text = toTypeScript(document).replace('series: [{"symbol":"BTC/USDT"}]', 'series: [{ symbol: "BTC/{quote}", timeframe: "1h" }]');
  expect(text).toContain('series: [{ symbol: "BTC/{quote}", timeframe: "1h" }]');
  const rules = await make(document);
  const byPattern = text.replaceAll('"symbol":"BTC/USDT"', '"symbol":"BTC/{quote}"');
  const file = await makeFile(byPattern);
  const [ofRules, ofFile] = [
    await maker.runBacktest({ body: { ...run, strategy_id: rules } }),
    await maker.runBacktest({ body: { ...run, strategy_id: file } }),
  ];
  expect(ofFile.metrics.total_trades).toBeGreaterThan(5);
  expect(ofFile.metrics).toEqual(ofRules.metrics);
  expect(await tradesOf(ofFile.id)).toEqual(await tradesOf(ofRules.id));
  const portfolio = async (strategy: string) => {
    const { id } = await maker.startPortfolio({ body: { strategy_id: strategy, plan: plan(['ETH/USDT', 'SOL/USDT']) } });
    await expect.poll(async () => (await maker.portfolio({ params: { id } })).run.status).toBe('done');
    return (await maker.portfolio({ params: { id } })).details?.pairs;
  };
  expect(await portfolio(file)).toEqual(await portfolio(rules));
  expect((await maker.newBotHindsight({ body: settings(file) })).figures).toEqual(
    (await maker.newBotHindsight({ body: settings(rules) })).figures,
  );
  const lines = async (strategy: string) => {
    const bot = await makeBot(strategy);
    return (await maker.chartOverlays({ query: { bot_id: bot.id, symbol: 'ETH/USDT', indicators: 'on' } })).indicators ?? [];
  };
  const [, hours] = /const (\w+) = onOwnRows/u.exec(text) ?? [];
  const named = byPattern.replace('return signals', `return { ...signals, indicators: { hours: ${hours} } }`);
  const drawn = await lines(await makeFile(named));
  expect(drawn.map(({ name }) => name)).toEqual(['hours']);
  const { candles } = await maker.chartCandles({ query: { bot_id: (await makeBot(file)).id, symbol: 'ETH/USDT' } });
  expect(drawn[0]?.points.at(-1)?.value).toBeGreaterThan(5 * (candles.at(-1)?.close ?? Infinity)); // the price of Bitcoin
});

test('a bot or a backtest is not set up where a file’s series cannot be had: on longer candles, or without its pair', async () => {
  const text = toTypeScript(followsItself).replace('  compute(', '  series: [{ symbol: "{base}/BTC" }, { timeframe: "1h" }],\n  compute(');
  const strategy = await makeFile(text.replace('name: "FollowsItself"', 'name: "ReadsCrosses"'));
  const noPair = '400 The strategy cannot run here: There is no pair ETH/BTC, which it reads for ETH/USDT.';
  expect((await failure(makeBot(strategy))).message).toBe(noPair);
  expect((await failure(maker.runBacktest({ body: { ...run, strategy_id: strategy } }))).message).toBe(noPair);
  expect((await failure(maker.newBotHindsight({ body: settings(strategy) }))).message).toBe(noPair);
  const body = { strategy_id: strategy, plan: { ...plan(['ETH/USDT']), timeframe: '4h' as const } };
  const tooLong = '400 The strategy cannot run here: ReadsCrosses reads candles of 1h, which cannot be made of candles of 4h.';
  expect((await failure(maker.startPortfolio({ body }))).message).toBe(tooLong);
  const admin = await server.signedIn('admin');
  const changed = admin.updateStrategy({ params: { id: strategy }, body: { default_timeframe: '4h' } });
  expect((await failure(changed)).message).toBe(tooLong);
});

test('a backtest over several pairs reads the candles of one that it does not trade', async () => {
  const strategy = await make(followsBitcoin);
  const { id } = await maker.startPortfolio({ body: { strategy_id: strategy, plan: plan(['ETH/USDT', 'SOL/USDT']) } });
  await expect.poll(async () => (await maker.portfolio({ params: { id } })).run.status).toBe('done');
  const { run: done, details } = await maker.portfolio({ params: { id } });
  expect(done).toMatchObject({ error: null, code_version: 1 });
  expect(details?.pairs.map(({ key }) => key).toSorted()).toEqual(['ETH/USDT', 'SOL/USDT']);
  expect(new Set(details?.pairs.map(({ trades }) => trades)).size).toBe(1); // both follow the same
  expect(details?.pairs[0]?.trades).toBeGreaterThan(10);
});

test('a bot is backtested with its version and its parameters, also when its rules are shared no more', async () => {
  const strategy = await make(followsBitcoin);
  await maker.shareRules({ params: { id: strategy }, body: { is_shared: true } });
  const bot = await makeBot(strategy, other);
  await maker.shareRules({ params: { id: strategy }, body: { is_shared: false } });
  await maker.saveRules({ params: { id: strategy }, body: { document: { ...followsItself, title: 'Newer' }, based_on: 1 } });
  expect((await failure(other.runBacktest({ body: { ...run, strategy_id: strategy } }))).message).toBe('404 Strategy not found');
  const ofBot = await other.runBacktest({ body: { ...run, strategy_id: strategy, bot_id: bot.id } });
  const newest = await maker.runBacktest({ body: { ...run, strategy_id: strategy } });
  const reading = await maker.runBacktest({ body: { ...run, strategy_id: await make(followsBitcoin) } });
  expect(ofBot.metrics).toEqual(reading.metrics);
  expect(newest.metrics.net_pnl).not.toBe(ofBot.metrics.net_pnl); // a number of trades may be the same by chance
});

test('a bot is backtested over several pairs with the version that it runs, also when there is a newer one', async () => {
  const strategy = await make(followsBitcoin);
  const bot = await makeBot(strategy);
  await maker.saveRules({ params: { id: strategy }, body: { document: { ...followsItself, title: followsBitcoin.title }, based_on: 1 } });
  const versionOf = async (of: { bot_id?: string }) => {
    const { id } = await maker.startPortfolio({ body: { strategy_id: strategy, ...of, plan: plan(['ETH/USDT']) } });
    await expect.poll(async () => (await maker.portfolio({ params: { id } })).run.status).toBe('done');
    return (await maker.portfolio({ params: { id } })).run.code_version;
  };
  expect(await versionOf({ bot_id: bot.id })).toBe(1);
  expect(await versionOf({})).toBe(2);
});

test('a run of another version is not the one that is under way', async () => {
  const strategy = await make(followsBitcoin);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const first = maker.runBacktest({ body: { ...run, strategy_id: strategy } });
  await expect.poll(async () => (await maker.backtestResults({ query: {} })).results[0]?.status).toBe('downloading');
  await maker.saveRules({ params: { id: strategy }, body: { document: followsItself, based_on: 1 } });
  try {
    let answer = 'none yet'; // as for one that has joined
    const again = failure(maker.runBacktest({ body: { ...run, strategy_id: strategy } }));
    again.then(({ message }) => (answer = message)).catch(() => undefined);
    await expect.poll(() => answer).toBe('409 A backtest is already running');
  } finally {
    gate = null;
    held.resolve();
    await first;
  }
});

test('OP-60 a run with the settings of a bot is not the one without them that is under way', async () => {
  const strategy = await make(followsBitcoin);
  const bot = await makeBot(strategy);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const first = maker.runBacktest({ body: { ...run, strategy_id: strategy } });
  await expect.poll(async () => (await maker.backtestResults({ query: {} })).results[0]?.status).toBe('downloading');
  try {
    let answer = 'none yet'; // as for one that has joined
    const ofBot = failure(maker.runBacktest({ body: { ...run, strategy_id: strategy, bot_id: bot.id } }));
    ofBot.then(({ message }) => (answer = message)).catch(() => undefined);
    await expect.poll(() => answer).toBe('409 A backtest is already running');
  } finally {
    gate = null;
    held.resolve();
    await first;
  }
});

test('refused entries are replayed by the rules of the bot: they leave where the other pair says so', async () => {
  const bot = await makeBot(await make(followsBitcoin));
  const length = 15 * minuteMs;
  const newest = Math.floor(stoodStill / length) * length;
  const seen = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, tag: 'above', confidence: null, price: 100 };
  // Long ago, so that Bitcoin has fallen below its average since, whatever day it is.
  const times = [290, 270, 250].map((candles) => newest - candles * length);
  await addDecisions(
    db,
    times.map((candleTime) => ({
      botId: bot.id,
      epoch: '0',
      symbol: 'ETH/USDT',
      candleTime,
      action: 'none',
      gate: 'slots-full',
      seen,
      decidedAt: candleTime + length + 40,
    })),
  );
  server.pass(0);
  const from = new Date(newest - 300 * length).toISOString();
  const { state, replay } = await maker.replayRefused({
    params: { id: bot.id },
    body: { gate: 'slots-full', from, to: new Date(newest).toISOString() },
  });
  expect(state).toBe('done');
  expect(replay?.entries).toHaveLength(3);
  expect(replay?.entries.map(({ exit_reason }) => exit_reason)).toEqual(['below', 'below', 'below']);
});

test('a chart draws the lines of the version that the bot runs, those of the other pair too', async () => {
  const strategy = await make(followsBitcoin);
  const bot = await makeBot(strategy);
  const overlays = () => maker.chartOverlays({ query: { bot_id: bot.id, symbol: 'ETH/USDT', indicators: 'on' } });
  const { indicators = [], version } = await overlays();
  expect(indicators.length).toBeGreaterThan(0);
  for (const { points } of indicators) expect(points).toHaveLength(300);
  const plain = await makeBot(await make({ ...followsItself, enterLong: [{ tag: 'x', when: compare(close, 'above', average({})) }] }));
  const own = await maker.chartOverlays({ query: { bot_id: plain.id, symbol: 'BTC/USDT', indicators: 'on' } }).catch(() => null);
  expect(own).toBeNull(); // it does not trade that pair
  // Its average is that of Bitcoin, some hundred times that of Ether.
  const last = indicators.at(-1)?.points.at(-1)?.value ?? 0;
  const { candles } = await maker.chartCandles({ query: { bot_id: bot.id, symbol: 'ETH/USDT' } });
  expect(last).toBeGreaterThan(5 * (candles.at(-1)?.close ?? Infinity));
  await maker.saveRules({ params: { id: strategy }, body: { document: { ...followsItself, title: 'Newer' }, based_on: 1 } });
  expect((await overlays()).version).toBe(version); // a save draws nothing else
  await maker.takeVersion({ params: { id: bot.id }, body: { version: 2 } });
  const taken = await overlays();
  expect(taken.version).not.toBe(version);
  expect(taken.indicators?.at(-1)?.points.at(-1)?.value).toBeLessThan(last / 5);
  // What cannot be read draws nothing.
  await sql`insert into strategy_code (strategy_id, number, hash, document, description)
    select strategy_id, 3, 'tomorrow', '{"version": 2}', description from strategy_code where strategy_id = ${strategy} and number = 1`.execute(
    db,
  );
  await sql`update bots set code_id = (select id from strategy_code where strategy_id = ${strategy} and number = 3) where id = ${bot.id}`.execute(
    db,
  );
  expect((await overlays()).indicators).toEqual([]);
});
