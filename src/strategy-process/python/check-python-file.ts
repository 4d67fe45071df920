import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAheadSentence } from '#engine/backtest/quick-look-ahead.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { candleOpenTime, isTimeframe, type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import type { CheckedFile } from '../checked-file.ts';
import { hashOf } from '../hash-of.ts';
import { StrategyError } from '../strategy-error.ts';
import { StrategyProcess } from '../strategy-process.ts';
import { trialCandles } from '../trial-candles.ts';
import type { ClassOfFile, SourceFiles, TriedInPython } from '../wire/questions.ts';
import type { SeriesToSend } from '../wire/sent-candles.ts';
import { classSettings } from './class-settings.ts';
import { importedBy } from './imported-by.ts';
import { marketWords } from './market-words.ts';
import type { KeptPythonDescription } from './python-facts.ts';
import type { PythonDescription } from './python-questions.ts';
import type { PythonLoad, SeriesName } from '../wire/python-load.ts';
import { nameOfSeries } from './series-name.ts';
import { readsAccount } from './reads-account.ts';
import { Wanted } from './wanted.ts';
import type { WarmParent } from './warm-parent.ts';

/** How long a check may take, in ms: to load, and for each strategy. */
const loadMs = 60_000;
const tryMs = 60_000;

const trialCount = 4_000;
const thousand = 1_000;

/** A strategy that asks for more series than this, one after the other, is not waited for. */
const mostSeries = 20;

/** Of a class that leaves it to the configuration. */
const suggestedTimeframe: Timeframe = '5m';

const spotPairs = ['BTC/USDT', 'ETH/USDT'];
const futuresPairs = ['BTC/USDT:USDT', 'ETH/USDT:USDT'];

/** One class under the configuration that it is tried with. */
interface Trial {
  source: { folder: string; file: string };
  name: string;
  pairs: readonly string[];
  hasTimeframe: boolean; // the class names one
  load: PythonLoad;
}

/**
 * Loads a Python file of a folder, and tries each of its strategies in a process of its own. What freqtrade runs is not refused: that a
 * strategy looks ahead, or says another thing at the second time, is noted.
 *
 * Fails: StrategyError with every sentence that its author needs
 */
export async function checkPythonFile(parent: WarmParent, folder: string, file: string): Promise<CheckedFile> {
  // A file of the folder comes before a module of the same name that Python has.
  const imports = importedBy({ [file]: textOf(folder, file) }, readdirSync(folder));
  const begin = (): StrategyProcess => new StrategyProcess(parent.copy({}, imports).connect);
  const source = { folder, file };
  const classes = await classesOf(begin(), source);
  const costs = { computeMs: 0, memoryMb: 0 };
  let files: SourceFiles = {};
  const strategies: KeptPythonDescription[] = [];
  for (const each of classes) {
    const found = await tryClass(begin, trialOf(source, each));
    files = { ...files, ...found.files };
    costs.computeMs = Math.max(costs.computeMs, found.tried.computeMs);
    costs.memoryMb = Math.max(costs.memoryMb, found.tried.memoryMb);
    strategies.push(found.strategy);
  }
  return { hash: hashOf(files), files, strategies, ...costs };
}

function textOf(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8');
  } catch (cause) {
    throw new StrategyError(`${file} cannot be read.`, { cause });
  }
}

async function classesOf(process: StrategyProcess, source: Trial['source']): Promise<readonly ClassOfFile[]> {
  try {
    return (await process.ask('classes', { source }, loadMs)).answer.classes;
  } finally {
    await process.end();
  }
}

function trialOf(source: Trial['source'], { name, canShort, hasTimeframe }: ClassOfFile): Trial {
  const pairs = canShort ? futuresPairs : spotPairs;
  const config = {
    stake_currency: 'USDT',
    stake_amount: 100,
    max_open_trades: 3,
    trading_mode: canShort ? 'futures' : 'spot',
    ...(hasTimeframe ? {} : { timeframe: suggestedTimeframe }),
    ...(canShort ? { margin_mode: 'isolated' } : {}),
    dry_run: true,
    runmode: 'backtest',
    exchange: { name: 'binance', pair_whitelist: pairs },
  };
  return { source, name, pairs, hasTimeframe, load: { source, exportName: name, config, pairs, markets: marketWords(pairs) } };
}

