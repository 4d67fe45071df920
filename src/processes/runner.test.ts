import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sql } from 'kysely';
import { databaseGate } from '../../test/support/database-gate.ts';
import { embeddedDatabase } from '../../test/support/embedded-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { leaseMs } from '#runner/runner.ts';
import { askBalance } from '#storage/exchange-accounts/account-balances.ts';
import { addApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { sealingKey } from '#vault/sealing.ts';
import { readConfig } from './config.ts';
import { installationKey } from './installation-key.ts';

const { home, db, url } = await embeddedDatabase();
const main = join(import.meta.dirname, '../main.ts');
const runners = async () => (await db.selectFrom('runners').select('id').execute()).length;

/** A process that runs bots, and is ready. */
async function startRole(environment: Record<string, string>): Promise<ChildProcess> {
  const env = { ...process.env, DATABASE_URL: url, FLOTILLA_HOME: home, ...environment };
  const words = ['--disable-warning=ExperimentalWarning', main, 'serve', '--role', 'runner'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

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

  const child = await startRole({ SANDBOX_URL: sandboxUrl });
  const taken = async () => (await db.selectFrom('apiKeys').select('checkTakenAt').executeTakeFirstOrThrow()).checkTakenAt;
  await expect.poll(taken).not.toBeNull(); // the exchange is being asked
  expect(await runners()).toBe(1);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended; // at the latest after its patience, however that went
  expect(await runners()).toBe(0); // nobody has to wait for a lease to run out
});

test('a runner says which live bots it takes and how many bots it can hold, and reads no balance where it may not trade', async () => {
  const userId = (await db.selectFrom('users').select('id').executeTakeFirstOrThrow()).id;
  for (const exchange of ['binance', 'sandbox']) {
    const id = randomUUID();
    await sql`insert into api_keys (id, user_id, exchange_id, label, key_hint, sealed, created_at)
      values (${id}, ${userId}, ${exchange}, ${exchange}, 'abcd', '{}', now())`.execute(db);
    await askBalance(db, { apiKeyId: id, marketType: 'spot', currency: 'USDT' });
  }
  await startRole({ LIVE_TRADING: 'sandbox', RUNNER_MAX_BOTS: '7' });
  expect((await sql`select takes_live, most_bots from runners where expires_at > now()`.execute(db)).rows).toEqual([
    { takesLive: 'sandbox', mostBots: 7 },
  ]);
  const seen = async () =>
    (
      await sql<{ exchange: string; isSeen: boolean }>`
        select k.exchange_id as exchange, coalesce(b.taken_at, b.read_at) is not null as is_seen
        from account_balances b join api_keys k on k.id = b.api_key_id order by 1`.execute(db)
    ).rows;
  await expect.poll(async () => (await seen()).find(({ exchange }) => exchange === 'sandbox')).toMatchObject({ isSeen: true });
  // It was asked for first.
  expect(await seen()).toEqual([
    { exchange: 'binance', isSeen: false },
    { exchange: 'sandbox', isSeen: true },
  ]);
});

test('a runner that starts again after it was killed ends the lease of the one before: nobody waits for it to run out', async () => {
  const alive = async () => (await sql<{ id: string }>`select id from runners where expires_at > now()`.execute(db)).rows;
  await sql`delete from runners`.execute(db);
  const killed = await startRole({});
  const [before] = await alive();
  const ended = once(killed, 'exit');
  killed.kill('SIGKILL');
  await ended;
  expect(await alive()).toEqual([before]); // nobody else knows
  await startRole({});
  expect(await alive()).toEqual([{ id: expect.not.stringContaining(before?.id ?? '') }]);
});

test('a runner whose way to the database leads nowhere any more keeps its lease by another; what it has locked is free when that is over', async () => {
  const gate = await databaseGate(url);
  onTestFinished(() => gate.end());
  await sql`delete from runners`.execute(db);
  await startRole({ DATABASE_URL: gate.url });
  const { id } = await db.selectFrom('runners').select('id').executeTakeFirstOrThrow();
  const renewed = async () =>
    (await db.selectFrom('runners').select('expiresAt').where('id', '=', id).executeTakeFirst())?.expiresAt.getTime() ?? 0;
  const first = await renewed();
  await expect.poll(renewed).toBeGreaterThan(first); // all its connections are made
  const ours = gate.begun.filter((text) => text.includes('\0application_name\0flotilla\0'));
  expect(ours.length).toBeGreaterThan(0);
  expect(ours.filter((text) => !text.includes(`\0idle_in_transaction_session_timeout\0${leaseMs}\0`))).toEqual([]);
  gate.strand();
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
  await expect.poll(renewed).toBeGreaterThan((rows[0]?.at.getTime() ?? Infinity) + leaseMs + 1_000);
});
