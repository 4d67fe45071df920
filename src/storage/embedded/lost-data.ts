import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedData } from './server-place.ts';

/** What only a home has whose database was there once. */
const traces = ['database-folder', 'keys/master.key', 'logs/web.log'];

/** Why an empty database must not be taken for that of a home, and what to do. */
export interface LostData {
  found: string;
  toDo: string;
}

/**
 * Leaves in a home where its database lies. That need not be in the home: a home that is moved, copied, or kept while the machine is
 * made again leaves such a database behind, and would start with an empty one.
 */
export function noteData(home: string): void {
  const data = embeddedData(home);
  if (data === null) return;
  const text = `${data}\n${realpathSync(home)}\n`;
  const file = join(home, 'database-folder');
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file); // one that was cut short would name another folder
}

/** What is said of a home whose database is not where it would be now, or is empty; null where it never had one. */
export function lostData(home: string): LostData | null {
  if (!traces.some((trace) => existsSync(join(home, trace)))) return null;
  const file = join(home, 'database-folder');
  const [data = '', before = ''] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const other = 'If it works with the database of another server, set DATABASE_URL.';
  if (data !== '' && existsSync(data) && data !== embeddedData(home))
    return {
      found: `The database of ${home} is not there: it is in ${data}, and belongs to ${before}.`,
      toDo: `If the folder was moved, move it back to ${before}; if it is a copy, start with FLOTILLA_HOME=${before}. ${other}`,
    };
  return {
    found: `The database of ${home} is not there${data === '' ? '' : `: it was in ${data}`}.`,
    toDo: `Put it back, or restore a backup of it: npm run -s flotilla -- restore FILE. To start over, set FLOTILLA_HOME to a new folder. ${other}`,
  };
}

/** Fails: with what is missing and what to do, where an empty database would be taken for that of a home */
export function refuseLostData(home: string): void {
  const lost = lostData(home);
  if (lost !== null) throw new Error(`${lost.found} ${lost.toDo}`);
}
