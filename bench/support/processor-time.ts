import { readdirSync, readFileSync } from 'node:fs';

const tickMs = 10; // of /proc on Linux

/** Processor time of a process and of all that it has started, in ms, since they began; NaN where there is no /proc. */
export function familyCpuMs(pid: number): number {
  try {
    const processes = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
    const of = fieldsOf(String(pid));
    // Children that have ended are in their parent's own figures.
    let ticks = Number(of[11]) + Number(of[12]) + Number(of[13]) + Number(of[14]);
    for (const each of processes) {
      const fields = fieldsOf(each);
      if (Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
    }
    return ticks * tickMs;
  } catch {
    return Number.NaN;
  }
}

/** The fields of a process from its state on; none when it has ended meanwhile. */
function fieldsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
