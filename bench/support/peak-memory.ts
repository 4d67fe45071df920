import { readFileSync } from 'node:fs';

/** The most memory that a process has held at once, in MB; null where the system does not say. */
export function peakOf(pid: number | undefined): number | null {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
  } catch {
    return null; // it has ended, or the system has no such file
  }
}
