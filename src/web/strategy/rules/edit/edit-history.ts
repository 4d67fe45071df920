import type { RulesDocument } from '#engine/rules/document.ts';

/** A document with what it was before, and what it was before an undo. */
export interface EditHistory {
  document: RulesDocument;
  past: readonly RulesDocument[]; // oldest first
  future: readonly RulesDocument[]; // what redo brings first comes first
  last: { place: string; at: number } | null; // what was edited last, and when
}

/** Edits of one place that follow each other faster, in ms, are undone together: a number is typed digit by digit. */
const togetherMs = 1_500;

/** How far back undo reaches. */
const mostSteps = 200;

/** A document nobody has edited yet. */
export function freshHistory(document: RulesDocument): EditHistory {
  return { document, past: [], future: [], last: null };
}

/** The history after an edit of a place, e.g. the way to a number. */
export function edited(history: EditHistory, document: RulesDocument, place: string, at: number): EditHistory {
  if (document === history.document) return history;
  const isTogether = history.last?.place === place && at - history.last.at < togetherMs && history.past.length > 0;
  const past = isTogether ? history.past : [...history.past, history.document].slice(-mostSteps);
  return { document, past, future: [], last: { place, at } };
}

/** The history before the last edit. */
export function undone(history: EditHistory): EditHistory {
  const document = history.past.at(-1);
  if (document === undefined) return history;
  return { document, past: history.past.slice(0, -1), future: [history.document, ...history.future], last: null };
}

/** The history with the last undo redone. */
export function redone(history: EditHistory): EditHistory {
  const [document, ...future] = history.future;
  return document === undefined ? history : { document, past: [...history.past, history.document], future, last: null };
}
