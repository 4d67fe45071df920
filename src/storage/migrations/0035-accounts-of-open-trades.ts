import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `create function refuse_another_account() returns trigger language plpgsql as $$
  begin
    if exists (select from trades t where t.bot_id = old.id and t.mode <> 'paper' and t.status = 'open')
      or exists (select from orders o join trades t on t.id = o.trade_id
                 where o.bot_id = old.id and o.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending') and t.mode <> 'paper') then
      raise exception 'Bot % has trades or orders open at its exchange: it keeps its exchange, market, key and mode', old.id
        using errcode = 'check_violation';
    end if;
    return new;
  end $$`,
  // Also when a key is deleted: its bots would lose it. The row of the bot is locked, so no step can open a trade meanwhile.
  `create trigger bots_account before update of api_key_id, exchange_id, market_type, mode on bots for each row
    when (old.mode = 'live' and (old.api_key_id, old.exchange_id, old.market_type, old.mode)
          is distinct from (new.api_key_id, new.exchange_id, new.market_type, new.mode))
    execute function refuse_another_account()`,
];

/** A live bot keeps its exchange, market, key and mode while it has trades or orders open there: the account of a trade is that of its bot. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
