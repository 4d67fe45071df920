import type { Line, Operand, Rule } from './document.ts';
import type { Resolved } from './resolved.ts';

/** Whether a rule is switched on, and something in it. */
export function isOn(rule: Rule | Resolved<Rule>): boolean {
  return rule.isOff !== true && (!('rules' in rule) || rule.rules.some(isOn));
}

/** Whether an operand is a line, with a place where it is read. */
export function isLine<Some extends { kind: Operand['kind'] }>(operand: Some): operand is Extract<Some, { kind: Line['kind'] }> {
  return ['price', 'indicator', 'highest', 'lowest', 'change'].includes(operand.kind);
}
