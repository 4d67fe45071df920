import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // What a person has asked a bot to do by hand, and what came of it.
  `create table manual_actions (
    id uuid primary key default gen_random_uuid(),
    bot_id uuid not null references bots on delete cascade,
    mode text not null check (mode in ('paper', 'live', 'testnet')),
    kind text not null check (kind in ('enter', 'add', 'take-out', 'move-stop')),
    symbol text not null,
    trade_id uuid references trades on delete cascade,
    direction text check (direction in ('long', 'short')),
    stake numeric check (stake > 0),
    share numeric check (share > 0 and share < 1),
    stop_price numeric check (stop_price > 0),
    asked_by uuid references users on delete set null,
    asked_at timestamptz not null default now(),
    expires_at timestamptz not null,
    state text not null default 'waiting' check (state in ('waiting', 'done', 'refused')),
    refusal text,
    client_order_id text,
    ended_at timestamptz,
    check ((state = 'waiting') = (ended_at is null)),
    check ((state = 'refused') = (refusal is not null)),
    check ((kind = 'enter') = (direction is not null)),
    check ((kind in ('enter', 'add')) = (stake is not null)),
    check ((kind = 'take-out') = (share is not null)),
    check (kind = 'enter' or trade_id is not null)
  )`,
  // One at a time of a pair: two presses at once are not two orders.
  `create unique index manual_actions_waiting on manual_actions (bot_id, symbol) where state = 'waiting'`,
  `create index manual_actions_of_bot on manual_actions (bot_id, asked_at desc)`,
  `create index manual_actions_of_trade on manual_actions (trade_id) where trade_id is not null`,
];

/** What people have bots do by hand. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
