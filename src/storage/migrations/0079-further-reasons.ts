import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** When a further reason came behind a kill switch that was set already: whoever has seen the switch before has not seen that. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table trading_states add column if not exists reason_at timestamptz`.execute(db);
}
