import type { RulesDocument } from '#engine/rules/document.ts';
import type { RulesFault } from '#engine/rules/faults.ts';
import { createContext, useContext } from 'react';
import type { DocumentChange } from '../edit/changes.ts';
import { isWithin } from '../edit/pieces-at.ts';
import type { RuleRow } from '../edit/rule-rows.ts';

/**
 * Notes an edit: the next document, or what makes it of the newest one. `place` says what was edited: edits of one place are undone together.
 * It stays the same function, so that what does not change is not drawn again.
 */
export type EditRules = (next: RulesDocument | ((document: RulesDocument) => RulesDocument), place: string) => void;

/** What the parts of the editor share. */
export interface RulesEditor {
  document: RulesDocument;
  readOnly: boolean;
  rows: readonly RuleRow[];
  faults: readonly RulesFault[];
  changes: readonly DocumentChange[]; // against the saved version
  pairs: readonly string[]; // that are offered as other pairs
  selected: string | null; // the way to the condition that is chosen
  opened: string | null; // the way to the piece whose fields are open
  edit: EditRules;
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
  return faults.filter((fault) => isShownAt(fault.path, path, rows)).map(({ sentence }) => sentence);
}

/** The changes that are shown at this piece; as for faults. */
export function changesAt({ changes, rows }: Pick<RulesEditor, 'changes' | 'rows'>, path: string): DocumentChange[] {
  return changes.filter((change) => isShownAt(change.path, path, rows));
}

function isShownAt(found: string, path: string, rows: readonly RuleRow[]): boolean {
  return isWithin(found, path) && !rows.some((row) => row.path !== path && isWithin(row.path, path) && isWithin(found, row.path));
}
