import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { dayMs } from '#engine/market/durations.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, indicator, parameter, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { Hindsight } from '#runner/hindsight/hindsight.ts';
import { backtestWorker } from '#runner/jobs/work-backtests.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { classText } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { startMarket } from '../../../test/support/market.ts';
import { enterPython } from '../../../test/support/test-code.ts';
import { patientHindsight } from '../../../test/support/test-hindsight.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

// What is calculated with classes in Python: backtests of one pair and of several in the worker, lines of a chart; and what is refused.

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
  askHindsight: (question, signal) => hindsight.ask(question, signal),
  processes,
});
const { db } = server.dependencies;
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const jobs = await openJobs(db, databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? ''), {
  isWorker: true,
  onError: (error) => console.error(error),
});
const hindsight = new Hindsight({ db, markets: market.connect(), now: () => stoodStill, log: () => {}, ...patientHindsight });
const warmPythons = new WarmParents(wallsOfSystem());
const cacheFolder = mkdtempSync(join(tmpdir(), 'flotilla-cache-'));
const maker = await server.signedIn('trader');

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
});
afterAll(async () => {
  await processes.end();
  await hindsight.close();
  await jobs.close();
  warmPythons.end();
  rmSync(cacheFolder, { recursive: true, force: true });
});

/** Follows the average of Bitcoin's hours, whatever it trades: as rules, and as a class. */
const hours = { symbol: 'BTC/USDT', timeframe: '1h' as const };
const close = { ...price('close'), ...hours };
const average = { ...indicator('sma', { period: parameter('period') }, 'value', price('close')), ...hours };
const asRules: RulesDocument = {
  ...emaCross,
  title: 'Follows hours',
  defaults: { ...emaCross.defaults, timeframe: '15m', minimalRoi: {}, stoploss: -0.5, trailingStop: false },
  parameters: { period: { default: 20, min: 5, max: 50, step: 5, unit: 'candles', meaning: '' } },
  enterLong: [{ tag: 'above', when: compare(close, 'crossesAbove', average) }],
  exitLong: [{ tag: 'below', when: compare(close, 'crossesBelow', average) }],
  enterShort: [],
  exitShort: [],
};
const asClass = (name: string, more = ''): string => `import pandas

class ${name}:
    timeframe = "15m"
    stoploss = -0.5
    minimal_roi = {}
    startup_candle_count = 100

    def informative_pairs(self):
        return [("BTC/USDT", "1h")]

    def populate_indicators(self, dataframe, metadata):
        hours = self.dp.get_pair_dataframe("BTC/USDT", "1h")
        average = hours["close"].rolling(20).mean()
        hours = pandas.DataFrame({
            "known": hours["date"] + pandas.Timedelta(minutes=60 - 15),
            "above": (hours["close"] > average).astype(float),
            "below": (hours["close"] < average).astype(float),
            "hour": hours["close"],
        })
        merged = pandas.merge_asof(dataframe, hours, left_on="date", right_on="known")
        for name in ("above", "below", "hour"):
            dataframe[name] = merged[name]
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[(dataframe["above"] == 1) & (dataframe["above"].shift(1) == 0), ["enter_long", "enter_tag"]] = (1, "above")
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[(dataframe["below"] == 1) & (dataframe["below"].shift(1) == 0), ["exit_long", "exit_tag"]] = (1, "below")
        return dataframe
${more}`;

const run = {
  exchange: 'Sandbox',
  symbol: 'ETH/USDT',
  trading_mode: 'spot',
  timeframe: '15m',
  days: 30,
  stake_amount: 100,
  max_open_trades: 1,
} as const;

/** A run over one pair, as it is kept. */
async function ran(strategyId: string) {
  const { id, metrics } = await maker.runBacktest({ body: { ...run, strategy_id: strategyId } });
  const details = (await maker.backtestResults({ query: { id } })).results[0]?.details;
  const trades = (details?.trades ?? []).map(({ timestamp, exit_timestamp, exit_reason, pnl }) => [
    timestamp,
    exit_timestamp,
    exit_reason,
    pnl,
  ]);
  return { metrics, trades, notes: details?.notes ?? [] };
}

