import { sql } from 'kysely';
import { closeAllAskedAt } from '../trading/close-all.ts';
import type { Database } from '../database.ts';
import type { NextStop, WhyNoStop } from './newest-stop.ts';
import { nextStop, whyNoStop, withNewestStops } from './newest-stop.ts';

/** After so long a position without a confirmed stop is shown, and raises an alarm. */
const patience = '10 seconds';

/** Whether an ended stop `o` has protected its trade: it has stood for longer than that, or the bot itself has taken it back. */
const hasProtected = sql<boolean>`
  o.exchange_order_id is not null and ((o.closed_at - o.acknowledged_at < interval '${sql.raw(patience)}') is not true
    or exists (select 1 from order_events e where e.order_id = o.id and e.state = 'cancel-pending'))`;

/**
 * Since when nothing protects a row of `trades t`: since its first fill, or since the last stop that has protected it has ended. One that
 * was refused, or that the exchange has taken and ended at once, has not, so trying it again does not begin this time again.
 */
const unprotectedSince = sql<Date>`greatest(
  (select min(f.filled_at) from fills f join orders o on o.id = f.order_id where o.trade_id = t.id),
  (select max(o.closed_at) from orders o where o.trade_id = t.id and o.purpose = 'stop' and ${hasProtected}))`;

/** Whether a row of `trades t` holds something while no stop lies at the exchange, and nobody has begun to leave it a moment ago. */
const isUnprotected = sql<boolean>`
  t.status = 'open' and t.mode <> 'paper' and t.entry_price is not null
  and not exists (select 1 from orders o where o.trade_id = t.id and (
    (o.purpose = 'stop' and o.status in ('open', 'cancel-pending'))
    or (o.purpose = 'exit' and o.status <> 'refused' and greatest(o.planned_at, o.closed_at) > now() - interval '${sql.raw(patience)}')))
  and ${unprotectedSince} < now() - interval '${sql.raw(patience)}'`;

/** An open trade without a stop that the exchange has confirmed. */
export interface UnprotectedTrade extends WhyNoStop, NextStop {
  tradeId: string;
  botId: string;
  nickname: string;
  exchangeId: string;
  symbol: string;
  direction: 'long' | 'short';
  amount: number;
  since: Date;
  closeAskedAt: Date | null;
}

/** The unprotected trades of a user's bots, with null of all bots; newest first. */
export async function listUnprotected(db: Database, userId: string | null): Promise<UnprotectedTrade[]> {
  const { rows } = await sql<UnprotectedTrade>`
    select t.id as trade_id, b.id as bot_id, b.nickname, b.exchange_id, t.symbol, t.direction, t.amount::float8 as amount,
      ${unprotectedSince} as since, coalesce(t.close_asked_at, ${closeAllAskedAt}) as close_asked_at, ${whyNoStop}, ${nextStop}
    from trades t join bots b on b.id = t.bot_id ${withNewestStops}
    where ${isUnprotected} and (${userId}::uuid is null or b.user_id = ${userId}::uuid)
    order by since desc, t.id`.execute(db);
  return rows;
}

/** Since when an open trade has had no confirmed stop, and why, once that has lasted too long; else null. */
export async function unprotectedTrade(db: Database, tradeId: string): Promise<(WhyNoStop & NextStop & { since: Date }) | null> {
  const { rows } = await sql<WhyNoStop & NextStop & { since: Date }>`
    select ${unprotectedSince} as since, ${whyNoStop}, ${nextStop}
    from trades t join bots b on b.id = t.bot_id ${withNewestStops}
    where t.id = ${tradeId} and ${isUnprotected}`.execute(db);
  return rows[0] ?? null;
}

/**
 * The trades without a stop of which there is an alarm: those that are unprotected, and those that were and have had no stop since
 * that has stood for as long, also while they are being left. An exit that is tried again and again is not an end of the alarm, nor is a stop that
 * the exchange takes and ends at once.
 */
export async function listAlarmingTrades(
  db: Database,
): Promise<(Pick<UnprotectedTrade, 'tradeId' | 'botId' | 'symbol' | 'since'> & WhyNoStop)[]> {
  const { rows } = await sql<Pick<UnprotectedTrade, 'tradeId' | 'botId' | 'symbol' | 'since'> & WhyNoStop>`
    select t.id as trade_id, t.bot_id, t.symbol, ${unprotectedSince} as since, ${whyNoStop}
    from trades t ${withNewestStops}
    where (${isUnprotected}) or (
      t.status = 'open' and t.mode <> 'paper' and t.entry_price is not null
      and exists (select 1 from alarms a where a.ended_at is null and a.key = concat_ws(' ', 'unprotected-position', 'bot', t.bot_id, t.id))
      and not exists (select 1 from orders o where o.trade_id = t.id and o.purpose = 'stop' and o.status in ('open', 'cancel-pending')
        and (o.acknowledged_at > now() - interval '${sql.raw(patience)}') is not true))
    order by since desc, t.id`.execute(db);
  return rows;
}
