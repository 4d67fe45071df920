import { makeFolder } from '#storage/embedded/make-folder.ts';
import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorText } from '#engine/ports/error-text.ts';

/**
 * Makes the instance folder when it is missing.
 *
 * Fails: with one sentence when it cannot be had or written to
 */
export function makeHome(home: string): void {
  try {
    makeFolder(home);
    accessSync(home, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(`The instance folder ${home} cannot be written to. Set FLOTILLA_HOME to a folder that can.`, { cause });
  }
}

/** The locks of this process: one that nobody referred to would be collected, and with it the lock would go. */
const held = new Set<DatabaseSync>();

/**
 * Holds the instance folder for this process, until it ends in whatever way or releases it. The lock is SQLite's on a
 * file of no content, because it is the kernel's: nothing is left behind by a process that was killed.
 *
 * Fails: with one sentence when another process holds the folder
 */
export function holdInstance(home: string): { release(): void } {
  const file = join(home, 'instance.lock');
  let lock: DatabaseSync | null = null;
  try {
    closeSync(openSync(file, 'a', 0o600)); // whoever could open it could lock it
    lock = new DatabaseSync(file);
    lock.exec('pragma journal_mode = memory; begin exclusive'); // nothing is written, so a full disk does not matter
    const own = lock;
    held.add(own);
    return {
      release() {
        held.delete(own);
        own.close();
      },
    };
  } catch (cause) {
    lock?.close();
    const isBusy = (cause as { errcode?: number }).errcode === 5; // SQLITE_BUSY
    throw new Error(
      isBusy
        ? `Flotilla is running already with the instance folder ${home}. Stop it first, or set FLOTILLA_HOME to another folder.`
        : `The file ${file} cannot be used: ${errorText(cause)}.`,
      { cause },
    );
  }
}
