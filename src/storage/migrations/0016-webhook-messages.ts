import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create table webhook_messages (
    id uuid primary key default gen_random_uuid(),
    strategy_id uuid not null references strategies on delete cascade,
    text text not null,
    created_at timestamptz not null default now(),
    due_at timestamptz not null default now(),
    tries integer not null default 0,
    number bigint generated always as identity
  )`,
  `create index webhook_messages_due on webhook_messages (due_at)`,
  `alter table strategies add column webhook_result jsonb`,
];

/** Messages about trades that wait to be sent to the chat of their strategy, and how the last one went. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
