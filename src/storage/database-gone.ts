/** Whether something failed because the database was not there, or not for us: the same may go well when it is tried again. */
export function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  // The classes "connection exception", "insufficient resources" and "operator intervention", https://www.postgresql.org/docs/17/errcodes-appendix.html
  if (/^(?:08|53|57)...$/u.test(String(code))) return true;
  if (syscall === 'connect' || syscall === 'read' || syscall === 'write') return true; // no server behind the socket, or it has ended
  return /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/u.test(
    error.message,
  ); // the driver's own
}

/** Whether something failed because the database has no room left to write; unlike other outages that hardly passes by itself. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '53100';
}
