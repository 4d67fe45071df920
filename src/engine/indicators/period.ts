/** The period, or a RangeError when it is not a whole number of at least 1. */
export function checkedPeriod(period: number): number {
  if (!Number.isInteger(period) || period < 1) throw new RangeError(`a period must be a whole number of at least 1, not ${period}`);
  return period;
}
