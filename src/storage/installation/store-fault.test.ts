import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareCluster } from '../../../test/support/prepared-cluster.ts';
import type { Database } from '../database.ts';
import { openDatabase } from '../database.ts';
import type { EmbeddedServer } from '../embedded/embedded-server.ts';
import { startEmbeddedServer } from '../embedded/embedded-server.ts';
import { embeddedData } from '../embedded/server-place.ts';
import { noteVolatileStore, storeFault } from './store-fault.ts';

const memory = '/dev/shm'; // a tmpfs on every Linux
const disk = tmpdir().startsWith(memory) ? '/var/tmp' : tmpdir(); // where the tests' other files lie in memory

describe.each([['on a disk', disk] as const, ['in memory', memory] as const].filter(([, parent]) => existsSync(parent)))(
  'a server whose data lies %s',
  (where, parent) => {
    const home = mkdtempSync(join(parent, 'flotilla-store-'));
    let server: EmbeddedServer;
    let db: Database;
    let operator: Database;
    beforeAll(async () => {
      chmodSync(home, 0o755);
      await prepareCluster(home);
      server = await startEmbeddedServer(home);
      db = openDatabase(server.url, { connections: 1 });
      const url = new URL(server.url);
      url.username = 'flotilla';
      operator = openDatabase(url.href, { connections: 1 });
    });
    afterAll(async () => {
      await db.destroy();
      await operator.destroy();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    });

    test('is found out', async () => {
      expect(await storeFault(db)).toBeNull(); // nobody has looked yet
      const data = embeddedData(home) ?? '';
      expect(data.startsWith(home)).toBe(true);
      await noteVolatileStore(db, data);
      if (where === 'in memory')
        expect(await storeFault(db)).toMatch(/^The database lies in memory \(\/dev\/shm\/.* Live trading stays off/u);
      else expect(await storeFault(db)).toBeNull();
      await noteVolatileStore(db, import.meta.dirname); // moved to a disk
      expect(await storeFault(db)).toBeNull();
    });

    test.each(['fsync', 'full_page_writes', 'synchronous_commit'])('and %s is off is refused until it is on again', async (setting) => {
      const set = async (value: string): Promise<void> => {
        await sql`alter system set ${sql.raw(setting)} = ${sql.raw(value)}`.execute(operator);
        await sql`select pg_reload_conf()`.execute(operator);
      };
      await set('off');
      await expect
        .poll(() => storeFault(db))
        .toBe(`The database may lose acknowledged writes: ${setting} is off. Live trading stays off until it is on.`);
      await set('on');
      await expect.poll(() => storeFault(db)).toBeNull();
    });
  },
);
