import { formatDuration } from '../../../ui/moment.ts';
import { formatRatio } from '../../../ui/ratio.ts';

/** '6.00% at once, 3.00% after 1d 0h' */
export function roiWords(roi: Readonly<Record<string, number>>): string {
  const steps = Object.entries(roi).toSorted(([a], [b]) => Number(a) - Number(b));
  const text = steps.map(([minutes, ratio]) => {
    const when = minutes === '0' ? 'at once' : `after ${formatDuration(Number(minutes) * 60_000)}`;
    return `${formatRatio(ratio, 2)} ${when}`;
  });
  return text.length === 0 ? 'none' : text.join(', ');
}
