/** Whether two pieces of documents say the same; fields may stand in another sequence, and one that is undefined is none. */
export function isSamePiece(a: unknown, b: unknown): boolean {
  return a === b || textOf(a) === textOf(b);
}

/** A text that two pieces share exactly when they say the same. */
export function textOf(piece: unknown): string {
  if (typeof piece !== 'object' || piece === null) return JSON.stringify(piece) ?? '';
  if (Array.isArray(piece)) return `[${piece.map(textOf).join(',')}]`;
  const fields = Object.entries(piece).filter(([, value]) => value !== undefined);
  return `{${fields
    .map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`)
    .toSorted()
    .join(',')}}`;
}
