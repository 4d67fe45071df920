import type { RulesDocument } from '#engine/rules/document.ts';
import type { signalLists } from '#engine/rules/walk.ts';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { RuleRow } from '../edit/rule-rows.ts';
import { ruleText } from '../edit/sentence.ts';
import type { HeldDraft } from '../replay/messages.ts';
import { listWords } from './strips-of.ts';

/** See `CursorLine`. */
export interface CursorLineProps {
  document: RulesDocument;
  rows: readonly RuleRow[];
  held: HeldDraft | null;
  list: (typeof signalLists)[number];
  cursor: number | null; // row
  timeText: string | null;
}

/** Which conditions held in the candle under the cursor, and what came of it. */
export function CursorLine({ document, rows, held, list, cursor, timeText }: CursorLineProps) {
  if (held === null || cursor === null || timeText === null)
    return <p className="rules-cursor rules-dim">Point at a candle to see which conditions held in it.</p>;
  const flags = new Map(held.rules.map((rule) => [rule.path, rule.held]));
  const isEntry = list.startsWith('enter');
  const shown = rows.filter((row) => row.depth === 0 && (row.list === list || (isEntry && row.list === 'guard')));
  const wants = held.signals[list][cursor] === 1;
  return (
    <p className="rules-cursor">
      <b className="fl-number">{timeText}</b>
      {shown.map((row) => {
        const where = flags.get(row.path) ?? null;
        if (where === null) return null;
        const holds = where[cursor] === 1;
        return (
          <span key={row.path} className={holds ? 'rules-holds' : 'rules-dim'} title={ruleText(document, row.rule)}>
            {holds ? <IconCheck size={12} aria-label="held" /> : <IconX size={12} aria-label="did not hold" />}
            {row.name}
          </span>
        );
      })}
      <span className="rules-dim">{wants ? `wants to ${listWords[list]} at the next open` : `no signal to ${listWords[list]}`}</span>
    </p>
  );
}
