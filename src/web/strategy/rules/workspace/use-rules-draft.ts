import type { RulesDocument } from '#engine/rules/document.ts';
import { useMemo } from 'react';
import { isAdmin } from '../../../session/permissions.ts';
import { useUser } from '../../../session/use-session.ts';
import type { DocumentChange } from '../edit/changes.ts';
import { documentChanges } from '../edit/changes.ts';
import type { SavedRules } from '../drafts/drafts-store.ts';
import { editDraft, redoDraft, undoDraft, useDrafts } from '../drafts/drafts-store.ts';
import type { RuleStrategy } from '../use-rules.ts';
import { useRuleVersion } from '../use-rules.ts';

/** The rules that are shown: as saved, or as a person has edited them. */
export interface OpenRules {
  key: string;
  strategy: RuleStrategy | null; // null: nothing is saved yet
  document: RulesDocument;
  saved: RulesDocument | null; // the version that the draft began with
  basedOn: number | null; // its number
  changes: readonly DocumentChange[];
  isDraft: boolean; // something is not saved
  isOvertaken: boolean; // somebody has saved a newer version than the draft began with
  readOnly: boolean;
  editedAt: number; // ms since the page was opened
  canUndo: boolean;
  canRedo: boolean;
  edit: (document: RulesDocument, place: string) => void;
  undo: () => void;
  redo: () => void;
}

/** Follows the rules of a key; null where there are none that can be read. */
export function useRulesDraft(key: string, strategy: RuleStrategy | null): OpenRules | null {
  const user = useUser();
  const draft = useDrafts().get(key);
  const newest = strategy?.document ?? null;
  const basedOn = draft?.basedOn ?? strategy?.version ?? null;
  const isNewest = strategy !== null && basedOn === strategy.version;
  // A draft from another visit began with a version that may not be the newest any more.
  const earlier = useRuleVersion(strategy?.id ?? '', strategy === null || isNewest || (draft?.saved ?? null) !== null ? null : basedOn);
  const saved = strategy === null ? null : isNewest ? newest : (draft?.saved ?? earlier.data?.document ?? newest);
  const document = draft?.history.document ?? newest;
  const changes = useMemo(() => (saved === null || document === null ? [] : documentChanges(saved, document)), [saved, document]);
  if (document === null) return null;
  const mayMake = isAdmin(user) || user?.role === 'trader';
  const readOnly = !mayMake || (strategy !== null && !strategy.is_own && !isAdmin(user));
  const isDraft = strategy === null || changes.length > 0;
  const begun: SavedRules | null = strategy === null || newest === null ? null : { key, document: newest, version: strategy.version };
  return {
    key,
    strategy,
    document,
    saved,
    basedOn,
    changes,
    isDraft,
    isOvertaken: strategy !== null && basedOn !== null && basedOn < strategy.version && changes.length > 0,
    readOnly,
    editedAt: draft?.editedAt ?? 0,
    canUndo: (draft?.history.past.length ?? 0) > 0,
    canRedo: (draft?.history.future.length ?? 0) > 0,
    edit(next, place) {
      if (!readOnly) editDraft(key, begun, next, place);
    },
    undo: () => undoDraft(key),
    redo: () => redoDraft(key),
  };
}
