import { adx } from '../indicators/adx.ts';
import { atr } from '../indicators/atr.ts';
import { bollinger } from '../indicators/bollinger.ts';
import { donchian } from '../indicators/donchian.ts';
import { ema } from '../indicators/ema.ts';
import { macd } from '../indicators/macd.ts';
import { rsi } from '../indicators/rsi.ts';
import { sma } from '../indicators/sma.ts';
import { stochastic } from '../indicators/stochastic.ts';
import { superTrend } from '../indicators/super-trend.ts';
import { vwap } from '../indicators/vwap.ts';
import type { CandleColumns } from '../market/candle.ts';
import { bandWidth, shifted } from './lines.ts';

/** Columns by the name of the output. */
type Outputs = Readonly<Record<string, Float64Array>>;

/** An indicator as rules offer it. */
export interface RulesIndicator {
  title: string; // e.g. 'RSI'
  settings: Readonly<Record<string, IndicatorSetting>>; // in the sequence in which people name them
  outputs: Readonly<Record<string, IndicatorOutput>>;
  takesLine: boolean; // whether it is computed from a line of choice; else from candles
  /** Rows before the first that can be trusted. `rowsPerDay` is how many candles a day has. */
  warmUp(settings: Readonly<Record<string, number>>, rowsPerDay: number): number;
  /** Work of computing so many rows, in the steps of `workOf`, with no setting higher than these. */
  steps(settings: Readonly<Record<string, number>>, rows: number): number;
  compute(candles: CandleColumns, line: Float64Array, settings: Readonly<Record<string, number>>): Outputs;
}

/** A number an indicator needs. */
export interface IndicatorSetting {
  title: string; // e.g. 'period'
  isWhole: boolean; // a number of candles
  usual: number; // what people begin with
}

/** A line an indicator has. */
export interface IndicatorOutput {
  title: string; // what people call it, e.g. 'lower Bollinger band'
  isRatio?: true; // shown in per cent
}

const period = (usual: number): IndicatorSetting => ({ title: 'period', isWhole: true, usual });
const eachRow =
  (steps: number): RulesIndicator['steps'] =>
  (_, rows) =>
    steps * rows;
const seededAverage = (candles: number): number => Math.ceil(3.5 * (candles + 1));

/**
 * The indicators of rules. Each is one of `indicators/`, where its formula and warm-up are described.
 *
 * The VWAP since an anchor is left out: it depends on every candle since then, and a running bot sees the newest only.
 */
