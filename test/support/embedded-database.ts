import { type Database, openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { prepareCluster } from './prepared-cluster.ts';

/** An instance folder with an embedded database of its own, migrated; both are removed after the tests of the file. */
export async function embeddedDatabase(): Promise<{ home: string; url: string; db: Database }> {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-home-'));
  chmodSync(home, 0o755);
  await prepareCluster(home);
  const server = await startEmbeddedServer(home);
  const db = openDatabase(server.url, { connections: 4 });
  afterAll(async () => {
    await db.destroy();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });
  return { home, url: server.url, db };
}
