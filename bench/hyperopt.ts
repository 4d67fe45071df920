/**
 * How fast a study is: a year of 5m candles of one pair, settings only, and with the signals computed again in each epoch (two averages),
 * in as many threads as there are processors; and what a study of 10,000 epochs takes of memory.
 *
 * Usage: node bench/hyperopt.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findResults, readResults } from '#cli/hyperopt/results-file.ts';
import { averagesConfig, averagesFile, csvOfYear } from './support/averages-study.ts';
import { row } from './support/figures.ts';
import { peakOf } from './support/peak-memory.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-hyperopt-'));
const candles = join(folder, 'candles');

const strategy = join(folder, 'averages.ts');
const ranges = { fast: { min: 30, max: 80, step: 1 }, slow: { min: 150, max: 280, step: 1 } };
writeFileSync(strategy, averagesFile({ stoploss: -0.05, minimalRoi: { 0: 0.05 }, ...ranges }));
writeFileSync(join(folder, 'config.json'), JSON.stringify(averagesConfig));
mkdirSync(candles);
writeFileSync(join(candles, 'BTC_USDT-5m.csv'), csvOfYear());

const threads = availableParallelism();
const main = join(import.meta.dirname, '../src/main.ts');
let studies = 0;

/** What a study took, as a command of its own. */
interface Taken {
  ms: number;
  trades: number; // an epoch
  peakMb: number; // NaN where the system does not say
}

/** Runs a study. */
async function study(epochs: number, spaces: readonly string[], jobs: number): Promise<Taken> {
  const results = join(folder, `results-${++studies}`);
  const words = ['--strategy', strategy, '--config', join(folder, 'config.json'), '--datadir', candles, '--pairs', 'BTC/USDT'];
  const more = ['-e', String(epochs), '--spaces', ...spaces, '-j', String(jobs), '--random-state', '1', '--results', results];
  const begun = performance.now();
  const child = spawn(process.execPath, [main, 'hyperopt', ...words, ...more], { stdio: ['ignore', 'ignore', 'inherit'] });
  let peakMb = NaN;
  const watching = setInterval(() => (peakMb = peakOf(child.pid) ?? peakMb), 20);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watching);
  if (code !== 0) throw new Error(`the study has ended with ${code}`);
  const ms = performance.now() - begun;
  const figures = readResults(findResults(results, undefined)).epochs.map((epoch) => epoch.figures?.trades ?? 0);
  return { ms, trades: Math.round(figures.reduce((sum, each) => sum + each, 0) / figures.length), peakMb };
}

/** Epochs per second between a short and a long study: start and judgement are in both. */
async function rateOf(
  spaces: readonly string[],
  [few, many]: [number, number],
  jobs: number,
): Promise<{ perSecond: number; trades: number }> {
  const short = await study(few, spaces, jobs);
  const long = await study(many, spaces, jobs);
  return { perSecond: ((many - few) / (long.ms - short.ms)) * 1_000, trades: long.trades };
}

const load = (): string => `load ${loadavg()[0]?.toFixed(2)} on ${threads} processors\n`;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
try {
  process.stdout.write(load());
  const settings = ['roi', 'stoploss', 'trailing'];
  const one = await rateOf(settings, [200, 1_200], 1);
  const all = await rateOf(settings, [200, 2_200], threads);
  row(`settings only, a year of 5m, ${all.trades} trades an epoch`, `${all.perSecond.toFixed(0)} epochs/s`, `1,000 on ${threads} threads`);
  row('  in one thread', `${one.perSecond.toFixed(0)} epochs/s`, 'no figure');
  const signals = await rateOf(['buy', 'stoploss'], [200, 1_200], threads);
  row(
    `two averages computed again, ${signals.trades} trades an epoch`,
    `${signals.perSecond.toFixed(0)} epochs/s`,
    `300 on ${threads} threads`,
  );
  for (const [what, spaces] of [
    ['settings only', settings],
    ['two averages computed again', ['buy', 'stoploss']],
  ] as const) {
    const large = await study(10_000, spaces, threads);
    row(`10,000 epochs, ${what}: start to judgement`, seconds(large.ms), 'no figure');
    row('  memory at most', `${Math.round(large.peakMb)} MB`, 'below 1 GB');
  }
  process.stdout.write(load());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
