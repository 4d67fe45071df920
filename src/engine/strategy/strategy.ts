import type { CandleColumns } from '../market/candle.ts';
import type { Timeframe } from '../market/timeframe.ts';
import type { StrategyCallbacks } from './callbacks.ts';
import type { Nearness } from './nearness.ts';
import type { OtherPairs, StrategySeries } from './series.ts';

/** What a strategy is good at; shown to users. */
export type StrategyKind = 'trend' | 'momentum' | 'breakout' | 'range' | 'volatility' | 'pullback' | 'intraday' | 'benchmark';

/** One number a user may turn, with the range a search may try. */
export interface StrategyParameter {
  default: number;
  min: number;
  max: number;
  step: number;
  unit?: string; // in the plural, e.g. 'candles'; of a built-in strategy it is always there
  meaning: string; // a sentence for the user
  space?: 'buy' | 'sell'; // what it decides, where a search is to distinguish entries and exits; left out: both
}

/** Chosen values, by parameter name. */
export type ParameterValues<Name extends string = string> = Readonly<Record<Name, number>>;

/**
 * What a strategy sees in candles, candle by candle. All arrays are as long as the candles.
 *
 * A flag is 1 where the strategy wants it, else 0. Row `i` may depend on candles 0 to `i` only.
 */
export interface Signals {
  enterLong: Uint8Array;
  exitLong: Uint8Array;
  enterShort: Uint8Array;
  exitShort: Uint8Array;
  tags: readonly string[]; // the texts that enterTag and exitTag point to
  enterTag: TagColumn | null; // 0 is none, n is tags[n - 1]; null when no row has one
  exitTag: TagColumn | null;
  confidence: Float64Array | null; // 0 to 1 where a row enters; null when the strategy has no opinion
  indicators: Readonly<Record<string, Float64Array>>; // named columns a chart can draw; NaN during warm-up
}

/** Tags by number; more than 255 tags need the wider kind. */
export type TagColumn = Uint8Array | Uint16Array;

/** The trading settings a strategy suggests and a bot may override. Fractions, never per cent. */
export interface StrategyDefaults {
  timeframe: Timeframe;
  stoploss: number; // e.g. -0.1
  minimalRoi: Readonly<Record<number, number>>; // minutes since entry to profit ratio; empty means no ROI
  trailingStop: boolean;
  trailingStopPositive: number | null;
  trailingStopPositiveOffset: number;
  trailingOnlyOffsetIsReached: boolean;
}

/**
 * A strategy: from closed candles it computes columns of indicators and signals.
 *
 * It is a pure function of candles and parameters: no clock, chance, memory or network. The same function serves a
 * year of candles in a backtest and the trailing window of a running bot.
 */
export interface Strategy<Name extends string = string> {
  name: string; // unique, e.g. 'EmaCross'
  title: string; // for people, e.g. 'EMA cross'
  description: string; // what it does, one or two sentences
  losesWhen: string; // which market makes it lose, and why; plain sentences
  kind: StrategyKind;
  canShort: boolean;
  startupCandles: number; // candles needed before the first row can be trusted; series may need more (`startupOn`)
  defaults: StrategyDefaults;
  parameters: Readonly<Record<Name, StrategyParameter>>;
  /** What it reads beside its own candles; `aligned` gives each with how its rows lie to those of the strategy. */
  series?: readonly StrategySeries[];
  compute(candles: CandleColumns, parameters: ParameterValues<Name>, others?: OtherPairs, symbol?: string): Signals;
  /**
   * How far a candle is from an entry, per direction; nothing where it cannot be said. The row has each indicator by its name, and
   * `close`; what is not known yet is NaN. Asked of candles without a signal, to say why there was none; nothing is decided with it.
   */
  nearness?(row: Readonly<Record<string, number>>, parameters: ParameterValues<Name>): readonly Nearness[];
  callbacks?: StrategyCallbacks;
}

/** The default value of each parameter. */
export function defaultParameters<Name extends string>(strategy: Pick<Strategy<Name>, 'parameters'>): ParameterValues<Name> {
  const values = {} as Record<Name, number>;
  for (const name of Object.keys(strategy.parameters) as Name[]) values[name] = strategy.parameters[name].default;
  return values;
}

/** Signals with every flag 0 and no tags, for `length` candles. */
export function noSignals(length: number, indicators: Readonly<Record<string, Float64Array>> = {}): Signals {
  return {
    enterLong: new Uint8Array(length),
    exitLong: new Uint8Array(length),
    enterShort: new Uint8Array(length),
    exitShort: new Uint8Array(length),
    tags: [],
    enterTag: null,
    exitTag: null,
    confidence: null,
    indicators,
  };
}
