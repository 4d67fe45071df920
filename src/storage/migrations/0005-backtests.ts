import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** What a running backtest is doing, since when, and whether it was cancelled: a cancelled one is not a failure of the product. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table backtests
    add column step text not null default '',
    add column phase_started_at timestamptz,
    add column cancelled boolean not null default false`.execute(db);
}
