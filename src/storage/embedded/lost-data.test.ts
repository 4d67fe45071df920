import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lostData, noteData, refuseLostData } from './lost-data.ts';

/** A home with the folder of a database; what is in it does not matter here. */
function homeWithData() {
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-lost-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = join(folder, 'home');
  const data = join(home, 'postgres', 'data');
  mkdirSync(data, { recursive: true });
  return { folder, home, data };
}

test('a home that never had a database has lost none', () => {
  const { home } = homeWithData();
  rmSync(join(home, 'postgres'), { recursive: true });
  writeFileSync(join(home, 'instance.json'), '{}'); // of a start that has failed before its database was made
  noteData(home);
  expect(readdirSync(home)).toEqual(['instance.json']);
  expect(lostData(home)).toBeNull();
  expect(() => refuseLostData(home)).not.toThrow();
});

test.each(['keys/master.key', 'logs/web.log'])('a home of an earlier version, with %s and no database, is refused', (trace) => {
  const { home, data } = homeWithData();
  mkdirSync(join(home, trace, '..'));
  writeFileSync(join(home, trace), 'x');
  rmSync(data, { recursive: true });
  expect(() => refuseLostData(home)).toThrow(
    `The database of ${home} is not there. Put it back, or restore a backup of it: npm run -s flotilla -- restore FILE. To start over, set FLOTILLA_HOME to a new folder. If it works with the database of another server, set DATABASE_URL.`,
  );
});

test('a database that is gone, or was made again and is empty, is named with its folder', () => {
  const { home, data } = homeWithData();
  noteData(home);
  noteData(home); // a second start
  expect(readdirSync(home)).toEqual(['database-folder', 'postgres']);
  const found = `The database of ${home} is not there: it was in ${data}.`;
  expect(lostData(home)).toMatchObject({ found }); // a command that came first has made it again
  rmSync(data, { recursive: true });
  expect(lostData(home)).toMatchObject({ found });
});

test('a home that was moved away from its database, or copied, is refused with both places', () => {
  const { folder, home, data } = homeWithData();
  noteData(home);
  const moved = join(folder, 'moved');
  renameSync(home, moved);
  expect(lostData(moved)).toMatchObject({ found: `The database of ${moved} is not there: it was in ${data}.` });
  // As that of root, which is not in its home.
  rmSync(join(moved, 'postgres'), { recursive: true });
  mkdirSync(data, { recursive: true });
  const text = `The database of ${moved} is not there: it is in ${data}, and belongs to ${home}. If the folder was moved, move it back to ${home}; if it is a copy, start with FLOTILLA_HOME=${home}.`;
  expect(() => refuseLostData(moved)).toThrow(text);
  mkdirSync(join(moved, 'postgres', 'data'), { recursive: true }); // a command has made an empty one meanwhile
  expect(() => refuseLostData(moved)).toThrow(text);
});
