import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Lets everything of our session give way to other sessions, where this process leads it. Linux compares niceness only within a session
 * (sched(7), autogroup), and each process of the product leads one of its own. Whoever is in somebody else's, such as a person's shell,
 * leaves that as it is; systems without such groups compare the niceness of processes alone.
 */
export function lowerSession(niceness: number): void {
  if (leadsSession('self', process.pid)) setNiceness('self', niceness);
}

/** Lets the session that a process of ours leads give way as ours does. */
export function lowerAsOurs(pid: number): void {
  const niceness = sessionNiceness('self');
  if (niceness !== null && niceness > 0 && leadsSession(pid, pid)) setNiceness(pid, niceness);
}

/** The niceness of the session of a process; null where the system has none. */
export function sessionNiceness(pid: number | 'self'): number | null {
  const text = textOf(`/proc/${pid}/autogroup`);
  const found = text === null ? null : / nice (-?\d+)$/u.exec(text.trim());
  return found === null ? null : Number(found[1]);
}

function leadsSession(entry: number | 'self', pid: number): boolean {
  const [, afterName = ''] = textOf(`/proc/${entry}/stat`)?.split(/\) (?=[A-Z] )/u) ?? [];
  return Number(afterName.split(' ')[3]) === pid;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // another system, or the process has ended
  }
}

/** The system takes one change in a tenth of a second from all users together who are not root. */
const pauseMs = 150;

function setNiceness(pid: number | 'self', niceness: number, tries = 10): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch (error) {
    const isBusy = (error as NodeJS.ErrnoException).code === 'EAGAIN';
    if (isBusy && tries > 1) setTimeout(() => setNiceness(pid, niceness, tries - 1), pauseMs).unref();
    // Else it works at the priority it has.
  }
}
