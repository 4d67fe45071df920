import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SourceFiles } from '../wire/questions.ts';

let isTidy = false;

/** A new folder for a strategy's process. The first time, those are removed that belong to programs which were killed. */
export function processFolder(): string {
  if (!isTidy) removeLeftOver();
  isTidy = true;
  return mkdtempSync(join(tmpdir(), `flotilla-strategy-${process.pid}-`));
}

/** Writes the texts of a strategy below a folder. */
export function writeTexts(folder: string, files: SourceFiles): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function removeLeftOver(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^flotilla-strategy-(\d+)-/u.exec(name) ?? [];
    if (pid === undefined || isThere(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // another user's: they remove it
    }
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
