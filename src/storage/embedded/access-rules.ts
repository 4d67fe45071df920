import { chownSync, closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { ServerUser } from './server-user.ts';

/** The role that set-up is done as: the cluster's superuser. */
export const superuser = 'flotilla';

/** The role the product works as: it owns its database and has no rights beyond it. */
export const productRole = 'flotilla_app';

/**
 * Writes who may connect to the server of a data folder: over the socket the user of this program, and root, as either
 * role. The kernel says who is calling (`peer`), so there is no password that could be asked for, guessed or copied.
 */
export function writeAccessRules(folder: string, user: ServerUser): void {
  const people = new Set([userInfo().username, 'root']);
  const map = [...people].flatMap((name) => [superuser, productRole].map((role) => `flotilla "${name}" ${role}`));
  replaceFile(join(folder, 'pg_ident.conf'), `${map.join('\n')}\n`, user);
  replaceFile(join(folder, 'pg_hba.conf'), `local all ${superuser},${productRole} peer map=flotilla\n`, user);
}

/** Replaces a file as a whole: a start cut short leaves the earlier one or the new one. */
function replaceFile(path: string, text: string, { uid, gid }: ServerUser): void {
  const aside = `${path}.new`;
  const file = openSync(aside, 'w', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  if (uid !== null && gid !== null) chownSync(aside, uid, gid);
  renameSync(aside, path);
}
