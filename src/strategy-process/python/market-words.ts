import type { Words } from '../wire/python-load.ts';

/** What strategies are given of the markets of pairs: that much of it follows from their names. */
export function marketWords(pairs: readonly string[]): Record<string, Words> {
  return Object.fromEntries(pairs.map((pair) => [pair, wordsOf(pair)]));
}

function wordsOf(pair: string): Words {
  const [, base = '', quote = '', settle] = /^([^/]+)\/([^:]+)(?::(.+))?$/u.exec(pair) ?? [];
  const isFutures = settle !== undefined;
  return { symbol: pair, base, quote, settle: settle ?? null, spot: !isFutures, swap: isFutures, active: true };
}
