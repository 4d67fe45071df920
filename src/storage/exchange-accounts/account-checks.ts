import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** Notes that an account was compared with the trades of its bots now. A key that is gone meanwhile is not a failure. */
export async function noteAccountCheck(db: Database, apiKeyId: string, marketType: string): Promise<void> {
  await sql`
    insert into account_checks select id, ${marketType}, clock_timestamp() from api_keys where id = ${apiKeyId}
    on conflict (api_key_id, market_type) do update set checked_at = excluded.checked_at`.execute(db);
}

/** How live trading stands. Times are null where no live bot runs. */
export interface LiveHealth {
  accounts: number; // that live bots which are not stopped trade with
  uncheckedAccounts: number; // of those never compared with the trades of their bots
  oldestCheckAt: Date | null; // of those compared, the one whose comparison is the longest ago
  refusedKeys: number; // of their keys that the exchange has refused at the last check
}

/** How the accounts of live bots that are not stopped stand. */
export async function readLiveHealth(db: Database): Promise<LiveHealth> {
  const { rows } = await sql<LiveHealth>`
    select count(*)::int as accounts, count(*) filter (where c.checked_at is null)::int as unchecked_accounts, min(c.checked_at) as oldest_check_at,
      (count(distinct a.api_key_id) filter (where k.check_result = 'refused'))::int as refused_keys
    from (select distinct api_key_id, market_type from bots where mode = 'live' and status <> 'stopped' and api_key_id is not null) a
    join api_keys k on k.id = a.api_key_id
    left join account_checks c on c.api_key_id = a.api_key_id and c.market_type = a.market_type`.execute(db);
  return rows[0] ?? { accounts: 0, uncheckedAccounts: 0, oldestCheckAt: null, refusedKeys: 0 };
}

/** When the bot that is not stopped and has waited longest for a price had its last one; null before any had one. */
export async function oldestPriceAt(db: Database): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(v.last_tick_at) as at from bots b join bot_vitals v on v.bot_id = b.id
    where b.status <> 'stopped' and v.last_tick_at > 'epoch'`.execute(db);
  return rows[0]?.at ?? null;
}
