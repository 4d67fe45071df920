import type { RulesDocument } from '#engine/rules/document.ts';
import { signalLists } from '#engine/rules/walk.ts';
import type { Strip } from '../../../chart/held-strips.tsx';
import type { RuleRow } from '../edit/rule-rows.ts';
import { operandText, ruleText } from '../edit/sentence.ts';
import type { HeldDraft } from '../replay/messages.ts';

/** More rows than this would push the rest of the page out of sight. */
const mostStrips = 16;

/** The list whose conditions are shown under the candles: that of the chosen line, else the first that enters. */
export function stripList(document: RulesDocument, selected: RuleRow | null): (typeof signalLists)[number] {
  if (selected !== null && selected.list !== 'guard') return selected.list;
  return document.enterLong.length > 0 || document.enterShort.length === 0 ? 'enterLong' : 'enterShort';
}

/** The rows under the candles for a list: the guard of an entry, its conditions, and where it wanted its signal. */
export function stripsOf(document: RulesDocument, rows: readonly RuleRow[], held: HeldDraft, list: (typeof signalLists)[number]): Strip[] {
  const flags = new Map(held.rules.map((rule) => [rule.path, rule.held]));
  const isEntry = list.startsWith('enter');
  const shown = rows.filter((row) => (row.list === list || (isEntry && row.list === 'guard')) && row.depth <= 1).slice(0, mostStrips);
  return [
    ...shown.flatMap((row): Strip[] => {
      const where = flags.get(row.path) ?? null;
      if (where === null) return [];
      return [
        {
          key: row.path,
          label: `${row.label} ${shortText(document, row)}`,
          title: `${row.name} ${ruleText(document, row.rule)}`,
          flags: where,
          kind: row.depth === 0 ? 'condition' : 'inner',
        },
      ];
    }),
    { key: 'signal', label: 'signal', title: `Where it wants to ${listWords[list]}`, flags: held.signals[list], kind: 'signal' },
  ];
}

/** What the lists do. */
export const listWords = { enterLong: 'enter long', exitLong: 'exit long', enterShort: 'enter short', exitShort: 'exit short' } as const;

function shortText(document: RulesDocument, { rule }: RuleRow): string {
  if ('rules' in rule)
    return rule.kind === 'atLeast'
      ? `at least ${typeof rule.count === 'number' ? rule.count : rule.count.parameter}`
      : `${rule.kind} of ${rule.rules.length}`;
  return rule.kind === 'moves' ? operandText(document, rule.operand, null) : operandText(document, rule.left, rule.right);
}
