import type { OrderState } from '#engine/account/order-life.ts';
import { isFinal } from '#engine/account/order-life.ts';
import type { TradingState } from '#engine/bot/event.ts';
import type { OrderRequest, Position } from '#engine/ports/trading.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Holder } from '../bots/runners.ts';
import { Fenced, fenceLease } from '../bots/runners.ts';
import { ordersBeyondHeld } from '../differences/missing-amounts.ts';
import { opposedEntries } from '../limits/opposed-entries.ts';
import { lockedEntries } from '../pair-locks/pair-locks.ts';
import { marginModeSql } from '../trades/margin-mode.ts';
import { shareTradingLock } from '../trading/trading-lock.ts';
import { readTradingStates } from '../trading/trading-states.ts';
import { sentTogether } from '../sent-together.ts';
import { together } from '../together.ts';
import { orderSequence } from '../order-sequence.ts';

/** An order of a bot at an exchange as the database has it. */
export interface StoredOrder extends Omit<OrderRequest, 'expiresAt'> {
  botId: string;
  purpose: 'entry' | 'exit' | 'stop';
  leverage: number; // that its symbol needs; 1 on spot
  marginMode: Position['marginMode'] | null; // null on spot
  state: OrderState;
  attempt: number; // how often it was sent; 0 before the first time
  plannedAt: number; // ms
  expiresAt: number | null; // ms; the exchange does not take the newest attempt after this time
  filled: number; // base currency, as the exchange has said
  endedAt: number | null; // ms; when it was written that it has ended
}

/** What came of marking an order as sent. */
export type SendPermit =
  | { kind: 'sent'; expiresInMs: number } // counted from when the permit was asked for
  | { kind: 'forbidden' } // the kill switch, or a locked pair: entries are not sent
  | { kind: 'opposed'; why: string } // another bot of the account holds the perpetual otherwise: entries are not sent
  | { kind: 'not-held' } // the account holds less for its trade than it asks for, and a person has to decide
  | { kind: 'lease-too-short' } // the request could arrive when the bot is another runner's
  | { kind: 'moved' }; // it is not planned any more

/** Why an entry is not sent, whatever its lease. */
export type EntryRefusal = Extract<SendPermit, { kind: 'forbidden' | 'opposed' }>;

/** What becomes of an order's row. */
export interface OrderChange {
  from: OrderState; // where it is
  path: readonly OrderState[]; // where it goes, each step one of the order's life; empty when only facts change
  exchangeOrderId?: string;
  filled?: number; // base currency
  averagePrice?: number | null;
  refusal?: string;
}

/** Requests that would have to arrive within less than this are not sent, in ms. */
const leastExpiryMs = 500;

/** The clock that the times of orders are read on: the market's, which in a sandbox may show another time and run faster. */
export interface OrderClock {
  now: () => number; // ms
  pace: number; // how many times as fast as the machine's it runs
}

/**
 * The orders of a bot at its exchange that have not ended, and those of these ids, oldest first. What is left of an expiry and what has
 * passed since an end count, and not their times: those are the database's, whose clock may show another time.
 */
export async function readOrders(db: Database, botId: string, ids: readonly string[], { now, pace }: OrderClock): Promise<StoredOrder[]> {
  const rows = await db
    .selectFrom('orders as o')
    .innerJoin('trades as t', 't.id', 'o.tradeId')
    .innerJoin('bots as b', 'b.id', 'o.botId')
    .selectAll('o')
    .select(['t.symbol', 't.leverage', 'b.marketType', marginModeSql('t', 'b').as('marginMode')])
    .select(sql<number | null>`(extract(epoch from o.expires_at - clock_timestamp()) * 1000)::float8`.as('expiresInMs'))
    .select(sql<number | null>`(extract(epoch from clock_timestamp() - o.closed_at) * 1000)::float8`.as('endedMsAgo'))
    .where('o.botId', '=', botId)
    .where('t.mode', '<>', 'paper')
    .where((is) =>
      is.or([
        is('o.status', 'in', ['planned', 'sent', 'unknown', 'open', 'cancel-pending']),
        is('o.clientOrderId', '=', sql<string>`any(${[...ids]}::text[])`),
      ]),
    )
    .orderBy(orderSequence('o'))
    .execute();
  const readAt = now();
  return rows.map((row) => {
    const isFutures = row.marketType === 'futures';
    const purpose = row.purpose === 'adjust' ? 'entry' : row.purpose;
    return {
      botId,
      clientOrderId: row.clientOrderId,
      symbol: row.symbol,
      purpose,
      side: row.side,
      type: row.type,
      amount: Number(row.requested),
      price: row.type === 'limit' && row.price !== null ? Number(row.price) : null,
      stopPrice: row.stopPrice === null ? null : Number(row.stopPrice),
      timeInForce: row.timeInForce,
      reduceOnly: isFutures && purpose !== 'entry',
      leverage: Number(row.leverage),
      marginMode: isFutures ? row.marginMode : null,
      state: row.status,
      attempt: row.sentAt === null ? 0 : row.attempt,
      plannedAt: row.plannedAt.getTime(),
      expiresAt: row.expiresInMs === null ? null : readAt + row.expiresInMs * pace,
      filled: Number(row.filled),
      endedAt: row.endedMsAgo === null ? null : readAt - row.endedMsAgo * pace,
    };
  });
}

