/** How something that was checked is: `warning` works for now, `broken` does not work or will soon lose something. */
export type FindingState = 'ok' | 'warning' | 'broken';

/** What one check of a set-up has found. */
export interface Finding {
  check: string; // what was checked, in a word or two, e.g. 'disk space'
  state: FindingState;
  found: string; // one sentence, without secrets
  toDo: string | null; // what a person does about it; null when nothing is wrong
}

/** A finding that is as it should be. */
export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, toDo: null };
}

/** A finding that needs attention, and what to do. */
export function warning(check: string, found: string, toDo: string): Finding {
  return { check, state: 'warning', found, toDo };
}

/** A finding that does not work, and what to do. */
export function broken(check: string, found: string, toDo: string): Finding {
  return { check, state: 'broken', found, toDo };
}
