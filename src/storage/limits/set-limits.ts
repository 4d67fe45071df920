import type { LimitName } from '#engine/risk/limit.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { nameOfTarget } from '../trading/trading-states.ts';
import type { TradingTarget } from '../trading/trading-states.ts';

/** A limit that somebody has set. */
export interface SetLimit {
  name: LimitName;
  currency: string; // of an amount of a user or the server; else empty
  value: string;
  setBy: string | null; // null: the account is gone
  setByEmail: string | null;
  setAt: Date;
  isCeiling: boolean; // imposed by an administrator: the owner's value is at or below it
}

/** The limits that were set for a bot, a user or the server. */
export async function listSetLimits(db: Database, target: TradingTarget): Promise<SetLimit[]> {
  const { rows } = await sql<SetLimit>`
    select l.name, l.currency, trim_scale(l.value)::text as value, l.set_by, u.email as set_by_email, l.set_at, l.is_ceiling
    from limits l left join users u on u.id = l.set_by
    where l.level = ${target.level} and coalesce(l.user_id, l.bot_id) is not distinct from ${idOf(target)}::uuid`.execute(db);
  return rows;
}

/** Waits for others who change the limits of a target, until the transaction ends. */
export async function lockSetLimits(trx: Database, target: TradingTarget): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`set limits of ${nameOfTarget(target)}`}, 0))`.execute(trx);
}

/** Sets a limit of a target, or the ceiling above it; null removes it. Needs: `lockSetLimits` */
export async function setLimit(
  trx: Database,
  target: TradingTarget,
  { name, currency, value, isCeiling }: Pick<SetLimit, 'name' | 'currency' | 'isCeiling'> & { value: string | null },
  setBy: string,
): Promise<void> {
  await sql`
    delete from limits where level = ${target.level} and coalesce(user_id, bot_id) is not distinct from ${idOf(target)}::uuid
      and name = ${name} and currency = ${currency} and is_ceiling = ${isCeiling}`.execute(trx);
  if (value === null) return;
  const ids = { userId: target.level === 'user' ? target.id : null, botId: target.level === 'bot' ? target.id : null };
  await trx
    .insertInto('limits')
    .values({ level: target.level, ...ids, name, currency, value, setBy, isCeiling })
    .execute();
}

/** The stake currencies of the bots of a user, or of all, and those in which an amount is set for them. */
export async function listStakeCurrencies(db: Database, userId: string | null): Promise<string[]> {
  const { rows } = await sql<{ currency: string }>`
    select stake_currency as currency from bots where ${userId}::uuid is null or user_id = ${userId}::uuid
    union select currency from limits
      where currency <> '' and level = ${userId === null ? 'server' : 'user'} and user_id is not distinct from ${userId}::uuid
    order by currency`.execute(db);
  return rows.map(({ currency }) => currency);
}

function idOf(target: TradingTarget): string | null {
  return target.level === 'server' ? null : target.id;
}
