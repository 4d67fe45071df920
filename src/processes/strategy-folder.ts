import { mkdirSync, readdirSync, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { Database } from '#storage/database.ts';
import { noteGoneFiles, noteStrategyFile } from '#storage/strategies/strategy-files.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import { enterStrategyFile } from './enter-strategy-file.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';

/** How long a folder must be quiet before it is looked at: an editor writes a file in several steps. */
const quietMs = 500;

/** What could not be looked at, for instance while the database is away, is looked at again after so long, and then after twice as long each time. */
const againMs = 30_000;
const againMostMs = hourMs; // each look checks all files, in a process for each

/** Names and times are looked at so often, too: where the system has no room for another watch, nothing reports changes. */
const lookEveryMs = minuteMs;

/** What the folder's keeper needs. */
export interface FolderDependencies {
  db: Database;
  folder: string;
  exchanges: readonly string[]; // ids of those that strategies may be used on
  python: PythonPlaces;
  now: () => Date;
  log: (message: string, details: object) => void;
  againMs?: number;
  lookEveryMs?: number;
}

/**
 * Keeps the catalogue of the strategies' folder: each file is looked at when this starts and after each change, in a process of its own.
 * One that fails is noted with its sentences and can be used by nothing; others are untouched. What fails for no fault of a file is tried again.
 * Gives the function that ends it.
 */
export async function keepStrategyFolder(given: FolderDependencies): Promise<() => Promise<void>> {
  const { db, folder, exchanges, python, now, log } = given;
  mkdirSync(folder, { recursive: true });
  const seen = new Map<string, string>(); // by file: the hash or the faults of its last check
  const firstPauseMs = given.againMs ?? againMs;
  let pauseMs = firstPauseMs;
  let isFailing = false;
  let again: NodeJS.Timeout | null = null;
  let isEnded = false;
  let changes = 0;
  let work: Promise<void> | null = null;
  let known = ''; // names and times when all files were looked at last

  const lookAt = async (path: string): Promise<void> => {
    const options = { node: process.execPath, walls: wallsOfSystem(), python };
    try {
      const checked = await checkFile(options, folder, path);
      if (seen.get(path) === checked.hash) return;
      const faults = await enterStrategyFile(db, path, checked, exchanges);
      const { hash, computeMs, memoryMb } = checked;
      const strategies = checked.strategies.map(({ name }) => name);
      const state = faults.length === 0 ? 'ready' : 'refused';
      await noteStrategyFile(db, { path, state, faults, hash, strategies, computeMs, memoryMb, checkedAt: now() });
      seen.set(path, faults.length === 0 ? hash : faults.join('\n'));
      log('a strategy file was looked at', { path, state, strategies, hash: hash.slice(0, 12), faults });
    } catch (error) {
      // What is nobody's fault is tried again; until then the file says so, and others are looked at.
      isFailing ||= !(error instanceof StrategyError);
      const faults =
        error instanceof StrategyError ? [...error.faults] : [`${path} could not be checked; the log of the web process says why.`];
      if (seen.get(path) === faults.join('\n')) return;
      if (!(error instanceof StrategyError)) log('a strategy file could not be checked', { path, error: String(error) });
      const nothing = { hash: null, strategies: [], computeMs: null, memoryMb: null };
      await noteStrategyFile(db, { path, state: 'refused', faults, ...nothing, checkedAt: now() });
      seen.set(path, faults.join('\n'));
      log('a strategy file was refused', { path, faults });
    }
  };

  const lookAtAll = async (): Promise<void> => {
    known = await namesAndTimes(folder);
    const paths = strategyFiles(folder);
    await noteGoneFiles(db, paths, now());
    for (const path of seen.keys()) if (!paths.includes(path)) seen.delete(path);
    for (const path of paths)
      if (!isEnded)
        await lookAt(path).catch((error: unknown) => {
          isFailing = true;
          log('a strategy file could not be noted', { path, error: String(error) });
        });
  };

  const lookUntilQuiet = async (): Promise<void> => {
    for (let seenChanges = -1; seenChanges !== changes;) {
      seenChanges = changes;
      await sleep(quietMs);
      if (isEnded) break;
      if (seenChanges !== changes) continue;
      isFailing = false;
      await lookAtAll().catch((error: unknown) => {
        isFailing = true;
        log('the strategies’ folder could not be looked at', { error: String(error) });
      });
    }
    work = null;
    if (isFailing && !isEnded) again = setTimeout(onChange, pauseMs);
    pauseMs = isFailing ? Math.min(2 * pauseMs, againMostMs) : firstPauseMs;
  };
  const onChange = (): void => {
    if (again !== null) clearTimeout(again);
    changes += 1;
    work ??= lookUntilQuiet();
  };
  // What a file imports may lie deeper: a change of it changes the strategies above.
  const watcher = watch(folder, { recursive: true }, onChange);
  watcher.on('error', (error) => log('the strategies’ folder is not watched any more', { error: error.message }));
  const lookForChanges = async (): Promise<void> => {
    const found = await namesAndTimes(folder);
    if (!isEnded && work === null && found !== known) onChange();
  };
  const timer = setInterval(() => void lookForChanges(), given.lookEveryMs ?? lookEveryMs);
  onChange();
  return async () => {
    isEnded = true;
    clearInterval(timer);
    if (again !== null) clearTimeout(again);
    watcher.close();
    await work;
  };
}

/** The files of a folder that may be strategies: those that lie at its top. What they import may lie deeper. */
export function strategyFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[^.].*\.(?:ts|py)$/u.test(entry.name) && !/\.(?:test|d)\.ts$/u.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** The names of all that is in a folder, also deeper, with times and sizes; empty where there is no folder. */
async function namesAndTimes(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const lines: string[] = [];
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null); // it may be gone by now
    if (found?.isFile() === true) lines.push(`${name} ${found.mtimeMs} ${found.size}`);
  }
  return lines.toSorted((a, b) => (a < b ? -1 : 1)).join('\n');
}
