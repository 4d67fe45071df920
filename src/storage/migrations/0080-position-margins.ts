import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The leverage and margin mode that an exchange has for the position of an open trade, where they are not those it was opened with. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table if not exists position_margins (
      trade_id uuid primary key references trades on delete cascade,
      leverage numeric not null check (leverage > 0),
      margin_mode text not null check (margin_mode in ('isolated', 'cross')),
      noted_at timestamptz not null default clock_timestamp()
    )`.execute(db);
}
