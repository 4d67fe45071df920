import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  // No reference to the key: what an account brought is still distinguished when its key has been deleted.
  `alter table trades add column account_id uuid`,
  `create function note_account_of_trade() returns trigger language plpgsql as $$
    begin
      select api_key_id into new.account_id from bots where id = new.bot_id;
      return new;
    end $$`,
  // A trade is written again at each of its steps; only the first time counts (the others are updates that leave the column alone).
  `create trigger trades_account before insert on trades for each row when (new.mode <> 'paper' and new.account_id is null)
    execute function note_account_of_trade()`,
  // Of trades before this it is known only through the key that their bot has now.
  `update trades t set account_id = b.api_key_id from bots b where b.id = t.bot_id and t.mode <> 'paper' and b.api_key_id is not null`,
];

/** A trade names the account it was made with: a bot may get another key between two trades. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
