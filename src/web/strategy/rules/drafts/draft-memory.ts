import { rulesDocument } from '#contract/rules.ts';
import type { RulesDocument } from '#engine/rules/document.ts';

/** What of a draft outlives the page. */
export interface RememberedDraft {
  document: RulesDocument;
  basedOn: number | null; // the version it began with; null: nothing is saved yet
}

/** Each draft has an entry of its own, so that two windows with two drafts do not overwrite each other's. */
const entryOf = (userId: string, key: string): string => `rules-draft ${userId} ${key}`;

/** Keeps a draft of a person in this browser. A browser that keeps nothing forgets it with the page. */
export function rememberDraft(userId: string, key: string, draft: RememberedDraft): void {
  try {
    localStorage.setItem(entryOf(userId, key), JSON.stringify(draft));
  } catch {
    // full, or not allowed
  }
}

/** Forgets one. */
export function forgetDraft(userId: string, key: string): void {
  try {
    localStorage.removeItem(entryOf(userId, key));
  } catch {
    // not allowed
  }
}

/** The drafts of a person that this browser has kept, by their keys. One that cannot be read any more is left where it is. */
export function recalledDrafts(userId: string): Map<string, RememberedDraft> {
  const found = new Map<string, RememberedDraft>();
  const beginning = entryOf(userId, '');
  try {
    for (const name of Object.keys(localStorage).sort()) {
      const draft = name.startsWith(beginning) ? readDraft(localStorage.getItem(name) ?? '') : null;
      if (draft !== null) found.set(name.slice(beginning.length), draft);
    }
  } catch {
    // not allowed
  }
  return found;
}

function readDraft(text: string): RememberedDraft | null {
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof kept !== 'object' || kept === null || !('document' in kept) || !('basedOn' in kept)) return null;
  const { basedOn } = kept;
  const read = rulesDocument.safeParse(kept.document);
  if (!read.success || !(basedOn === null || (typeof basedOn === 'number' && Number.isInteger(basedOn)))) return null;
  return { document: read.data, basedOn };
}
