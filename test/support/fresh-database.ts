import { randomBytes } from 'node:crypto';
import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, inject } from 'vitest';
import { databaseUrl } from './database-server.ts';
import { patienceMs } from './patience.ts';

/** A migrated database without rows for one test file, dropped after it; from 'template0' it has no tables either. */
export async function freshDatabase(template = 'flotilla_template'): Promise<{ db: Database; url: string }> {
  const serverUrl = inject('databaseServerUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = openDatabase(serverUrl, { connections: 1, waitsMs: patienceMs });
  await sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(admin);
  const url = databaseUrl(serverUrl, name);
  const db = openDatabase(url, { waitsMs: patienceMs });
  afterAll(async () => {
    await db.destroy();
    await dropDatabase(admin, name);
    await admin.destroy();
  });
  return { db, url };
}

/** Drops a database. While the server itself tidies up in it, only a superuser could: that is over in a moment. */
async function dropDatabase(admin: Database, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql`drop database ${sql.id(name)} with (force)`.execute(admin);
      return;
    } catch (error) {
      if (tries === 100 || !(error instanceof Error && error.message.includes('terminate process'))) throw error;
      await sleep(100);
    }
  }
}
