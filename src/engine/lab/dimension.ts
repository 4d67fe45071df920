/** What a dimension is part of, in freqtrade's words. */
export const spaceNames = ['buy', 'sell', 'protection', 'roi', 'stoploss', 'trailing', 'trades'] as const;
/** One of them. */
export type SpaceName = (typeof spaceNames)[number];

/** A number that a study turns: from `min` in steps to `max`. A choice of yes and no is 1 and 0. */
export interface Dimension {
  name: string; // e.g. 'fastPeriod', 'stoploss', 'roi_t1'
  space: SpaceName;
  min: number;
  max: number;
  step: number;
}

/** A point of a space: for each dimension the number of its value, from 0 on. */
export type Point = readonly number[];

/** How many values a dimension has. */
export function sizeOf({ min, max, step }: Dimension): number {
  return Math.floor((max - min) / step + 1e-9) + 1;
}

/** How many points a space has; a huge one only roughly. */
export function pointsOf(dimensions: readonly Dimension[]): number {
  return dimensions.reduce((product, dimension) => product * sizeOf(dimension), 1);
}

/** The value with this number, without the noise of adding steps: -0.35 + 3 x 0.001 is -0.347. */
export function valueAt({ min, step }: Dimension, at: number): number {
  return Number((min + at * step).toFixed(Math.max(decimalsOf(min), decimalsOf(step))));
}

/** What is wrong with a dimension, in a sentence; null when it can be searched. */
export function dimensionFault({ name, min, max, step }: Dimension): string | null {
  if (![min, max, step].every(Number.isFinite))
    return `The range of "${name}" must be numbers, and is ${min} to ${max} in steps of ${step}.`;
  if (min > max) return `The range of "${name}" is upside down: it runs from ${min} to ${max}.`;
  if (!(step > 0)) return `The step of "${name}" must be above 0, and is ${step}.`;
  return null;
}

/** The values of a point by name. */
export function valuesAt(dimensions: readonly Dimension[], point: Point): Record<string, number> {
  return Object.fromEntries(dimensions.map((dimension, i) => [dimension.name, valueAt(dimension, point[i])]));
}

function decimalsOf(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/u.exec(String(value)) ?? [];
  return Math.min(Math.max(fraction.length - Number(exponent), 0), 12);
}
