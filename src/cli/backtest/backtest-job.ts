import { normaliseSettings } from '#engine/settings/normalise-settings.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import { settingsOf } from '#engine/bot/strategy-settings.ts';
import type { FundingEvents } from '#engine/account/funding.ts';
import { firstAtOrAfter } from '#engine/market/first-at-or-after.ts';
import { type CandleColumns, sliceColumns } from '#engine/market/candle.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { QuirkName } from '#engine/risk/quirks.ts';
import { quirkTable, switchableQuirks, whyFixed } from '#engine/risk/quirks.ts';
import { type OtherPairs, pairsBeside, seriesFault, startupOn } from '#engine/strategy/series.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { candleKind, type LoadedCandles, loadCandles, requireFolder } from '../candles/candle-folder.ts';
import { CommandError } from '../command-error.ts';
import { type Config, configOf } from '../config/config.ts';
import type { JsonObject } from '#strategy-process/words/json-object.ts';
import { anyPair, instrumentOf, type MarketFacts } from '../config/config-markets.ts';
import { loadFunding } from '../candles/funding-files.ts';
import { loadStrategy } from './strategy-file.ts';
import type { PythonJob } from '../python/python-job.ts';
import { preparePython } from '../python/python-job.ts';
import { isPythonFile } from '../python/python-file.ts';
import { readMarketFacts } from '../candles/market-facts-file.ts';
import { readTimeframe } from '../timeframe-name.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import { readTimeRange, type TimeRange } from '../time-range.ts';
import { tradingStart } from '#engine/backtest/trading-start.ts';

/** What the words of a backtest say. */
export interface BacktestWishes {
  strategy?: string;
  datadir: string;
  timerange?: string;
  timeframe?: string;
  'timeframe-detail'?: string;
  pairs?: string[];
  realistic?: string[];
  python?: PythonPlaces;
}

/** A pair with its candles as its files hold them; gaps are filled when the range is cut. */
export interface JobPair {
  instrument: Instrument;
  candles: CandleColumns;
  detail: CandleColumns | null;
  funding: FundingEvents | null;
}

/** A backtest that has all it needs. */
export interface BacktestJob {
  strategy: Strategy;
  settings: TradingSettings;
  stakeCurrency: string;
  timeframe: Timeframe;
  detailTimeframe: Timeframe | null;
  range: TimeRange;
  pairs: JobPair[];
  others: OtherPairs; // candles of pairs that the strategy reads and that are not traded, by symbol
  quirksOff: QuirkName[];
  notes: string[]; // sentences for people
  python: PythonJob | null; // the process that computes and answers, where the strategy is one in Python; whoever has the job ends it
}

/**
 * Everything a backtest needs, read and checked. Faults of configuration, pairs and settings are reported together.
 *
 * Fails: CommandError
 */
export async function prepareBacktest(object: JsonObject, wishes: BacktestWishes): Promise<BacktestJob> {
  const strategyWord = wishes.strategy ?? (typeof object['strategy'] === 'string' ? object['strategy'] : null);
  if (strategyWord === null || !isPythonFile(strategyWord)) return await prepareWith(object, wishes, null);
  const python = await preparePython(strategyWord, object, wishes);
  try {
    return await prepareWith(python.words, wishes, python);
  } catch (error) {
    await python.end();
    throw error;
  }
}

