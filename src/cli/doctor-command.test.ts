import { readConfig } from '#processes/config.ts';
import { installationKey } from '#processes/installation-key.ts';
import { openDatabase } from '#storage/database.ts';
import { findBinaries } from '#storage/embedded/binaries.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#storage/embedded/free-port.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examine } from '#processes/doctor/doctor.ts';
import { prepareCluster } from '../../test/support/prepared-cluster.ts';

const home = mkdtempSync(join(tmpdir(), 'flotilla-doctor-'));
chmodSync(home, 0o755);
afterAll(() => rmSync(home, { recursive: true, force: true }));
let port = 0;
beforeAll(async () => {
  port = await freePort();
});

const main = join(import.meta.dirname, '../main.ts');
const doctor = async (words: readonly string[], environment: Record<string, string> = {}) => {
  const env = { ...process.env, FLOTILLA_HOME: home, PORT: String(port), ...environment };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'doctor', ...words], { env });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
};
const stateOf = (out: string, check: string): string | undefined =>
  (JSON.parse(out) as { findings: { check: string; state: string }[] }).findings.find((finding) => finding.check === check)?.state;

test('before the first start nothing is broken, and nothing is made', async () => {
  const { code, out } = await doctor([]);
  expect(out).toContain('ok       settings: The environment variables are valid.\n');
  expect(out).toContain('ok       database: There is none yet; the first start makes it.\n');
  expect(code, out).toBe(0);
  expect(readdirSync(home)).toEqual([]);
});

test('wrong settings are a finding of their own; what is broken makes the exit code 1', async () => {
  const { code, out } = await doctor([], { DATABASE_URL: 'mysql://x', HOST: '?' });
  expect(code).toBe(1);
  expect(out).toContain('broken   settings: The settings are wrong: HOST must be');
  expect(out).toContain('DATABASE_URL must be an address');
  expect((await doctor(['--json', 'more'])).code).toBe(2);
});

test('an embedded database that is stopped is checked and stopped again; --json says the same', async () => {
  await prepareCluster(home);
  const server = await startEmbeddedServer(home);
  const db = openDatabase(server.url, { connections: 1 });
  await installationKey(db, readConfig({ FLOTILLA_HOME: home }, '/'));
  await db.destroy();
  const running = await doctor(['--json']);
  expect(server.isRunning()).toBe(true);
  await server.stop();
  const stopped = await doctor(['--json']);
  expect(server.isRunning()).toBe(false);
  for (const { code, out } of [running, stopped]) {
    expect(code, out).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true });
    for (const check of ['database', 'migrations', 'durability', 'master key']) expect(stateOf(out, check), check).toBe('ok');
    expect(stateOf(out, 'backups')).toBe('warning'); // none was made yet
  }
  const other = createServer((_, answer) => answer.end('another program'));
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  const taken = await doctor(['--json'], { MASTER_KEY: Buffer.alloc(32, 1).toString('base64') });
  await new Promise((resolve) => other.close(resolve));
  expect(taken.code).toBe(1);
  expect([stateOf(taken.out, 'port'), stateOf(taken.out, 'master key')]).toEqual(['broken', 'broken']);
});

test('a server that only repeats another one is found', async () => {
  const data = mkdtempSync(join(tmpdir(), 'flotilla-standby-'));
  const place = join(home, 'postgres');
  const { uid, gid } = statSync(join(place, 'data'));
  cpSync(join(place, 'data'), data, { recursive: true });
  writeFileSync(join(data, 'standby.signal'), '');
  spawnSync('chown', ['-R', `${uid}:${gid}`, data]);
  chmodSync(data, 0o700);
  const binaries = findBinaries(place, { uid, gid });
  const words = ['-D', data, '-k', data, '-c', 'listen_addresses=', '-c', 'hot_standby=on'];
  const standby = spawn(join(binaries, 'bin', 'postgres'), words, { cwd: data, uid, gid, stdio: 'ignore' });
  try {
    while (!existsSync(join(data, '.s.PGSQL.5432'))) await sleep(50);
    const url = `postgresql://flotilla_app@localhost/postgres?host=${encodeURIComponent(data)}`;
    const config = readConfig({ DATABASE_URL: url, FLOTILLA_HOME: home, PORT: String(port) }, '/');
    const state = async () => (await examine(config)).find(({ check }) => check === 'database');
    await expect.poll(state).toMatchObject({ state: 'broken', found: 'It is a standby and takes no writes.' });
  } finally {
    standby.kill('SIGQUIT');
    await once(standby, 'exit');
    rmSync(data, { recursive: true, force: true });
  }
});
