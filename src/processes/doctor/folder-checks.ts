import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding } from './finding.ts';
import { broken, ok, warning } from './finding.ts';

/** Folders of the instance that hold secrets, or what people have entered. */
const privateFolders = ['keys', 'mails', 'backups', 'logs'];

/** Whether the instance folder can be used, and whether what is secret in it is hidden from other users. */
export function checkFolders(home: string): Finding {
  const check = 'instance folder';
  const setHome = 'Give it to this user, or set FLOTILLA_HOME to another folder.';
  const found = statSync(home, { throwIfNoEntry: false });
  if (found === undefined) {
    const parent = nearestFolder(home);
    return parent !== null && isWritable(parent)
      ? ok(check, `${home} is not there yet; the first start makes it.`)
      : broken(check, `${home} cannot be made.`, setHome);
  }
  if (!found.isDirectory()) return broken(check, `${home} is not a folder.`, setHome);
  if (!isWritable(home)) return broken(check, `${home} cannot be written to.`, setHome);
  const open = privateFolders.map((name) => join(home, name)).filter((folder) => isOpenToOthers(folder));
  if (open.length > 0) return warning(check, `Other users of this machine can read ${open.join(', ')}.`, `chmod 700 ${open.join(' ')}`);
  const files = readdirSync(home).includes('keys') ? readdirSync(join(home, 'keys')).map((name) => join(home, 'keys', name)) : [];
  const openFiles = files.filter((file) => isOpenToOthers(file));
  return openFiles.length > 0
    ? broken(check, `Other users of this machine can read ${openFiles.join(', ')}.`, `chmod 600 ${openFiles.join(' ')}`)
    : ok(check, `${home} can be written to, and what is secret in it is this user's alone.`);
}

/** The nearest folder above a path that is there; null when something else stands in the way. */
function nearestFolder(path: string): string | null {
  for (let at = dirname(path); ; at = dirname(at)) {
    try {
      const found = statSync(at, { throwIfNoEntry: false });
      if (found !== undefined) return found.isDirectory() ? at : null;
    } catch {
      return null; // a file on the way
    }
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOpenToOthers(path: string): boolean {
  return existsSync(path) && (statSync(path).mode & 0o077) !== 0;
}
