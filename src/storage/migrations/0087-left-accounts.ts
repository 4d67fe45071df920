import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table differences drop constraint differences_outcome_check`,
  `alter table differences add constraint differences_outcome_check check (outcome in ('gone', 'ignored', 'adopted', 'closed', 'left'))`,
  `create function end_differences_of_left_account() returns trigger language plpgsql as $$
  begin
    update differences set ended_at = clock_timestamp(), outcome = 'left' where bot_id = old.id and ended_at is null;
    if found then
      update alarms set ended_at = clock_timestamp() where bot_id = old.id and kind = 'difference' and ended_at is null;
    end if;
    return null;
  end $$`,
  `create trigger bots_left_account after update of api_key_id, exchange_id, market_type, mode on bots for each row
    when ((old.api_key_id, old.exchange_id, old.market_type, old.mode)
          is distinct from (new.api_key_id, new.exchange_id, new.market_type, new.mode))
    execute function end_differences_of_left_account()`,
];

/**
 * A difference is one of the account in which it was found: it ends when its bot leaves that, however it does. It would else be taken for one of the
 * next account, and be missing of the trades there.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