/** Tries a class, again with what it asks for until it asks for nothing more. */
async function tryClass(
  begin: () => StrategyProcess,
  trial: Trial,
): Promise<{ files: SourceFiles; strategy: KeptPythonDescription; tried: TriedInPython }> {
  const wanted: SeriesName[] = [];
  for (;;) {
    const process = begin();
    try {
      const { answer } = await process.ask('load', trial.load, loadMs);
      const strategy = answer.strategies[0] as PythonDescription;
      const tried = await tryLoaded(process, trial, strategy, wanted);
      return { files: answer.files, strategy: keptOf(strategy, tried, trial, wanted, readsAccount(answer.files)), tried };
    } catch (error) {
      if (!(error instanceof Wanted)) throw error;
      if (error.what === 'account')
        throw new StrategyError(`${trial.source.file}: ${trial.name} reads its trades or its wallet while it computes indicators.`);
      if (wanted.length === mostSeries)
        throw new StrategyError(`${trial.source.file}: ${trial.name} asks for more than ${mostSeries} series that it does not announce.`);
      wanted.push(error.what);
    } finally {
      await process.end();
    }
  }
}

async function tryLoaded(
  process: StrategyProcess,
  { source, name, pairs }: Trial,
  strategy: PythonDescription,
  wanted: readonly SeriesName[],
): Promise<TriedInPython> {
  const read = [...strategy.announced, ...wanted];
  for (const text of [strategy.words['timeframe'], ...read.map(({ timeframe }) => timeframe)])
    if (typeof text !== 'string' || !isTimeframe(text))
      throw new StrategyError(
        `${source.file}: ${name} asks for candles of ${String(text)}; there are ${Object.keys(timeframeLengths).join(', ')}.`,
      );
  const timeframe = strategy.defaults.timeframe;
  const tryOn = async (count: number): Promise<TriedInPython> => {
    const own = sliceColumns(trialCandles(trialCount, timeframe, 7), trialCount - count, trialCount);
    const others = Object.fromEntries(
      read.map((series, i) => [nameOfSeries(series), otherSeries(series.timeframe as Timeframe, own, 8 + i)]),
    );
    const of = { exportName: name, parameters: {}, symbol: pairs[0] ?? '' };
    return (await process.ask('try', of, tryMs, { own: { candles: own }, others })).answer as TriedInPython;
  };
  const found = await tryOn(trialCount);
  return { ...found, computeMs: (await tryOn(thousand)).computeMs };
}

/** Candles of another series over the same time, and a thousand before. */
function otherSeries(timeframe: Timeframe, { openTime }: CandleColumns, seed: number): SeriesToSend {
  const length = timeframeLengths[timeframe];
  const first = candleOpenTime(timeframe, openTime[0] ?? 0) - thousand * length;
  const count = Math.ceil(((openTime.at(-1) ?? 0) - first) / length) + 1;
  const candles = trialCandles(count, timeframe, seed);
  for (let i = 0; i < count; i++) candles.openTime[i] = first + i * length;
  return { candles };
}

function keptOf(
  strategy: PythonDescription,
  tried: TriedInPython,
  { source, pairs, hasTimeframe }: Trial,
  wanted: readonly SeriesName[],
  reads: boolean,
): KeptPythonDescription {
  const { settings: fixed, faults } = classSettings(strategy);
  if (faults.length > 0) throw new StrategyError(faults.map((fault) => `${source.file}: ${fault}`));
  const { name } = strategy;
  const remarks = [
    ...(hasTimeframe ? [] : [`${name} names no timeframe: ${suggestedTimeframe} is suggested.`]),
    ...(tried.differs === null ? [] : [`${name} says another thing of the same candles at the second time: ${tried.differs} differs.`]),
    ...(tried.unsearched === null ? [] : [`${name} was not searched for look-ahead: it fails on fewer candles. ${tried.unsearched}.`]),
  ];
  const candles = trialCandles(trialCount, strategy.defaults.timeframe, 7);
  const lookAhead = tried.ahead === null ? null : lookAheadSentence(name, pairs[0] ?? '', candles, tried.ahead);
  const anyPair = (symbol: string): string => (pairs.includes(symbol) ? '{pair}' : symbol);
  const unannounced = wanted.map((series) => ({ ...series, symbol: anyPair(series.symbol) }));
  return { ...strategy, fixed, python: { unannounced, readsAccount: reads, lookAhead, remarks } };
}
