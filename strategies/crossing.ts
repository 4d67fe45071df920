/** Whether `line` is above `other` in row `i` and was not in the row before; false while either is NaN. */
export function crossesAbove(line: Float64Array, other: Float64Array, i: number): boolean {
  return i > 0 && line[i] > other[i] && line[i - 1] <= other[i - 1];
}

/** Whether `line` is below `other` in row `i` and was not in the row before; false while either is NaN. */
export function crossesBelow(line: Float64Array, other: Float64Array, i: number): boolean {
  return i > 0 && line[i] < other[i] && line[i - 1] >= other[i - 1];
}
