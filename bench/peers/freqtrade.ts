/**
 * A search of one pair, a year of 5m: freqtrade's own hyperopt, and `flotilla hyperopt` on the same candles with the same class in Python and with
 * the same strategy as a TypeScript file. Each in one thread; once settings only (stop and ROI), once with the averages computed again.
 *
 * PEERS_PYTHON names a Python with freqtrade, optuna and filelock; without one nothing is measured.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { averagesConfig, averagesFile, csvOfYear } from '../support/averages-study.ts';
import { row } from '../support/figures.ts';
import { canImport, peersPython } from './peers-python.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-freqtrade-'));
const ranges = { fast: { min: 30, max: 80, step: 1 }, slow: { min: 150, max: 280, step: 1 } };
const classText = `from freqtrade.strategy import IStrategy, IntParameter

class Averages(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "5m"
    stoploss = -0.05
    minimal_roi = {"0": 0.05}
    startup_candle_count = 999
    fast = IntParameter(30, 80, default=50, space="buy")
    slow = IntParameter(150, 280, default=200, space="buy")

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        fast, slow = (dataframe["close"].ewm(span=int(each.value), adjust=False).mean() for each in (self.fast, self.slow))
        dataframe.loc[(fast > slow) & (fast.shift() <= slow.shift()), "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        fast, slow = (dataframe["close"].ewm(span=int(each.value), adjust=False).mean() for each in (self.fast, self.slow))
        dataframe.loc[(fast <= slow) & (fast.shift() > slow.shift()), "exit_long"] = 1
        return dataframe
`;

/** Seconds for an epoch, between a short and a long search: start and judgement are in both. */
function ours(strategy: string, spaces: readonly string[], [few, many]: readonly [number, number]): number {
  const seconds = [few, many].map((epochs) => {
    const main = join(import.meta.dirname, '../../src/main.ts');
    const words = [
      '--strategy',
      strategy,
      '--config',
      join(folder, 'config.json'),
      '--datadir',
      join(folder, 'data'),
      '--pairs',
      'BTC/USDT',
    ];
    const more = ['--spaces', ...spaces, '-e', String(epochs), '-j', '1', '--random-state', '1', '--python', peersPython];
    const begun = performance.now();
    const { status, stderr } = spawnSync(
      process.execPath,
      [main, 'hyperopt', ...words, ...more, '--results', join(folder, `results-${begun}`)],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
    return (performance.now() - begun) / 1_000;
  }) as [number, number];
  return (seconds[1] - seconds[0]) / (many - few);
}

/** The same of freqtrade: what its epochs took. */
function theirs(spaces: readonly string[], epochs: number): number {
  const setup = join(folder, 'setup.json');
  const facts = {
    strategy: join(folder, 'Averages.py'),
    class: 'Averages',
    datadir: join(folder, 'data'),
    home: join(folder, 'home'),
    pair: 'BTC/USDT',
  };
  writeFileSync(setup, JSON.stringify({ ...facts, epochs, spaces, again: spaces.includes('buy') }));
  const { status, stdout, stderr } = spawnSync(peersPython, [join(import.meta.dirname, 'hyperopt-of-freqtrade.py'), setup], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const found = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { seconds: number; epochs: number };
  return found.seconds / found.epochs;
}

try {
  const lacking = ['freqtrade', 'optuna', 'filelock'].filter((library) => !canImport(library));
  if (lacking.length > 0)
    process.stdout.write(`Nothing was measured: ${peersPython} has no ${lacking.join(', ')}. PEERS_PYTHON can name one that has.\n`);
  else {
    for (const name of ['recorded', 'data', 'home']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'recorded', 'BTC_USDT-5m.csv.gz'), gzipSync(csvOfYear()));
    const feather = join(import.meta.dirname, '../../test/torture/freqtrade/candles.py');
    const { status, stderr } = spawnSync(peersPython, [feather, join(folder, 'recorded'), join(folder, 'data')], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    writeFileSync(join(folder, 'Averages.py'), classText);
    const file = join(folder, 'averages.ts');
    writeFileSync(file, averagesFile({ stoploss: -0.05, minimalRoi: { 0: 0.05 }, ...ranges }));
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...averagesConfig, stake_currency: 'USDT' }));
    for (const [what, spaces] of [
      ['settings only', ['stoploss', 'roi']],
      ['the averages computed again', ['buy', 'stoploss']],
    ] as const) {
      const reference = theirs(spaces, 10);
      const inPython = ours(`${join(folder, 'Averages.py')}#Averages`, spaces, [20, 220]);
      const inTypeScript = ours(file, spaces, [50, 250]);
      row(`${what}: freqtrade’s hyperopt`, `${(1 / reference).toFixed(2)} epochs/s`, 'one thread each');
      row('  here, the class', `${(1 / inPython).toFixed(1)} epochs/s, ${(reference / inPython).toFixed(0)} times`, 'faster');
      row(
        '  here, a TypeScript file',
        `${(1 / inTypeScript).toFixed(0)} epochs/s, ${(reference / inTypeScript).toFixed(0)} times`,
        'faster',
      );
    }
    row('  load of the machine in that minute', (loadavg()[0] ?? 0).toFixed(1), 'below the number of processors');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
