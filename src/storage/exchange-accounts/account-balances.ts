import type { MarketType } from '#engine/market/instrument.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** A balance that can be asked for: of one currency, in the account of a key. */
export interface BalanceName {
  apiKeyId: string;
  marketType: MarketType;
  currency: string;
}

/**
 * Why a balance could not be read: the exchange refuses the key, refuses to answer, or does not answer; or the stored key cannot be
 * opened.
 */
export type BalanceFailure = 'refused' | 'rejected' | 'unreachable' | 'unopened';

/** What came of reading a balance: what is free, or why that is not known. */
export type BalanceReading = { free: number; failure: null } | { free: null; failure: BalanceFailure };

/** Whoever has asked waits no longer than this, in seconds; nobody reads a balance for nobody. */
const askedForS = 60;

/** So many seconds after a runner has taken a balance to read, another may. */
const takenForS = 15;

/** Asks for a balance to be read; the returned time is what its reading must not be older than, as text with every digit. */
export async function askBalance(db: Database, { apiKeyId, marketType, currency }: BalanceName): Promise<string> {
  const { rows } = await sql<{ askedAt: string }>`
    insert into account_balances (api_key_id, market_type, currency, asked_at)
    values (${apiKeyId}, ${marketType}, ${currency}, clock_timestamp())
    on conflict (api_key_id, market_type, currency) do update set asked_at = excluded.asked_at
    returning asked_at::text as asked_at`.execute(db);
  return rows[0]?.askedAt ?? '';
}

/** A balance as it was read at this time or later; null while it was not. */
export async function findBalance(
  db: Database,
  { apiKeyId, marketType, currency }: BalanceName,
  since: string,
): Promise<(BalanceReading & { readAt: Date }) | null> {
  const { rows } = await sql<BalanceReading & { readAt: Date }>`
    select free::float8 as free, failure, read_at from account_balances
    where api_key_id = ${apiKeyId} and market_type = ${marketType} and currency = ${currency} and read_at >= ${since}::timestamptz`.execute(
    db,
  );
  return rows[0] ?? null;
}

/** Takes the balance that has waited longest to be read, of keys of these exchanges; null when there is none. Nobody else takes it meanwhile. */
export async function takeBalanceToRead(
  db: Database,
  exchanges: readonly string[],
): Promise<(BalanceName & { exchangeId: string }) | null> {
  const { rows } = await sql<BalanceName & { exchangeId: string }>`
    update account_balances b set taken_at = clock_timestamp() from api_keys k
    where k.id = b.api_key_id and (b.api_key_id, b.market_type, b.currency) = (
      select a.api_key_id, a.market_type, a.currency from account_balances a join api_keys o on o.id = a.api_key_id
      where a.asked_at > now() - ${askedForS} * interval '1 s' and o.exchange_id = any(${[...exchanges]}::text[])
        and (a.taken_at is null or a.taken_at < now() - ${takenForS} * interval '1 s')
      order by a.asked_at limit 1 for update of a skip locked)
    returning b.api_key_id, b.market_type, b.currency, k.exchange_id`.execute(db);
  return rows[0] ?? null;
}

/** Notes what came of reading a balance; what was asked since it was taken stays asked. */
export async function noteBalance(
  db: Database,
  { apiKeyId, marketType, currency }: BalanceName,
  { free, failure }: BalanceReading,
): Promise<void> {
  await sql`
    update account_balances set read_at = clock_timestamp(), free = ${free}::numeric, failure = ${failure}, taken_at = null,
      asked_at = case when asked_at > taken_at then asked_at end
    where api_key_id = ${apiKeyId} and market_type = ${marketType} and currency = ${currency}`.execute(db);
}
