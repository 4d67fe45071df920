import type { SignalRow } from '#engine/bot/event.ts';
import type { Signals } from '#engine/strategy/strategy.ts';

/** What was said on single candles, by their opening times, as columns over all; nothing is said on the others. */
export function signalsOfRows(openTime: Float64Array, rows: ReadonlyMap<number, SignalRow>): Signals {
  const count = openTime.length;
  const tags: string[] = [];
  const numberOf = (tag: string | null): number => {
    if (tag === null) return 0;
    const known = tags.indexOf(tag);
    return known === -1 ? tags.push(tag) : known + 1;
  };
  const signals = {
    enterLong: new Uint8Array(count),
    exitLong: new Uint8Array(count),
    enterShort: new Uint8Array(count),
    exitShort: new Uint8Array(count),
    enterTag: new Uint16Array(count),
    exitTag: new Uint16Array(count),
  };
  for (const [i, time] of openTime.entries()) {
    const row = rows.get(time);
    if (row === undefined) continue;
    for (const flag of ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const) signals[flag][i] = row[flag] ? 1 : 0;
    signals.enterTag[i] = numberOf(row.enterTag);
    signals.exitTag[i] = numberOf(row.exitTag);
  }
  return { ...signals, tags, confidence: null, indicators: {} };
}
