import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '#cli/testing/command-process.ts';

// Strategies in Python, run by this program and by freqtrade itself on the same candles: the same trades, line by line. The strategies are those
// beside this file, freqtrade's own sample, and whatever files TORTURE_STRATEGIES (a folder) has.

const python = process.env['FLOTILLA_PYTHON'] ?? 'python3';
const recorded = '../shared/data/candles';
const probe = spawnSync(python, ['-c', 'import freqtrade; print(freqtrade.__file__)'], { encoding: 'utf8' });
const lacks =
  probe.status !== 0
    ? `${python} has no freqtrade; FLOTILLA_PYTHON can name one that has`
    : existsSync(recorded)
      ? null
      : 'the recorded candles are not on this machine';

interface Setup {
  name: string;
  file: string;
  className: string;
  isFutures?: boolean;
  config?: object;
  timerange?: string;
}

const own = join(import.meta.dirname, 'strategies');
const foreign = process.env['TORTURE_STRATEGIES'] ?? '';

const setups: Setup[] = [
  {
    name: 'AllSpot',
    file: join(own, 'all-spot.py'),
    className: 'AllSpot',
    config: { enable_protections: true },
    timerange: '20250420-20250510',
  },
  { name: 'AllSpot, all candles', file: join(own, 'all-spot.py'), className: 'AllSpot', config: { enable_protections: true } },
  { name: 'AllFutures', file: join(own, 'all-futures.py'), className: 'AllFutures', isFutures: true },
  { name: 'Unannounced', file: join(own, 'unannounced.py'), className: 'Unannounced' },
  { name: 'BesideOthers', file: join(own, 'beside-others.py'), className: 'BesideOthers' },
  { name: 'Older', file: join(own, 'older.py'), className: 'Older' },
  ...(lacks === null
    ? [{ name: 'the sample', file: join(probe.stdout.trim(), '../templates/sample_strategy.py'), className: 'SampleStrategy' }]
    : []),
  ...(foreign === '' ? [] : readdirSync(foreign).filter((file) => file.endsWith('.py'))).map((file) => ({
    name: file,
    file: join(foreign, file),
    className: basename(file, '.py'),
  })),
];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-freqtrade-'));
  if (lacks === null)
    expect(spawnSync(python, [join(import.meta.dirname, 'candles.py'), recorded, join(folder, 'data')], { stdio: 'inherit' }).status).toBe(
      0,
    );
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(lacks !== null)(lacks === null ? 'strategies in Python' : `strategies in Python (skipped: ${lacks})`, () => {
  test.each(setups)('$name has the trades of freqtrade', { timeout: 3_600_000 }, async (setup) => {
    const pairs = ['BTC', 'ETH', 'BNB'].map((base) => (setup.isFutures === true ? `${base}/USDT:USDT` : `${base}/USDT`));
    const config = {
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 3,
      dry_run_wallet: 1000,
      tradable_balance_ratio: 1,
      fee: 0.001,
      unfilledtimeout: { unit: 'minutes', entry: 10, exit: 10 },
      ...(setup.isFutures === true ? { trading_mode: 'futures', margin_mode: 'isolated' } : {}),
      ...setup.config,
      exchange: { name: 'binance', pair_whitelist: pairs },
    };
    const theirs = await reference(setup, config, pairs);
    const ours = await flotilla(setup, config);
    expect(firstDifference(ours, theirs)).toBe(null);
    console.info(`${setup.name}: ${ours.length} trades, equal`);
  });
});

async function reference(setup: Setup, config: object, pairs: readonly string[]): Promise<string[]> {
  const out = join(folder, 'theirs.jsonl');
  const file = join(folder, 'setup.json');
  const markets = Object.fromEntries(pairs.map((pair) => [pair, { tick: 0.01, step: 0.00001 }]));
  const { file: strategy, className, timerange = null } = setup;
  writeFileSync(file, JSON.stringify({ config, strategy, class: className, datadir: join(folder, 'data'), timerange, markets, out }));
  const child = spawn(python, [join(import.meta.dirname, 'reference.py'), file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_000)));
  expect(await new Promise((resolve) => child.once('close', resolve)), said).toBe(0);
  return readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => lineOf(JSON.parse(line) as unknown[]));
}

async function flotilla(setup: Setup, config: object): Promise<string[]> {
  const out = join(folder, 'ours.csv');
  const file = join(folder, 'config.json');
  const tiers = setup.isFutures === true ? { tiers: [{ max_leverage: 50, maintenance_rate: 0.01 }] } : {};
  writeFileSync(file, JSON.stringify({ ...config, markets: { '*': { amount_step: 0.00001, ...tiers } } }));
  const words = ['--strategy', `${setup.file}#${setup.className}`, '--config', file, '--datadir', join(folder, 'data'), '--python', python];
  const range = setup.timerange === undefined ? [] : ['--timerange', setup.timerange];
  const { code, err } = await runCommand('backtest', [...words, ...range, '--export-trades', out, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => lineOf(line.split(',')));
}

/** Pair, side, both times, both prices, amount, reason and profit, numbers to eight decimals. */
function lineOf(fields: readonly unknown[]): string {
  return fields.map((field, i) => ([4, 5, 6, 8].includes(i) ? Number(field).toFixed(8) : String(field))).join(',');
}

function firstDifference(ours: readonly string[], theirs: readonly string[]): object | null {
  const at = Array.from({ length: Math.max(ours.length, theirs.length) }).findIndex((_, i) => ours[i] !== theirs[i]);
  return at === -1 ? null : { at, ours: ours[at], theirs: theirs[at], counts: [ours.length, theirs.length] };
}
