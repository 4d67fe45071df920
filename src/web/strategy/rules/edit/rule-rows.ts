import type { Rule, RulesDocument, SignalRule } from '#engine/rules/document.ts';
import type { SignalList } from '#engine/rules/walk.ts';
import { signalLists } from '#engine/rules/walk.ts';

/** A line of the editor: a condition or a group, with the number it is called by everywhere on the page. */
export interface RuleRow {
  path: string; // to the rule
  label: string; // 'G', '2', 'a'
  name: string; // with the labels of the groups it is in, e.g. '3a'
  depth: number; // 0: a condition of the list itself
  rule: Rule;
  list: 'guard' | SignalList;
  signal: number; // which signal of the list; 0 in the guard
}

/** The lines of a document from the top down. A signal that is a group has a line for each of its rules; the group itself is the heading of the signal. */
export function ruleRows(document: RulesDocument): RuleRow[] {
  const rows: RuleRow[] = [];
  let number = 0;
  const add = (rule: Rule, row: Omit<RuleRow, 'rule'>): void => {
    rows.push({ ...row, rule });
    if (!('rules' in rule)) return;
    for (const [i, inner] of rule.rules.entries()) {
      const label = innerLabel(i, row.depth + 1);
      add(inner, { ...row, path: `${row.path}.rules.${i}`, label, name: `${row.name}${label}`, depth: row.depth + 1 });
    }
  };
  for (const [i, rule] of document.guard.entries()) {
    const label = document.guard.length === 1 ? 'G' : `G${i + 1}`;
    add(rule, { path: `guard.${i}`, label, name: label, depth: 0, list: 'guard', signal: 0 });
  }
  for (const list of signalLists) {
    for (const [signal, { when }] of document[list].entries()) {
      for (const { rule, path } of topRulesOf({ when }, `${list}.${signal}`)) {
        number += 1;
        add(rule, { path, label: String(number), name: String(number), depth: 0, list, signal });
      }
    }
  }
  return rows;
}

/** The rules that stand as lines of their own in a signal, with the way to each. */
export function topRulesOf({ when }: Pick<SignalRule, 'when'>, signalPath: string): { rule: Rule; path: string }[] {
  if (!('rules' in when)) return [{ rule: when, path: `${signalPath}.when` }];
  return when.rules.map((rule, i) => ({ rule, path: `${signalPath}.when.rules.${i}` }));
}

/** 'a', 'b' in a group, 'i', 'ii' in a group within it, then numbers. */
function innerLabel(place: number, depth: number): string {
  if (depth === 1 && place < 26) return String.fromCharCode(97 + place);
  return depth === 2 ? (roman[place] ?? String(place + 1)) : String(place + 1);
}

const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];
