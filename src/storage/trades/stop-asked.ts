import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { NextStop } from './newest-stop.ts';
import { nextStop, withNewestStops } from './newest-stop.ts';

/** What came of asking for the stop of a trade to be tried now. */
export type StopAsked =
  | { nextStop: 'asked'; askedAt: Date; isNew: boolean } // new: nobody had asked after this failed stop
  | { nextStop: 'on-its-way' }; // it is being tried

/** A wish of a person: the stop of a trade is tried without the pause after this failed one. */
export interface StopWish {
  tradeId: string;
  botId: string;
  orderId: string; // of the failed stop
}

/**
 * Asks for the next stop of an open trade to be tried now. The wish names the failed stop whose pause it skips, so that it skips that one
 * only; asked twice is once. Null when no stop of the trade waits to be tried.
 */
export async function askToTryStop(trx: Database, tradeId: string, now: Date): Promise<StopAsked | null> {
  const { rows } = await sql<NextStop & { orderId: string }>`
    select ${nextStop}, newest_stop.client_order_id as order_id
    from trades t join bots b on b.id = t.bot_id ${withNewestStops}
    where t.id = ${tradeId} and t.status = 'open' and t.mode <> 'paper' for update of t`.execute(trx);
  const [found] = rows;
  switch (found?.nextStop) {
    case 'on-its-way':
      return { nextStop: 'on-its-way' };
    case 'asked':
      return { nextStop: 'asked', askedAt: found.stopAskedAt ?? now, isNew: false };
    case 'pausing':
      await trx.updateTable('trades').set({ stopAskedAt: now, stopAskedAfter: found.orderId }).where('id', '=', tradeId).execute();
      return { nextStop: 'asked', askedAt: now, isNew: true };
    case null:
    case undefined:
      return null;
  }
}

/** What people have asked of the bots of a runner; a wish stays until its trade is over, and is done when another stop was tried. */
export async function stopsToTry(db: Database, runnerId: string): Promise<StopWish[]> {
  const { rows } = await sql<StopWish>`
    select t.id as trade_id, t.bot_id, t.stop_asked_after as order_id from trades t join bots b on b.id = t.bot_id
    where b.runner_id = ${runnerId} and t.status = 'open' and t.stop_asked_after is not null`.execute(db);
  return rows;
}
