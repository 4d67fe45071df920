import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '#storage/embedded/free-port.ts';
import { readConfig } from '../config.ts';
import { examine } from './doctor.ts';

test('a home whose database is gone is broken, one that never had any is not, and nothing is made in either', async () => {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-doctor-lost-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const config = readConfig({ FLOTILLA_HOME: home, PORT: String(await freePort()) }, '/');
  const database = async () => (await examine(config)).find(({ check }) => check === 'database');
  expect(await database()).toMatchObject({ state: 'ok', found: 'There is none yet; the first start makes it.' });
  writeFileSync(join(home, 'database-folder'), `/var/lib/flotilla/gone/data\n${home}\n`);
  expect(await database()).toMatchObject({
    state: 'broken',
    found: `The database of ${home} is not there: it was in /var/lib/flotilla/gone/data.`,
    toDo: expect.stringContaining('restore a backup of it'),
  });
  expect(readdirSync(home)).toEqual(['database-folder']);
});
