import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { sql } from 'kysely';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';

const home = mkdtempSync(join(tmpdir(), 'flotilla-interruptible-'));
chmodSync(home, 0o755);
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

const isServerRunning = (): boolean => existsSync(join(home, 'postgres', 'data', 'postmaster.pid'));

/** A command that works on the embedded database for ten minutes, in a process of its own. */
function command() {
  const at = (file: string): string => JSON.stringify(join(import.meta.dirname, file));
  const source = `
    const { exitCodeOf } = await import(${at('command-error.ts')});
    const { withDatabase } = await import(${at('backup-command.ts')});
    const { openDatabase } = await import(${at('../storage/database.ts')});
    const { sql } = await import(${at('../../node_modules/kysely/dist/index.js')});
    const say = (line) => console.log(line);
    const command = exitCodeOf(say, say, async () => await withDatabase({ databaseUrl: null, home: ${JSON.stringify(home)} }, async (url) => {
      const db = openDatabase(url, { connections: 1, answersMs: 0 });
      try {
        await sql\`select 1\`.execute(db);
        say('works');
        await sql\`select pg_sleep(600)\`.execute(db);
        return 0;
      } finally {
        await db.destroy();
      }
    }));
    say('begins');
    process.exitCode = await command;`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  children.add(child);
  let code: number | null = null;
  child.once('close', (status) => (code = status));
  return { child, out: () => out, ended: () => ({ code, out }) };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('after %s a command has stopped the database that it had started', async (signal) => {
  if (!existsSync(join(home, 'postgres'))) await prepareCluster(home);
  const { child, ended, out } = command();
  await expect.poll(out).toContain('works');
  child.kill(signal);
  await expect.poll(ended).toEqual({ code: 130, out: 'begins\nworks\nInterrupted.\n' });
  expect(isServerRunning()).toBe(false);
});

test('interrupted while its database starts, it does nothing with it and has stopped it', async () => {
  const { child, ended, out } = command();
  await expect.poll(out).toContain('begins');
  child.kill('SIGINT');
  await expect.poll(ended).toMatchObject({ code: 130, out: expect.stringMatching(/Interrupted\.\n$/u) });
  expect(isServerRunning()).toBe(false);
});

test('the sessions of the product, which uses that database by now, go on', async () => {
  const { child, ended, out } = command();
  await expect.poll(out).toContain('works');
  const product = await startEmbeddedServer(home);
  const db = openDatabase(product.url, { connections: 1 });
  const session = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;
  const before = await session();
  child.kill('SIGINT');
  await expect.poll(ended).toMatchObject({ code: 130 });
  expect(await session()).toBe(before);
  await db.destroy();
  await product.stop();
});
