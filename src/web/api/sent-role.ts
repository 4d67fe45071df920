let read: () => string = () => '';

/** Says where the role comes from that each call names; the server decides on its own who may do what. */
export function readRoleFrom(source: () => string): void {
  read = source;
}

/** The role that a call names now; empty while nobody is signed in. */
export function sentRole(): string {
  return read();
}
