import { WireError } from './wire-error.ts';

/** A number out of a query, at most `most`. Fails: WireError when it is not a number */
export function numberOf(query: URLSearchParams, name: string, missing: number, most = Infinity): number {
  const text = query.get(name);
  if (text === null || text === '') return missing;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new WireError(400, -1100, `Illegal characters found in parameter '${name}'.`);
  return Math.min(value, most);
}
