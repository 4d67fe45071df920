import { readdirSync, readFileSync } from 'node:fs';

const tickMs = 10; // of /proc on Linux

/** Processor time of a process and of all that it and they have started, in ms, since they began; NaN where there is no /proc. */
export function familyCpuMs(pid: number): number {
  try {
    const processes = readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map((name) => ({ pid: Number(name), fields: fieldsOf(name) }));
    // Children that have ended are in their parent's own figures.
    const ticksOf = (fields: string[]): number => [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field] ?? 0), 0);
    let ticks = ticksOf(fieldsOf(String(pid)));
    const family = [pid];
    for (const parent of family)
      for (const child of processes.filter(({ fields }) => Number(fields[1]) === parent)) {
        ticks += ticksOf(child.fields);
        family.push(child.pid);
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
