import type { Timeframe } from '../market/timeframe.ts';
import type { StrategyDefaults, StrategyKind } from '../strategy/strategy.ts';
import type { IndicatorName } from './indicator-table.ts';
import type { PriceName } from './lines.ts';

/**
 * A strategy as data: what a trader makes on the screen. `compileRules` makes a `Strategy` of it.
 *
 * Ratios are fractions, never per cent. What is switched off is kept and counts for nothing.
 */
export interface RulesDocument {
  version: 1; // of this form
  title: string; // e.g. 'Dips in a rise'
  description: string; // may be empty
  losesWhen: string; // may be empty
  kind: StrategyKind;
  defaults: StrategyDefaults; // the settings it suggests; other timeframes are compared with its own
  parameters: Readonly<Record<string, RulesParameter>>;
  guard: readonly Rule[]; // all must hold for any entry
  enterLong: readonly SignalRule[]; // any of them enters; the first one that holds gives the tag
  exitLong: readonly SignalRule[];
  enterShort: readonly SignalRule[];
  exitShort: readonly SignalRule[];
  positionPlan: PositionPlan | null;
}

/** A number that may be turned, with the range that sliders and searches try. */
export interface RulesParameter {
  default: number;
  min: number;
  max: number;
  step: number;
  unit: string; // in the plural, e.g. 'candles'; may be empty
  meaning: string; // a sentence; may be empty
}

/** A number, or the parameter that has it. */
export type Amount = number | ParameterReference;

/** The value of a parameter, by its name. */
export interface ParameterReference {
  parameter: string;
}

/** One way to enter or to leave. */
export interface SignalRule {
  tag: string; // the entry tag, or the exit reason
  when: Rule;
  isOff?: boolean | undefined;
}

/** What every condition and every group has. */
interface RuleSwitch {
  isOff?: boolean | undefined;
  within?: Amount | undefined; // candles: it is enough that it held in one of so many, the newest included
}

/** Something that holds in a candle or does not. */
export type Rule = Comparison | Move | Near | Group | Count;

/** One operand compared with another. A crossing compares the candle before as well. */
export interface Comparison extends RuleSwitch {
  kind: 'compare';
  left: Operand;
  operator: Operator;
  right: Operand;
}

/** How two operands are compared. */
export type Operator = 'above' | 'below' | 'atLeast' | 'atMost' | 'crossesAbove' | 'crossesBelow';

/** So many candles in a row, each above (or below) the one before; counted in the operand's own timeframe. */
export interface Move extends RuleSwitch {
  kind: 'moves';
  operand: Operand;
  direction: 'rises' | 'falls';
  candles: Amount;
}

/** One operand no further from another than a part of the other. */
export interface Near extends RuleSwitch {
  kind: 'near';
  left: Operand;
  right: Operand;
  distance: Amount; // ratio of the right one, e.g. 0.004
}

/** All, any or none of some rules. Without a rule that is switched on it counts as switched off. */
export interface Group extends RuleSwitch {
  kind: 'all' | 'any' | 'none';
  rules: readonly Rule[];
}

/** At least so many of some rules. */
export interface Count extends RuleSwitch {
  kind: 'atLeast';
  count: Amount;
  rules: readonly Rule[];
}

/** Something that is a number in each candle. */
export type Operand = NumberOperand | LineOperand | SinceOperand | ClockOperand | OffsetOperand;

/** The same number in each candle. */
export interface NumberOperand {
  kind: 'number';
  value: Amount;
}

/** A line, taken from the strategy's own candles unless it says otherwise. */
export type LineOperand = Line & Place;

/** Where and when a line is read. Of a longer timeframe or another pair the newest candle counts that had closed by then. */
export interface Place {
  candlesBack?: Amount | undefined; // in candles of its own timeframe
  timeframe?: Timeframe | undefined; // longer than the strategy's
  symbol?: string | undefined; // another pair, e.g. 'BTC/USDT'
}

/** A column of numbers that is computed from candles. */
export type Line = PriceLine | IndicatorLine | ExtremeLine | ChangeLine;

/** A price of the candle, or its volume. */
export interface PriceLine {
  kind: 'price';
  price: PriceName;
}

/** An output of an indicator. */
export interface IndicatorLine {
  kind: 'indicator';
  indicator: IndicatorName;
  settings: Readonly<Record<string, Amount>>; // e.g. { period: 14 }
  output: string; // e.g. 'upper'; 'value' where there is one only
  of?: Line | undefined; // what it is computed from, for those that take one; without it the close
}

/** The highest or lowest of a line in the last candles, the newest included. */
export interface ExtremeLine {
  kind: 'highest' | 'lowest';
  of: Line;
  candles: Amount;
}

/** How far a line has moved in so many candles, as a ratio of what it was; not known where it was 0. */
export interface ChangeLine {
  kind: 'change';
  of: Line;
  candles: Amount;
}

/** How many candles ago a rule held last: 0 in a candle in which it holds. */
export interface SinceOperand {
  kind: 'candlesSince';
  rule: Rule;
  upTo: number; // it is not counted further, so that a bot, which sees some candles only, counts as a backtest does
  candlesBack?: Amount | undefined;
}

/** When the candle opened, in UTC: minutes since midnight, or the weekday from 1 (Monday) to 7 (Sunday). */
export interface ClockOperand {
  kind: 'minuteOfDay' | 'weekday';
  candlesBack?: Amount | undefined;
}

/** An operand moved by so many times another one, e.g. EMA 200 minus 8 times ATR 14. */
export interface OffsetOperand {
  kind: 'offset';
  base: Operand;
  sign: 'plus' | 'minus';
  times: Amount;
  unit: Operand;
}

/** What is done with a position while it is open; the setting `positionAdjustment` must be on. */
export interface PositionPlan {
  addMore: AddMore | null;
  takeOut: readonly TakeOut[]; // each is done once, in any sequence
}

/** Further entries when the price moves against the position: a fall for a long, a rise for a short. */
export interface AddMore {
  isOff?: boolean | undefined;
  distance: number; // ratio of the average entry price, e.g. 0.008
  stake: number; // ratio of the first stake, e.g. 0.5
  most: number; // how many further entries at most
}

/** A part of the position that is left at a profit. */
export interface TakeOut {
  isOff?: boolean | undefined;
  profit: number; // ratio of the stake, fees included, e.g. 0.008
  part: number; // of what is held then, e.g. 0.5
}
