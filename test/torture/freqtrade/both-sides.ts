import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '#cli/testing/command-process.ts';

/** The Python that runs both sides. */
export const python = process.env['FLOTILLA_PYTHON'] ?? 'python3';

/** The recorded candles that both sides are given. */
export const recorded = '../shared/data/candles';

/** A strategy, and what it is run with. */
export interface Setup {
  name: string;
  file: string;
  className: string;
  isFutures?: boolean;
  pairs?: readonly string[];
  config?: object;
  timerange?: string;
}

/** What one side says: its trades, a line each, or why there are none. */
export type Side = { trades: readonly string[] } | { fault: string };

/** The configuration that both sides are given. */
export function configOf(setup: Setup): object {
  return {
    stake_currency: 'USDT',
    stake_amount: 100,
    max_open_trades: 3,
    dry_run_wallet: 1000,
    tradable_balance_ratio: 1,
    fee: 0.001,
    unfilledtimeout: { unit: 'minutes', entry: 10, exit: 10 },
    ...(setup.isFutures === true ? { trading_mode: 'futures', margin_mode: 'isolated' } : {}),
    ...setup.config,
    exchange: { name: 'binance', pair_whitelist: pairsOf(setup) },
  };
}

function pairsOf({ isFutures, pairs = ['BTC/USDT', 'ETH/USDT', 'BNB/USDT'] }: Setup): string[] {
  return pairs.map((pair) => (isFutures === true ? `${pair}:USDT` : pair));
}

/** The trades of freqtrade's own backtest; `folder` has the candles. */
export async function reference(folder: string, setup: Setup): Promise<Side> {
  const out = join(folder, 'theirs.jsonl');
  const file = join(folder, 'setup.json');
  const markets = Object.fromEntries(pairsOf(setup).map((pair) => [pair, { tick: 0.01, step: 0.00001 }]));
  const { file: strategy, className, timerange = null } = setup;
  const config = configOf(setup);
  writeFileSync(file, JSON.stringify({ config, strategy, class: className, datadir: join(folder, 'data'), timerange, markets, out }));
  const child = spawn(python, [join(import.meta.dirname, 'reference.py'), file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_000)));
  if ((await new Promise((resolve) => child.once('close', resolve))) !== 0) return { fault: said.trimEnd() };
  return { trades: linesOf(readFileSync(out, 'utf8'), (line) => JSON.parse(line) as unknown[]) };
}

/** The trades of the same backtest here. */
export async function flotilla(folder: string, setup: Setup): Promise<Side> {
  const out = join(folder, 'ours.csv');
  const file = join(folder, 'config.json');
  const tiers = setup.isFutures === true ? { tiers: [{ max_leverage: 50, maintenance_rate: 0.01 }] } : {};
  writeFileSync(file, JSON.stringify({ ...configOf(setup), markets: { '*': { amount_step: 0.00001, ...tiers } } }));
  const words = ['--strategy', `${setup.file}#${setup.className}`, '--config', file, '--datadir', join(folder, 'data'), '--python', python];
  const range = setup.timerange === undefined ? [] : ['--timerange', setup.timerange];
  const { code, err } = await runCommand('backtest', [...words, ...range, '--export-trades', out, '--json']);
  if (code !== 0 || err !== '') return { fault: err.trimEnd() };
  return { trades: linesOf(readFileSync(out, 'utf8'), (line) => line.split(',')) };
}

/** The first trade that is not the same, with both counts; null where all are. */
export function firstDifference(ours: readonly string[], theirs: readonly string[]): object | null {
  const at = Array.from({ length: Math.max(ours.length, theirs.length) }).findIndex((_, i) => ours[i] !== theirs[i]);
  return at === -1 ? null : { at, ours: ours[at], theirs: theirs[at], counts: [ours.length, theirs.length] };
}

function linesOf(text: string, fieldsOf: (line: string) => readonly unknown[]): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => lineOf(fieldsOf(line)));
}

/** Pair, side, both times, both prices, amount, reason and profit, numbers to eight decimals. */
function lineOf(fields: readonly unknown[]): string {
  return fields.map((field, i) => ([4, 5, 6, 8].includes(i) ? Number(field).toFixed(8) : String(field))).join(',');
}