export const rulesIndicators = {
  ema: {
    title: 'EMA',
    settings: { period: period(20) },
    outputs: { value: { title: 'EMA' } },
    takesLine: true,
    warmUp: ({ period }) => seededAverage(period),
    steps: eachRow(20),
    compute: (_, line, { period }) => ({ value: ema(line, period) }),
  },
  sma: {
    title: 'SMA',
    settings: { period: period(20) },
    outputs: { value: { title: 'SMA' } },
    takesLine: true,
    warmUp: ({ period }) => period,
    steps: eachRow(20),
    compute: (_, line, { period }) => ({ value: sma(line, period) }),
  },
  rsi: {
    title: 'RSI',
    settings: { period: period(14) },
    outputs: { value: { title: 'RSI' } },
    takesLine: true,
    warmUp: ({ period }) => 7 * (period + 1),
    steps: eachRow(25),
    compute: (_, line, { period }) => ({ value: rsi(line, period) }),
  },
  atr: {
    title: 'ATR',
    settings: { period: period(14) },
    outputs: { value: { title: 'ATR' } },
    takesLine: false,
    warmUp: ({ period }) => 7 * (period + 1),
    steps: eachRow(20),
    compute: (candles, _, { period }) => ({ value: atr(candles, period) }),
  },
  adx: {
    title: 'ADX',
    settings: { period: period(14) },
    outputs: { adx: { title: 'ADX' }, plusDi: { title: '+DI' }, minusDi: { title: '-DI' } },
    takesLine: false,
    warmUp: ({ period }) => 14 * (period + 1),
    steps: eachRow(75),
    compute: (candles, _, { period }) => ({ ...adx(candles, period) }),
  },
  macd: {
    title: 'MACD',
    settings: {
      fast: { title: 'fast period', isWhole: true, usual: 12 },
      slow: { title: 'slow period', isWhole: true, usual: 26 },
      signal: { title: 'signal period', isWhole: true, usual: 9 },
    },
    outputs: { macd: { title: 'MACD' }, signal: { title: 'MACD signal' }, histogram: { title: 'MACD histogram' } },
    takesLine: true,
    warmUp: ({ fast, slow, signal }) => seededAverage(Math.max(fast, slow)) + seededAverage(signal),
    steps: eachRow(35),
    compute: (_, line, { fast, slow, signal }) => ({ ...macd(line, { fast, slow, signal }) }),
  },
  bollinger: {
    title: 'Bollinger',
    settings: { period: period(20), deviations: { title: 'deviations', isWhole: false, usual: 2 } },
    outputs: {
      upper: { title: 'upper Bollinger band' },
      middle: { title: 'middle Bollinger band' },
      lower: { title: 'lower Bollinger band' },
      width: { title: 'width of the Bollinger bands', isRatio: true },
    },
    takesLine: true,
    warmUp: ({ period }) => period,
    steps({ period }, rows) {
      const window = Math.min(period, Math.ceil(rows / 2)); // a longer one is added up for fewer rows
      return 50 * rows + window * (rows - window + 1);
    },
    compute(_, line, { period, deviations }) {
      const bands = bollinger(line, { period, deviations });
      return { ...bands, width: bandWidth(bands) };
    },
  },
  donchian: {
    title: 'Donchian',
    settings: { period: period(20) },
    outputs: {
      upper: { title: 'Donchian high' },
      middle: { title: 'Donchian middle' },
      lower: { title: 'Donchian low' },
    },
    takesLine: false,
    warmUp: ({ period }) => period,
    steps: eachRow(100),
    compute: (candles, _, { period }) => ({ ...donchian(candles, period) }),
  },
  stochastic: {
    title: 'Stochastic',
    settings: {
      k: { title: 'period', isWhole: true, usual: 14 },
      slowing: { title: 'slowing', isWhole: true, usual: 3 },
      d: { title: '%D period', isWhole: true, usual: 3 },
    },
    outputs: { k: { title: 'Stochastic %K' }, d: { title: 'Stochastic %D' } },
    takesLine: false,
    warmUp: ({ k, slowing, d }) => k + slowing + d,
    steps: eachRow(110),
    compute: (candles, _, { k, slowing, d }) => ({ ...stochastic(candles, { k, slowing, d }) }),
  },
  superTrend: {
    title: 'SuperTrend',
    settings: { period: period(10), factor: { title: 'factor', isWhole: false, usual: 3 } },
    outputs: { line: { title: 'SuperTrend' }, direction: { title: 'SuperTrend direction' } },
    takesLine: false,
    warmUp: ({ period }) => 14 * (period + 1), // its range, and as much again for the line to change side
    steps: eachRow(45),
    compute: (candles, _, { period, factor }) => ({ ...superTrend(candles, { period, factor }) }),
  },
  vwap: {
    title: 'VWAP',
    settings: { deviations: { title: 'deviations', isWhole: false, usual: 2 } },
    outputs: { vwap: { title: 'VWAP' }, upper: { title: 'upper VWAP band' }, lower: { title: 'lower VWAP band' } },
    takesLine: false,
    warmUp: (_, rowsPerDay) => Math.ceil(rowsPerDay),
    steps: eachRow(60),
    compute(candles, _, { deviations }) {
      const { vwap: mean, deviation } = vwap(candles);
      return { vwap: mean, upper: shifted(mean, deviations, deviation), lower: shifted(mean, -deviations, deviation) };
    },
  },
} as const satisfies Record<string, RulesIndicator>;

/** The name of an indicator in a document, e.g. 'ema'. */
export type IndicatorName = keyof typeof rulesIndicators;

/** The names of all, for a chooser. */
export const indicatorNames = Object.keys(rulesIndicators) as [IndicatorName, ...IndicatorName[]];

/** The indicator of this name. */
export function rulesIndicator(name: IndicatorName): RulesIndicator {
  return rulesIndicators[name];
}
