// npm run torture files FOLDER: what each strategy of a folder does here. Its backtest against freqtrade's, what the check of the strategies' folder
// says of it, and whether windows of 1,000 candles say what all candles say. FLOTILLA_PYTHON names a Python with freqtrade; ONLY names files, with
// commas between them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isTimeframe } from '#engine/market/timeframe.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import type { KeptPythonDescription } from '#strategy-process/python/python-facts.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { firstDifference, flotilla, python, recorded, reference, type Setup, type Side } from './both-sides.ts';
import { rowsOfWindows } from './rows-of-windows.ts';

const [given = ''] = process.argv.slice(2);
const strategies = resolve(given);
const only = process.env['ONLY']?.split(',');
const windows = { size: 1_000, places: 40 };
const options = { node: process.execPath, walls: wallsOfSystem(), python: { ...noPython, given: python } };

/** Both sides want this said for market orders. */
const atMarket = { price_side: 'other', use_order_book: false };

/** Callbacks that are asked on every candle of a trade. */
const everyCandle = new Set<string>(['customStop', 'customExit', 'adjustPosition']);

const folder = given === '' ? '' : mkdtempSync(join(tmpdir(), 'flotilla-files-'));
const counts = new Map<string, number>();
if (given === '') process.stdout.write('Nothing was counted: name a folder of strategies in Python.\n');
else
  try {
    await countAll();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }

async function countAll(): Promise<void> {
  const { status } = spawnSync(python, [join(import.meta.dirname, 'candles.py'), recorded, join(folder, 'data')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The candles could not be written.');
  const files = readdirSync(strategies).filter((file) => file.endsWith('.py') && (only === undefined || only.includes(file)));
  for (const file of files) for (const line of await linesOf(file)) process.stdout.write(`${line}\n`);
  for (const [what, count] of counts) process.stdout.write(`${count} ${what}\n`);
}

async function linesOf(file: string): Promise<string[]> {
  const lines = [`== ${file}`];
  const since = performance.now();
  const checked = await checkFile(options, strategies, file).catch((error: unknown) => errorText(error));
  const text = readFileSync(join(strategies, file), 'utf8');
  if (typeof checked === 'string') lines.push(counted('refused by the folder', checked));
  else {
    const seconds = ((performance.now() - since) / 1000).toFixed(0);
    lines.push(counted('accepted by the folder', `${checked.computeMs.toFixed(0)} ms, ${checked.memoryMb.toFixed(0)} MB, ${seconds} s`));
  }
  const described = typeof checked === 'string' ? [] : (checked.strategies as readonly KeptPythonDescription[]);
  for (const { python: facts } of described) {
    if (facts.lookAhead !== null) lines.push(counted('look ahead', facts.lookAhead));
    if (facts.unannounced.length > 0) lines.push(counted('ask for what they do not announce', JSON.stringify(facts.unannounced)));
    for (const remark of facts.remarks) lines.push(counted('remarks', remark));
  }
  const classes =
    described.length > 0
      ? described.map(({ name }) => name)
      : [...text.matchAll(/^class (\w+)\s*\(IStrategy\)/gmu)].map(([, name = '']) => name);
  for (const className of classes) {
    const known = described.find(({ name }) => name === className);
    lines.push(...(await backtested(file, className, text, known)));
    if (known !== undefined && typeof checked !== 'string') lines.push(await asked(file, checked, known));
  }
  return lines;
}

function counted(what: string, detail: string): string {
  counts.set(what, (counts.get(what) ?? 0) + 1);
  return `${what}: ${detail}`;
}

async function backtested(file: string, className: string, text: string, known?: KeptPythonDescription): Promise<string[]> {
  const isFutures = known?.canShort ?? /^ {4}can_short\b.*= *True/mu.test(text);
  const timeframe = known?.defaults.timeframe ?? /^ {4}timeframe\b.*= *['"](\w+)['"]/mu.exec(text)?.[1];
  const setup: Setup = {
    name: className,
    file: join(strategies, file),
    className,
    isFutures,
    ...(timeframe === '1m' || timeframe === '3m' ? { pairs: ['ADA/USDT', 'DOGE/USDT'] } : {}),
    config: {
      ...(timeframe === undefined ? { timeframe: '5m' } : {}),
      ...(/['"](?:entry|exit|buy|sell)['"]: *['"]market/u.test(text) ? { entry_pricing: atMarket, exit_pricing: atMarket } : {}),
    },
    // Both sides take minutes for months of callbacks.
    ...(known?.callbacks.some((name) => everyCandle.has(name)) === true
      ? { timerange: timeframe === '1m' ? '20250602-20250604' : '20250420-20250510' }
      : {}),
  };
  const begun = performance.now();
  const ours = await flotilla(folder, setup);
  const between = performance.now();
  const theirs = await reference(folder, setup);
  const took = [between - begun, performance.now() - between].map((ms) => (ms / 1000).toFixed(1));
  const lines: string[] = [];
  if ('fault' in ours) lines.push(`  here: ${ours.fault}`);
  if ('fault' in theirs) lines.push(`  freqtrade: ${lastLine(theirs)}`);
  return [`${counted(...verdict(ours, theirs))} (${took[0]} s here, ${took[1]} s there)`, ...lines];
}

function verdict(ours: Side, theirs: Side): [string, string] {
  if ('fault' in ours)
    return 'fault' in theirs ? ['refused by both', ''] : ['refused here only', `freqtrade has ${theirs.trades.length} trades`];
  if ('fault' in theirs) return ['run here only', `${ours.trades.length} trades`];
  const difference = firstDifference(ours.trades, theirs.trades);
  return difference === null ? ['equal', `${ours.trades.length} trades`] : ['differ', JSON.stringify(difference)];
}

function lastLine(side: { fault: string }): string {
  return side.fault.split('\n').at(-1) ?? '';
}

async function asked(
  file: string,
  checked: Exclude<Awaited<ReturnType<typeof checkFile>>, string>,
  kept: KeptPythonDescription,
): Promise<string> {
  const { timeframe } = kept.defaults;
  if (!isTimeframe(timeframe)) return counted('rows: not asked', timeframe);
  const symbol = `${timeframe === '1m' || timeframe === '3m' ? 'ADA' : 'BTC'}/USDT${kept.canShort ? ':USDT' : ''}`;
  const config = {
    runmode: 'dry_run',
    dry_run: true,
    stake_currency: 'USDT',
    stake_amount: 100,
    max_open_trades: 3,
    timeframe,
    trading_mode: kept.canShort ? 'futures' : 'spot',
    exchange: { name: 'binance', pair_whitelist: [symbol] },
  };
  const strategy = {
    version: { id: checked.hash, file, files: checked.files, python: { config, pairs: [symbol], parameters: {} } },
    exportName: kept.name,
  };
  const processes = new StrategyProcesses(options, productTimes, () => undefined);
  try {
    const pair = { folder: join(folder, 'data'), symbol, timeframe };
    const { count, withSignals, differing, tookMs } = await rowsOfWindows(processes, strategy, kept, pair, windows);
    const sorted = tookMs.toSorted((a, b) => a - b);
    const took = `${count} rows, ${withSignals} with signals, ${(sorted[sorted.length >> 1] ?? 0).toFixed(1)} ms median, ${(sorted.at(-1) ?? 0).toFixed(1)} ms worst`;
    return differing.length === 0
      ? counted('rows: the same', took)
      : counted('rows: differ', `${differing.length} of ${took}; ${differing[0]}`);
  } catch (error) {
    return counted('rows: failed', errorText(error));
  } finally {
    await processes.end();
  }
}
