import { CommandError } from './command-error.ts';

/** Opening times of candles in ms, both included; null where the range is open. */
export interface TimeRange {
  from: number | null;
  to: number | null;
}

/**
 * A range as freqtrade writes it: `20250401-20250701`, `20250401-`, `-20250701`; each end is a day (its midnight, UTC)
 * or a time since the epoch in seconds (10 digits) or milliseconds (13).
 *
 * Fails: CommandError
 */
export function readTimeRange(text: string): TimeRange {
  const match = /^(\d*)-(\d*)$/u.exec(text);
  const [, first = '', last = ''] = match ?? [];
  if (match === null || first + last === '') throw wrong(text);
  const from = first === '' ? null : timeOf(first, text);
  const to = last === '' ? null : timeOf(last, text);
  if (from !== null && to !== null && from >= to) throw new CommandError(`The time range ${text} ends before it begins.`);
  return { from, to };
}

function timeOf(digits: string, text: string): number {
  if (digits.length === 10) return Number(digits) * 1000;
  if (digits.length === 13) return Number(digits);
  const [year, month, day] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)];
  const time = digits.length === 8 ? Date.parse(`${year}-${month}-${day}T00:00:00Z`) : NaN;
  // 31 February is read as 3 March by some parsers; it is nobody's intention.
  if (Number.isNaN(time) || new Date(time).getUTCDate() !== Number(day)) throw wrong(text);
  return time;
}

function wrong(text: string): CommandError {
  return new CommandError(`The time range "${text}" is not valid; use, for example, 20250401-20250701, 20250401- or -20250701.`);
}
