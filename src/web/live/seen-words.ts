import type { DecisionSeen } from '#contract/decisions.ts';
import { formatMoment } from '../ui/moment.ts';

/** What was seen with a decision: 'RSI 31 of 30; rsi 31, filter 84120; price 2.4 s old'. Empty when nothing is known. */
export function seenText({ seen }: { seen?: DecisionSeen | undefined }): string {
  if (seen === undefined) return '';
  const { near, values = {}, price_age_ms: age, numbers = {} } = seen;
  const parts = [
    near === undefined ? '' : `${near.name} ${near.value} of ${near.threshold}`,
    refusalNumbers(numbers),
    Object.entries(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    age === undefined ? '' : `price ${(age / 1000).toFixed(1)} s old`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** The numbers of the gate that said no. */
function refusalNumbers(numbers: Readonly<Record<string, number>>): string {
  const { open, most, until, stake, available, limit } = numbers;
  if (open !== undefined && most !== undefined) return `${open} of ${most} trades open`;
  if (until !== undefined) return `locked until ${formatMoment(until).slice(0, 16)}`;
  if (stake === undefined || available === undefined) return '';
  return `stake ${stake}, free ${available}${limit === undefined ? '' : `, limit ${limit}`}`;
}
