import type { Parameter } from '../../../ui/parameter-text.ts';

/** The allowed value that is nearest; the strategy's where nothing was typed. */
export function nearest({ min, max, step, default: usual }: Parameter, value: number): number {
  if (Number.isNaN(value)) return usual;
  const within = Math.min(max, Math.max(min, value));
  return Math.min(max, Number((min + Math.round((within - min) / step) * step).toPrecision(12)));
}
