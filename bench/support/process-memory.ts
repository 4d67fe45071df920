import { readdirSync, readFileSync } from 'node:fs';

/** The processes that one has started, and those that they have started in turn, whose command has a text in it. Linux only. */
export function descendantsOf(pid: number, command: string): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      .map((name) => [Number(name), Number(fileOf(name, 'stat').split(') ').at(-1)?.split(' ')[1])]),
  );
  const family = [pid];
  for (const each of family) for (const [child, parent] of parents) if (parent === each) family.push(child);
  return family.slice(1).filter((each) => fileOf(String(each), 'cmdline').includes(command));
}

/** What a process takes of the machine's memory: its own, and its share of what it shares with others. In MB. */
export function memoryShareMb(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/mu.exec(fileOf(String(pid), 'smaps_rollup'))?.[1]) / 1024;
}

/** A file about a process; nothing when it has ended meanwhile. */
function fileOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
