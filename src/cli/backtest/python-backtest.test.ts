import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needsPython, testPython } from '#strategy-process/python/testing/test-python.ts';
import type { BacktestReport } from './backtest-report.ts';
import { backtestCommand } from './backtest-command.ts';
import { prepareBacktest } from './backtest-job.ts';
import { lookaheadCommand } from './lookahead-command.ts';
import { runPython } from './run-python.ts';
import { csvOf, sandboxCandles, writeTo } from '../testing/sandbox-candles.ts';

const minute = 60_000;
const start = Date.UTC(2025, 2, 3);

let folder = '';
let datadir = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-python-backtest-'));
  datadir = join(folder, 'candles');
  for (const base of ['BTC', 'ETH']) {
    writeTo(datadir, `${base}_USDT-5m.csv`, csvOf(sandboxCandles(base, 'spot', start, 3000, 5 * minute)));
    writeTo(datadir, `futures/${base}_USDT_USDT-5m-futures.csv`, csvOf(sandboxCandles(base, 'futures', start, 3000, 5 * minute)));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = { stake_amount: 100, max_open_trades: 2, fee: 0.001, markets: { '*': { amount_step: 0.00001 } } };
const bothPairs = ['--pairs', 'BTC/USDT', 'ETH/USDT'];

async function run(
  strategy: string,
  over: object = {},
  words: string[] = bothPairs,
): Promise<{ code: number; out: string[]; err: string[] }> {
  const file = writeTo(folder, 'config.json', JSON.stringify({ ...config, ...over }));
  const out: string[] = [];
  const err: string[] = [];
  const python = testPython === null ? [] : ['--python', testPython];
  const code = await backtestCommand(
    [
      '--strategy',
      strategy,
      '--config',
      file,
      '--datadir',
      datadir,
      ...python,
      '--export-trades',
      join(folder, 'trades.csv'),
      '--json',
      ...words,
    ],
    (line) => out.push(line),
    (line) => err.push(line.replaceAll(`${folder}/`, '')),
    { configured: null, home: null, path: process.env['PATH'] ?? '' },
  );
  return { code, out, err };
}

async function trades(
  strategy: string,
  over: object = {},
  words: string[] = bothPairs,
): Promise<{ lines: string; report: BacktestReport }> {
  const { code, out, err } = await run(strategy, over, words);
  expect({ code, err }).toEqual({ code: 0, err: [] });
  return { lines: readFileSync(join(folder, 'trades.csv'), 'utf8'), report: JSON.parse(out[0] ?? '') };
}

function firstDifference(python: string, typescript: string): object | null {
  if (python === typescript) return null;
  const [mine, others] = [python.split('\n'), typescript.split('\n')];
  const at = mine.findIndex((line, i) => line !== others[i]);
  return { at, python: mine[at], typescript: others[at] };
}

/** A class that enters every 40th candle and leaves 20 later. */
const waves = (
  methods = '',
  settings = 'minimal_roi = {"0": 0.004, "90": 0.001}\n    stoploss = -0.01',
  name = 'Waves',
  populate = 'pass',
): string =>
  writeTo(
    folder,
    `${name}.py`,
    `import pandas as pd

class ${name}:
    timeframe = "5m"
    startup_candle_count = 10
    ${settings}

    def populate_indicators(self, dataframe, metadata):
        ${populate}
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        number = dataframe["date"].map(lambda date: int(date.timestamp()) // 300)
        dataframe.loc[number % 40 == 30, ["enter_long", "enter_tag"]] = (1, "wave")
        dataframe.loc[number % 40 == 31, ["enter_short", "enter_tag"]] = (1, "trough")
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        number = dataframe["date"].map(lambda date: int(date.timestamp()) // 300)
        dataframe.loc[number % 40 == 10, ["exit_long", "exit_short", "exit_tag"]] = (1, 1, "ebb")
        return dataframe
${methods.replaceAll(/^/gmu, '    ')}
`,
  );

/** The same as a file in TypeScript. */
const twin = (callbacks: string, defaults: string, canShort: boolean): string =>
  writeTo(
    folder,
    `twin-${String(canShort)}.ts`, // a file that was loaded once stays loaded
    `import { noSignals } from '#engine/strategy/strategy.ts';
export default {
  name: 'Twin', title: 'Twin', description: '', losesWhen: '', kind: 'range', canShort: ${canShort}, startupCandles: 10, parameters: {},
  defaults: { timeframe: '5m', trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false, ${defaults} },
  compute({ openTime }) {
    const signals = { ...noSignals(openTime.length), tags: ['wave', 'trough', 'ebb'], enterTag: new Uint8Array(openTime.length), exitTag: new Uint8Array(openTime.length) };
    for (let i = 0; i < openTime.length; i++) {
      const number = (openTime[i] / 300_000) % 40;
      signals.enterLong[i] = number === 30 ? 1 : 0;
      signals.enterShort[i] = number === 31 ? 1 : 0;
      signals.enterTag[i] = number === 30 ? 1 : number === 31 ? 2 : 0;
      signals.exitLong[i] = signals.exitShort[i] = number === 10 ? 1 : 0;
      signals.exitTag[i] = number === 10 ? 3 : 0;
    }
    return signals;
  },
  callbacks: { ${callbacks} },
};
`,
  );

describe.skipIf(testPython === null)(needsPython('a backtest of a strategy in Python'), () => {
  test('has the trades of the same strategy in TypeScript', async () => {
    const python = await trades(waves());
    const typescript = await trades(twin('', 'stoploss: -0.01, minimalRoi: { 0: 0.004, 90: 0.001 }', false));
    expect(python.report.perTrade.tradeCount).toBeGreaterThan(50);
    expect(firstDifference(python.lines, typescript.lines)).toBe(null);
    expect(python.report).toMatchObject({ strategy: 'Waves', byEnterTag: [{ key: 'wave' }], notes: [] });
    expect(python.report.byExitReason.map(({ key }) => key)).toEqual(expect.arrayContaining(['ebb', 'roi', 'stop_loss']));
  });

  test('its callbacks decide as those in TypeScript do, on futures, in both directions', async () => {
    const methods = `
def leverage(self, pair, current_time, current_rate, proposed_leverage, max_leverage, entry_tag, side, **kwargs):
    return 3 if side == "short" and entry_tag == "trough" else 2 + int(current_rate) % 2

def custom_stake_amount(self, pair, proposed_stake, leverage, side, **kwargs):
    return proposed_stake / leverage

def custom_entry_price(self, pair, trade, proposed_rate, side, **kwargs):
    return proposed_rate * (0.9999 if side == "long" else 1.0001)

def confirm_trade_entry(self, pair, order_type, amount, rate, time_in_force, current_time, entry_tag, side, **kwargs):
    return current_time.hour != 5

def custom_stoploss(self, pair, trade, current_time, current_rate, current_profit, after_fill, **kwargs):
    return -0.008 if current_profit > 0.002 else None

def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
    if (current_time - trade.open_date_utc).total_seconds() > 3000 and trade.nr_of_successful_entries == 1:
        return "late" if trade.calc_profit_ratio(current_rate) == current_profit else "another profit"

def custom_exit_price(self, pair, trade, proposed_rate, current_profit, exit_tag, **kwargs):
    return proposed_rate * 1.0001

def confirm_trade_exit(self, pair, trade, order_type, amount, rate, time_in_force, exit_reason, current_time, **kwargs):
    return not (exit_reason == "late" and current_time.minute == 30)
`;
    const callbacks = `
      leverage: ({ price, direction, tag }) => (direction === 'short' && tag === 'trough' ? 3 : 2 + (Math.trunc(price) % 2)),
      stake: ({ proposedStake, leverage }) => proposedStake / leverage,
      entryPrice: ({ proposedPrice, direction }) => proposedPrice * (direction === 'long' ? 0.9999 : 1.0001),
      confirmEntry: ({ time }) => new Date(time).getUTCHours() !== 5,
      customStop: ({ profitRatio }) => (profitRatio > 0.002 ? -0.008 : null), stopAfterFill: true,
      customExit: ({ trade, time }) => (time - trade.openTime > 3_000_000 && trade.orders.filter(({ filled, purpose }) => filled > 0 && purpose === 'entry').length === 1 ? 'late' : null),
      exitPrice: ({ proposedPrice }) => proposedPrice * 1.0001,
      confirmExit: ({ reason, time }) => !(reason === 'late' && new Date(time).getUTCMinutes() === 30),
    `;
    const over = {
      trading_mode: 'futures',
      margin_mode: 'isolated',
      markets: { '*': { amount_step: 0.001, tiers: [{ max_leverage: 50, maintenance_rate: 0.01 }] } },
    };
    const words = ['--pairs', 'BTC/USDT:USDT', 'ETH/USDT:USDT'];
    const settings = 'can_short = True\n    use_custom_stoploss = True\n    stoploss = -0.02\n    minimal_roi = {}';
    const python = await trades(waves(methods, settings, 'Callbacks'), over, words);
    const typescript = await trades(twin(callbacks, 'stoploss: -0.02, minimalRoi: {}', true), over, words);
    expect(firstDifference(python.lines, typescript.lines)).toBe(null);
    expect(new Set(python.lines.split('\n').map((line) => line.split(',')[1]))).toEqual(new Set(['long', 'short', undefined]));
    const reasons = python.report.byExitReason.map(({ key }) => key);
    expect(reasons).toContain('late');
    expect(reasons).not.toContain('another profit');
    expect(python.report.notes.filter((note) => note.includes('failed'))).toEqual([]);
  });

  test('who asks for the wallet is shown it, as it is at each question', async () => {
    const methods = `
def custom_stake_amount(self, pair, current_time, current_rate, proposed_stake, max_stake, **kwargs):
    self.asked = getattr(self, "asked", 0) + 1
    assert self.wallets.get_free("USDT") <= self.wallets.get_total("USDT") and self.wallets.get_starting_balance() == 990
    return self.wallets.get_available_stake_amount() * (0.5 if self.asked == 1 else 0.25)
`;
    const stake = `stake: ({ maxStake }) => maxStake * (asked++ === 0 ? 0.5 : 0.25),`;
    const settings = 'stoploss = -0.01\n    minimal_roi = {"0": 0.004, "90": 0.001}';
    const python = await trades(waves(methods, settings, 'Wallet'));
    const file = writeTo(
      folder,
      'wallet-twin.ts',
      `let asked = 0;\n${readFileSync(twin(stake, 'stoploss: -0.01, minimalRoi: { 0: 0.004, 90: 0.001 }', false), 'utf8')}`,
    );
    const typescript = await trades(file);
    expect(python.report.notes).toEqual([]);
    expect(firstDifference(python.lines, typescript.lines)).toBe(null);
  });

  test('the configuration has the say, and the class where that is silent; its protections count', async () => {
    const settings =
      'stoploss = -0.02\n    minimal_roi = {"0": 0.03}\n    trailing_stop = True\n    max_open_trades = 1\n    protections = [{"method": "CooldownPeriod", "stop_duration_candles": 3}]';
    const { report } = await trades(waves('', settings, 'Settled'), { stoploss: -0.05, enable_protections: true });
    expect(report.settings).toMatchObject({
      stoploss: -0.05,
      trailingStop: true,
      maxOpenTrades: 2,
      protections: [{ kind: 'cooldown', stopCandles: 3 }],
    });
    expect(report.settings.minimalRoi).toEqual({ minutes: [0], ratios: [0.03] });
  });

  test('no limit of open trades is infinite for a class, as in freqtrade, in its settings and in its configuration', async () => {
    const populate =
      'assert self.max_open_trades == float("inf") and self.config["max_open_trades"] == float("inf") and 1 / self.max_open_trades == 0';
    const { report } = await trades(waves('', undefined, 'Endless', populate), { max_open_trades: -1 });
    expect(report.settings.maxOpenTrades).toBe(-1);
  });

  test('a setting that the class computes itself has the say, as in freqtrade', async () => {
    const settings = 'minimal_roi = {}\n\n    @property\n    def stoploss(self):\n        return -0.03';
    const { report } = await trades(waves('', settings, 'Computed'), { stoploss: -0.05 });
    expect(report.settings.stoploss).toBe(-0.03);
  });

  test('candles that it asks for without announcing them are handed over; none are an empty frame, and a note', async () => {
    const populate =
      'dataframe["hours"] = len(self.dp.get_pair_dataframe(metadata["pair"], "1h")); assert len(self.dp.get_pair_dataframe("XRP/USDT", "1h")) == 0';
    const { report } = await trades(waves('', undefined, 'Hours', populate));
    expect(report.perTrade.tradeCount).toBeGreaterThan(50);
    expect(report.notes).toContain('XRP/USDT: the strategy reads candles of 1h (spot), and there are none.');
  });

  test('a look ahead is a note of a backtest, and found by lookahead', async () => {
    const ahead = waves('', undefined, 'Ahead', 'pass');
    const text = readFileSync(ahead, 'utf8').replace(
      '(1, "wave")',
      '(1, "wave")\n        dataframe.loc[dataframe["close"].shift(-2) > dataframe["close"] * 1.001, "enter_long"] = 1',
    );
    writeTo(folder, 'Ahead.py', text);
    const { report } = await trades(ahead);
    expect(report.notes.some((note) => note.startsWith('Ahead looks ahead: on BTC/USDT enterLong of the candle of '))).toBe(true);
    // A class that is slow is not searched to the end, and that is said.
    const job = await prepareBacktest(config, {
      strategy: ahead,
      datadir,
      pairs: ['BTC/USDT'],
      python: { configured: null, home: null, path: '', given: testPython },
    });
    if (job.python === null) throw new Error('It is in Python');
    await runPython(job, job.python, 0);
    expect(job.notes).toContain('Ahead was not searched for look-ahead to the end, because it is slow: flotilla lookahead does.');
    const out: string[] = [];
    const words = (file: string) => ['--strategy', file, '--datadir', datadir, '--pairs', 'BTC/USDT', '--python', testPython ?? ''];
    expect(await lookaheadCommand(words(ahead), (line) => out.push(line))).toBe(1);
    expect(out[0]).toMatch(/^Ahead looks ahead: on BTC\/USDT enterLong/u);
    expect(await lookaheadCommand(words(waves()), (line) => out.push(line))).toBe(0);
    expect(out.at(-1)).toBe('Waves was not found to use later candles.');
  });

  test('a callback that fails is a note, with its line', async () => {
    const { report } = await trades(
      waves('def custom_exit(self, pair, trade, **kwargs):\n    raise ValueError("no mood")', undefined, 'Moody'),
    );
    expect(report.notes).toEqual([
      expect.stringMatching(
        /^Moody: the callback customExit failed \d+ times, and freqtrade’s answer for that counted; first: ValueError: no mood \(Moody\.py, line 24\)\.$/u,
      ),
    ]);
  });

  test.each<[string, () => string, object, string]>([
    ['a file that is not there', () => join(folder, 'none.py'), {}, 'The strategy file none.py does not exist.'],
    ['a class that is not there', () => `${waves()}#Ebb`, {}, 'Waves.py has no strategy Ebb; it has Waves.'],
    [
      'shorts on spot',
      () => waves('', 'can_short = True\n    stoploss = -0.1', 'Shorts'),
      {},
      'Shorts goes short (can_short), which spot does not allow: use futures, or set can_short to False.',
    ],
    ['no stop', () => waves('', 'minimal_roi = {}', 'Endless'), {}, 'Endless names no stoploss, and neither does the configuration.'],
    [
      'an order book',
      () => waves('', undefined, 'Books', 'self.dp.orderbook("BTC/USDT", 1)'),
      {},
      'It reads the order book of BTC/USDT (dp.orderbook), and a backtest has none.',
    ],
    ['FreqAI', () => waves('', undefined, 'Mind'), { freqai: { enabled: true } }, 'The key "freqai" is not known.'],
    ['a wrong configuration', waves, { stoploss: 'much' }, '"stoploss" must be a number, and is "much".'],
  ])('%s: a sentence, and 2', async (_, strategy, over, sentence) => {
    expect(await run(strategy(), over)).toEqual({ code: 2, out: [], err: [sentence] });
  });
});

test('without such a Python a strategy in Python is refused in a sentence', async () => {
  const file = writeTo(folder, 'Any.py', 'class Any:\n    pass\n');
  const settings = writeTo(folder, 'any.json', JSON.stringify(config));
  const err: string[] = [];
  const words = ['--strategy', file, '--config', settings, '--datadir', datadir, '--python', '/no/python', '--pairs', 'BTC/USDT'];
  const code = await backtestCommand(
    words,
    () => undefined,
    (line) => err.push(line),
  );
  expect({ code, err }).toEqual({ code: 2, err: ['--python names /no/python, which is not a program here.'] });
});
