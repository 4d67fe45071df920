/**
 * A sweep of two averages over a grid, a year of 5m: `flotilla hyperopt` and vectorbt on the same candles, side by side. vectorbt fills at the
 * close that crosses and knows no stop; here the next candle's open fills, by the rules of every backtest, and an epoch keeps what the
 * judgement needs. So the figures differ a little, and the number of trades does not.
 *
 * PEERS_PYTHON names a Python with vectorbt; without one nothing is measured.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findResults, readResults } from '#cli/hyperopt/results-file.ts';
import { averagesConfig, averagesFile, csvOfYear } from '../support/averages-study.ts';
import { quantile, row } from '../support/figures.ts';
import { canImport, peersPython } from './peers-python.ts';

const rounds = Number(process.env['ROUNDS'] ?? 3);
const fast = { min: 30, max: 79, step: 1 };
const slow = { min: 150, max: 245, step: 5 };
const epochs = 50 * 20;
const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-vectorbt-'));
const candles = join(folder, 'candles', 'BTC_USDT-5m.csv');

/** What a sweep took from start to end and for an epoch, in seconds, and its trades an epoch. */
interface Sweep {
  whole: number;
  epoch: number;
  trades: number;
}

function theirs(): Sweep {
  const numbers = [fast, slow].flatMap(({ min, max, step }) => [min, max, step].map(String));
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(peersPython, [join(import.meta.dirname, 'sweep-of-vectorbt.py'), candles, ...numbers], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const whole = (performance.now() - begun) / 1_000;
  const { seconds, trades } = JSON.parse(stdout) as { seconds: number; trades: number };
  return { whole, epoch: seconds / epochs, trades };
}

let studies = 0;

/** A whole command, with its start, its candles and its judgement. */
function command(count: number, jobs: number): Omit<Sweep, 'epoch'> {
  const results = join(folder, `results-${++studies}`);
  const main = join(import.meta.dirname, '../../src/main.ts');
  const words = ['--strategy', join(folder, 'averages.ts'), '--config', join(folder, 'config.json'), '--datadir', join(folder, 'candles')];
  const more = ['--pairs', 'BTC/USDT', '--spaces', 'buy', '--sampler', 'grid', '-e', String(count), '-j', String(jobs)];
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [main, 'hyperopt', ...words, ...more, '--results', results], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const whole = (performance.now() - begun) / 1_000;
  const found = readResults(findResults(results, undefined)).epochs;
  if (found.length !== count) throw new Error(`${found.length} epochs`);
  return { whole, trades: found.reduce((sum, { figures }) => sum + (figures?.trades ?? 0), 0) / count };
}

/** What an epoch takes is the difference between a long study and a short one: start and judgement are in both. */
function ours(jobs: number): Sweep {
  const few = command(epochs / 5, jobs);
  const many = command(epochs, jobs);
  return { ...many, epoch: (many.whole - few.whole) / (epochs - epochs / 5) };
}

try {
  if (!canImport('vectorbt'))
    process.stdout.write(`Nothing was measured: ${peersPython} has no vectorbt. PEERS_PYTHON can name one that has.\n`);
  else {
    mkdirSync(join(folder, 'candles'));
    writeFileSync(candles, csvOfYear());
    writeFileSync(join(folder, 'averages.ts'), averagesFile({ stoploss: -0.99, minimalRoi: {}, fast, slow }));
    writeFileSync(join(folder, 'config.json'), JSON.stringify(averagesConfig));
    const threads = availableParallelism();
    const taken = { one: [] as Sweep[], all: [] as Sweep[], theirs: [] as Sweep[] };
    for (let round = 0; round < rounds; round++) {
      taken.one.push(ours(1));
      taken.theirs.push(theirs());
      taken.all.push(ours(threads));
    }
    const middle = (of: readonly Sweep[], what: 'whole' | 'epoch'): number =>
      quantile(
        of.map((each) => each[what]),
        0.5,
      );
    const trades = [taken.one, taken.theirs].map(([first]) => first?.trades.toFixed(1)).join(', ');
    row(`${epochs} pairs of averages, a year of 5m; trades an epoch: here, vectorbt`, trades, 'no figure');
    for (const [what, name] of [
      ['epoch', 'an epoch'],
      ['whole', 'from start to result, judgement included here'],
    ] as const) {
      const [one, all, other] = [taken.one, taken.all, taken.theirs].map((of) => middle(of, what)) as [number, number, number];
      const text = (seconds: number): string => (what === 'whole' ? `${seconds.toFixed(1)} s` : `${(1 / seconds).toFixed(0)}/s`);
      row(`  ${name}: one thread here, ${threads} threads here, vectorbt`, [one, all, other].map(text).join(', '), 'side by side');
      row('  as fast in one thread, in all', `${(other / one).toFixed(1)}, ${(other / all).toFixed(1)} times`, 'ahead of vectorbt');
    }
    row('  load of the machine in that minute', (loadavg()[0] ?? 0).toFixed(1), `${threads} processors`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
