import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { migrate } from '#storage/migrate.ts';
import { sql } from 'kysely';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    databaseServerUrl: string;
  }
}

/**
 * Starts one real PostgreSQL for all test files that need a database, with a migrated template in it. TEST_DATABASE_URL
 * names another server to run the same tests on.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const home = join(tmpdir(), `flotilla-test-${process.pid}`);
  const given = process.env['TEST_DATABASE_URL'];
  const server = given === undefined ? await startEmbeddedServer(home) : null;
  const url = server?.url ?? given ?? '';
  if (server !== null) await allowNewDatabases(url);
  const admin = openDatabase(url);
  await sql`drop database if exists flotilla_template`.execute(admin);
  await sql`create database flotilla_template`.execute(admin);
  await admin.destroy();
  const template = openDatabase(databaseUrl(url, 'flotilla_template'));
  await migrate(template);
  await template.destroy();
  project.provide('databaseServerUrl', url);
  return async () => {
    await server?.stop();
    if (server !== null) rmSync(home, { recursive: true, force: true });
  };
}

/** Each test file has a database of its own: the product's role may make them here, and is otherwise what it always is. */
async function allowNewDatabases(url: string): Promise<void> {
  const asSuperuser = new URL(url);
  asSuperuser.username = 'flotilla';
  const db = openDatabase(asSuperuser.href, { connections: 1 });
  await sql`alter role flotilla_app createdb`.execute(db);
  await db.destroy();
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
