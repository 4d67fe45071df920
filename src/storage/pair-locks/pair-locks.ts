import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { EntryRefused } from '../limits/limits.ts';
import type { TradingTarget } from '../trading/trading-states.ts';

/** A pair, or all pairs of a coin, that no bot of its level enters. */
export interface PairLock {
  id: string;
  level: TradingTarget['level'];
  userId: string | null; // of the level user
  botId: string | null; // of the level bot
  pair: string; // 'DOGE/USDT', or a coin: 'DOGE'
  direction: 'long' | 'short' | null; // null: both
  reason: string;
  endsAt: Date | null; // null: until somebody takes it back
  isImposed: boolean; // an administrator has locked it for somebody else
  setBy: string | null; // the name of the person; null when they are gone
  setAt: Date;
}

/** An entry is refused, because a person has locked its pair; nothing of its step is written. */
export class PairLocked extends EntryRefused {
  constructor(symbol: string) {
    super('pair-locked', `A person has locked ${symbol}: it is not entered`);
    this.name = 'PairLocked';
  }
}

const isInForce = sql<boolean>`(l.ends_at is null or l.ends_at > now())`;

/** The orders among these, by client order id, that would enter a locked pair, with their symbols. */
const lockedAmong = (clientOrderIds: readonly string[]) => sql<{ clientOrderId: string; symbol: string }>`
  select distinct o.client_order_id, t.symbol from orders o join trades t on t.id = o.trade_id join bots b on b.id = o.bot_id
    join pair_locks l on (l.level = 'server' or l.user_id = b.user_id or l.bot_id = b.id)
      and l.pair in (t.symbol, split_part(t.symbol, '/', 1)) and (l.direction is null or l.direction = t.direction)
  where o.client_order_id = any(${[...clientOrderIds]}::text[]) and ${isInForce}`;

/** The entries among these orders that are not to be sent, because their pair is locked. */
export async function lockedEntries(trx: Database, clientOrderIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await lockedAmong(clientOrderIds).execute(trx);
  return new Set(rows.map(({ clientOrderId }) => clientOrderId));
}

/** Refuses a step whose new entries are of a locked pair; in its transaction, after its orders are written. Fails: `PairLocked` */
export async function refuseLocked(trx: Database, clientOrderIds: readonly string[]): Promise<void> {
  const { rows } = await lockedAmong(clientOrderIds).execute(trx);
  const [first] = rows;
  if (first !== undefined) throw new PairLocked(first.symbol);
}

const columns = sql`l.id, l.level, l.user_id, l.bot_id, l.pair, l.direction, l.reason, l.ends_at, l.is_imposed, u.display_name as set_by, l.set_at`;

/** The locks in force that concern a bot: its own, its owner's and the server's. */
export async function locksOfBot(db: Database, botId: string): Promise<PairLock[]> {
  const { rows } = await sql<PairLock>`
    select ${columns} from pair_locks l left join users u on u.id = l.set_by join bots b on b.id = ${botId}
    where (l.level = 'server' or l.user_id = b.user_id or l.bot_id = b.id) and ${isInForce}
    order by l.pair, l.set_at`.execute(db);
  return rows;
}

/** A lock in force, locked until the transaction ends; null when it is not there any more. */
export async function findPairLock(trx: Database, id: string): Promise<PairLock | null> {
  const { rows } = await sql<PairLock>`
    select ${columns} from pair_locks l left join users u on u.id = l.set_by where l.id = ${id} and ${isInForce} for update of l`.execute(
    trx,
  );
  return rows[0] ?? null;
}

/**
 * Locks a pair; null when that is in force already. What an administrator imposes takes the place of what the owner has locked, until the
 * later of the two ends: the owner could end their own, and the pair with it.
 */
export async function addPairLock(
  trx: Database,
  target: TradingTarget,
  lock: Pick<PairLock, 'pair' | 'direction' | 'reason' | 'endsAt' | 'isImposed'>,
  setBy: string,
): Promise<string | null> {
  const [userId, botId] = [target.level === 'user' ? target.id : null, target.level === 'bot' ? target.id : null];
  await sql`delete from pair_locks where ends_at <= now()`.execute(trx);
  const { rows } = await sql<{ id: string }>`
    insert into pair_locks as own (level, user_id, bot_id, pair, direction, reason, ends_at, is_imposed, set_by)
    values (${target.level}, ${userId}, ${botId}, ${lock.pair}, ${lock.direction}, ${lock.reason}, ${lock.endsAt}, ${lock.isImposed}, ${setBy})
    on conflict (level, coalesce(user_id, bot_id), pair, coalesce(direction, '')) do update set
      is_imposed = true, reason = excluded.reason, set_by = excluded.set_by, set_at = excluded.set_at,
      ends_at = case when own.ends_at is not null and excluded.ends_at is not null then greatest(own.ends_at, excluded.ends_at) end
    where excluded.is_imposed and not own.is_imposed
    returning id`.execute(trx);
  return rows[0]?.id ?? null;
}

/** Takes a lock back. */
export async function endPairLock(trx: Database, id: string): Promise<void> {
  await sql`delete from pair_locks where id = ${id}`.execute(trx);
}
