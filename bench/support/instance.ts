import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import type { EmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { migrate } from '#storage/migrate.ts';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An instance folder of its own with a database, removed at the end. */
export interface Instance {
  home: string;
  server: EmbeddedServer;
  db: Database;
  remove(): Promise<void>;
}

/** Makes an empty instance. */
export async function newInstance(): Promise<Instance> {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
  chmodSync(home, 0o755); // the database runs as another user when this runs as root
  const server = await startEmbeddedServer(home);
  const db = openDatabase(server.url, { connections: 4 });
  await migrate(db);
  return {
    home,
    server,
    db,
    async remove() {
      await db.destroy();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
