import type { IndicatorLine, Line, LineOperand, Operand, Operator, Rule } from '#engine/rules/document.ts';
import type { IndicatorName } from '#engine/rules/indicator-table.ts';
import { indicatorNames, rulesIndicator } from '#engine/rules/indicator-table.ts';
import type { PriceName } from '#engine/rules/lines.ts';
import { isLine } from '#engine/rules/piece-kinds.ts';
import { number, price } from '#engine/rules/pieces.ts';
import { firstCondition } from './rule-edits.ts';

/** What an operand can be, as a chooser names it. */
export type OperandKind = Exclude<Operand['kind'], 'indicator'> | `indicator:${IndicatorName}`;

/** The kinds with their names, in the sequence of the chooser. */
export const operandKinds: readonly { value: OperandKind; label: string }[] = [
  { value: 'number', label: 'Number' },
  { value: 'price', label: 'Price or volume' },
  ...indicatorNames.map((name) => ({ value: `indicator:${name}` as const, label: `Indicator: ${rulesIndicator(name).title}` })),
  { value: 'highest', label: 'Highest of' },
  { value: 'lowest', label: 'Lowest of' },
  { value: 'change', label: 'Change of' },
  { value: 'offset', label: 'Plus or minus' },
  { value: 'candlesSince', label: 'Candles since' },
  { value: 'minuteOfDay', label: 'Time of day' },
  { value: 'weekday', label: 'Weekday' },
];

/** The kind of an operand. */
export function kindOf(operand: Operand | Line): OperandKind {
  return operand.kind === 'indicator' ? `indicator:${operand.indicator}` : operand.kind;
}

/** An operand of another kind. What both kinds have stays: where a line is read, what it is computed from. */
export function withKind(operand: Operand, kind: OperandKind): Operand {
  if (kindOf(operand) === kind) return operand;
  switch (kind) {
    case 'number':
      return number(0);
    case 'candlesSince':
      return { kind, rule: firstCondition, upTo: 100 };
    case 'minuteOfDay':
    case 'weekday':
      return { kind };
    case 'offset':
      return { kind, base: operand.kind === 'number' ? price('close') : operand, sign: 'minus', times: 1, unit: newIndicator('atr') };
    default:
      return { ...lineOfKind(isLine(operand) ? operand : price('close'), kind), ...(isLine(operand) ? placeOf(operand) : {}) };
  }
}

/** What a line can be, as a chooser names it: prices stand in it by themselves. */
export type LineKind =
  | `price:${PriceName}`
  | Exclude<OperandKind, 'number' | 'price' | 'offset' | 'candlesSince' | 'minuteOfDay' | 'weekday'>;

/** A line of another kind. */
export function lineOfKind(line: Line, kind: LineKind | 'price'): Line {
  if (kind === 'price') return price('close');
  if (kind.startsWith('price:')) return price(kind.slice('price:'.length) as PriceName);
  const source = sourceOf(line);
  switch (kind) {
    case 'highest':
    case 'lowest':
    case 'change':
      return { kind, of: source ?? price(kind === 'highest' ? 'high' : kind === 'lowest' ? 'low' : 'close'), candles: candlesOf(line) };
    default: {
      const next = newIndicator(kind.slice('indicator:'.length) as IndicatorName);
      return rulesIndicator(next.indicator).takesLine && source !== null ? { ...next, of: source } : next;
    }
  }
}

/** An indicator with the numbers people begin with. */
export function newIndicator(name: IndicatorName): IndicatorLine {
  const { settings, outputs } = rulesIndicator(name);
  const usual = Object.fromEntries(Object.entries(settings).map(([setting, { usual: value }]) => [setting, value]));
  return { kind: 'indicator', indicator: name, settings: usual, output: Object.keys(outputs)[0] ?? 'value' };
}

/** How two operands can be compared, or one can move, as a chooser names it. */
export type ConditionKind = Operator | 'near' | 'rises' | 'falls';

/** The kinds with their names. */
export const conditionKinds: readonly { value: ConditionKind; label: string }[] = [
  { value: 'above', label: 'is above' },
  { value: 'below', label: 'is below' },
  { value: 'atLeast', label: 'is at least' },
  { value: 'atMost', label: 'is at most' },
  { value: 'crossesAbove', label: 'crosses above' },
  { value: 'crossesBelow', label: 'crosses below' },
  { value: 'near', label: 'is within % of' },
  { value: 'rises', label: 'rises for candles in a row' },
  { value: 'falls', label: 'falls for candles in a row' },
];

/** The kind of a condition; null of a group. */
export function conditionKindOf(rule: Rule): ConditionKind | null {
  if (rule.kind === 'compare') return rule.operator;
  if (rule.kind === 'near') return 'near';
  return rule.kind === 'moves' ? rule.direction : null;
}

/** A condition of another kind. Its sides, its switch and how long ago it may have been stay. */
export function withConditionKind(rule: Rule, kind: ConditionKind): Rule {
  if ('rules' in rule) return rule;
  const kept = {
    ...(rule.isOff === undefined ? {} : { isOff: rule.isOff }),
    ...(rule.within === undefined ? {} : { within: rule.within }),
  };
  const left = rule.kind === 'moves' ? rule.operand : rule.left;
  const right = rule.kind === 'moves' ? number(0) : rule.right;
  if (kind === 'rises' || kind === 'falls')
    return { kind: 'moves', operand: left, direction: kind, candles: rule.kind === 'moves' ? rule.candles : 3, ...kept };
  if (kind === 'near') return { kind, left, right, distance: rule.kind === 'near' ? rule.distance : 0.005, ...kept };
  return { kind: 'compare', left, operator: kind, right, ...kept };
}

function placeOf({ candlesBack, timeframe, symbol }: LineOperand): Pick<LineOperand, 'candlesBack' | 'timeframe' | 'symbol'> {
  return {
    ...(candlesBack === undefined ? {} : { candlesBack }),
    ...(timeframe === undefined ? {} : { timeframe }),
    ...(symbol === undefined ? {} : { symbol }),
  };
}

/** What a line is computed from, for one of another kind; null where it says nothing of it. */
function sourceOf(line: Line): Line | null {
  if (line.kind === 'price') return line.price === 'close' ? null : price(line.price);
  return line.of ?? null;
}

function candlesOf(line: Line): Extract<Line, { candles: unknown }>['candles'] {
  return 'candles' in line ? line.candles : 20;
}
