/** Whether a write failed because of what was to be written: the same again fails again, however well the database is. */
export function refusesData(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true; // it could not even be sent
  const { code } = error as { code?: unknown };
  // The classes "data exception" and "integrity constraint violation", https://www.postgresql.org/docs/17/errcodes-appendix.html
  return typeof code === 'string' && /^2[23]\w{3}$/u.test(code);
}
