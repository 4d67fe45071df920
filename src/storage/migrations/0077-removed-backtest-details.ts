import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** When the candles, trades and curves of an old backtest were removed. Its row stays, with its figures. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table backtests
    add column details_removed_at timestamptz,
    add check (details_removed_at is null or (status = 'done' and result is null and equity is null))`.execute(db);
}
