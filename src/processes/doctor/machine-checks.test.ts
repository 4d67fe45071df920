import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkFolders } from './folder-checks.ts';
import { checkDisk, checkMemory, checkNode } from './machine-checks.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-doctor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('an old Node is broken, this one is not', () => {
  expect(checkNode('20.20.2')).toMatchObject({ state: 'broken', toDo: 'Install Node 24 or newer.' });
  expect(checkNode(process.versions.node).state).toBe('ok');
});

test.each([
  [255e6, 'broken'],
  [256e6, 'warning'],
  [999e6, 'warning'],
  [1e9, 'ok'],
])('%d bytes of free memory are %s', (free, state) => {
  expect(checkMemory(free).state).toBe(state);
});

test('room on the disk is what its file system says; a folder that is not there does not count', async () => {
  expect(await checkDisk([folder], { least: 0, enough: 1 })).toMatchObject({ state: 'ok', toDo: null });
  expect(await checkDisk([folder], { least: 0, enough: Infinity })).toMatchObject({ state: 'warning' });
  expect(await checkDisk([folder], { least: Infinity, enough: Infinity })).toMatchObject({
    state: 'broken',
    toDo: expect.stringContaining(folder),
  });
  expect((await checkDisk([join(folder, 'none')], { least: Infinity, enough: Infinity })).state).toBe('ok');
});

test('an instance folder can be made, or something stands in its way', () => {
  expect(checkFolders(join(folder, 'new', 'home'))).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('the first start makes it'),
  });
  writeFileSync(join(folder, 'file'), '');
  expect(checkFolders(join(folder, 'file'))).toMatchObject({ state: 'broken', found: `${join(folder, 'file')} is not a folder.` });
  expect(checkFolders(join(folder, 'file', 'home'))).toMatchObject({ state: 'broken' });
});

test('what is secret in it must be hidden from other users of the machine', () => {
  const home = join(folder, 'home');
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 });
  mkdirSync(join(home, 'mails'), { mode: 0o700 });
  writeFileSync(join(home, 'keys', 'master.key'), 'x', { mode: 0o600 });
  expect(checkFolders(home).state).toBe('ok');
  chmodSync(join(home, 'keys', 'master.key'), 0o640);
  expect(checkFolders(home)).toMatchObject({ state: 'broken', toDo: `chmod 600 ${join(home, 'keys', 'master.key')}` });
  chmodSync(join(home, 'mails'), 0o755);
  expect(checkFolders(home)).toMatchObject({ state: 'warning', toDo: `chmod 700 ${join(home, 'mails')}` });
});
