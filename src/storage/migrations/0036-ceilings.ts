import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table limits add column is_ceiling boolean not null default false`,
  // What somebody other than the owner has set was what only administrators could raise.
  `update limits l set is_ceiling = true
    where l.level = 'user' and l.set_by is distinct from l.user_id
       or l.level = 'bot' and l.set_by is distinct from (select user_id from bots b where b.id = l.bot_id)`,
  `alter table limits drop constraint limits_level_user_id_bot_id_name_currency_key`,
  `alter table limits add unique nulls not distinct (level, user_id, bot_id, name, currency, is_ceiling)`,
  `alter table limits add check (not is_ceiling or level <> 'server')`,
];

/** A limit that an administrator imposes on a bot or a user is a row of its own, a ceiling: the owner's value stays below it. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
