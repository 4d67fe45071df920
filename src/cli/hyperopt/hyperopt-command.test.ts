import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parameterClasses } from '#strategy-process/python/testing/class-text.ts';
import { needsPython, testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { csvOf, sandboxCandles, writeTo } from '../testing/sandbox-candles.ts';
import { hyperoptCommand } from './hyperopt-command.ts';
import { hyperoptListCommand } from './hyperopt-list-command.ts';
import { hyperoptShowCommand } from './hyperopt-show-command.ts';
import { type EpochRecord, findResults, readResults } from './results-file.ts';

const minute = 60_000;
const start = Date.UTC(2025, 2, 3);
const config = { stake_amount: 100, max_open_trades: 2, fee: 0.001, markets: { '*': { amount_step: 0.00001 } }, stoploss: -0.02 };

let folder = '';
let datadir = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-hyperopt-'));
  datadir = join(folder, 'candles');
  for (const base of ['BTC', 'ETH']) writeTo(datadir, `${base}_USDT-5m.csv`, csvOf(sandboxCandles(base, 'spot', start, 3000, 5 * minute)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file with a strategy of two averages, changed by some lines of code at the head of `compute`. */
function strategyFile(name: string, change = '', parameters = ''): string {
  return writeTo(
    folder,
    name,
    `import { ema } from '#engine/indicators/ema.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
export default {
  name: 'Averages', title: '', description: '', losesWhen: '', kind: 'trend', canShort: false, startupCandles: 50,
  defaults: { timeframe: '5m', stoploss: -0.1, minimalRoi: { 0: 0.02 }, trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false },
  parameters: {
    fast: { default: 5, min: 3, max: 9, step: 1, meaning: '' },
    slow: { default: 20, min: 10, max: 30, step: 5, meaning: '' },
    ${parameters}
  },
  compute(candles, { fast, slow }) {
    ${change}
    const [a, b] = [ema(candles.close, fast), ema(candles.close, slow)];
    const signals = noSignals(candles.close.length, { a, b });
    for (let i = 1; i < candles.close.length; i++) {
      if (a[i] > b[i] && a[i - 1] <= b[i - 1]) signals.enterLong[i] = 1;
      if (a[i] < b[i]) signals.exitLong[i] = 1;
    }
    return signals;
  },
};
`,
  );
}

const python = { ...testPythonPlaces, configured: testPythonPlaces.given };
let studies = 0;

/** Runs a study in a folder of results of its own, unless one is named. */
async function study(
  words: readonly string[],
  over: { strategy?: string; config?: object; signal?: AbortSignal; results?: string; datadir?: string } = {},
) {
  const results = over.results ?? join(folder, `results-${++studies}`);
  const file = writeTo(folder, `config-${studies}.json`, JSON.stringify({ ...config, ...over.config }));
  const strategy = over.strategy ?? strategyFile('averages.ts');
  const out: string[] = [];
  const err: string[] = [];
  const all = ['--strategy', strategy, '--config', file, '--datadir', over.datadir ?? datadir, ...words];
  if (!words.includes('--pairs')) all.push('--pairs', 'BTC/USDT');
  const code = await hyperoptCommand(
    all,
    { results, python, showsProgress: false, signal: over.signal ?? new AbortController().signal },
    (line) => out.push(line),
    (line) => err.push(line.replaceAll(`${folder}/`, '')),
  );
  return { code, out, err, results };
}

const epochsIn = (results: string): EpochRecord[] => readResults(findResults(results, undefined)).epochs;

async function list(results: string, ...words: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await hyperoptListCommand(
    words,
    results,
    (line) => out.push(line),
    (line) => err.push(line),
  );
  return { code, out, err };
}

async function show(results: string, ...words: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await hyperoptShowCommand(
    words,
    { results, python },
    (line) => out.push(line),
    (line) => err.push(line.replaceAll(`${folder}/`, '')),
  );
  return { code, out, err };
}

describe('a study', () => {
  test('with one worker and with two it gives the same epochs, whichever sampler', async () => {
    for (const sampler of ['tpe', 'random']) {
      const words = ['--epochs', '90', '--sampler', sampler, '--random-state', '11', '--spaces', 'default', 'trailing'];
      const one = await study([...words, '-j', '1']);
      const two = await study([...words, '-j', '2']);
      expect([one.code, two.code, one.err, two.err]).toEqual([0, 0, [], []]);
      const [first, second] = [one, two].map(({ results }) => readResults(findResults(results, undefined)));
      expect(first?.epochs).toHaveLength(90);
      expect(second?.epochs).toEqual(first?.epochs);
      expect(second?.judgement).toEqual(first?.judgement);
    }
  });

  test('prints each better epoch, the best, and how far it can be trusted', async () => {
    const { code, out } = await study(['-e', '60', '--random-state', '5', '--spaces', 'buy', 'stoploss', '-j', '2']);
    expect(code).toBe(0);
    const text = out.join('\n');
    expect(out[0]).toBe('Averages on 5m candles, BTC/USDT, 2025-03-03 04:10 to 2025-03-13 09:55 UTC');
    expect(out[1]).toBe('Searched: fast 3 to 9 by 1; slow 10 to 30 by 5; stoploss -0.35 to -0.02 by 0.001 (11,585 points)');
    expect(out[2]).toBe('Loss: SharpeHyperOptLossDaily; sampler: tpe; random state 5; 2 threads');
    expect(out[3]).toMatch(/^As configured: \d+ trades, -?\d+\.\d\d USDT \(-?\d+\.\d\d %\)$/u);
    expect(text).toMatch(/^ +\* 1 +\d+ /mu);
    expect(text).toMatch(/^60 epochs in .*strategy_Averages_[\d_-]+\.jsonl$/mu);
    expect(text).toMatch(/^Best: epoch \d+ with fast \d, slow \d\d, stoploss -0\.\d+$/mu);
    expect(text).toMatch(/^Luck +The best of 60 lucky coins would show \d+\.\d\d\. This shows -?\d+\.\d\d\.$/mu);
    expect(text).toMatch(/^Skill +\d+\.\d\d % likely behind it after 60 tries on this data \(deflated Sharpe ratio\)$/mu);
    expect(text).toMatch(/^(Plateau|Spike|Neighbours) +the median of \d neighbours makes /mu);
    for (const name of ['Overfitting', 'Walk forward', 'Fees doubled', 'A candle late', 'Buy and hold'])
      expect(text).toMatch(new RegExp(`^${name} +\\S`, 'mu'));
  });

  test('tries on the same data are remembered across studies; those on other data are not counted', async () => {
    const results = join(folder, 'remembered');
    const triesOf = async (...words: string[]): Promise<string> => {
      const { out } = await study(['--spaces', 'buy', '--random-state', '1', ...words], { results });
      return out.find((line) => line.startsWith('Skill'))?.replace(/.* after /u, '') ?? '';
    };
    expect(await triesOf('-e', '20', '--timerange', '20250303-20250308')).toMatch(/^20 tries/u);
    expect(await triesOf('-e', '10', '--timerange', '20250307-')).toMatch(/^30 tries/u);
    expect(await triesOf('-e', '10', '--timerange', '20250309-')).toMatch(/^20 tries/u); // the second study alone
    expect(await triesOf('-e', '5', '--pairs', 'ETH/USDT')).toMatch(/^5 tries/u);
    rmSync(findResults(results, undefined));
    expect(await triesOf('-e', '5', '--pairs', 'ETH/USDT', 'BTC/USDT')).toMatch(/^50 tries/u); // what was seen was seen
  });

  test('a grid is every point, and without --epochs all of it', async () => {
    const { out, results } = await study(['--sampler', 'grid', '--spaces', 'buy', '--range', 'slow=10:20', '-j', '2']);
    expect(epochsIn(results).map(({ values }) => `${values['fast']}-${values['slow']}`)).toEqual(
      [3, 4, 5, 6, 7, 8, 9].flatMap((fast) => [10, 15, 20].map((slow) => `${fast}-${slow}`)),
    );
    expect(out.join('\n')).not.toContain('flatter'); // nothing was learned, so walking forward is not flattery
  });

  test('early stop and least trades', async () => {
    const { results } = await study(['-e', '1000', '--early-stop', '15', '--random-state', '3', '--min-trades', '60', '-j', '2']);
    const epochs = epochsIn(results);
    expect(epochs.length).toBeLessThan(1_000);
    expect(epochs.findLastIndex(({ isBest }) => isBest) + 1).toBe(epochs.length - 15);
    for (const { figures, loss } of epochs) expect(loss === null).toBe((figures?.trades ?? 0) < 60);
  });

  test('parameters of rules are searched like any', async () => {
    const rules = {
      version: 1,
      title: 'Rules',
      description: '',
      losesWhen: '',
      kind: 'trend',
      defaults: {
        timeframe: '5m',
        stoploss: -0.05,
        minimalRoi: {},
        trailingStop: false,
        trailingStopPositive: null,
        trailingStopPositiveOffset: 0,
        trailingOnlyOffsetIsReached: false,
      },
      parameters: { period: { default: 10, min: 5, max: 25, step: 5, unit: '', meaning: '' } },
      guard: [],
      enterLong: [
        {
          tag: 'up',
          when: {
            kind: 'compare',
            left: { kind: 'price', price: 'close' },
            operator: 'crossesAbove',
            right: { kind: 'indicator', indicator: 'ema', settings: { period: { parameter: 'period' } }, output: 'value' },
          },
        },
      ],
      exitLong: [
        {
          tag: 'down',
          when: {
            kind: 'compare',
            left: { kind: 'price', price: 'close' },
            operator: 'crossesBelow',
            right: { kind: 'indicator', indicator: 'ema', settings: { period: { parameter: 'period' } }, output: 'value' },
          },
        },
      ],
      enterShort: [],
      exitShort: [],
      positionPlan: null,
    };
    const strategy = writeTo(folder, 'rules.json', JSON.stringify(rules));
    const { code, err, results } = await study(['--sampler', 'grid', '--spaces', 'buy', '-j', '1'], { strategy });
    expect([code, err]).toEqual([0, []]);
    const trades = epochsIn(results).map(({ figures }) => figures?.trades ?? 0);
    expect(trades).toHaveLength(5);
    expect(new Set(trades).size).toBeGreaterThan(3);
  });

  test('an interrupted study keeps and judges what it has found', async () => {
    const interrupted = new AbortController();
    const results = join(folder, 'interrupted');
    const running = study(['-e', '100000', '--random-state', '1', '-j', '2'], { signal: interrupted.signal, results });
    // As soon as some epochs are in the file.
    const hasSome = (): boolean =>
      existsSync(results) && readdirSync(results).some((name) => name.startsWith('strategy_')) && epochsIn(results).length >= 40;
    while (!hasSome()) await new Promise((resolve) => setTimeout(resolve, 20));
    interrupted.abort();
    const { code, out } = await running;
    expect(code).toBe(130);
    const { epochs, judgement } = readResults(findResults(results, undefined));
    expect(out).toContain(`Interrupted: ${epochs.length} epochs in ${findResults(results, undefined)}`);
    expect(judgement).toMatchObject({ epochs: epochs.length, luck: { tries: epochs.length }, neighbourhood: null });
  });
});

describe.skipIf(testPythonPlaces.given === null)(needsPython('a study of a class in Python'), () => {
  const inPython = (methods = ''): string =>
    writeTo(
      folder,
      `Averages${methods.length}.py`,
      `${parameterClasses}

class Averages:
    timeframe = "5m"
    stoploss = -0.1
    minimal_roi = {"0": 0.02}
    startup_candle_count = 50
    fast = Parameter(5, "buy", low=3, high=9)
    slow = Parameter(20, "buy", low=10, high=30)

    def populate_indicators(self, dataframe, metadata):
        dataframe["a"] = dataframe["close"].rolling(self.fast.value).mean()
        dataframe["b"] = dataframe["close"].rolling(self.slow.value).mean()
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        above = dataframe["a"] > dataframe["b"]
        dataframe.loc[above & (dataframe["a"].shift(1) <= dataframe["b"].shift(1)), "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["a"] < dataframe["b"], "exit_long"] = 1
        return dataframe
${methods}
`,
    );
  const asFile = (): string => {
    const text = readFileSync(strategyFile('averages-in-typescript.ts'), 'utf8');
    const changed = text
      .replace('#engine/indicators/ema.ts', '#engine/indicators/sma.ts')
      .replace('{ ema }', '{ sma as ema }')
      .replace('min: 10, max: 30, step: 5', 'min: 10, max: 30, step: 1');
    return writeTo(folder, 'averages-in-typescript.ts', changed);
  };
  const words = ['-e', '40', '--random-state', '3', '--spaces', 'buy', 'stoploss', '--sampler', 'random', '--min-trades', '0'];
  const plain = ({ epoch, point, figures, loss }: EpochRecord) => ({
    epoch,
    point,
    loss,
    trades: figures?.trades,
    profit: figures?.profit.toFixed(6),
  });

  test('has the epochs that the same has in TypeScript, with one worker and with two; each is run again with the same figures', async () => {
    const first = await study([...words, '-j', '1'], { strategy: inPython() });
    expect([first.code, first.err]).toEqual([0, []]);
    const two = await study([...words, '-j', '2'], { strategy: inPython() });
    expect(epochsIn(two.results)).toEqual(epochsIn(first.results));
    const file = await study([...words, '-j', '2'], { strategy: asFile() });
    expect(epochsIn(first.results).map(plain)).toEqual(epochsIn(file.results).map(plain));
    expect(new Set(epochsIn(first.results).map(({ figures }) => figures?.trades)).size).toBeGreaterThan(5);
    const { code, err } = await show(first.results, '-n', '7');
    expect([code, err]).toEqual([0, []]);
  });

  test('callbacks see the parameters and the columns of their epoch', async () => {
    const methods = `
    def custom_exit(self, pair, trade, **words):
        frame, _ = self.dp.get_analyzed_dataframe(pair, self.timeframe)
        right = frame["close"].rolling(self.fast.value).mean().iloc[-1]
        return None if abs(frame["a"].iloc[-1] - right) < 1e-9 else "stale"

    def confirm_trade_exit(self, exit_reason, **words):
        if exit_reason == "stale":
            raise ValueError("the columns of another epoch")
        return True
`;
    const some = ['-e', '12', '--random-state', '3', '--spaces', 'buy', 'stoploss', '--sampler', 'random', '--min-trades', '0', '-j', '2'];
    const seen = await study(some, { strategy: inPython(methods) });
    expect([seen.code, seen.err]).toEqual([0, []]);
    const file = await study(some, { strategy: asFile() });
    // Nothing was stale: the trades are those without callbacks.
    expect(epochsIn(seen.results).map(plain)).toEqual(epochsIn(file.results).map(plain));
  });

  test('callbacks see the settings of their epoch, in the class and in the configuration', async () => {
    // What throws leaves the trade open, so the exit is what they are to find: the same as of a class that asks for nothing.
    const leaving = (condition: string): string => `
    def custom_exit(self, pair, trade, **words):
        same = abs(trade.initial_stop_loss_pct - self.stoploss) < 1e-9 and self.config["stoploss"] == self.stoploss
        return "leave" if ${condition} else None
`;
    const some = ['-e', '12', '--random-state', '3', '--spaces', 'buy', 'stoploss', '--sampler', 'random', '--min-trades', '0', '-j', '2'];
    const found: unknown[] = [];
    for (const condition of ['same and self.minimal_roi == {0: 0.02}', 'True', 'False']) {
      const { code, err, results } = await study(some, { strategy: inPython(leaving(condition)) });
      expect([code, err]).toEqual([0, []]);
      found.push(epochsIn(results).map(plain));
    }
    expect(found[0]).toEqual(found[1]);
    expect(found[0]).not.toEqual(found[2]);
  });

  test('so does what computes the signals, which are computed for each epoch then', async () => {
    const methods = `
    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[:, "enter_long"] = int(self.stoploss > -0.2 and self.minimal_roi[0] > 0.15)
        return dataframe
`;
    const some = ['-e', '30', '--random-state', '3', '--spaces', 'roi', 'stoploss', '--sampler', 'random', '--min-trades', '0', '-j', '2'];
    const { code, err, results } = await study(some, { strategy: inPython(methods) });
    expect([code, err]).toEqual([0, []]);
    const hasTraded = epochsIn(results).map(({ figures }) => (figures?.trades ?? 0) > 0);
    const mayTrade = epochsIn(results).map(
      ({ values: { stoploss = 0, roi_p1: a = 0, roi_p2: b = 0, roi_p3: c = 0 } }) => stoploss > -0.2 && a + b + c > 0.15,
    );
    expect(hasTraded).toEqual(mayTrade);
    expect(new Set(mayTrade).size).toBe(2);
    const shown = await show(results, '-n', String(mayTrade.indexOf(true) + 1));
    expect([shown.code, shown.err]).toEqual([0, []]);
    const sealed = await study([...some, '--sealed', '20%'], { strategy: inPython(methods) });
    const opened = await show(sealed.results, '-n', String(mayTrade.indexOf(true) + 1), '--unseal');
    expect([opened.code, opened.out.join('\n')]).toEqual([0, expect.stringMatching(/Trades\D+[1-9]/u)]);
  });

  test('one that asks for the account on the way begins again with the parameters and settings of its epoch', async () => {
    const methods = (asks: string): string => `
    def populate_entry_trend(self, dataframe, metadata):
        above = dataframe["a"] > dataframe["b"]
        crossed = above & (dataframe["a"].shift(1) <= dataframe["b"].shift(1))
        dataframe.loc[crossed, "enter_long"] = int(self.stoploss < -0.15)
        return dataframe

    def custom_exit(self, **words):
        ${asks}
        return None
`;
    const some = ['-e', '12', '--random-state', '3', '--spaces', 'buy', 'stoploss', '--sampler', 'random', '--min-trades', '0', '-j', '1'];
    const asking = await study(some, { strategy: inPython(methods('getattr(self, "wal" + "lets").get_free("USDT")')) });
    expect([asking.code, asking.err]).toEqual([0, []]);
    const quiet = await study(some, { strategy: inPython(methods('pass')) });
    expect(epochsIn(asking.results).map(plain)).toEqual(epochsIn(quiet.results).map(plain));
    const traded = epochsIn(asking.results).find(({ figures }) => (figures?.trades ?? 0) > 0);
    const shown = await show(asking.results, '-n', String(traded?.epoch));
    expect([shown.code, shown.err]).toEqual([0, []]);
  });
});

describe('as a command of its own', () => {
  // A copy, in which mutants are tried, has no list of packages that its scripts could compare with what is installed.
  const root = join(import.meta.dirname, '../../..');
  const script = join(root, 'scripts/flotilla.mjs');
  test.skipIf(!existsSync(join(root, 'package-lock.json')))('Ctrl-C ends it with 130, and what it has found is there', async () => {
    const results = join(folder, 'ctrl-c');
    const file = writeTo(folder, 'ctrl-c.json', JSON.stringify(config));
    const words = ['--strategy', strategyFile('averages.ts'), '--config', file, '--datadir', datadir, '--pairs', 'BTC/USDT'];
    // A terminal sends Ctrl-C to all processes of a command: to the script that starts the product, too.
    const child = spawn(process.execPath, [script, 'hyperopt', ...words, '-e', '10000000', '-j', '2', '--results', results], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!out.includes('* ') && (out + text).includes('* ')) process.kill(-child.pid!, 'SIGINT');
      out += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(130);
    expect(out).toMatch(/^Interrupted: \d+ epochs in /mu);
    expect(epochsIn(results).length).toBeGreaterThan(0);
  });
});

describe('what goes wrong', () => {
  test('an epoch that throws is noted, and the study continues', async () => {
    const strategy = strategyFile('throws.ts', "if (fast === 7) throw new Error('seven is too many');");
    const { code, out, results } = await study(['--sampler', 'grid', '--spaces', 'buy', '-j', '2'], { strategy });
    expect(code).toBe(0);
    const failed = epochsIn(results).filter(({ fault }) => fault !== undefined);
    expect(failed.map(({ values }) => values['fast'])).toEqual([7, 7, 7, 7, 7]);
    expect(out.join('\n')).toMatch(/^5 epochs failed; the first, number 21: Averages fails on BTC\/USDT, .*seven is too many/mu);
    expect((await show(results, '-n', '21')).err[0]).toMatch(/^Epoch 21 failed: /u);
  });

  test('a strategy that changes the candles, which all epochs share, is refused in the end', async () => {
    const strategy = strategyFile('changes.ts', 'if (fast === 7) candles.close[2_900] = 1;');
    const { code, err } = await study(['--sampler', 'grid', '--spaces', 'buy', '-j', '2'], { strategy });
    expect(code).toBe(2);
    expect(err).toEqual(['Averages has changed the candles of BTC/USDT that it was given: the epochs of this study are worth nothing.']);
  });

  test('where all fail the study says why, and ends with 2', async () => {
    const strategy = strategyFile('all-throw.ts', "if (fast !== 5 || slow !== 20) throw new Error('only as configured');");
    const { code, err } = await study(['--sampler', 'grid', '--spaces', 'buy', '--range', 'fast=3:4', '-j', '2'], { strategy });
    expect(code).toBe(2);
    expect(err).toHaveLength(1);
    expect(err[0]).toMatch(/^All 10 epochs failed; the first: Averages fails .*only as configured/u);
  });

  test('a worker that is killed is replaced, and its portion is run again: the same epochs', async () => {
    const words = ['--sampler', 'grid', '--spaces', 'buy', '-j', '2'];
    const undisturbed = await study(words);
    const mark = join(folder, 'killed-once');
    const strategy = strategyFile(
      'killed.ts',
      `if (fast === 6 && slow === 15 && !existsSync(${JSON.stringify(mark)})) { writeFileSync(${JSON.stringify(mark)}, ''); process.exit(7); }`,
    );
    const { code, results } = await study(words, { strategy });
    expect(code).toBe(0);
    expect(existsSync(mark)).toBe(true);
    expect(epochsIn(results)).toEqual(epochsIn(undisturbed.results));
  });

  test('a point that ends its worker each time is one failed epoch', async () => {
    const strategy = strategyFile('deadly.ts', 'if (fast === 6 && slow === 15) process.exit(7);');
    const { code, results } = await study(['--sampler', 'grid', '--spaces', 'buy', '-j', '2'], { strategy });
    expect(code).toBe(0);
    const failed = epochsIn(results).filter(({ fault }) => fault !== undefined);
    expect(failed.map(({ values, fault }) => [values['fast'], values['slow'], fault])).toEqual([
      [6, 15, 'it has ended the thread that ran it, with code 7'],
    ]);
  });

  test('no trades at all', async () => {
    const none = await study(['-e', '20', '--spaces', 'stoploss', '-j', '1'], { config: { dry_run_wallet: 1 } });
    expect([none.code, none.err]).toEqual([2, ['None of 20 epochs made a trade: there is nothing to choose among.']]);
    const few = await study(['-e', '20', '--spaces', 'stoploss', '--min-trades', '5000', '-j', '1']);
    expect([few.code, few.err]).toEqual([2, ['None of 20 epochs made 5000 trades: ask for fewer with --min-trades.']]);
  });

  test('candles that are missing in the middle are filled as in a backtest', async () => {
    const rows = csvOf(sandboxCandles('BTC', 'spot', start, 3000, 5 * minute)).split('\n');
    rows.splice(1_500, 40);
    const own = join(folder, 'holes');
    writeTo(own, 'BTC_USDT-5m.csv', rows.join('\n'));
    const { code, results } = await study(['-e', '10', '--spaces', 'buy', '-j', '2'], { datadir: own });
    expect(code).toBe(0);
    expect(await show(results, '-n', '10')).toMatchObject({ code: 0, err: [] });
  });

  test.each<[string, string[], string | RegExp]>([
    [
      'a loss that is not there',
      ['--hyperopt-loss', 'MyLoss'],
      /^There is no loss function "MyLoss"; there are ShortTradeDurHyperOptLoss, OnlyProfitHyperOptLoss, .*MultiMetricHyperOptLoss\.$/u,
    ],
    ['a sampler that is not there', ['--sampler', 'nsga'], 'There is no sampler "nsga"; there are grid, random, quasi-random, tpe.'],
    [
      'a space that is not there',
      ['--spaces', 'buy', 'everything'],
      '--spaces takes default, all, buy, sell, protection, roi, stoploss, trailing, trades, and was given buy, everything.',
    ],
    ['a range upside down', ['--range', 'fast=9:3'], 'The range of "fast" is upside down: it runs from 9 to 3.'],
    [
      'a range that is none',
      ['--range', 'fast'],
      '--range takes NAME=MIN:MAX or NAME=MIN:MAX:STEP, for example stoploss=-0.1:-0.02:0.01, and was given "fast".',
    ],
    ['a huge grid', ['--sampler', 'grid', '--spaces', 'all'], /^The grid has about 10\^2\d points, and a grid may have 1000000 at most: /u],
    ['no epochs', ['-e', '0'], '--epochs must be a whole number of at least 1, and is "0".'],
    ['a part that is none', ['--sealed', '120%'], '--sealed must be a part such as 20% or 0.2, and is "120%".'],
    [
      'a time without candles',
      ['--timerange', '20240101-20240201'],
      'There are no candles in this time after the warm-up of the strategy.',
    ],
  ])('%s', async (_, words, sentence) => {
    const { code, out, err } = await study(words);
    expect({ code, out, count: err.length }).toEqual({ code: 2, out: [], count: 1 });
    expect(err[0]).toMatch(sentence);
  });

  test('a file in Python that is not there', async () => {
    const { code, err } = await study([], { strategy: './Mine.py' });
    expect([code, err]).toEqual([2, ['The strategy file ./Mine.py does not exist.']]);
  });

  test('several faults are reported together', async () => {
    const { err } = await study(['--hyperopt-loss', 'X', '-e', '-1', '--sampler', 'y']);
    expect(err).toHaveLength(3);
  });

  test('a strategy that looks ahead is refused before any epoch', async () => {
    const strategy = strategyFile('ahead.ts', 'candles = { ...candles, close: candles.close.map((each, i, all) => all[i + 1] ?? each) };');
    const { code, err, results } = await study(['-e', '10'], { strategy });
    expect(code).toBe(2);
    expect(err[0]).toMatch(/^Averages looks ahead: /u);
    expect(existsSync(results)).toBe(false);
  });
});

describe('epochs again', () => {
  let results = '';
  beforeAll(async () => {
    ({ results } = await study([
      '-e',
      '60',
      '--random-state',
      '5',
      '--spaces',
      'default',
      'trades',
      '-j',
      '2',
      '--sealed',
      '25%',
      '--pairs',
      'BTC/USDT',
      'ETH/USDT',
    ]));
  });

  test('each epoch gives the same figures when it is run again', async () => {
    for (const number of ['1', '17', '-1']) {
      const { code, out, err } = await show(results, '-n', number);
      expect({ code, err }).toEqual({ code: 0, err: [] });
      const { figures } = epochsIn(results).at(Number(number) < 0 ? -1 : Number(number) - 1)!;
      expect(out.join('\n')).toMatch(new RegExp(`^Trades +${figures?.trades} \\(`, 'mu'));
    }
    const best = await show(results);
    expect(best.out[0]).toMatch(/^Epoch \d+ of /u);
    expect(best.out.join('\n')).toContain('lucky coins');
  });

  test('its parameters and settings are printed in the words of a configuration', async () => {
    const { out } = await show(results, '-n', '17', '--print-json');
    const { parameters, ...settings } = JSON.parse(out.join('\n'));
    const epoch = epochsIn(results)[16];
    expect(parameters).toEqual({ fast: epoch.values['fast'], slow: epoch.values['slow'] });
    expect(settings).toMatchObject({ stoploss: epoch.values['stoploss'], max_open_trades: epoch.values['max_open_trades'] });
  });

  test('the list has all, the best, or those with a profit', async () => {
    const all = await list(results);
    expect(all.out).toHaveLength(62);
    const best = await list(results, '--best', '--json');
    const epochs = best.out.map((line) => JSON.parse(line) as EpochRecord);
    expect(epochs.length).toBeGreaterThan(0);
    expect(epochs.every(({ isBest }) => isBest)).toBe(true);
    const won = (await list(results, '--profitable', '--json')).out.map((line) => JSON.parse(line) as EpochRecord);
    expect(won.every(({ figures }) => (figures?.profit ?? 0) > 0)).toBe(true);
  });

  test('the sealed stretch is opened once, for one epoch, and it is written down when', async () => {
    const { header } = readResults(findResults(results, undefined));
    expect(header.sealed?.from).toBe(header.range.to + 5 * minute);
    const first = await show(results, '-n', '3', '--unseal');
    expect(first.code).toBe(0);
    expect(first.out[0]).toMatch(
      /^Epoch 3 on the sealed stretch, 2025-03-1\d \d\d:\d\d to 2025-03-13 09:55 UTC, opened now, for this epoch alone$/u,
    );
    const again = await show(results, '-n', '3', '--unseal');
    expect(again.out[0]).toMatch(/, opened on \d{4}-/u);
    expect(again.out.slice(1)).toEqual(first.out.slice(1));
    const other = await show(results, '-n', '4', '--unseal');
    expect(other.code).toBe(2);
    expect(other.err[0]).toMatch(/^The sealed stretch was opened on \S+ for epoch 3; for another epoch it proves nothing any more\.$/u);
  });

  test('what is not there is said', async () => {
    expect((await show(results, '-n', '61')).err[0]).toMatch(/^There is no epoch 61 in .*; there are 1 to 60\.$/u);
    expect((await show(join(folder, 'nowhere'))).err[0]).toMatch(/^There are no results in .*; flotilla hyperopt makes some\.$/u);
    expect((await list(results, '--hyperopt-filename', 'none.jsonl')).err[0]).toMatch(/^There is no file none\.jsonl, /u);
    const open = await study(['-e', '5', '--spaces', 'buy']);
    expect((await show(open.results, '--unseal')).err[0]).toMatch(/^Nothing of this study is sealed/u);
  });

  test('when strategy, candles or configuration have changed since, it is said', async () => {
    const strategy = strategyFile('changing.ts');
    const made = await study(['-e', '5', '--spaces', 'stoploss', '--random-state', '1'], { strategy });
    const { words } = readResults(findResults(made.results, undefined)).header;
    writeTo(folder, words.config.slice(folder.length + 1), JSON.stringify({ ...config, stake_amount: 50 }));
    expect((await show(made.results)).err).toEqual([expect.stringMatching(/has changed since the study: stakeAmount\.$/u)]);
  });

  test('candles that have changed since give other figures, and the command says no', async () => {
    const own = join(folder, 'changing-candles');
    const text = csvOf(sandboxCandles('BTC', 'spot', start, 3000, 5 * minute));
    writeTo(own, 'BTC_USDT-5m.csv', text);
    const made = await study(['-e', '5', '--spaces', 'stoploss', '--random-state', '1', '-j', '1'], { datadir: own });
    expect((await show(made.results)).code).toBe(0);
    writeTo(own, 'BTC_USDT-5m.csv', csvOf(sandboxCandles('ETH', 'spot', start, 3000, 5 * minute)));
    const { code, err } = await show(made.results);
    expect(code).toBe(1);
    expect(err).toEqual([
      expect.stringMatching(/^In the study this epoch had \d+ trades .*: the strategy or the candles have changed since\.$/u),
    ]);
  });

  test('results that cannot be written are refused before the first epoch', async () => {
    const { code, err } = await study(['-e', '5'], { results: writeTo(folder, 'no-folder', '') });
    expect(code).toBe(2);
    expect(err).toEqual([expect.stringMatching(/^no-folder cannot be used for results \(.*\)\.$/u)]);
  });

  test('a last line that was cut off is left out, a damaged one is named', () => {
    const file = findResults(results, undefined);
    const text = readFileSync(file, 'utf8');
    const cut = writeTo(folder, 'cut.jsonl', text.slice(0, text.lastIndexOf('"kind":"judgement"')));
    expect(readResults(cut).epochs).toHaveLength(60);
    const damaged = writeTo(folder, 'damaged.jsonl', text.replace('"kind":"epoch","epoch":7,', '"kind":"epo'));
    expect(() => readResults(damaged)).toThrow(/damaged\.jsonl is damaged in line 8\.$/u);
    expect(() => readResults(writeTo(folder, 'other.jsonl', '{"a":1}\n'))).toThrow(/holds no results of flotilla hyperopt\.$/u);
  });
});