describe.skipIf(testPythonPlaces.given === null)(needsPython('classes in Python'), () => {
  test('a class that reads an hour of another pair does what rules do that read the same: over one pair, over several, on a chart', async () => {
    const rules = (await maker.makeRules({ body: { document: asRules } })).id;
    const python = await enterPython(db, 'FollowsHours', asClass('FollowsHours'));
    const [ofRules, ofClass] = [await ran(rules), await ran(python)];
    expect(ofClass.trades.length).toBeGreaterThan(5);
    expect(ofClass).toEqual(ofRules);
    const day = (ago: number): string => new Date(stoodStill - ago * dayMs).toISOString().slice(0, 10);
    const plan = {
      exchange: 'Sandbox',
      trading_mode: 'spot' as const,
      pairs: ['ETH/USDT', 'SOL/USDT'],
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
    const portfolio = async (strategy: string) => {
      const { id } = await maker.startPortfolio({ body: { strategy_id: strategy, plan } });
      await expect.poll(async () => (await maker.portfolio({ params: { id } })).run.status).toMatch(/done|failed/u);
      const { run: ended, details } = await maker.portfolio({ params: { id } });
      expect(ended.error).toBeNull();
      return { pairs: details?.pairs, notes: details?.notes };
    };
    expect(await portfolio(python)).toEqual(await portfolio(rules));
    const bot = await maker.createBot({ body: { ...settings(python), mode: 'paper' } });
    const { indicators = [] } = await maker.chartOverlays({ query: { bot_id: bot.id, symbol: 'ETH/USDT', indicators: 'on' } });
    expect(indicators.map(({ name }) => name)).toEqual(['above', 'below', 'hour']);
    const { candles } = await maker.chartCandles({ query: { bot_id: bot.id, symbol: 'ETH/USDT' } });
    expect(indicators[2]?.points.at(-1)?.value).toBeGreaterThan(5 * (candles.at(-1)?.close ?? Infinity)); // the price of Bitcoin
  });

  test('a callback is asked in a backtest, sees the account, and one that fails is a note of the report', async () => {
    const more = `
    def custom_stake_amount(self, proposed_stake, **words):
        return self.wallets.get_total_stake_amount() / 2

    def confirm_trade_entry(self, **words):
        return 1 / 0
`;
    const { metrics, trades, notes } = await ran(await enterPython(db, 'Asked', asClass('Asked', more)));
    const whole = await ran(await enterPython(db, 'NotAsked', asClass('NotAsked')));
    expect(metrics.total_trades).toBe(whole.metrics.total_trades);
    expect(trades[0]?.[3]).toBeCloseTo(Number(whole.trades[0]?.[3]) / 2, 2); // half of what the wallet has at first
    expect(notes).toEqual([
      expect.stringMatching(
        /^Asked: the callback confirmEntry failed \d+ times, and freqtrade’s answer for that counted; first: ZeroDivisionError: division by zero \(Asked\.py, line \d+\)\.$/u,
      ),
    ]);
  });

  test('a class that looks ahead runs in a backtest with a note, and in no live bot', async () => {
    const ahead = await enterPython(db, 'Ahead', classText('Ahead', { populate: 'dataframe["average"] = dataframe["close"].shift(-1)' }));
    expect((await ran(ahead)).notes).toEqual([expect.stringMatching(/^Ahead looks ahead: on BTC\/USDT /u)]);
    const bot = await maker.createBot({ body: { ...settings(ahead), mode: 'paper' } });
    const refusal = /^400 The strategy cannot run here: Ahead looks ahead: /u;
    expect((await failure(maker.changeBotMode({ params: { id: bot.id }, query: { mode: 'live' } }))).message).toMatch(refusal);
    expect((await failure(maker.createBot({ body: { ...settings(ahead), mode: 'live' } }))).message).toMatch(refusal);
  });

  test('one that goes short is refused on spot, as freqtrade does; a run that fails says why', async () => {
    const short = await enterPython(db, 'Short', classText('Short', { fields: 'can_short = True' }));
    expect((await failure(maker.createBot({ body: { ...settings(short), mode: 'paper' } }))).message).toBe(
      '400 The strategy cannot run here: Short goes short (can_short), which spot does not allow: choose futures.',
    );
    const failing = await enterPython(
      db,
      'Fails',
      asClass('Fails').replace(
        'average = ',
        'hours["nothing"] if len(dataframe) < 3000 and len(dataframe) > 1200 else 0\n        average = ',
      ),
    );
    expect((await failure(maker.runBacktest({ body: { ...run, strategy_id: failing } }))).message).toContain(
      "KeyError: 'nothing' (Fails.py, line 14).",
    );
  });
});

function settings(strategy_id: string) {
  return {
    user_email: maker.email,
    strategy_id,
    exchange_id: 'sandbox',
    margin_mode: 'spot' as const,
    stake_currency: 'USDT',
    stake_amount: 100,
    max_open_trades: 1,
    leverage: 1,
    trading_pairs: ['ETH/USDT'],
    leverage_mode: 'isolated' as const,
  };
}
