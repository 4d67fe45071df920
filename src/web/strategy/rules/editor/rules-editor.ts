import type { RulesDocument } from '#engine/rules/document.ts';
import type { RulesFault } from '#engine/rules/faults.ts';
import { createContext, useContext } from 'react';
import type { DocumentChange } from '../edit/changes.ts';
import { isWithin } from '../edit/pieces-at.ts';
import type { RuleRow } from '../edit/rule-rows.ts';

/** How often a condition held, as its line shows it. */
export interface HeldShare {
  share: number; // of the candles
  alone: number | null; // candles in which it alone was missing
}

/** What the parts of the editor share. */
export interface RulesEditor {
  document: RulesDocument;
  readOnly: boolean;
  rows: readonly RuleRow[];
  faults: readonly RulesFault[];
  changes: readonly DocumentChange[]; // against the saved version
  held: ReadonlyMap<string, HeldShare>; // by the way to the condition; of the newest replay there is
  pairs: readonly string[]; // that are offered as other pairs
  values: Readonly<Record<string, number>>; // what operands are at the cursor, by the way to each
  cursorText: string | null; // the time there, e.g. '13:25'
  selected: string | null; // the way to the condition that is chosen
  opened: string | null; // the way to the piece whose fields are open
  edit: (document: RulesDocument, place: string) => void; // `place`: edits of one place are undone together
  select: (path: string | null) => void;
  open: (path: string | null) => void;
}

/** The editor around a component. */
export const RulesEditorContext = createContext<RulesEditor | null>(null);

/** The editor around a component. Needs: to be below the context */
export function useRulesEditor(): RulesEditor {
  const editor = useContext(RulesEditorContext);
  if (editor === null) throw new Error('There is no rules editor above this component');
  return editor;
}

/** The faults that are shown at this piece: those of it and of what is in it, but for what has a line of its own. */
export function faultsAt({ faults, rows }: Pick<RulesEditor, 'faults' | 'rows'>, path: string): string[] {
  const inner = rows.filter((row) => row.path !== path && isWithin(row.path, path));
  return faults
    .filter((fault) => isWithin(fault.path, path) && !inner.some((row) => isWithin(fault.path, row.path)))
    .map(({ sentence }) => sentence);
}

/** The changes that are shown at this piece; as for faults. */
export function changesAt({ changes, rows }: Pick<RulesEditor, 'changes' | 'rows'>, path: string): DocumentChange[] {
  const inner = rows.filter((row) => row.path !== path && isWithin(row.path, path));
  return changes.filter((change) => isWithin(change.path, path) && !inner.some((row) => isWithin(change.path, row.path)));
}
