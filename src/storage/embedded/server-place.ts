import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ServerUser } from './server-user.ts';
import { canTraverse } from './server-user.ts';

/** Where folders of servers lie whose user cannot enter the instance folder. */
const outsideRoot = '/var/lib/flotilla';

/**
 * The folder of the server's own files, made when missing: below the instance folder, or, when the server's user cannot
 * enter that (a home below /root), below /var/lib/flotilla. `home` is a real path without links.
 *
 * Fails: with one sentence when neither can be written to, and when data lies where its user cannot reach it any more
 */
export function serverPlace(home: string, user: ServerUser): string {
  const inside = join(home, 'postgres');
  const outside = outsideOf(home);
  if (existsSync(join(outside, 'data')) || !canTraverse(home, user)) {
    if (existsSync(join(inside, 'data')))
      throw new Error(
        `The data lies in ${inside}, but the database's user (${user.uid}) can no longer enter ${home}. Allow it: chmod o+x.`,
      );
    if (user.uid === null) throw new Error(`The instance folder ${home} cannot be entered by this user.`);
    return makeFolder(outside);
  }
  try {
    if (!existsSync(join(inside, 'data'))) accessSync(home, constants.W_OK);
  } catch (cause) {
    throw new Error(`The instance folder ${home} cannot be written to. Set FLOTILLA_HOME to a folder that can.`, { cause });
  }
  return makeFolder(inside);
}

/** Where the data of the embedded database of `home` lies, null when there is none yet. Nothing is made or started. */
export function embeddedData(home: string): string | null {
  if (!existsSync(home)) return null;
  const real = realpathSync(home);
  return [join(real, 'postgres', 'data'), join(outsideOf(real), 'data')].find((data) => existsSync(data)) ?? null;
}

/** The folder of the embedded database of `home` where that is not in the home, as it may be for one that root has started; else null. */
export function placeOutside(home: string): string | null {
  const data = embeddedData(home);
  return data === null || data.startsWith(join(realpathSync(home), 'postgres')) ? null : dirname(data);
}

function outsideOf(home: string): string {
  return join(outsideRoot, createHash('sha256').update(home).digest('hex').slice(0, 12));
}

function makeFolder(folder: string): string {
  for (const path of folder.startsWith(outsideRoot) ? [outsideRoot, folder] : [folder]) {
    if (existsSync(path)) continue;
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755); // whatever the umask is: the server's user must get through
  }
  return realpathSync(folder); // the server reports its real path, and it is compared
}