/** An order that its bot's runner wants to send. */
export interface Sending {
  holder: Holder;
  clientOrderId: string;
  isEntry: boolean;
  expiryMs: number; // how long it may take to arrive
}

/**
 * Marks a planned order as sent, with an expiry that ends before the bot can be another runner's; an entry only while the
 * kill switch lets it, an exit or a stop only for what the account holds for its trade. What was marked is on the disk before the first byte may leave.
 *
 * Fails: `Fenced`
 */
export async function markSent(db: Database, sending: Sending): Promise<SendPermit> {
  const [permit] = await inTransaction(db, (trx) => markAllSent(trx, [sending]));
  if (permit === undefined || permit === null) throw new Fenced(sending.holder.id);
  return permit;
}

/**
 * Marks orders as sent in one transaction; a permit for each, null where nothing was done: the bot is another runner's, or locked by
 * somebody else. Fails: when they may have been marked or not
 */
export async function markSentTogether(db: Database, sendings: readonly Sending[]): Promise<(SendPermit | null)[]> {
  return (await together(db, (trx) => markAllSent(trx, sendings))) ?? sendings.map(() => null);
}

/**
 * Why a planned entry would get no permit now; null when none of that stands against it. Whether the bot is still this runner's is not asked:
 * it is before what is done for the sake of an entry, and its permit decides.
 */
export async function entryRefusal(db: Database, botId: string, clientOrderId: string): Promise<EntryRefusal | null> {
  const states = await readTradingStates(db, [botId]);
  const locked = await lockedEntries(db, [clientOrderId]);
  const opposed = await opposedEntries(db, [clientOrderId]);
  return refusedEntry(botId, clientOrderId, states, locked, opposed);
}

function refusedEntry(
  botId: string,
  clientOrderId: string,
  states: ReadonlyMap<string, TradingState> | null,
  locked: ReadonlySet<string> | null,
  opposed: ReadonlyMap<string, Error> | null,
): EntryRefusal | null {
  if (states?.get(botId) !== 'active' || locked?.has(clientOrderId) === true) return { kind: 'forbidden' };
  const against = opposed?.get(clientOrderId);
  return against === undefined ? null : { kind: 'opposed', why: against.message };
}

async function markAllSent(trx: Database, sendings: readonly Sending[]): Promise<(SendPermit | null)[]> {
  const holders = new Map(sendings.map(({ holder }) => [holder.id, holder]));
  const entering = sendings.filter(({ isEntry }) => isEntry).map(({ holder }) => holder.id);
  const leaving = sendings.filter(({ isEntry }) => !isEntry).map(({ clientOrderId }) => clientOrderId);
  const entries = sendings.filter(({ isEntry }) => isEntry).map(({ clientOrderId }) => clientOrderId);
  const [, leases, states, beyondHeld, locked, opposed] = await sentTogether(trx, (now) => [
    entering.length > 0 ? shareTradingLock(now) : null,
    fenceLease(now, [...holders.values()]),
    entering.length > 0 ? readTradingStates(now, entering) : null,
    leaving.length > 0 ? ordersBeyondHeld(now, leaving) : null,
    entries.length > 0 ? lockedEntries(now, entries) : null,
    entries.length > 0 ? opposedEntries(now, entries) : null,
  ]);
  const held = sendings.filter(({ holder }) => leases.has(holder.id));
  const leaseMs = Math.floor(Math.min(...leases.values()));
  const refusalOf = ({ holder, clientOrderId, isEntry, expiryMs }: Sending): SendPermit | null => {
    if (beyondHeld?.has(clientOrderId) === true) return { kind: 'not-held' };
    const refused = isEntry ? refusedEntry(holder.id, clientOrderId, states, locked, opposed) : null;
    if (refused !== null) return refused;
    return Math.min(expiryMs, leaseMs) < leastExpiryMs ? { kind: 'lease-too-short' } : null;
  };
  const allowed = held.filter((sending) => refusalOf(sending) === null);
  const sent = allowed.length === 0 ? new Set<string>() : await enterSent(trx, allowed, leaseMs);
  return sendings.map((sending) => {
    if (!leases.has(sending.holder.id)) return null;
    const expiresInMs = Math.min(sending.expiryMs, leaseMs);
    return refusalOf(sending) ?? (sent.has(sending.clientOrderId) ? { kind: 'sent', expiresInMs } : { kind: 'moved' });
  });
}

