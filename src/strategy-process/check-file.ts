import type { Walls } from './child-command.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { namesOfPairs } from '#engine/strategy/series.ts';
import { effectiveParameters } from '#engine/strategy/effective-parameters.ts';
import type { CheckedFile } from './checked-file.ts';
import { hashOf } from './hash-of.ts';
import { checkPythonFile } from './python/check-python-file.ts';
import type { PythonPlaces } from './python/find-python.ts';
import { findPython } from './python/find-python.ts';
import { parentCommand } from './python/python-command.ts';
import { WarmParent } from './python/warm-parent.ts';
import { StrategyError } from './strategy-error.ts';
import type { ProcessOptions } from './strategy-process.ts';
import { StrategyProcess } from './strategy-process.ts';
import { trialCandles } from './trial-candles.ts';
import type { StrategyDescription } from './wire/questions.ts';
import type { CandlesOfQuestion } from './wire/sent-candles.ts';

/** How long a check may take, in ms: to load, and for each strategy. */
const loadMs = 60_000;
const tryMs = 60_000;

const trialCount = 4_000;
const thousand = 1_000;

/**
 * Loads a file of a folder in a process of its own, and tries each of its strategies: the same twice, no look-ahead, how long it takes.
 *
 * Fails: StrategyError with every sentence that its author needs
 */
export async function checkFile(
  { python, ...options }: Omit<ProcessOptions, 'folder'> & { python: PythonPlaces },
  folder: string,
  file: string,
): Promise<CheckedFile> {
  if (file.endsWith('.py')) return withFaultsChecked(file, await inPython(python, options.walls, folder, file));
  const process = new StrategyProcess({ ...options, folder });
  try {
    const { answer } = await process.ask('load', { source: { folder, file } }, loadMs);
    const { files, strategies } = withFaultsChecked(file, answer);
    const costs = { computeMs: 0, memoryMb: 0 };
    for (const strategy of strategies) {
      const { exportName } = strategy;
      const { values: parameters } = effectiveParameters(strategy);
      const tryOn = (count: number) => process.ask('try', { exportName, parameters, symbol: 'BTC/USDT' }, tryMs, trialOf(strategy, count));
      await tryOn(trialCount);
      const { answer: tried } = await tryOn(thousand);
      costs.computeMs = Math.max(costs.computeMs, tried.computeMs);
      costs.memoryMb = Math.max(costs.memoryMb, tried.memoryMb);
    }
    return { hash: hashOf(files), files, strategies, ...costs };
  } finally {
    await process.end();
  }
}

async function inPython(python: PythonPlaces, walls: Walls, folder: string, file: string): Promise<CheckedFile> {
  const parent = new WarmParent(parentCommand(findPython(python), walls));
  try {
    return await checkPythonFile(parent, folder, file);
  } finally {
    parent.end();
  }
}

function withFaultsChecked<Found extends { strategies: readonly StrategyDescription[] }>(file: string, found: Found): Found {
  const faults = found.strategies.flatMap(faultsOf);
  if (faults.length > 0) throw new StrategyError(faults.map((fault) => `${file}: ${fault}`));
  return found;
}

/** The newest trial candles for a strategy; each other pair has candles of its own. */
function trialOf(strategy: Pick<StrategyDescription, 'series' | 'defaults'>, count: number): CandlesOfQuestion {
  const { timeframe } = strategy.defaults;
  const candlesOf = (seed: number): { candles: CandleColumns } => ({
    candles: sliceColumns(trialCandles(trialCount, timeframe, seed), trialCount - count, trialCount),
  });
  const others = namesOfPairs(strategy).map((name, i) => [name, candlesOf(8 + i)] as const);
  return { own: candlesOf(7), others: Object.fromEntries(others) };
}

function faultsOf({ name, defaults, parameters }: StrategyDescription): string[] {
  const faults: string[] = [];
  if (!(defaults.stoploss < 0)) faults.push(`the stop loss of ${name} must be a fraction below 0 such as -0.1, not ${defaults.stoploss}.`);
  if (!/^[A-Za-z]\w{0,59}$/u.test(name)) faults.push(`"name" must be a word of at most 60 letters and digits, not "${name.slice(0, 80)}".`);
  for (const [parameter, { default: value, min, max, step, meaning }] of Object.entries(parameters)) {
    const isRange = [value, min, max, step].every(Number.isFinite) && step > 0 && min <= value && value <= max;
    if (!isRange) faults.push(`the parameter "${parameter}" needs "min", "max" and a "step" above 0, with its default between them.`);
    if (typeof meaning !== 'string') faults.push(`the parameter "${parameter}" needs a "meaning": a sentence for whoever sets it.`);
  }
  return faults;
}
