import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * Since when a row of `bots` has had its stake currency, in SQL; always, when it never had another one. Its figures and its wallet started again then,
 * and it had no open trade: what is of before is in another currency.
 */
export const currencySince: RawBuilder<{ since: Date }> = sql`
  select coalesce(min(v.changed_at), '-infinity') as since from bot_versions v
  where v.bot_id = bots.id and v.version > (
    select max(version) from bot_versions where bot_id = bots.id and settings ->> 'stakeCurrency' <> bots.stake_currency)`;
