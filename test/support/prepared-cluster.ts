import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { migrate } from '#storage/migrate.ts';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    clusterFolder: string;
  }
}

/** Names the folder of the cluster that the tests of a run copy, and removes it after them. It is made when a test first needs it. */
export default function setUp(project: TestProject): () => void {
  const folder = join(tmpdir(), `flotilla-cluster-${process.pid}`);
  project.provide('clusterFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Gives an instance folder, which the database's user can enter, the data of an embedded database that was started once, migrated and
 * stopped. It is a copy: initdb and the migrations take several times as long. Tests of the first start do without it.
 */
export async function prepareCluster(home: string): Promise<void> {
  const place = join(home, 'postgres');
  mkdirSync(place, { recursive: true });
  chmodSync(place, 0o755);
  execFileSync('cp', ['-a', join(await preparedHome(), 'postgres', 'data'), place]); // with its owner, and faster than cpSync
}

/** The instance folder that is copied; the first worker that asks makes it, the others wait for it. */
async function preparedHome(): Promise<string> {
  const folder = inject('clusterFolder');
  const home = join(folder, 'home');
  const mark = join(folder, 'made');
  for (; !existsSync(mark); await sleep(20)) {
    try {
      mkdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    try {
      chmodSync(folder, 0o755);
      await makeHome(home);
      writeFileSync(mark, '');
    } catch (error) {
      rmSync(folder, { recursive: true, force: true }); // the next that asks tries, and fails, itself
      throw error;
    }
  }
  return home;
}

async function makeHome(home: string): Promise<void> {
  mkdirSync(home);
  chmodSync(home, 0o755);
  const server = await startEmbeddedServer(home);
  try {
    const db = openDatabase(server.url, { connections: 1 });
    await migrate(db);
    await db.destroy();
  } finally {
    await server.stop();
  }
}
