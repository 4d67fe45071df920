import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // All sums are made again, by the rule that holds now; until then they are read from the trades.
  `update trader_sums_until set until = '-infinity'`,
  `drop trigger trader_sums_bot on bots`,
  `create trigger trader_sums_bot after update on bots for each row
    when ((old.user_id, old.strategy_id) is distinct from (new.user_id, new.strategy_id)) execute function end_trader_sums_of_bot()`,
];

/** Whether a profit counts as dollars depends on the symbol of its trade, and no more on what its bot stakes by now. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
