import type { ManualRefusal } from '#engine/bot/effect.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';
import type { TradeMode } from './trade-mode.ts';

/** How long what a person has asked for may wait, in seconds: what was meant for a price of half a minute ago is not done. */
export const actionSeconds = 30;

/** How much longer a runner may be on the way to writing what it has done, in seconds. */
const graceSeconds = 10;

/** What a person asks a bot to do by hand. Money and prices as decimals. */
export type NewManualAction = { botId: string; mode: TradeMode; symbol: string; askedBy: string } & (
  | { kind: 'enter'; direction: 'long' | 'short'; stake: number; stopPrice: number | null }
  | { kind: 'add'; tradeId: string; stake: number }
  | { kind: 'take-out'; tradeId: string; share: number }
  | { kind: 'move-stop'; tradeId: string; stopPrice: number | null }
);

/** What was asked for, and what came of it. */
export interface ManualActionRow {
  id: string;
  kind: 'enter' | 'add' | 'take-out' | 'move-stop';
  symbol: string;
  tradeId: string | null;
  direction: 'long' | 'short' | null;
  stake: string | null;
  share: string | null;
  stopPrice: string | null;
  askedBy: string | null; // the name of the person; null when they are gone
  askedById: string | null;
  askedAt: Date;
  expiresAt: Date;
  state: 'waiting' | 'done' | 'refused';
  refusal: string | null;
  clientOrderId: string | null;
  endedAt: Date | null;
}

/** One that has waited for so long that no runner does it any more. */
const isOver = sql<boolean>`(a.state = 'waiting' and a.expires_at + ${graceSeconds} * interval '1 second' < now())`;

/** Asks a bot to do something by hand; its id. Null while another of the same pair waits. */
export async function askByHand(trx: Database, asked: NewManualAction): Promise<string | null> {
  await endOverdue(trx, sql`a.bot_id = ${asked.botId}`);
  const row = {
    tradeId: 'tradeId' in asked ? asked.tradeId : null,
    direction: 'direction' in asked ? asked.direction : null,
    stake: 'stake' in asked ? String(asked.stake) : null,
    share: 'share' in asked ? String(asked.share) : null,
    stopPrice: 'stopPrice' in asked && asked.stopPrice !== null ? String(asked.stopPrice) : null,
  };
  const { rows } = await sql<{ id: string }>`
    insert into manual_actions (bot_id, mode, kind, symbol, trade_id, direction, stake, share, stop_price, asked_by, expires_at)
    values (${asked.botId}, ${asked.mode}, ${asked.kind}, ${asked.symbol}, ${row.tradeId}, ${row.direction}, ${row.stake}, ${row.share},
      ${row.stopPrice}, ${asked.askedBy}, now() + ${actionSeconds} * interval '1 second')
    on conflict (bot_id, symbol) where state = 'waiting' do nothing returning id`.execute(trx);
  return rows[0]?.id ?? null;
}

/** What a bot of a runner is to do by hand. */
export interface WaitingAction {
  id: string;
  botId: string;
  kind: 'enter' | 'add' | 'take-out' | 'move-stop';
  symbol: string;
  tradeId: string | null;
  direction: 'long' | 'short' | null;
  stake: number | null;
  share: number | null;
  stopPrice: number | null;
  leftMs: number; // until it is too late
}

/** What the bots of a runner are to do by hand, oldest first. One that was asked for in another mode is none of them. */
export async function actionsToDo(db: Database, runnerId: string): Promise<WaitingAction[]> {
  await endOverdue(db, sql`exists (select 1 from bots b where b.id = a.bot_id and b.runner_id = ${runnerId})`);
  const { rows } = await sql<WaitingAction>`
    select a.id, a.bot_id, a.kind, a.symbol, a.trade_id, a.direction, a.stake::float8, a.share::float8, a.stop_price::float8,
      (extract(epoch from a.expires_at - now()) * 1000)::float8 as left_ms
    from manual_actions a join bots on bots.id = a.bot_id
    where a.state = 'waiting' and a.expires_at > now() and bots.runner_id = ${runnerId} and a.mode = ${tradeModeSql}
    order by a.asked_at, a.id`.execute(db);
  return rows;
}

async function endOverdue(db: Database, which: ReturnType<typeof sql<boolean>>): Promise<void> {
  await sql`update manual_actions a set state = 'refused', refusal = 'too-late', ended_at = now() where ${isOver} and ${which}`.execute(db);
}

/**
 * Ends the entries of a bot that wait to be made: they were confirmed with the settings and the mode of before. A step that has made one of
 * them is not committed any more (`endActions`).
 *
 * Needs: a transaction with the bot locked
 */
export async function refuseWaitingEntries(trx: Database, botId: string): Promise<void> {
  await sql`
    update manual_actions a set state = 'refused', refusal = 'settings-changed', ended_at = now()
    where a.bot_id = ${botId} and a.kind = 'enter' and a.state = 'waiting' and not ${isOver}`.execute(trx);
}

/** What a step has done of what people wanted, or why not. */
export interface EndedAction {
  id: string;
  refusal: ManualRefusal | null; // null: it was done
  tradeId: string | null;
  clientOrderId: string | null;
}

/**
 * Notes what a step has done for people; in the step's transaction, after its trades. Gives the ids of those that were to be done and are
 * not waiting any more: what the step did of them must not be committed.
 */
export async function endActions(trx: Database, ended: readonly EndedAction[]): Promise<string[]> {
  if (ended.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with ended as (
      select * from unnest(${ended.map(({ id }) => id)}::uuid[], ${ended.map(({ refusal }) => refusal)}::text[],
        ${ended.map(({ tradeId }) => tradeId)}::uuid[], ${ended.map(({ clientOrderId }) => clientOrderId)}::text[]) as e(id, refusal, trade_id, client_order_id)
    ), noted as (
      update manual_actions a set state = case when e.refusal is null then 'done' else 'refused' end, refusal = e.refusal,
        trade_id = coalesce(a.trade_id, e.trade_id), client_order_id = e.client_order_id, ended_at = now()
      from ended e where a.id = e.id and a.state = 'waiting' returning a.id
    )
    select id from ended where refusal is null and id not in (select id from noted)`.execute(trx);
  return rows.map(({ id }) => id);
}

/** What people have asked a bot, or of one trade, newest first; the newest hundred. */
export async function listManualActions(db: Database, of: { botId: string } | { tradeId: string }): Promise<ManualActionRow[]> {
  const { rows } = await sql<ManualActionRow>`
    select a.id, a.kind, a.symbol, a.trade_id, a.direction, a.stake, a.share, a.stop_price, u.display_name as asked_by, u.id as asked_by_id, a.asked_at, a.expires_at,
      case when ${isOver} then 'refused' else a.state end as state, case when ${isOver} then 'too-late' else a.refusal end as refusal,
      a.client_order_id, case when ${isOver} then a.expires_at else a.ended_at end as ended_at
    from manual_actions a left join users u on u.id = a.asked_by
    where ${'botId' in of ? sql`a.bot_id = ${of.botId}` : sql`a.trade_id = ${of.tradeId}`}
    order by a.asked_at desc, a.id limit 100`.execute(db);
  return rows;
}
