import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keyFingerprint, masterKeyPath, openMasterKey } from './master-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-key-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let homes = 0;
const newHome = () => ({ home: join(folder, `home-${++homes}`), file: null, text: null });
const text = randomBytes(32).toString('base64');

test('the key is made once, for its owner alone, and is the same at every start', () => {
  const source = newHome();
  const key = openMasterKey(source, true);
  expect(key).toHaveLength(32);
  expect(openMasterKey(source, true)).toEqual(key);
  expect(openMasterKey(source, false)).toEqual(key);
  expect(statSync(masterKeyPath(source.home)).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(source.home, 'keys'))).toEqual(['master.key']);
});

test('a key that must not be made is not made', () => {
  const source = newHome();
  expect(openMasterKey(source, false)).toBeNull();
  expect(existsSync(masterKeyPath(source.home))).toBe(false);
});

test('a named file comes first, then the text, and neither makes a file', () => {
  const source = newHome();
  const file = join(folder, 'elsewhere.key');
  writeFileSync(file, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
  expect(openMasterKey({ ...source, file, text }, true)).toEqual(Buffer.alloc(32, 1));
  expect(openMasterKey({ ...source, text }, true)).toEqual(Buffer.from(text, 'base64'));
  expect(existsSync(source.home)).toBe(false);
});

test('a file that others can read, that is not there or holds no key is refused with what to do', () => {
  const source = newHome();
  openMasterKey(source, true);
  const path = masterKeyPath(source.home);
  for (const mode of [0o640, 0o604]) {
    chmodSync(path, mode);
    expect(() => openMasterKey(source, true)).toThrow(`Others can read ${path}. Make it yours alone (chmod 600) and start again.`);
  }
  writeFileSync(path, 'half a key');
  chmodSync(path, 0o600);
  expect(() => openMasterKey(source, true)).toThrow('does not hold a key. Put the right file back');
  expect(() => openMasterKey({ ...source, file: join(folder, 'nowhere') }, true)).toThrow('is not there. Put it there');
  expect(() => openMasterKey({ ...source, text: 'short' }, true)).toThrow('MASTER_KEY is not 32 bytes in base64');
});

test('a fingerprint names a key and is not a part of it', () => {
  const key = Buffer.alloc(32, 7);
  expect(keyFingerprint(key)).toMatch(/^[0-9a-f]{32}$/u);
  expect(keyFingerprint(key)).not.toBe(keyFingerprint(Buffer.alloc(32, 8)));
  expect(key.toString('hex')).not.toContain(keyFingerprint(key));
});
