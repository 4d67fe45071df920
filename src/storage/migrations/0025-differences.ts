import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table differences (
    id uuid primary key default gen_random_uuid(),
    bot_id uuid not null references bots on delete cascade,
    symbol text not null,
    expected numeric(38, 18) not null, -- base currency; negative is short
    actual numeric(38, 18) not null,
    found_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    outcome text check (outcome in ('gone', 'ignored')),
    check ((ended_at is null) = (outcome is null))
  )`,
  `create unique index differences_open on differences (bot_id, symbol) where ended_at is null`,
  // What lies in an account and belongs to no bot, because its owner said so.
  `create table ignored_holdings (
    api_key_id uuid not null references api_keys on delete cascade,
    market_type text not null,
    symbol text not null,
    amount numeric(38, 18) not null,
    primary key (api_key_id, market_type, symbol)
  )`,
  `alter table trading_states drop constraint trading_states_reason_check`,
  `alter table trading_states add constraint trading_states_reason_check check (reason in ('person', 'daily-loss', 'drawdown', 'difference'))`,
];

/** Where an account at an exchange does not hold what the trades of its bots say, and what is not theirs. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
