import type { Nearness } from '../strategy/nearness.ts';
import type { LineOperand, Operand, Rule, RulesDocument, SignalRule } from './document.ts';
import { isLine, isOn } from './piece-kinds.ts';
import type { Resolved } from './resolved.ts';
import type { RuleColumns } from './rule-columns.ts';
import { lineWords } from './words.ts';

/** The lines that rules look at, by what people call them, for the chart; those of entries first. Prices are drawn anyway. */
export function shownLines(document: Resolved<RulesDocument>, columns: RuleColumns): Record<string, Float64Array> {
  const { enterLong, enterShort, guard, exitLong, exitShort } = document;
  const signals = [...enterLong, ...enterShort, ...exitLong, ...exitShort].filter(({ isOff }) => isOff !== true);
  const rules = [
    ...signals.slice(0, enterLong.length + enterShort.length).map(({ when }) => when),
    ...guard,
    ...signals.map(({ when }) => when),
  ];
  const shown: Record<string, Float64Array> = {};
  for (const operand of rules.flatMap(operandsOf).flatMap(linesOf)) {
    const name = nameOf(operand);
    if (operand.kind === 'price' || Object.hasOwn(shown, name)) continue;
    shown[name] = columns.operand({ ...operand, candlesBack: 0 });
  }
  return shown;
}

/**
 * How far a candle is from each entry of a document: what is given of an entry is the condition that is missing by the most, as a
 * part of what is compared, because all of them must hold.
 *
 * Only what can be read off the row counts: lines of the newest candle compared with numbers or with each other. Of an entry nothing is
 * said when another condition alone is missing, or a line would have to come back first to cross again.
 */
export function nearnessOf(document: Resolved<RulesDocument>, row: Readonly<Record<string, number>>): Nearness[] {
  const { guard, enterLong, enterShort } = document;
  const of = (direction: 'long' | 'short', signals: readonly Resolved<SignalRule>[]): Nearness[] =>
    signals.filter(({ isOff }) => isOff !== true).flatMap(({ when }) => ofEntry(direction, [...guard, when], row));
  return [...of('long', enterLong), ...of('short', enterShort)];
}

function ofEntry(direction: 'long' | 'short', rules: readonly Resolved<Rule>[], row: Readonly<Record<string, number>>): Nearness[] {
  const missing = rules.flatMap(neededOf).flatMap((rule) => distanceOf(direction, rule, row) ?? []);
  if (missing.includes('unknown')) return [];
  return missing
    .filter((each) => each !== 'unknown')
    .sort((a, b) => b.distance - a.distance)
    .slice(0, 1);
}

/** The comparisons that must all hold, as far as a rule is made of such. */
function neededOf(rule: Resolved<Rule>): (Resolved<Rule> & { kind: 'compare' })[] {
  if (!isOn(rule) || (rule.within ?? 1) !== 1) return [];
  if (rule.kind === 'compare') return [rule];
  return rule.kind === 'all' ? rule.rules.flatMap(neededOf) : [];
}

/** How far a comparison is from holding; null when it holds or cannot be read, 'unknown' when that cannot be said of its entry. */
function distanceOf(
  direction: 'long' | 'short',
  { left, operator, right }: Resolved<Rule> & { kind: 'compare' },
  row: Readonly<Record<string, number>>,
): Nearness | 'unknown' | null {
  const value = readFrom(row, left);
  const threshold = readFrom(row, right);
  if (value === null || threshold === null) return null;
  const mustBeAbove = operator === 'above' || operator === 'atLeast' || operator === 'crossesAbove';
  const isMissing = mustBeAbove ? value < threshold : value > threshold;
  if (!isMissing) return operator.startsWith('crosses') ? 'unknown' : null;
  const largest = Math.max(Math.abs(value), Math.abs(threshold));
  return { direction, name: wordsOfBoth(left, right), value, threshold, distance: Math.abs(value - threshold) / largest };
}

function wordsOfBoth(left: Resolved<Operand>, right: Resolved<Operand>): string {
  const named = [left, right].filter(isLine).map(nameOf);
  return named.join(' at ');
}

/** What an operand is in the row; null where the row does not have it. */
function readFrom(row: Readonly<Record<string, number>>, operand: Resolved<Operand>): number | null {
  if (operand.kind === 'number') return operand.value;
  if (!isLine(operand) || (operand.candlesBack ?? 0) > 0) return null;
  const isOwnClose =
    operand.kind === 'price' && operand.price === 'close' && operand.symbol === undefined && operand.timeframe === undefined;
  const value = isOwnClose ? row['close'] : row[nameOf(operand)];
  return value === undefined || !Number.isFinite(value) ? null : value;
}

function nameOf(operand: Resolved<LineOperand>): string {
  return lineWords(operand, operand).replace(/^the /u, '');
}

function operandsOf(rule: Resolved<Rule>): Resolved<Operand>[] {
  if (!isOn(rule)) return [];
  if ('rules' in rule) return rule.rules.flatMap(operandsOf);
  return rule.kind === 'moves' ? [rule.operand] : [rule.left, rule.right];
}

function linesOf(operand: Resolved<Operand>): Resolved<LineOperand>[] {
  if (isLine(operand)) return [operand];
  if (operand.kind === 'offset') return [...linesOf(operand.base), ...linesOf(operand.unit)];
  return operand.kind === 'candlesSince' ? operandsOf(operand.rule).flatMap(linesOf) : [];
}
