/** Whether something failed because the database was not there, or not for us: the same may go well when it is tried again. */
export function isDatabaseGone(error: unknown): boolean {
  if (isConnectionLost(error)) return true;
  if (!(error instanceof Error)) return false;
  // The classes "connection exception", "insufficient resources" and "operator intervention", https://www.postgresql.org/docs/17/errcodes-appendix.html
  return /^(?:08|53|57)...$/u.test(codeOf(error)) || error.message.startsWith('timeout exceeded when trying to connect');
}

/**
 * Whether something failed because the server does not answer, has ended the connection or is not there. What it refuses to do, because it has no
 * room or takes too long, is none of it, nor that all connections of this process are in use.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A host with several addresses, of which none has a server.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost);
  // Of the class "connection exception" all but broken messages; shutdown, crash, start, an end of idle sessions, and a standby, which writes nothing.
  if (/^(?:0800.|57P0[1235]|25P03|25006)$/u.test(codeOf(error))) return true;
  const { syscall } = error as { syscall?: unknown };
  // No server behind the socket, or it has ended, or nobody knows where its host is.
  if (['connect', 'read', 'write', 'getaddrinfo'].includes(String(syscall))) return true;
  return /^(?:Connection terminated|Query read timeout|Client has encountered a connection error)/u.test(error.message); // the driver's own
}

function codeOf(error: Error): string {
  return String((error as { code?: unknown }).code);
}
