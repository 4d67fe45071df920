import type { OrderState } from '#engine/account/order-life.ts';
import { sql } from 'kysely';
import { isAlive } from '../living-runner.ts';
import type { Database } from '../database.ts';
import { orderSequence } from '../order-sequence.ts';
import type { TradingTarget } from './trading-states.ts';
import { isBotOf } from './trading-states.ts';

/** A trade that is not closed yet, with what shows why. */
export interface TradeToClose {
  tradeId: string;
  botId: string;
  nickname: string;
  symbol: string;
  direction: 'long' | 'short';
  mode: 'paper' | 'live' | 'testnet';
  hasRunner: boolean;
  lastError: string | null; // of its bot
  lastTickAt: Date | null; // of its bot
  order: { purpose: 'entry' | 'exit' | 'adjust' | 'stop'; state: OrderState; refusal: string | null } | null; // the one it waits for, else its newest exit
}

/** How far closing everything has come. */
export interface CloseAllProgress {
  closed: number; // trades since it was asked for
  open: number;
  waiting: TradeToClose[]; // of the open ones the first few
}

/** When a person has asked for everything of a row of `bots b` to be closed; null when nobody has. */
export const closeAllAskedAt = sql<Date | null>`(
  select min(s.close_all_at) from trading_states s where s.close_all_at is not null and (s.level = 'server' or s.user_id = b.user_id or s.bot_id = b.id))`;

/** So many trades that are not closed yet are named. */
const named = 20;

/** How far closing everything of a target has come since `since`; of the bots of one user, with null of all. */
export async function closeAllProgress(db: Database, target: TradingTarget, since: Date, userId: string | null): Promise<CloseAllProgress> {
  const theirs = sql`${isBotOf(target)} and (${userId}::uuid is null or b.user_id = ${userId}::uuid)`;
  const counts = await sql<{ closed: number; open: number }>`
    select count(*) filter (where t.status = 'closed')::int as closed, count(*) filter (where t.status = 'open')::int as open
    from trades t join bots b on b.id = t.bot_id
    where ${theirs} and (t.status = 'open' or (t.status = 'closed' and t.closed_at >= ${since}))`.execute(db);
  const { closed = 0, open = 0 } = counts.rows[0] ?? {};
  if (open === 0) return { closed, open, waiting: [] };
  const { rows } = await sql<TradeToClose>`
    select t.id as trade_id, b.id as bot_id, b.nickname, t.symbol, t.direction, t.mode,
      exists (select 1 from runners r where r.id = b.runner_id and ${isAlive}) as has_runner, v.last_error, v.last_tick_at,
      (select jsonb_build_object('purpose', o.purpose, 'state', o.status, 'refusal', o.refusal) from orders o
       where o.trade_id = t.id and (o.purpose = 'exit' or o.status in ('sent', 'unknown', 'cancel-pending'))
       order by (o.status in ('planned', 'sent', 'unknown', 'open', 'cancel-pending')) desc, ${orderSequence('o', 'desc')} limit 1) as "order"
    from trades t join bots b on b.id = t.bot_id left join bot_vitals v on v.bot_id = b.id
    where ${theirs} and t.status = 'open' order by t.opened_at, t.id limit ${named}`.execute(db);
  return { closed, open, waiting: rows };
}
