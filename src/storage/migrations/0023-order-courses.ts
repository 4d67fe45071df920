import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table orders add column expires_at timestamptz`, // the exchange does not take the newest attempt after this time
  `alter table orders add column refusal text`, // what the exchange said no with
  `alter table orders drop constraint orders_type_check`,
  `alter table orders add constraint orders_type_check check (type in ('limit', 'market', 'stop'))`,
  `create table order_events (
    id bigint generated always as identity primary key,
    order_id uuid not null references orders on delete cascade,
    at timestamptz not null default clock_timestamp(),
    state text not null,
    detail text
  )`,
  `create index order_events_order on order_events (order_id, id)`,
];

/** When an order at an exchange was sent until when it may arrive, what it was refused with, and each state it came to. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
