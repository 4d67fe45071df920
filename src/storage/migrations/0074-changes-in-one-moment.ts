import type { Kysely } from 'kysely';
import { sql } from 'kysely';

// Times are compared to the millisecond, and a request that waited writes the one at which it began.
const statements = [
  `create function separate_changes() returns trigger language plpgsql as $$
  begin
    new.updated_at := old.updated_at + interval '1 ms';
    return new;
  end $$`,
  ...['bots', 'strategies'].map(
    (table) => `create trigger ${table}_updated_at before update of updated_at on ${table} for each row
      when (date_trunc('milliseconds', new.updated_at) = date_trunc('milliseconds', old.updated_at)) execute function separate_changes()`,
  ),
];

/** Of two changes of a bot or a strategy in one millisecond the second has a time of its own: whoever has read the first sees that there is another. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
