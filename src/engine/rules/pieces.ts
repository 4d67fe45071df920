import type {
  Amount,
  Comparison,
  Group,
  IndicatorLine,
  Line,
  NumberOperand,
  Operand,
  Operator,
  ParameterReference,
  PriceLine,
  Rule,
} from './document.ts';
import type { IndicatorName } from './indicator-table.ts';
import type { PriceName } from './lines.ts';

// The pieces of a document in a few words, for those who write one in code.

/** The value of a parameter. */
export function parameter(name: string): ParameterReference {
  return { parameter: name };
}

/** The same number in each candle. */
export function number(value: Amount): NumberOperand {
  return { kind: 'number', value };
}

/** A price of the candle, or its volume. */
export function price(name: PriceName): PriceLine {
  return { kind: 'price', price: name };
}

/** A line of an indicator; without `output` its only one. */
export function indicator(name: IndicatorName, settings: Readonly<Record<string, Amount>>, output = 'value', of?: Line): IndicatorLine {
  return { kind: 'indicator', indicator: name, settings, output, ...(of === undefined ? {} : { of }) };
}

/** The line as it was so many candles ago. */
export function ago<Some extends Line>(line: Some, candlesBack: Amount = 1): Some & { candlesBack: Amount } {
  return { ...line, candlesBack };
}

/** One operand compared with another. */
export function compare(left: Operand, operator: Operator, right: Operand): Comparison {
  return { kind: 'compare', left, operator, right };
}

/** All of some rules. */
export function all(...rules: Rule[]): Group {
  return { kind: 'all', rules };
}

/** Any of some rules. */
export function any(...rules: Rule[]): Group {
  return { kind: 'any', rules };
}

/** None of some rules. */
export function none(...rules: Rule[]): Group {
  return { kind: 'none', rules };
}

/** `base` minus so many times `unit`. */
export function minus(base: Operand, times: Amount, unit: Operand): Operand {
  return { kind: 'offset', base, sign: 'minus', times, unit };
}

/** `base` plus so many times `unit`. */
export function plus(base: Operand, times: Amount, unit: Operand): Operand {
  return { kind: 'offset', base, sign: 'plus', times, unit };
}
