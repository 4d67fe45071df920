/**
 * How fast a study is: a year of 5m candles of one pair, settings only, and with the signals computed again in each epoch (two averages),
 * in as many threads as there are processors; and what a study of 10,000 epochs takes of memory.
 *
 * Usage: node bench/hyperopt.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findResults, readResults } from '#cli/hyperopt/results-file.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import { row } from './support/figures.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-hyperopt-'));
const candles = join(folder, 'candles');

/** A year of candles that go up and down by about a sixth of a per cent. */
function csvOfYear(): string {
  const random = seededRandom(7);
  const rows = ['timestamp,open,high,low,close,volume'];
  const cut = (value: number): number => Math.round(value * 100) / 100;
  let price = 30_000;
  for (let i = 0; i < 105_120; i++) {
    const close = cut(price * (1 + (random() - 0.5) * 0.003));
    const high = cut(Math.max(price, close) * (1 + random() * 0.0003));
    const low = cut(Math.min(price, close) * (1 - random() * 0.0003));
    rows.push([Date.UTC(2025, 0, 1) + i * 300_000, price, high, low, close, 1].join(','));
    price = close;
  }
  return `${rows.join('\n')}\n`;
}

/** Two averages, in a file as a person has it. */
const strategy = join(folder, 'averages.ts');
writeFileSync(
  strategy,
  `import { ema } from '#engine/indicators/ema.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
export default {
  name: 'Averages', title: '', description: '', losesWhen: '', kind: 'trend', canShort: false, startupCandles: 1000,
  defaults: { timeframe: '5m', stoploss: -0.05, minimalRoi: { 0: 0.05 }, trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false },
  parameters: {
    fast: { default: 50, min: 30, max: 80, step: 1, meaning: '' },
    slow: { default: 200, min: 150, max: 280, step: 1, meaning: '' },
  },
  compute({ close }, { fast, slow }) {
    const [a, b] = [ema(close, fast), ema(close, slow)];
    const signals = noSignals(close.length);
    for (let i = 1; i < close.length; i++) {
      if (a[i] > b[i]) { if (a[i - 1] <= b[i - 1]) signals.enterLong[i] = 1; }
      else if (a[i - 1] > b[i - 1]) signals.exitLong[i] = 1;
    }
    return signals;
  },
};
`,
);
writeFileSync(
  join(folder, 'config.json'),
  JSON.stringify({ stake_amount: 100, max_open_trades: 1, dry_run_wallet: 1000, fee: 0.001, markets: { '*': { amount_step: 0.00001 } } }),
);
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

/** The most memory that a process has held at once, in MB. */
function peakOf(pid: number | undefined): number | null {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
  } catch {
    return null; // it has ended, or the system has no such file
  }
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
