import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // When a person has asked for all open trades of a switch to be closed; gone when it is re-armed.
  `alter table trading_states add column close_all_at timestamptz check (close_all_at is null or state = 'halted')`,
  // How long positions were without a stop is asked about the last day.
  `create index orders_stops on orders (planned_at) where purpose = 'stop'`,
  // How a runner stands with its exchanges, for people: no other process knows it.
  `alter table runners add column exchange_figures jsonb not null default '{}'`,
];

/** The last step of the kill switch, stops by time, and how runners stand with their exchanges. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
