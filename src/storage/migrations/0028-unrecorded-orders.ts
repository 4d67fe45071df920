import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // Amounts in base currency. What an order has brought is negative for one that sold; fees taken in base currency are deducted.
  `create table unrecorded_orders (
    client_order_id text primary key,
    bot_id uuid not null references bots on delete cascade,
    api_key_id uuid not null references api_keys on delete cascade,
    market_type text not null,
    exchange_order_id text not null,
    symbol text not null,
    side text not null check (side in ('buy', 'sell')),
    type text not null check (type in ('limit', 'market', 'stop')),
    state text not null,
    requested numeric(38, 18) not null,
    filled numeric(38, 18) not null,
    price numeric(38, 18), -- the limit, or the price of a stop
    net numeric(38, 18) not null,
    settled_net numeric(38, 18) not null default 0, -- of it, what was decided about
    average_price numeric(38, 18),
    fee_quote numeric(38, 18), -- null while its value is not known
    made_at timestamptz not null,
    found_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    settled_at timestamptz
  )`,
  `create index unrecorded_orders_account on unrecorded_orders (api_key_id, market_type)`,
  `create index unrecorded_orders_bot on unrecorded_orders (bot_id, symbol)`,
  // What of them a person has a bot take over as a trade.
  `create table adopted_holdings (
    id uuid primary key default gen_random_uuid(),
    bot_id uuid not null references bots on delete cascade,
    symbol text not null,
    direction text not null check (direction in ('long', 'short')),
    amount numeric(38, 18) not null check (amount > 0),
    price numeric(38, 18) not null check (price > 0),
    fee numeric(38, 18),
    closes boolean not null, -- the trade is closed at once
    asked_at timestamptz not null,
    done_at timestamptz
  )`,
  `create unique index adopted_holdings_open on adopted_holdings (bot_id, symbol) where done_at is null`,
  // When an account was last searched for orders without a record, by the clock of its market.
  `create table order_searches (
    api_key_id uuid not null references api_keys on delete cascade,
    market_type text not null,
    searched_at timestamptz not null,
    primary key (api_key_id, market_type)
  )`,
];

/** Orders at an exchange that bots have made and the database had no record of, and what people decide about them. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