async function prepareWith(object: JsonObject, wishes: BacktestWishes, python: PythonJob | null): Promise<BacktestJob> {
  const { config, faults } = configOf(object);
  const range = rangeOf(wishes.timerange ?? config.timeRange, faults);
  const quirksOff = attempt(() => quirksToSwitchOff(wishes.realistic ?? []), faults) ?? [];
  const ownTimeframe = attempt(() => readTimeframe(wishes.timeframe), faults) ?? config.timeframe;
  const detailTimeframe = attempt(() => readTimeframe(wishes['timeframe-detail']), faults) ?? config.detailTimeframe;
  const pairs = wishes.pairs ?? config.pairs;
  const stakeCurrency = config.stakeCurrency ?? pairs[0]?.split('/')[1]?.split(':')[0] ?? '';
  faults.push(...pairFaults(pairs, config, stakeCurrency));
  const strategyName = wishes.strategy ?? config.strategy;
  if (strategyName === null) faults.push('Which strategy? Give --strategy NAME, --strategy FILE.ts or --strategy FILE.py.');
  const loaded = python?.strategy ?? (strategyName === null ? null : await attemptLater(loadStrategy(strategyName), faults));
  // Without a strategy the settings are judged with a stop that does no harm, so that all their faults are reported too.
  const result =
    loaded === null
      ? normaliseSettings({ ...config.settings, stoploss: config.settings.stoploss ?? -0.1 })
      : settingsOf(loaded, config.settings);
  if (!result.ok) faults.push(...result.reasons);
  const timeframe = ownTimeframe ?? loaded?.defaults.timeframe ?? '5m';
  if (detailTimeframe !== null && !divides(detailTimeframe, timeframe))
    faults.push(`The detail timeframe ${detailTimeframe} must be smaller than the timeframe and divide it; the timeframe is ${timeframe}.`);
  const unreadable = loaded === null ? null : seriesFault(loaded, timeframe);
  if (unreadable !== null) faults.push(unreadable);
  attempt(() => requireFolder(wishes.datadir), faults);
  if (faults.length > 0 || loaded === null || !result.ok) throw new CommandError(faults);

  const needing = config.startupCandles === null ? loaded : { ...loaded, startupCandles: config.startupCandles };
  const strategy = { ...needing, startupCandles: startupOn(needing, timeframe) };
  const facts = marketFactsFor(config, wishes.datadir);
  const notes = [...config.notes, ...marketNotes(config.marketType, facts, pairs, result.settings)];
  const unused = python?.unused ?? config.unused;
  if (unused.length > 0) notes.push(`Ignored in a backtest: ${unused.join(', ')}.`);
  const jobPairs: JobPair[] = [];
  const kind = candleKind(config.marketType);
  const loadedPairs: { symbol: string; main: LoadedCandles }[] = [];
  for (const symbol of pairs) loadedPairs.push({ symbol, main: await loadCandles({ folder: wishes.datadir, symbol, kind, timeframe }) });
  const mains = loadedPairs.map(({ main }) => main.candles);
  // Detail and funding are cut to what is traded before their gaps are filled, as the reference does.
  const traded = {
    from: tradingStart(range.from, mains, strategy.startupCandles, timeframeLengths[timeframe]),
    to: range.to ?? Infinity,
  };
  for (const { symbol, main } of loadedPairs) {
    const wish = { folder: wishes.datadir, symbol, kind };
    const detail = detailTimeframe === null ? null : await loadCandles({ ...wish, timeframe: detailTimeframe });
    const funding = kind === 'spot' ? null : await loadFunding(wishes.datadir, symbol, config.fundingRate, traded);
    notes.push(...main.notes, ...(detail?.notes.filter((note) => !main.notes.includes(note)) ?? []), ...(funding?.notes ?? []));
    jobPairs.push({
      instrument: instrumentOf(symbol, config.marketType, facts),
      candles: main.candles,
      detail: detail === null ? null : candlesWithin(detail.candles, traded),
      funding: funding?.events ?? null,
    });
  }
  const others: Record<string, CandleColumns> = {};
  for (const symbol of pairsBeside(strategy, pairs))
    others[symbol] = (await loadCandles({ folder: wishes.datadir, symbol, kind, timeframe })).candles;
  return {
    strategy,
    settings: result.settings,
    stakeCurrency,
    timeframe,
    detailTimeframe,
    range,
    pairs: jobPairs,
    others,
    quirksOff,
    notes,
    python,
  };
}

function candlesWithin(candles: CandleColumns, { from, to }: { from: number; to: number }): CandleColumns {
  const { openTime } = candles;
  return sliceColumns(candles, firstAtOrAfter(openTime, from), firstAtOrAfter(openTime, to + 1));
}

