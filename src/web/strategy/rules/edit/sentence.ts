import type { Amount, Operand, Operator, Rule, RulesDocument } from '#engine/rules/document.ts';
import { isReference, resolved } from '#engine/rules/resolved.ts';
import { numberWords, operandWords, ruleWords } from '#engine/rules/words.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { numberOf } from './parameters.ts';

/** What of a document words depend on: the values of its parameters. */
export type WithParameters = Pick<RulesDocument, 'parameters'>;

/** A part of a condition as a sentence: words, or a field that can be opened. */
export type SentencePart =
  | { kind: 'text'; text: string }
  | { kind: 'operand' | 'operator' | 'amount' | 'group'; path: string; text: string; parameter: string | null };

/** A condition or group as a sentence made of fields. */
export function sentenceOf(document: WithParameters, rule: Rule, path: string): SentencePart[] {
  return [...wholeOf(document, rule, path), ...withinOf(document, rule, path)];
}

function wholeOf(document: WithParameters, rule: Rule, path: string): SentencePart[] {
  const operand = (name: 'left' | 'right' | 'operand', it: Operand, beside: Operand | null): SentencePart => ({
    kind: 'operand',
    path: `${path}.${name}`,
    text: operandText(document, it, beside),
    parameter: it.kind === 'number' ? parameterIn(it.value) : null,
  });
  switch (rule.kind) {
    case 'compare':
      return [
        operand('left', rule.left, rule.right),
        { kind: 'operator', path: `${path}.operator`, text: operatorTexts[rule.operator], parameter: null },
        operand('right', rule.right, rule.left),
      ];
    case 'near':
      return [
        operand('left', rule.left, rule.right),
        { kind: 'operator', path: `${path}.operator`, text: 'is within', parameter: null },
        amountPart(document, rule.distance, `${path}.distance`, percentText),
        { kind: 'text', text: 'of' },
        operand('right', rule.right, rule.left),
      ];
    case 'moves':
      return [
        operand('operand', rule.operand, null),
        { kind: 'operator', path: `${path}.operator`, text: `${rule.direction} for`, parameter: null },
        amountPart(document, rule.candles, `${path}.candles`),
        { kind: 'text', text: 'candles in a row' },
      ];
    case 'atLeast':
      return [
        { kind: 'group', path: `${path}.kind`, text: 'at least', parameter: null },
        amountPart(document, rule.count, `${path}.count`),
        { kind: 'text', text: `of these ${rule.rules.length}` },
      ];
    default:
      return [
        { kind: 'group', path: `${path}.kind`, text: groupTexts[rule.kind], parameter: null },
        { kind: 'text', text: `these ${rule.rules.length}` },
      ];
  }
}

function withinOf(document: WithParameters, { within }: Rule, path: string): SentencePart[] {
  if (within === undefined || within === 1) return [];
  return [{ kind: 'text', text: 'within the last' }, amountPart(document, within, `${path}.within`), { kind: 'text', text: 'candles' }];
}

/** How operators are said between two operands. */
export const operatorTexts: Readonly<Record<Operator, string>> = {
  above: 'is above',
  below: 'is below',
  atLeast: 'is at least',
  atMost: 'is at most',
  crossesAbove: 'crosses above',
  crossesBelow: 'crosses below',
};

/** How groups are said before what they hold. */
export const groupTexts = { all: 'all of', any: 'any of', none: 'none of', atLeast: 'at least' } as const;

/** An operand as its field shows it, e.g. 'RSI 14', '1h close', '-0.7%', 'low 34'; `beside` is what it is compared with. */
export function operandText(document: WithParameters, operand: Operand, beside: Operand | null): string {
  const values = defaultParameters(document);
  if (operand.kind === 'number') {
    const value = numberOf(document, operand.value);
    const text = beside === null ? String(value) : numberWords(value, resolved(beside, values));
    return typeof operand.value === 'object' ? `${operand.value.parameter} ${text}` : text;
  }
  const words = operandWords(resolved(operand, values)).replace(/^the /u, '');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A condition or group as plain text, for names and screen readers. */
export function ruleText(document: WithParameters, rule: Rule): string {
  if ('rules' in rule) {
    const count = rule.kind === 'atLeast' ? ` ${numberOf(document, rule.count)} of` : '';
    return `${groupTexts[rule.kind]}${count} ${rule.rules.length} ${rule.rules.length === 1 ? 'condition' : 'conditions'}`;
  }
  return ruleWords(resolved({ ...rule, isOff: undefined }, defaultParameters(document))).replace(/^the /u, '');
}

function amountPart(document: WithParameters, amount: Amount, path: string, show: (value: number) => string = String): SentencePart {
  const parameter = parameterIn(amount);
  const text = show(numberOf(document, amount));
  return { kind: 'amount', path, text: parameter === null ? text : `${parameter} ${text}`, parameter };
}

function parameterIn(amount: Amount): string | null {
  return typeof amount === 'object' && isReference(amount) ? amount.parameter : null;
}

/** A ratio in per cent without needless digits: '0.4%' of 0.004. */
export function percentText(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(12))}%`;
}
