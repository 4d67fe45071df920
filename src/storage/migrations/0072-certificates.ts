import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** What the backtester makes of a bot's day, beside what its account made of it: one row for each, wanted, under way or done. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table certificates (
      bot_id uuid not null references bots on delete cascade,
      day date not null, -- UTC
      state text not null default 'waiting' check (state in ('waiting', 'replaying', 'done', 'failed')),
      asked_at timestamptz not null default now(),
      asked_by uuid references users on delete set null, -- null: made by night
      lease_until timestamptz, -- while it is replaying: then another process may take it
      tries integer not null default 0, -- of the newest wish
      why text, -- of one that failed, in a sentence
      mode text, -- of the trades; this and what follows stays as it was while it is replayed again
      currency text,
      promised numeric, -- by the backtest
      made numeric, -- by the account
      differing integer, -- decisions that differ on the same candles
      certificate jsonb,
      replayed_at timestamptz,
      took_ms integer,
      primary key (bot_id, day)
    )`.execute(db);
  await sql`create index certificates_wanted on certificates (asked_at) where state in ('waiting', 'replaying')`.execute(db);
}
