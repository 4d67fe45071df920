import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { readServiceAccount } from './service-account-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'flotilla-google-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const content = {
  type: 'service_account',
  private_key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  client_email: 'rows@flotilla-1.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
};
const fileOf = (text: string, mode = 0o600): string => {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const read = (path: string) => readServiceAccount(readConfig({ GOOGLE_SERVICE_ACCOUNT_FILE: path }, '/').googleAccountFile);

test('OP-58 the file of a service account is read at the start; without one there is no access', () => {
  expect(read(fileOf(JSON.stringify(content)))).toMatchObject({ account: { email: content.client_email }, warning: null });
  expect(read('')).toBeNull();
});

test.each([0o640, 0o604, 0o644])('a file that others can read (%s) is used with a warning', (mode) => {
  const path = fileOf(JSON.stringify(content), mode);
  expect(read(path)?.warning).toBe(`Others can read ${path}, which holds a private key (chmod 600).`);
});

test('a file that is not there or lacks something is refused with a sentence, without its content', () => {
  const missing = join(folder, 'none.json');
  expect(() => read(missing)).toThrow(`GOOGLE_SERVICE_ACCOUNT_FILE names ${missing}: it cannot be read (ENOENT)`);
  const { client_email: _, ...without } = content;
  const path = fileOf(JSON.stringify(without));
  expect(() => read(path)).toThrow(new Error(`GOOGLE_SERVICE_ACCOUNT_FILE names ${path}: it has no "client_email"`));
});

test('nothing is started with a wrong file; processes that do not use it do not read it', () => {
  const start = (...words: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../main.ts'), ...words], {
      env: { PATH: process.env['PATH'], FLOTILLA_HOME: join(folder, 'home'), GOOGLE_SERVICE_ACCOUNT_FILE: '/nowhere/google.json' },
      encoding: 'utf8',
    });
  const sentence = 'GOOGLE_SERVICE_ACCOUNT_FILE names /nowhere/google.json: it cannot be read (ENOENT)';
  expect(start('serve')).toMatchObject({ status: 1, stderr: expect.stringContaining(sentence) });
  expect(start('serve', '--role', 'runner').stderr).toMatch(/DATABASE_URL/u); // it comes as far as what it lacks
});
