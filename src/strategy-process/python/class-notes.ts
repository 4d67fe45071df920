import type { FixedSettings } from '#engine/settings/fixed-settings.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { KeptPythonDescription } from './python-facts.ts';

/** What there is to know of a class before it runs, in sentences: what was found, and what it says of trades that nobody can set. */
export function classNotes({ fixed, python: { lookAhead, remarks } }: KeptPythonDescription): string[] {
  return [...(lookAhead === null ? [] : [`${lookAhead} Backtests say so, and no live bot runs it.`]), ...remarks, ...fixedNotes(fixed)];
}

function fixedNotes(fixed: FixedSettings): string[] {
  const percent = (ratio = 0): string => `${Number((ratio * 100).toFixed(4))} %`;
  const minutes = (ms: number | null | undefined): string => `${Number(((ms ?? 0) / minuteMs).toFixed(2))} min`;
  const said = [
    fixed.useExitSignal === false ? 'exit signals count for nothing' : null,
    fixed.exitProfitOnly === true ? `exit signals count above a profit of ${percent(fixed.exitProfitOffset)} only` : null,
    fixed.ignoreRoiIfEntrySignal === true ? 'no exit by ROI while there is an entry signal' : null,
    (fixed.ignoreExpiredAfterMs ?? 0) > 0 ? `entry signals older than ${(fixed.ignoreExpiredAfterMs ?? 0) / 1_000} s are ignored` : null,
    (fixed.maxEntryAdjustments ?? -1) >= 0 ? `at most ${fixed.maxEntryAdjustments} further entries` : null,
    fixed.unfilledTimeout === undefined
      ? null
      : `entries wait ${minutes(fixed.unfilledTimeout.entryMs)} to be filled, exits ${minutes(fixed.unfilledTimeout.exitMs)}`,
    (fixed.protections ?? []).length === 0 ? null : `protections: ${(fixed.protections ?? []).map(({ kind }) => kind).join(', ')}`,
  ].filter((text) => text !== null);
  return said.length === 0 ? [] : [`Its class says: ${said.join('; ')}.`];
}
