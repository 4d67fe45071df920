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

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
