/** Whether a write failed because of what was to be written: the same again fails again, however well the database is. */
export function refusesData(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true; // it could not even be sent
  // The classes "data exception" and "integrity constraint violation", https://www.postgresql.org/docs/17/errcodes-appendix.html
  return /^2[23]/u.test(String((error as { code?: unknown } | null)?.code));
}
