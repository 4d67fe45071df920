import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkFolders } from './folder-checks.ts';

const privateFolders = ['keys', 'mails', 'backups', 'logs'];

/** An instance folder in which all is hidden from others. */
function hiddenHome(): { home: string; key: string } {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-folders-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const name of privateFolders) mkdirSync(join(home, name), { mode: 0o700 });
  const key = join(home, 'keys', 'master.key');
  writeFileSync(key, 'secret', { mode: 0o600 });
  return { home, key };
}

test('an instance folder in which all is hidden from others is fine', () => {
  const { home } = hiddenHome();
  expect(checkFolders(home)).toMatchObject({ state: 'ok' });
});

test.each(privateFolders.flatMap((name) => [0o750, 0o705].map((mode) => [name, mode.toString(8)] as const)))(
  'a folder of %s that others can read (%s) is a finding',
  (name, mode) => {
    const { home } = hiddenHome();
    const folder = join(home, name);
    chmodSync(folder, parseInt(mode, 8));
    expect(checkFolders(home)).toMatchObject({
      state: 'warning',
      found: `Other users of this machine can read ${folder}.`,
      toDo: `chmod 700 ${folder}`,
    });
  },
);

test.each(['640', '604'])('a key that others can read (%s) is broken', (mode) => {
  const { home, key } = hiddenHome();
  chmodSync(key, parseInt(mode, 8));
  expect(checkFolders(home)).toMatchObject({
    state: 'broken',
    found: `Other users of this machine can read ${key}.`,
    toDo: `chmod 600 ${key}`,
  });
});
