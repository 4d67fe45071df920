import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** Open trades on perpetuals of before their margin mode was kept have that of their bot, whatever its settings say later. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    update trades t set engine_state = t.engine_state || jsonb_build_object('marginMode', b.leverage_mode)
    from bots b
    where b.id = t.bot_id and t.status = 'open' and t.engine_state ->> 'marketType' = 'futures' and not t.engine_state ? 'marginMode'`.execute(
    db,
  );
}
