import type { Operand, RulesDocument } from '#engine/rules/document.ts';
import { ruleRows } from '../edit/rule-rows.ts';

/** The operands that the conditions of a document compare, with the way to each. */
export function operandsOf(document: RulesDocument): { path: string; operand: Operand }[] {
  return ruleRows(document).flatMap(({ path, rule }) => {
    if (rule.kind === 'moves') return [{ path: `${path}.operand`, operand: rule.operand }];
    if (rule.kind !== 'compare' && rule.kind !== 'near') return [];
    return [
      { path: `${path}.left`, operand: rule.left },
      { path: `${path}.right`, operand: rule.right },
    ];
  });
}
