import { formatDuration } from '../ui/moment.ts';
import type { RoiEntry } from './strategy-fields.ts';

/** What is left of typed minutes: digits, 7 at most. */
export function digitsOnly(text: string): string {
  return text.replaceAll(/\D/gu, '').slice(0, 7);
}

/** A typed fraction: a comma becomes a dot; what is not digits and a single dot leaves the text of before. */
export function ratioTyped(text: string, before: string): string {
  const typed = text.replaceAll(',', '.');
  return /^\d*\.?\d*$/u.test(typed) ? typed : before;
}

/** A typed fraction once its field is left: with 4 decimals; what is not a number, or too large for digits, stays to be mended. */
export function ratioLeft(text: string): string {
  return text === '' ? '' : ratioTyped(Number(text).toFixed(4), text); // not 'NaN', 'Infinity' or '1e+21': they refuse every edit
}

/** An entry as a sentence: 'closes at 2.5% profit after 1d 0h'. */
export function roiWords({ minutes, ratio }: RoiEntry): string {
  if (minutes === '' || ratio === '' || Number.isNaN(Number(ratio))) return '';
  const profit = Number(ratio) === 0 ? 'without loss' : `at ${Number((Number(ratio) * 100).toPrecision(6))}% profit`;
  return `closes ${profit}${Number(minutes) === 0 ? ', from the start' : ` after ${formatDuration(Number(minutes) * 60_000)}`}`;
}
