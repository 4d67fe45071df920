import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, one by one: Node's own way never ends where a file system refuses
 * new folders with the wrong reason, as /proc does.
 */
export function makeFolder(path: string, mode = 0o755): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another starter was first
  }
}
