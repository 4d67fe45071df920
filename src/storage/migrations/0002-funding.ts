import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/**
 * The payments of funding of perpetuals, for backtests. Rates may be negative and come three times a day, so they are
 * plain rows and not candles; as doubles, like the candles they are multiplied with.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table funding_events (
    exchange_id text not null,
    symbol text not null,
    time timestamptz not null,
    rate double precision not null,
    mark double precision not null,
    primary key (exchange_id, symbol, time)
  )`,
  `create table funding_spans (
    exchange_id text not null,
    symbol text not null,
    covered tstzmultirange not null,
    primary key (exchange_id, symbol)
  )`,
];
