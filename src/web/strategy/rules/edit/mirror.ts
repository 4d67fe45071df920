import type { Comparison, Line, Operand, Operator, Rule, RulesDocument } from '#engine/rules/document.ts';
import { isLine } from '#engine/rules/piece-kinds.ts';
import { number } from '#engine/rules/pieces.ts';

/**
 * The document with shorts that are the mirror image of its longs: what must be above must be below, highs are lows, an RSI of 30 is one of 70.
 *
 * The shorts that were there are replaced.
 */
export function withMirroredShorts(document: RulesDocument): RulesDocument {
  const mirrored = (signals: RulesDocument['enterLong']): RulesDocument['enterLong'] =>
    signals.map((signal) => ({ ...signal, when: mirroredRule(signal.when) }));
  return { ...document, enterShort: mirrored(document.enterLong), exitShort: mirrored(document.exitLong) };
}

function mirroredRule(rule: Rule): Rule {
  if ('rules' in rule) return { ...rule, rules: rule.rules.map((inner) => mirroredRule(inner)) };
  switch (rule.kind) {
    case 'moves': {
      const direction = isDirected(rule.operand) ? (rule.direction === 'rises' ? 'falls' : 'rises') : rule.direction;
      return { ...rule, operand: mirroredOperand(rule.operand), direction };
    }
    case 'near':
      return { ...rule, left: besideOther(rule.left, rule.right), right: besideOther(rule.right, rule.left) };
    case 'compare':
      return mirroredComparison(rule);
  }
}

function mirroredComparison(rule: Comparison): Comparison {
  const { left, operator, right } = rule;
  const operands = { left: besideOther(left, right), right: besideOther(right, left) };
  return { ...rule, ...operands, operator: isDirected(left) || isDirected(right) ? opposites[operator] : operator };
}

const opposites: Record<Operator, Operator> = {
  above: 'below',
  below: 'above',
  atLeast: 'atMost',
  atMost: 'atLeast',
  crossesAbove: 'crossesBelow',
  crossesBelow: 'crossesAbove',
};

/** An operand, or the number that means on the other side what it means beside the other operand on this one. */
function besideOther(operand: Operand, other: Operand): Operand {
  const middle = middleOf(other);
  return (middle === null ? null : turned(operand, middle)) ?? mirroredOperand(operand);
}

/** `middle` - a number. Of a parameter and of what was turned before it is said as a difference; null of what is not a number. */
function turned(operand: Operand, middle: number): Operand | null {
  if (operand.kind === 'number') {
    const { value } = operand;
    return typeof value === 'number'
      ? number(rounded(middle - value))
      : { kind: 'offset', base: number(middle), sign: 'minus', times: 1, unit: operand };
  }
  if (operand.kind !== 'offset' || operand.unit.kind !== 'number') return null;
  const base = turned(operand.base, middle);
  if (base === null) return null;
  const sign = operand.sign === 'plus' ? 'minus' : 'plus';
  const isUnitAlone = sign === 'plus' && operand.times === 1 && base.kind === 'number' && base.value === 0;
  return isUnitAlone ? operand.unit : { ...operand, base, sign };
}

/** Without what doubles leave behind, e.g. 99.7 of 100 - 0.3; and no -0. */
function rounded(value: number): number {
  return Number(value.toPrecision(12)) || 0;
}

/** Twice the middle of the values of an operand whose numbers are turned: 100 of an RSI, 0 of a change; null of a price. */
function middleOf(operand: Operand): number | null {
  if (operand.kind === 'change') return isDirected(operand) ? 0 : null;
  if (operand.kind === 'highest' || operand.kind === 'lowest') return middleOf(operand.of);
  if (operand.kind !== 'indicator') return null;
  if (operand.indicator === 'rsi' || operand.indicator === 'stochastic') return 100;
  if (operand.indicator === 'macd' || (operand.indicator === 'superTrend' && operand.output === 'direction')) return 0;
  return operand.of === undefined ? null : middleOf(operand.of); // the average of an RSI
}

function mirroredOperand(operand: Operand): Operand {
  if (isLine(operand)) return { ...operand, ...mirroredLine(operand) };
  if (operand.kind === 'candlesSince') return { ...operand, rule: mirroredRule(operand.rule) };
  if (operand.kind !== 'offset') return operand;
  const base = mirroredOperand(operand.base);
  const sign = isDirected(operand.base) ? (operand.sign === 'plus' ? 'minus' : 'plus') : operand.sign;
  return { ...operand, base, sign, unit: mirroredOperand(operand.unit) };
}

function mirroredLine(line: Line): Line {
  switch (line.kind) {
    case 'price':
      return { ...line, price: swapped(line.price, 'high', 'low') };
    case 'highest':
    case 'lowest':
      return isDirected(line) ? { ...line, kind: swapped(line.kind, 'highest', 'lowest'), of: mirroredLine(line.of) } : line;
    case 'change':
      return { ...line, of: mirroredLine(line.of) };
    case 'indicator': {
      const output = swapped(swapped(line.output, 'upper', 'lower'), 'plusDi', 'minusDi');
      return { ...line, output, ...(line.of === undefined ? {} : { of: mirroredLine(line.of) }) };
    }
  }
}

/** Whether an operand goes with the price: more of it is good for a long. A volume or a range is not, nor is one of a pair that changes places. */
function isDirected(operand: Operand | Line): boolean {
  switch (operand.kind) {
    case 'price':
      return operand.price !== 'volume';
    case 'highest':
    case 'lowest':
    case 'change':
      return isDirected(operand.of);
    case 'indicator':
      if (operand.indicator === 'atr' || operand.indicator === 'adx' || operand.output === 'width') return false;
      return operand.of === undefined || isDirected(operand.of);
    case 'offset':
      return isDirected(operand.base);
    default:
      return false;
  }
}

function swapped<Name extends string>(name: Name, one: Name, other: Name): Name {
  return name === one ? other : name === other ? one : name;
}
