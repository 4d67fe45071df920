import { sql } from 'kysely';
import { openDatabase } from './database.ts';

/** The address of a database for sessions of a name of their own. */
export function withSessionName(databaseUrl: string, name: string): string {
  return `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}application_name=${encodeURIComponent(name)}`;
}

/** Ends the sessions of a name, whatever they are doing, and no others. */
export async function endSessionsNamed(databaseUrl: string, name: string): Promise<void> {
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`.execute(db);
  } finally {
    await db.destroy();
  }
}