/** Marks those that are still planned, each with its event; gives their ids. */
async function enterSent(trx: Database, sendings: readonly Sending[], leaseMs: number): Promise<Set<string>> {
  const { rows } = await sql<{ clientOrderId: string }>`
    with marked as (
      update orders set status = 'sent', attempt = attempt + (sent_at is not null)::int, sent_at = clock_timestamp(),
        expires_at = clock_timestamp() + s.expires_in * interval '1 ms'
      from unnest(${sendings.map(({ clientOrderId }) => clientOrderId)}::text[], ${sendings.map(({ holder }) => holder.id)}::uuid[],
                  ${sendings.map(({ expiryMs }) => Math.min(expiryMs, leaseMs))}::float8[]) as s(client_order_id, bot_id, expires_in)
      where orders.client_order_id = s.client_order_id and orders.bot_id = s.bot_id and orders.status = 'planned'
      returning orders.id, orders.client_order_id, orders.attempt, s.expires_in
    ), noted as (
      insert into order_events (order_id, state, detail)
      select id, 'sent', format('attempt %s, valid for %s ms', attempt, expires_in) from marked
    )
    select client_order_id from marked`.execute(trx);
  return new Set(rows.map(({ clientOrderId }) => clientOrderId));
}

/** Changes an order's row; false when it is no longer in the state it was in. Fails: `Fenced` */
export async function changeOrder(db: Database, holder: Holder, clientOrderId: string, change: OrderChange): Promise<boolean> {
  return await inTransaction(db, async (trx) => {
    const [, row] = await sentTogether(trx, (now) => [fenceLease(now, [holder]), lockOrder(now, holder, clientOrderId, change.from)]);
    if (row === undefined) return false;
    await sentTogether(trx, (now) => [
      ...change.path.flatMap((status) => [
        now.updateTable('orders').set({ status }).where('id', '=', row.id).execute(),
        addEvent(now, row.id, status, status === 'refused' || status === 'cancelled' ? (change.refusal ?? null) : null),
      ]),
      writeFacts(now, row.id, change),
    ]);
    return true;
  });
}

async function lockOrder(trx: Database, holder: Holder, clientOrderId: string, state: OrderState): Promise<{ id: string } | undefined> {
  return await trx
    .selectFrom('orders')
    .select('id')
    .where('clientOrderId', '=', clientOrderId)
    .where('botId', '=', holder.id)
    .where('status', '=', state)
    .forUpdate()
    .executeTakeFirst();
}

/** What the exchange has said of an order; what it does not say any more stays. */
async function writeFacts(trx: Database, id: string, change: OrderChange): Promise<void> {
  const last = change.path.at(-1) ?? change.from;
  await sql`
    update orders set exchange_order_id = coalesce(${change.exchangeOrderId ?? null}, exchange_order_id),
      filled = greatest(filled, ${change.filled ?? 0}::numeric), average_price = coalesce(${change.averagePrice ?? null}::numeric, average_price),
      refusal = coalesce(${change.refusal ?? null}, refusal),
      acknowledged_at = coalesce(acknowledged_at, case when ${isAnswer(last)} then clock_timestamp() end),
      closed_at = coalesce(closed_at, case when ${isFinal(last)} then clock_timestamp() end)
    where id = ${id}`.execute(trx);
}

/**
 * The newest fill of a symbol that a bot had in the account it has now, before a time in ms and of another order; null when there is none. Each
 * account counts its fills by itself.
 */
export async function newestFillBefore(
  db: Database,
  botId: string,
  { clientOrderId, symbol, time }: { clientOrderId: string; symbol: string; time: number },
): Promise<string | null> {
  const row = await db
    .selectFrom('fills as f')
    .innerJoin('orders as o', 'o.id', 'f.orderId')
    .innerJoin('trades as t', 't.id', 'o.tradeId')
    .innerJoin('bots as b', 'b.id', 'o.botId')
    .select('f.exchangeFillId')
    .where('o.botId', '=', botId)
    .where('o.clientOrderId', '<>', clientOrderId)
    .whereRef('t.accountId', '=', 'b.apiKeyId')
    .where('t.symbol', '=', symbol)
    .where('t.mode', '<>', 'paper')
    .where('f.filledAt', '<', new Date(time))
    .where('f.exchangeFillId', 'not like', 'outside-%') // of those the exchange knows nothing
    .orderBy('f.filledAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.exchangeFillId ?? null;
}

async function addEvent(trx: Database, orderId: string, state: OrderState, detail: string | null): Promise<void> {
  await trx.insertInto('orderEvents').values({ orderId, state, detail }).execute();
}

/** Whether the exchange must have answered for an order to be in this state. */
function isAnswer(state: OrderState): boolean {
  return state !== 'planned' && state !== 'sent' && state !== 'unknown';
}
