import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallInput } from '#contract/client.ts';
import { dayMs } from '#engine/market/durations.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compare, indicator, parameter, price } from '#engine/rules/pieces.ts';
import { emaCross } from '#engine/rules/templates/ema-cross.ts';
import { toTypeScript } from '#engine/rules/to-typescript.ts';
import { workStudies } from '#runner/jobs/studies/work-studies.ts';
import { enterFileStrategy } from '#storage/strategies/strategies.ts';
import { keepCode } from '#storage/strategies/strategy-code.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { parameterClasses } from '#strategy-process/python/testing/class-text.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { needsPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { ampleDisk } from '../../../test/support/ample-disk.ts';
import { startMarket } from '../../../test/support/market.ts';
import { enterPython } from '../../../test/support/test-code.ts';
import { startTestServer } from '../../../test/support/test-server.ts';

// Studies of every kind of strategy that is not part of the program.

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
const folder = mkdtempSync(join(tmpdir(), 'flotilla-kinds-'));
const maker = await server.signedIn('trader');
const warmPythons = new WarmParents(wallsOfSystem());
let worker: ReturnType<typeof workStudies>;

beforeAll(() => {
  const dependencies = {
    db,
    python: testPythonPlaces,
    warmPythons,
    markets: market.connect(),
    disk: ampleDisk,
    cacheFolder: join(folder, 'cache'),
    now: Date.now,
    log: () => {},
  };
  worker = workStudies(dependencies, { onError: console.error, threads: 2 });
});
afterAll(async () => {
  await worker.close();
  warmPythons.end();
  rmSync(folder, { recursive: true, force: true });
});

const close = price('close');
const bitcoin = { ...close, symbol: 'BTC/USDT' };
const average = { ...indicator('ema', { period: parameter('period') }, 'value', close), symbol: 'BTC/USDT' };

/** Follows the average of Bitcoin, whatever it trades. */
const followsBitcoin: RulesDocument = {
  ...emaCross,
  title: 'Follows Bitcoin',
  defaults: { ...emaCross.defaults, timeframe: '15m', minimalRoi: {}, stoploss: -0.5, trailingStop: false },
  parameters: { period: { default: 20, min: 5, max: 50, step: 5, unit: 'candles', meaning: '' } },
  enterLong: [{ tag: 'above', when: compare(bitcoin, 'crossesAbove', average) }],
  exitLong: [{ tag: 'below', when: compare(bitcoin, 'crossesBelow', average) }],
  enterShort: [],
  exitShort: [],
};

/** Enters a file as the folder does, with the texts that are to run; gives the id of the strategy. */
async function enterFile(text: string, runs = text): Promise<string> {
  writeFileSync(join(folder, 'mine.ts'), text);
  const { hash, strategies } = await checkFile(
    { node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces },
    folder,
    'mine.ts',
  );
  const [described] = strategies;
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
  const strategyId = entered?.id ?? '';
  await keepCode(db, {
    strategyId,
    hash,
    file: 'mine.ts',
    exportName: 'default',
    files: { 'mine.ts': runs },
    description: described,
    madeBy: null,
  });
  return strategyId;
}

const today = Date.now(); // one day for all, also where midnight passes meanwhile
const dayBefore = (days: number): string => new Date(today - days * dayMs).toISOString().slice(0, 10);
const bodyOf = (strategyId: string, search: Partial<CallInput<'startStudy'>['body']['search']> = {}): CallInput<'startStudy'>['body'] => ({
  strategy_id: strategyId,
  plan: {
    exchange: 'Sandbox',
    trading_mode: 'spot',
    pairs: ['ETH/USDT', 'SOL/USDT'],
    from: dayBefore(30),
    to: dayBefore(2),
    timeframe: '15m',
    detail_timeframe: null,
    max_open_trades: 2,
    starting_balance: 1_000,
    stake_amount: 100,
    leverage: 1,
    fee_ratio: null,
    slippage_ratio: 0,
    protections: [],
  },
  search: {
    spaces: ['buy', 'stoploss'],
    ranges: [{ name: 'stoploss', min: -0.06, max: -0.02, step: 0.02 }],
    sampler: 'grid',
    loss: 'OnlyProfitHyperOptLoss',
    epochs: 30,
    min_trades: 1,
    seed: 1,
    early_stop: null,
    sealed_ratio: 0.2,
    ...search,
  },
});

async function ran(body: CallInput<'startStudy'>['body']) {
  const { id } = await maker.startStudy({ body });
  await expect.poll(async () => (await maker.study({ params: { id }, query: {} })).study.status).toMatch(/done|failed/u);
  return maker.study({ params: { id }, query: {} });
}

