/** An exact decimal of the database as a number; null stays null. */
export function numberOrNull(value: string | null): number | null {
  return value === null ? null : Number(value);
}
