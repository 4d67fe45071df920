// Strategies in Python: a command against freqtrade's own, a decision of a running bot against the file's own time, and the memory of many
// strategies. FLOTILLA_PYTHON names a Python with pandas; what needs freqtrade is left out where it has none.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { randomWalk } from '#engine/indicators/testing/random-walk.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { inThreads } from '#runner/jobs/in-thread.ts';
import type { PortfolioTask } from '#runner/jobs/portfolio-task.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import type { StrategyOfVersion } from '#strategy-process/strategy-processes.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { flotilla, python, reference, type Setup, type Side } from '../test/torture/freqtrade/both-sides.ts';
import { quantile, row } from './support/figures.ts';
import { familyCpuMs } from './support/processor-time.ts';
import { descendantsOf, memoryShareMb } from './support/process-memory.ts';

const runFile = promisify(execFile);
const rounds = Number(process.env['ROUNDS'] ?? 3);
const strategies = Number(process.env['STRATEGIES'] ?? 20);
const fiveMinutes = 300_000;

const libraries = ['freqtrade', 'pandas'].filter((name) => spawnSync(python, ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0);
const hasFreqtrade = libraries.includes('freqtrade');
if (!libraries.includes('pandas'))
  process.stdout.write(`Nothing was measured: ${python} has no pandas. FLOTILLA_PYTHON can name one that has.\n`);
else {
  if (hasFreqtrade) await measureCommands();
  else process.stdout.write(`Commands were not measured: ${python} has no freqtrade.\n`);
  if (hasFreqtrade) await measureWarm();
  await measureRows();
  await measureMemory();
}

/** Whole commands on 90 days of three pairs, side by side with freqtrade's own backtest. */
async function measureCommands(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-python-'));
  try {
    writeCandles(folder);
    const imports: Took[] = [];
    for (let round = 0; round < rounds; round++) imports.push(await timeOf(importing));
    const own = join(import.meta.dirname, '../test/torture/freqtrade/strategies');
    const setups: Setup[] = [
      { name: 'freqtrade’s sample', file: sampleFile(), className: 'SampleStrategy' },
      { name: 'every callback, 10 days', file: join(own, 'all-spot.py'), className: 'AllSpot', timerange: '20240110-20240120' },
    ];
    for (const setup of setups) {
      const took = { here: [] as Took[], there: [] as Took[] };
      for (let round = 0; round < rounds; round++) {
        took.here.push(await timeOf(() => flotilla(folder, setup)));
        took.there.push(await timeOf(() => reference(folder, setup)));
      }
      const middle = (of: readonly Took[], what: 'seconds' | 'cpuSeconds'): number =>
        quantile(
          of.map((each) => each[what]),
          0.5,
        );
      const { trades } = took.here[0];
      for (const [what, name] of [
        ['seconds', 'from start to end'],
        ['cpuSeconds', 'processor time'],
      ] as const) {
        const [here, there] = [middle(took.here, what), middle(took.there, what)];
        const ratios = `${(there / here).toFixed(1)}, ${(there / (here - middle(imports, what))).toFixed(1)} times`;
        row(`${setup.name}, ${trades} trades, ${name}: here, freqtrade`, `${here.toFixed(1)}, ${there.toFixed(1)} s`, 'side by side');
        row('  as fast; the same without Python’s imports', ratios, 'promised: 2 to 5; 7 or more');
      }
    }
    sayLoad();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The sample once more, as a backtest on the screen: its process is copied from a Python that has loaded what it imports. */
async function measureWarm(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-python-'));
  const parents = new WarmParents(wallsOfSystem());
  try {
    writeCandles(folder);
    const file = sampleFile();
    const text = readFileSync(file, 'utf8');
    const took = { here: [] as Took[], there: [] as Took[] };
    await onScreen(parents, text); // the first one pays for the imports
    for (let round = 0; round < rounds; round++) {
      took.here.push(await timeOf(() => onScreen(parents, text)));
      took.there.push(await timeOf(() => reference(folder, { name: 'sample', file, className: 'SampleStrategy' })));
    }
    const [here, there] = [took.here, took.there].map((of) =>
      quantile(
        of.map(({ seconds }) => seconds),
        0.5,
      ),
    ) as [number, number];
    const [{ trades }, theirs] = [took.here[0], took.there[0]] as [Took, Took];
    row(
      `freqtrade’s sample with Python warm, ${trades} trades: here, freqtrade`,
      `${here.toFixed(2)}, ${there.toFixed(1)} s`,
      `${theirs.trades} trades there`,
    );
    row('  as fast', `${(there / here).toFixed(1)} times`, 'promised: 7 or more');
    sayLoad();
  } finally {
    parents.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the worker of the product calculates for a backtest over three pairs. */
async function onScreen(parents: WarmParents, text: string): Promise<Side> {
  const symbols = ['BTC/USDT', 'ETH/USDT', 'BNB/USDT'];
  const settings = {
    stakeAmount: 100,
    maxOpenTrades: 3,
    startingBalance: 1000,
    stoploss: -0.1,
    minimalRoi: { 60: 0.01, 30: 0.02, 0: 0.04 },
    fee: 0.001,
  };
  const pairs = symbols.map((symbol, i) => ({
    instrument: anInstrument({ symbol, base: symbol.slice(0, 3), amountStep: 0.00001 }),
    candles: candlesOf(i),
  }));
  const { openTime } = pairs[0]?.candles ?? { openTime: new Float64Array() };
  const task: PortfolioTask = {
    code: { file: 'Sample.py', files: { 'Sample.py': text }, exportName: 'SampleStrategy' },
    python: { program: python, config: { stake_currency: 'USDT', timeframe: '5m' }, pairs: symbols, parameters: {}, series: [], notes: [] },
    strategyClass: 'SampleStrategy',
    parameters: {},
    settings: requireSettings(settings),
    timeframe: '5m',
    detailTimeframe: null,
    pairs,
    withoutCandles: [],
    others: {},
    from: (openTime[0] ?? 0) + 200 * fiveMinutes,
    to: (openTime.at(-1) ?? 0) + fiveMinutes,
    slippageShare: 0,
  };
  const work = { signal: new AbortController().signal, progress: async () => undefined };
  const { result } = await inThreads(task, work, parents, () => Promise.reject(new Error('The sample reads nothing besides')));
  return { trades: result.trades.map(({ exit_reason }) => exit_reason) };
}

/** What a command's Python does before it has seen the strategy. */
async function importing(): Promise<Side> {
  const program = join(import.meta.dirname, '../src/strategy-process/python');
  const lines = [
    'import sys',
    'sys.path.insert(0, sys.argv[1])',
    'from shim import later',
    'later.begin()',
    'import freqtrade.strategy, talib.abstract',
  ];
  await runFile(python, ['-c', lines.join('\n'), program]);
  return { trades: [] };
}

/** Rows of running bots on windows of 1,000 candles, and how long the file itself has computed them: it says so in a tag. */
async function measureRows(): Promise<void> {
  const [pairs, size, candlesEach] = [20, 1_000, 50];
  const all = randomWalk({ length: size + candlesEach, seed: 7, stepMs: fiveMinutes });
  const took = { own: [] as number[], whole: [] as number[], between: [] as number[] };
  await withProcesses(async (processes) => {
    const strategy = strategyNamed('Timed');
    for (let candle = 0; candle < candlesEach; candle++)
      for (let pair = 0; pair < pairs; pair++) {
        const own = { candles: sliceColumns(all, candle, candle + size), series: `pair ${pair}` };
        const since = performance.now();
        const { exitTag } = await processes.row(strategy, {}, { symbol: 'BTC/USDT', own, timeframeMs: fiveMinutes });
        const wholeMs = performance.now() - since;
        if (candle === 0) continue; // the process is started, and gets all candles of each pair
        took.whole.push(wholeMs);
        took.own.push(Number(exitTag));
        took.between.push(wholeMs - Number(exitTag));
      }
  });
  const text = (values: readonly number[]): string => `${quantile(values, 0.5).toFixed(1)} / ${quantile(values, 0.99).toFixed(1)} ms`;
  row('a decision on 1,000 candles, the file’s own time, p50 / p99', text(took.own), 'the file’s');
  row('  there and back', text(took.whole), 'promised: the file’s + 10 ms');
  row('  what that is more, decision by decision', text(took.between), 'promised: under 10 ms');
  sayLoad();
}

/** So many strategies, each of which has decided on two pairs: what they and the process they are copied from take of the machine's memory. */
async function measureMemory(): Promise<void> {
  const candles = randomWalk({ length: 1_000, seed: 7, stepMs: fiveMinutes });
  await withProcesses(async (processes) => {
    const startMs: number[] = [];
    for (let i = 0; i < strategies; i++)
      for (const symbol of ['BTC/USDT', 'ETH/USDT']) {
        const since = performance.now();
        await processes.row(strategyNamed(`Number${i}`), {}, { symbol, own: { candles, series: symbol }, timeframeMs: fiveMinutes });
        if (symbol === 'BTC/USDT') startMs.push(performance.now() - since);
      }
    const shares = descendantsOf(process.pid, 'shim/parent.py').map(memoryShareMb);
    const sum = shares.reduce((total, each) => total + each, 0);
    row(
      `${strategies} strategies and the process they are copied from`,
      `${sum.toFixed(0)} MB in ${shares.length}`,
      'promised: under 1,000 MB',
    );
    row('  each, p50 / most', `${quantile(shares, 0.5).toFixed(0)} / ${Math.max(...shares).toFixed(0)} MB`, 'no promise');
    row(
      '  first decision, p50 / worst',
      `${quantile(startMs, 0.5).toFixed(0)} / ${Math.max(...startMs).toFixed(0)} ms`,
      'the worst starts Python',
    );
  });
  sayLoad();
}

async function withProcesses(work: (processes: StrategyProcesses) => Promise<void>): Promise<void> {
  const options = { node: process.execPath, walls: wallsOfSystem(), python: { ...noPython, given: python } };
  const processes = new StrategyProcesses(options, productTimes, () => undefined);
  try {
    await work(processes);
  } finally {
    await processes.end();
  }
}

/** A class that computes what many do, and says in its exit tag how many ms that took. */
function strategyNamed(name: string): StrategyOfVersion {
  const file = `${name}.py`;
  const text = `import time
import pandas
${hasFreqtrade ? 'import talib.abstract as ta\nfrom freqtrade.strategy import IStrategy' : 'class IStrategy: pass'}

class ${name}(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "5m"
    stoploss = -0.1
    minimal_roi = {"0": 0.02}

    def populate_indicators(self, dataframe, metadata):
        self.begun = time.perf_counter()
        for length in (10, 20, 50, 100, 200):
            dataframe[f"average_{length}"] = dataframe["close"].ewm(span=length).mean()
        middle = dataframe["close"].rolling(20)
        dataframe["lower"] = middle.mean() - 2 * middle.std()
        dataframe["weak"] = ${hasFreqtrade ? 'ta.RSI(dataframe, timeperiod=14)' : 'dataframe["close"].diff().clip(lower=0).rolling(14).mean()'}
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[(dataframe["close"] < dataframe["lower"]) & (dataframe["average_20"] > dataframe["average_50"]), ["enter_long", "enter_tag"]] = (1, "low")
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe["exit_long"] = 1
        dataframe["exit_tag"] = str((time.perf_counter() - self.begun) * 1000)
        return dataframe
`;
  const config = { runmode: 'dry_run', stake_currency: 'USDT', trading_mode: 'spot', timeframe: '5m' };
  return {
    version: { id: name, file, files: { [file]: text }, python: { config, pairs: ['BTC/USDT', 'ETH/USDT'], parameters: {} } },
    exportName: name,
  };
}

/** Ninety days of candles of five minutes for three pairs, as both sides read them. */
function writeCandles(folder: string): void {
  mkdirSync(join(folder, 'recorded'));
  ['BTC', 'ETH', 'BNB'].forEach((base, i) => {
    const { openTime, open, high, low, close, volume } = candlesOf(i);
    const lines = Array.from(openTime, (time, at) =>
      [time, ...[open, high, low, close, volume].map((column) => (column[at] ?? 0).toFixed(2))].join(','),
    );
    const text = `timestamp,open,high,low,close,volume\n${lines.join('\n')}\n`;
    writeFileSync(join(folder, 'recorded', `${base}_USDT-5m.csv.gz`), gzipSync(text));
  });
  run([join(import.meta.dirname, '../test/torture/freqtrade/candles.py'), join(folder, 'recorded'), join(folder, 'data')]);
}

function sampleFile(): string {
  return join(run(['-c', 'import freqtrade; print(freqtrade.__path__[0])']).trim(), 'templates/sample_strategy.py');
}

/** Ninety days of candles of five minutes; the pairs differ. */
function candlesOf(pair: number): CandleColumns {
  const { openTime, ...columns } = randomWalk({ length: 25_920, seed: pair + 1, stepMs: fiveMinutes });
  const rounded = Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, column.map((value) => Number(value.toFixed(2)))]),
  );
  return { openTime, ...rounded } as unknown as CandleColumns;
}

function run(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(python, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

interface Took {
  trades: number;
  seconds: number;
  cpuSeconds: number; // of what it has started, which load does not change much
}

/** How long a side takes. Fails: Error with what it said */
async function timeOf(work: () => Promise<Side>): Promise<Took> {
  const [since, cpuSince] = [performance.now(), familyCpuMs(process.pid)];
  const side = await work();
  if ('fault' in side) throw new Error(side.fault);
  const [ms, cpuMs] = [performance.now() - since, familyCpuMs(process.pid) - cpuSince];
  return { trades: side.trades.length, seconds: ms / 1000, cpuSeconds: cpuMs / 1000 };
}

function sayLoad(): void {
  row('  load of the machine in that minute', (loadavg()[0] ?? 0).toFixed(1), 'two cores or more: below their number');
}