describe('studies of strategies', () => {
  test('of rules and of the file that they become come to the same epochs, with the candles of another pair', async () => {
    const rules = (await maker.makeRules({ body: { document: followsBitcoin } })).id;
    const file = await enterFile(toTypeScript(followsBitcoin));
    const [ofRules, ofFile] = [await ran(bodyOf(rules)), await ran(bodyOf(file))];
    expect([ofRules.study.error, ofFile.study.error]).toEqual([null, null]);
    expect(ofRules.epochs).toHaveLength(30);
    expect(ofRules.epochs.every(({ figures }) => (figures?.trades ?? 0) > 3)).toBe(true);
    expect(new Set(ofRules.epochs.map(({ loss }) => loss)).size).toBeGreaterThan(8);
    expect(ofFile.epochs).toEqual(ofRules.epochs);
    expect(ofFile.details?.judgement).toEqual(ofRules.details?.judgement);
  });

  test('a file that looks ahead on these candles alone ends its study with that sentence, before there is an epoch', async () => {
    const text = (index: string) => `
import type { Strategy } from 'flotilla';
export default {
  name: 'Peeks', title: 'Peeks', description: '', losesWhen: 'Always.', kind: 'trend', canShort: false, startupCandles: 2,
  defaults: { timeframe: '15m', stoploss: -0.1, trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false,
    minimalRoi: {}, maxConsecutiveLosses: 5, riskRewardRatio: null, orderTypes: { entry: 'limit', exit: 'limit', stoploss: 'market' }, orderTimeInForce: { entry: 'GTC', exit: 'GTC' } },
  parameters: { period: { default: 2, min: 1, max: 5, step: 1, meaning: 'Nothing.' } },
  compute(candles) {
    const count = candles.close.length;
    const column = () => new Uint8Array(count);
    const enterLong = column();
    const exitLong = column();
    for (let i = 1; i < count; i++) { enterLong[i] = candles.close[${index}] > candles.close[i] ? 1 : 0; exitLong[i] = 1 - enterLong[i]; }
    return { enterLong, exitLong, enterShort: column(), exitShort: column(), tags: [], enterTag: null, exitTag: null, confidence: null, indicators: {} };
  },
} satisfies Strategy;
`;
    const { study, epochs } = await ran(bodyOf(await enterFile(text('i - 1'), text('i + 1')), { epochs: 15 }));
    expect(study.status).toBe('failed');
    expect(study.error).toMatch(/^Peeks looks ahead: on (?:ETH|SOL)\/USDT /u);
    expect(epochs).toEqual([]);
  });

  test('an epoch that fails is noted with its sentence, and the others continue', async () => {
    const fragile = toTypeScript({ ...followsBitcoin, title: 'Fragile' });
    const failing = fragile.replace(
      /compute\((?<names>[^)]*)\)(?<type>[^{]*)\{/u,
      (whole) => `${whole}\n    if (parameters.period === 25) throw new Error('too fragile');`,
    );
    expect(failing).not.toBe(fragile);
    const { study, epochs } = await ran(bodyOf(await enterFile(fragile, failing)));
    expect([study.status, study.error]).toEqual(['done', null]);
    const faults = epochs.filter(({ fault }) => fault !== null);
    expect(faults).toHaveLength(3); // one value of ten, with three stops
    expect(faults[0]?.fault).toMatch(/too fragile/u);
  });
});

describe.skipIf(testPythonPlaces.given === null)(needsPython('studies of classes in Python'), () => {
  test('each epoch has its own parameters, and the series that the class reads besides', async () => {
    const text = `${parameterClasses}
import pandas

class IntParameter(Parameter):
    def __init__(self, low, high, default, space):
        super().__init__(default, space, low=low, high=high)


class Hourly:
    timeframe = "15m"
    stoploss = -0.5
    minimal_roi = {}
    startup_candle_count = 60
    period = IntParameter(5, 14, default=8, space="buy")

    def informative_pairs(self):
        return [("BTC/USDT", "1h")]

    def populate_indicators(self, dataframe, metadata):
        hours = self.dp.get_pair_dataframe("BTC/USDT", "1h")
        hours = pandas.DataFrame({"known": hours["date"] + pandas.Timedelta(minutes=45), "hour": hours["close"]})
        dataframe["hour"] = pandas.merge_asof(dataframe, hours, left_on="date", right_on="known")["hour"]
        dataframe["average"] = dataframe["hour"].rolling(self.period.value).mean()
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["hour"] > dataframe["average"], "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["hour"] < dataframe["average"], "exit_long"] = 1
        return dataframe
`;
    const python = await enterPython(db, 'Hourly', text);
    const { study, epochs, details } = await ran(bodyOf(python));
    expect([study.status, study.error]).toEqual(['done', null]);
    expect(epochs.filter(({ fault }) => fault !== null)).toEqual([]);
    expect(new Set(epochs.map(({ loss }) => loss)).size).toBeGreaterThan(8);
    expect(details?.judgement).not.toBeNull();
    expect((await ran(bodyOf(python))).epochs).toEqual(epochs);
  });

  test('each epoch has its own settings, which a class finds in itself and in its configuration', async () => {
    const text = `
class Wary:
    timeframe = "15m"
    stoploss = -0.5
    minimal_roi = {}
    startup_candle_count = 60

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[:, "enter_long"] = int(self.stoploss > -0.05 and self.config["stoploss"] == self.stoploss)
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe.index % 20 == 0, "exit_long"] = 1
        return dataframe
`;
    const { study, epochs } = await ran(bodyOf(await enterPython(db, 'Wary', text), { spaces: ['stoploss'], min_trades: 0 }));
    expect([study.status, study.error]).toEqual(['done', null]);
    const traded = new Map(epochs.map(({ point, figures }) => [-0.06 + 0.02 * (point[0] ?? NaN), (figures?.trades ?? 0) > 0]));
    expect([...traded].toSorted(([a], [b]) => a - b).map(([, hasTraded]) => hasTraded)).toEqual([false, true, true]);
  });
});
