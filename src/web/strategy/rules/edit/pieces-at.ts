import type { Rule, RulesDocument } from '#engine/rules/document.ts';

// Pieces of a document by the way to them, as `faultsOf` names it, e.g. 'enterLong.0.when.rules.2.left'. A document is never changed: each edit gives another one.

/** The piece at the end of a way; undefined where there is none. */
export function pieceAt(document: RulesDocument, path: string): unknown {
  return partsOf(path).reduce<unknown>((piece, part) => (piece as Record<string, unknown> | null | undefined)?.[part], document);
}

/** The rule at the end of a way, or null. */
export function ruleAt(document: RulesDocument, path: string): Rule | null {
  const piece = pieceAt(document, path);
  return typeof piece === 'object' && piece !== null && 'kind' in piece ? (piece as Rule) : null;
}

/** The document with another piece at the end of a way. A field that becomes undefined is left out. */
export function withPiece(document: RulesDocument, path: string, piece: unknown): RulesDocument {
  return replaced(document, partsOf(path), () => piece) as RulesDocument;
}

/** The document without the item of a list, or without the field. */
export function withoutPiece(document: RulesDocument, path: string): RulesDocument {
  const parts = partsOf(path);
  return replaced(document, parts.slice(0, -1), (holder) =>
    Array.isArray(holder)
      ? holder.filter((_, i) => String(i) !== parts.at(-1))
      : withField(holder as object, parts.at(-1) ?? '', undefined),
  ) as RulesDocument;
}

/** The document with an item put into a list, before the place `at`. */
export function withItem(document: RulesDocument, listPath: string, at: number, item: unknown): RulesDocument {
  return replaced(document, partsOf(listPath), (list) => (list as unknown[]).toSpliced(at, 0, item)) as RulesDocument;
}

/** The way to what holds a piece, and its name there: 'guard' and '2' of 'guard.2'. */
export function holderOf(path: string): { holder: string; name: string } {
  const parts = partsOf(path);
  return { holder: parts.slice(0, -1).join('.'), name: parts.at(-1) ?? '' };
}

/** Whether a way leads to a piece or into it. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}

function partsOf(path: string): string[] {
  return path === '' ? [] : path.split('.');
}

function replaced(holder: unknown, [part, ...rest]: readonly string[], change: (piece: unknown) => unknown): unknown {
  if (part === undefined) return change(holder);
  const piece = (holder as Record<string, unknown>)[part];
  const next = replaced(piece, rest, change);
  if (Array.isArray(holder)) return holder.with(Number(part), next);
  return withField(holder as object, part, next);
}

function withField(holder: object, name: string, value: unknown): object {
  const { [name]: _before, ...others } = holder as Record<string, unknown>;
  if (value === undefined) return others;
  // A field that is there keeps its place.
  return name in holder ? { ...holder, [name]: value } : { ...others, [name]: value };
}
