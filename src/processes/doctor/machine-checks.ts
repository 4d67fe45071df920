import { freeDiskBytes, lowDiskBytes } from '#server/monitoring/free-disk.ts';
import type { Finding } from './finding.ts';
import { broken, ok, warning } from './finding.ts';

const oldestNode = 24;

/** Whether this Node runs the product, which is TypeScript without a build. */
export function checkNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= oldestNode) return ok('Node', `Node ${version} runs the product.`);
  return broken('Node', `Node ${version} is too old.`, `Install Node ${oldestNode} or newer.`);
}

/** Below `least` a process may be ended by the system at any moment; below `enough` the next backtest may be too much. */
export interface MemoryLimits {
  least: number; // bytes
  enough: number;
}

/** Whether there is memory for the processes of the product. */
export function checkMemory(freeBytes: number, { least, enough }: MemoryLimits = { least: 256e6, enough: 1e9 }): Finding {
  const found = `${megabytes(freeBytes)} of memory are free.`;
  if (freeBytes >= enough) return ok('memory', found);
  const toDo = 'Stop other programs, or give the machine more memory.';
  return freeBytes < least ? broken('memory', found, toDo) : warning('memory', found, toDo);
}

/** Whether there is room on the disks of these folders: with less than `least` a database soon takes no writes. */
export async function checkDisk(folders: readonly string[], { least = lowDiskBytes, enough = 2e9 } = {}): Promise<Finding> {
  const free = await freeDiskBytes(folders);
  if (!Number.isFinite(free)) return ok('disk space', 'None of the folders is there yet.');
  const found = `${megabytes(free)} are free where the data lies.`;
  if (free >= enough) return ok('disk space', found);
  const toDo = `Make room on the disk of ${folders[0] ?? ''}.`;
  return free < least ? broken('disk space', `${found} Soon nothing can be written.`, toDo) : warning('disk space', found, toDo);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6).toLocaleString('en')} MB`;
}
