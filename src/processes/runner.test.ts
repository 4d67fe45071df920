import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { addApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { sealingKey } from '#vault/sealing.ts';
import { readConfig } from './config.ts';
import { installationKey } from './installation-key.ts';

const { home, db, url } = await embeddedDatabase();
const main = join(import.meta.dirname, '../main.ts');
const runners = async () => (await db.selectFrom('runners').select('id').execute()).length;

test('a runner that is stopped hands its bots over while an exchange does not answer what it is asked of a key', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await once(silent, 'listening');
  const sandboxUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const botId = await addTestBot(db, { strategy: 'AlwaysFlat', status: 'paused' });
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
  const row = { id: randomUUID(), userId };
  const sealing = await sealingKey(await installationKey(db, readConfig({ FLOTILLA_HOME: home }, home)));
  const sealed = await sealCredentials(sealing, row, { key: 'key', secret: 'secret', passphrase: null });
  const rights = { canTrade: true, canWithdraw: false, isIpBound: null, checkResult: 'ok', checkedAt: new Date(0) } as const;
  await addApiKey(db, { ...row, ...rights, exchangeId: 'sandbox', label: 'mine', keyHint: 'abcd', hasPassphrase: false, sealed });

  const env = { ...process.env, DATABASE_URL: url, SANDBOX_URL: sandboxUrl, FLOTILLA_HOME: home };
  const words = ['--disable-warning=ExperimentalWarning', main, 'serve', '--role', 'runner'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message'); // it is ready
  const taken = async () => (await db.selectFrom('apiKeys').select('checkTakenAt').executeTakeFirstOrThrow()).checkTakenAt;
  await expect.poll(taken).not.toBeNull(); // the exchange is being asked
  expect(await runners()).toBe(1);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended; // at the latest after its patience, however that went
  expect(await runners()).toBe(0); // nobody has to wait for a lease to run out
});
