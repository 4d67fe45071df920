import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // What an account has free of a currency, as a runner has read it when somebody asked: only runners open keys.
  `create table account_balances (
    api_key_id uuid not null references api_keys on delete cascade,
    market_type text not null check (market_type in ('spot', 'margin', 'futures')),
    currency text not null,
    asked_at timestamptz,
    taken_at timestamptz,
    read_at timestamptz,
    free numeric,
    failure text check (failure in ('refused', 'rejected', 'unreachable', 'unopened')),
    primary key (api_key_id, market_type, currency),
    constraint account_balances_read check (num_nonnulls(free, failure) = num_nonnulls(read_at))
  )`,
  `create index account_balances_asked on account_balances (asked_at) where asked_at is not null`,
];

/** The free balances that are shown before a bot trades live. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
