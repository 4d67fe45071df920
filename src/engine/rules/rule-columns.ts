import type { CandleColumns } from '../market/candle.ts';
import type { OtherPairs } from '../strategy/series.ts';
import type { Line, Operand, Operator, Place, Rule } from './document.ts';
import * as flags from './flags.ts';
import { rulesIndicator } from './indicator-table.ts';
import {
  candlesSince,
  change,
  constant,
  highest,
  lowest,
  minuteOfDay,
  priceLine,
  rowsBack,
  shifted,
  weekday,
  withoutHoles,
} from './lines.ts';
import { flagsOnOwnRows, onOwnRows } from '../market/longer-candles.ts';
import { isLine, isOn } from './piece-kinds.ts';
import type { Resolved } from './resolved.ts';
import { seriesOf } from './series.ts';

/** Candles that lines are computed from, and how their rows lie to the strategy's own; null for its own. */
interface Series {
  candles: CandleColumns;
  rows: Int32Array | null;
  known: Map<string, Float64Array>; // lines by what they are, so that the same one is computed once
  outputs: Map<string, Readonly<Record<string, Float64Array>>>; // of indicators, likewise
}

type Pieces = Readonly<Record<Operator, (left: Float64Array, right: Float64Array) => Uint8Array>>;

const comparisons: Pieces = {
  above: flags.isAbove,
  below: flags.isBelow,
  atLeast: flags.isAtLeast,
  atMost: flags.isAtMost,
  crossesAbove: flags.crossesAbove,
  crossesBelow: flags.crossesBelow,
};

/** The columns of the operands and rules of a document on some candles; what is asked for twice is computed once. */
export class RuleColumns {
  readonly #candles: CandleColumns;
  readonly #others: OtherPairs;
  readonly #series = new Map<string, Series>();
  readonly #operands = new Map<string, Float64Array>();
  readonly #rules = new Map<string, Uint8Array>();

  constructor(candles: CandleColumns, others: OtherPairs) {
    this.#candles = candles;
    this.#others = others;
  }

  /** What the operand is in each row; NaN where it is not known. */
  operand(operand: Resolved<Operand>): Float64Array {
    return remembered(this.#operands, operand, () => this.#newOperand(operand));
  }

  /** Where the rule holds, or null when nothing of it is switched on. */
  rule(rule: Resolved<Rule>): Uint8Array | null {
    if (!isOn(rule)) return null;
    return remembered(this.#rules, rule, () => {
      const held = this.#newRule(rule);
      return rule.within === undefined || rule.within === 1 ? held : flags.withinLast(held, rule.within);
    });
  }

  #newRule(rule: Resolved<Rule>): Uint8Array {
    switch (rule.kind) {
      case 'compare':
        return comparisons[rule.operator](this.operand(rule.left), this.operand(rule.right));
      case 'near':
        return flags.isNear(this.operand(rule.left), this.operand(rule.right), rule.distance);
      case 'moves':
        return this.#moves(rule);
      case 'all':
        return flags.allOf(...this.#rulesOf(rule.rules));
      case 'any':
        return flags.anyOf(...this.#rulesOf(rule.rules));
      case 'none':
        return flags.noneOf(...this.#rulesOf(rule.rules));
      case 'atLeast':
        return flags.atLeastOf(rule.count, ...this.#rulesOf(rule.rules));
    }
  }

  #rulesOf(rules: readonly Resolved<Rule>[]): Uint8Array[] {
    return rules.flatMap((rule) => this.rule(rule) ?? []);
  }

  /** A line moves in its own timeframe: on the strategy's rows it stands still until the next longer candle closes. */
  #moves({ operand, direction, candles }: Resolved<Rule> & { kind: 'moves' }): Uint8Array {
    const moved = direction === 'rises' ? flags.rises : flags.falls;
    if (!isLine(operand)) return moved(this.operand(operand), candles);
    const series = this.#seriesOf(operand);
    const held = moved(rowsBack(this.#line(series, operand), operand.candlesBack ?? 0), candles);
    return series.rows === null ? held : flagsOnOwnRows(held, series.rows);
  }

  #newOperand(operand: Resolved<Operand>): Float64Array {
    switch (operand.kind) {
      case 'number':
        return constant(this.#candles.openTime.length, operand.value);
      case 'minuteOfDay':
        return rowsBack(minuteOfDay(this.#candles), operand.candlesBack ?? 0);
      case 'weekday':
        return rowsBack(weekday(this.#candles), operand.candlesBack ?? 0);
      case 'candlesSince': {
        const held = this.rule(operand.rule) ?? new Uint8Array(this.#candles.openTime.length);
        return rowsBack(candlesSince(held, operand.upTo), operand.candlesBack ?? 0);
      }
      case 'offset': {
        const times = operand.sign === 'plus' ? operand.times : -operand.times;
        return shifted(this.operand(operand.base), times, this.operand(operand.unit));
      }
      default: {
        const series = this.#seriesOf(operand);
        const column = rowsBack(this.#line(series, operand), operand.candlesBack ?? 0);
        return series.rows === null ? column : onOwnRows(column, series.rows);
      }
    }
  }

  #seriesOf({ symbol, timeframe }: Pick<Resolved<Place>, 'symbol' | 'timeframe'>): Series {
    return remembered(this.#series, [symbol, timeframe], () => {
      const isOwn = symbol === undefined && timeframe === undefined;
      const series = isOwn ? { candles: this.#candles, rows: null } : seriesOf(this.#candles, this.#others, { symbol, timeframe });
      return { ...series, known: new Map(), outputs: new Map() };
    });
  }

  #line(series: Series, line: Resolved<Line>): Float64Array {
    const { kind } = line;
    if (kind === 'price') return remembered(series.known, line.price, () => priceLine(series.candles, line.price));
    if (kind === 'indicator') return this.#outputsOf(series, line)[line.output];
    const { of, candles } = line;
    return remembered(series.known, [kind, of, candles], () => {
      const source = this.#line(series, of);
      if (kind === 'change') return change(source, candles);
      return kind === 'highest' ? highest(source, candles) : lowest(source, candles);
    });
  }

  #outputsOf(series: Series, line: Resolved<Line> & { kind: 'indicator' }): Readonly<Record<string, Float64Array>> {
    const { indicator, settings, of } = line;
    return remembered(series.outputs, [indicator, settings, of], () => {
      const source = of === undefined || of.kind === 'price' ? (of ?? close) : null;
      // Prices have no holes; other lines may.
      const column = source === null ? withoutHoles(this.#line(series, of!)) : this.#line(series, source);
      return rulesIndicator(indicator).compute(series.candles, column, settings);
    });
  }
}

const close = { kind: 'price', price: 'close' } as const;
function remembered<Value>(known: Map<string, Value>, what: unknown, make: () => Value): Value {
  const key = typeof what === 'string' ? what : JSON.stringify(what);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