/** The quirks that `--realistic` names; `all` is every one that can be switched off. */
function quirksToSwitchOff(names: readonly string[]): QuirkName[] {
  const all = Object.keys(quirkTable) as QuirkName[];
  if (names.length === 1 && names[0] === 'all') return [...switchableQuirks];
  const faults: string[] = [];
  const found = names.flatMap((name) => {
    const quirk = all.find((known) => [known.toLowerCase(), quirkTable[known].number.toLowerCase()].includes(name.toLowerCase()));
    const fault = quirk === undefined ? `There is no quirk ${name}; use Q1 to Q29, or all.` : whyFixed(quirk);
    if (fault !== null) faults.push(fault);
    return quirk === undefined ? [] : [quirk];
  });
  if (faults.length > 0) throw new CommandError(faults);
  return [...new Set(found)];
}

function pairFaults(pairs: readonly string[], config: Config, stakeCurrency: string): string[] {
  if (pairs.length === 0) return ['Which pairs? Give --pairs, or "exchange.pair_whitelist" in the configuration.'];
  const form = config.marketType === 'futures' ? /^[^/:\s]+\/([^/:\s]+):[^/:\s]+$/u : /^[^/:\s]+\/([^/:\s]+)$/u;
  const example = config.marketType === 'futures' ? 'BTC/USDT:USDT' : 'BTC/USDT';
  return pairs.flatMap((pair, i) => {
    const quote = form.exec(pair)?.[1];
    if (quote === undefined) return [`"${pair}" is not a ${config.marketType} pair; for example, ${example}.`];
    if (pairs.indexOf(pair) < i) return [`The pair ${pair} is listed twice.`];
    return quote === stakeCurrency ? [] : [`${pair} is not traded in the stake currency ${stakeCurrency}.`];
  });
}

/** What the configuration says of markets, and of those it is silent on what a download has noted beside the candles. */
function marketFactsFor(config: Config, folder: string): MarketFacts {
  if (config.markets.has(anyPair)) return config.markets;
  // Margin is traded on the markets of spot: their steps, limits and fees hold where nothing else is known.
  const ofSpot = config.marketType === 'margin' ? readMarketFacts(folder, 'spot') : [];
  return new Map([...ofSpot, ...readMarketFacts(folder, config.marketType), ...config.markets]);
}

/** What is assumed of markets that nothing is known of. */
function marketNotes(marketType: MarketType, facts: MarketFacts, pairs: readonly string[], settings: TradingSettings): string[] {
  const unknown = pairs.filter((pair) => !facts.has(pair) && !facts.has(anyPair));
  const notes: string[] = [];
  if (unknown.length > 0) {
    const fee = settings.fee === null ? ', fee 0.1 %' : '';
    notes.push(`No market data for ${unknown.join(', ')}: amounts are cut to 8 decimals, no limits${fee}. Add it under "markets".`);
  }
  const untiered = pairs.filter((pair) => instrumentOf(pair, marketType, facts).leverageTiers.length === 0);
  if (marketType === 'futures' && untiered.length > 0) {
    notes.push(`No leverage tiers for ${untiered.join(', ')}: liquidation prices are calculated without a maintenance margin.`);
  }
  return notes;
}

function divides(small: Timeframe, large: Timeframe): boolean {
  return timeframeLengths[small] < timeframeLengths[large] && timeframeLengths[large] % timeframeLengths[small] === 0;
}

function rangeOf(text: string | null | undefined, faults: string[]): TimeRange {
  const none = { from: null, to: null };
  return text === null || text === undefined ? none : (attempt(() => readTimeRange(text), faults) ?? none);
}

/** The result, or null after its faults have been noted with the others. */
function attempt<Result>(task: () => Result, faults: string[]): Result | null {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    faults.push(...error.faults);
    return null;
  }
}

async function attemptLater<Result>(task: Promise<Result>, faults: string[]): Promise<Result | null> {
  try {
    return await task;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    faults.push(...error.faults);
    return null;
  }
}
