import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { sentTogether } from '../sent-together.ts';
import type { Schema } from '../schema.ts';
import { currencySince } from './currency-since.ts';
import type { FiguresOf } from './figures-from-trades.ts';
import type { TradeMode } from './trade-mode.ts';

/** A trade as it is written. */
export type TradeRow = Required<
  Omit<
    Insertable<Schema['trades']>,
    | 'note'
    | 'latencyMs'
    | 'stopMoves'
    | 'closeAskedAt'
    | 'stopAskedAt'
    | 'stopAskedAfter'
    | 'heldElsewhere'
    | 'heldElsewhereAt'
    | 'updatedAt'
    | 'botVersion'
    | 'strategyVersion'
    | 'importedFrom'
  >
> & {
  botVersion?: number | null; // kept from the first time it is written
  strategyVersion?: number | null;
};

/** An order as it is written; its client order id names it. */
export type OrderRow = Omit<Insertable<Schema['orders']>, 'id' | 'attempt'>;

/** A fill as it is written; it names its order by the client order id. */
export type FillRow = Omit<Insertable<Schema['fills']>, 'id' | 'orderId'> & { clientOrderId: string };

/** A trade with its orders and fills. */
export interface TradeRows {
  trade: TradeRow;
  orders: readonly OrderRow[];
  fills: readonly FillRow[];
}

const batch = 500;

/** Writes trades with their orders and fills. Writing the same again changes nothing; the note of a person is kept. */
export async function writeTrades(db: Database, trades: readonly TradeRows[]): Promise<void> {
  for (let from = 0; from < trades.length; from += batch) {
    const some = trades.slice(from, from + batch);
    // Orders name their trades, fills their orders.
    await sentTogether(db, (now) => [
      writeTradeRows(
        now,
        some.map(({ trade }) => trade),
      ),
      writeOrders(
        now,
        some.flatMap(({ trade, orders }) => orders.map((order) => ({ ...order, mode: trade.mode }))),
      ),
      writeFills(
        now,
        some.flatMap(({ fills }) => fills),
      ),
      writeLatencies(
        now,
        some.flatMap(({ trade }) => (trade.status === 'closed' ? [trade.id] : [])),
      ),
    ]);
  }
}

async function writeTradeRows(db: Database, trades: readonly TradeRow[]): Promise<void> {
  await db
    .insertInto('trades')
    .values(trades)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        status: eb.ref('excluded.status'),
        closedAt: eb.ref('excluded.closedAt'),
        amount: eb.ref('excluded.amount'),
        stake: eb.ref('excluded.stake'),
        entryPrice: eb.ref('excluded.entryPrice'),
        exitPrice: eb.ref('excluded.exitPrice'),
        stopPrice: eb.ref('excluded.stopPrice'),
        initialStopPrice: eb.ref('excluded.initialStopPrice'),
        liquidationPrice: eb.ref('excluded.liquidationPrice'),
        fees: eb.ref('excluded.fees'),
        funding: eb.ref('excluded.funding'),
        profit: eb.ref('excluded.profit'),
        profitRatio: eb.ref('excluded.profitRatio'),
        exitReason: eb.ref('excluded.exitReason'),
        engineState: eb.ref('excluded.engineState'),
        stopMoves: stopMovesAfter,
        updatedAt: sql<Date>`now()`,
      })),
    )
    .execute();
}

/** A stop that was there and is elsewhere now has moved. The newest hundred moves stay: a trailing stop moves at each new high. */
const stopMovesAfter = sql<string>`
  case when trades.stop_price is null or excluded.stop_price is null or trades.stop_price = excluded.stop_price then trades.stop_moves
       else (case when jsonb_array_length(trades.stop_moves) >= 100 then trades.stop_moves - 0 else trades.stop_moves end)
            || jsonb_build_object('time', floor(extract(epoch from now()) * 1000)::bigint, 'price', excluded.stop_price::double precision)
  end`;

/**
 * A simulated order is where the engine says it is. One at an exchange is entered once, and from then on only those who talk
 * to the exchange change it: the engine may know less than its row.
 *
 * Fails: when the order's row has come to where no event leads from it
 */
async function writeOrders(db: Database, orders: readonly (OrderRow & { mode: TradeMode })[]): Promise<void> {
  const simulated = orders.flatMap(({ mode, ...order }) => (mode === 'paper' ? [order] : []));
  const others = orders.flatMap(({ mode, ...order }) => (mode === 'paper' ? [] : [order]));
  await sentTogether(db, (now) => [
    simulated.length === 0
      ? null
      : now
          .insertInto('orders')
          .values(simulated)
          .onConflict((conflict) =>
            conflict.column('clientOrderId').doUpdateSet((eb) => ({
              status: eb.ref('excluded.status'),
              filled: eb.ref('excluded.filled'),
              averagePrice: eb.ref('excluded.averagePrice'),
              closedAt: eb.ref('excluded.closedAt'),
            })),
          )
          .execute(),
    others.length === 0
      ? null
      : now
          .insertInto('orders')
          .values(others)
          .onConflict((conflict) => conflict.column('clientOrderId').doNothing())
          .execute(),
  ]);
}

/**
 * The latency of a trade that has ended: the mean of its orders, each from its sending to the exchange's answer, in ms. One answered in no time was made up for the demonstration, or the
 * clock was set back: it was not measured.
 */
async function writeLatencies(db: Database, tradeIds: readonly string[]): Promise<void> {
  if (tradeIds.length === 0) return;
  await sql`
    update trades t set latency_ms = o.mean from (
      select trade_id, round(avg(extract(epoch from acknowledged_at - sent_at) * 1000), 3) as mean from orders
      where trade_id = any(${[...tradeIds]}::uuid[]) and acknowledged_at > sent_at group by trade_id) o
    where t.id = o.trade_id and t.latency_ms is distinct from o.mean`.execute(db);
}

/** The fills find their orders by the client order id. */
async function writeFills(db: Database, fills: readonly FillRow[]): Promise<void> {
  if (fills.length === 0) return;
  await sql`
    insert into fills (order_id, exchange_fill_id, price, amount, fee, fee_currency, fee_quote, is_maker, filled_at)
    select o.id, f.exchange_fill_id, f.price, f.amount, f.fee, f.fee_currency, f.fee_quote, f.is_maker, f.filled_at
    from unnest(${fills.map((f) => f.clientOrderId)}::text[], ${fills.map((f) => f.exchangeFillId)}::text[], ${fills.map((f) => String(f.price))}::numeric[],
                ${fills.map((f) => String(f.amount))}::numeric[], ${fills.map((f) => String(f.fee))}::numeric[], ${fills.map((f) => f.feeCurrency)}::text[],
                ${fills.map((f) => (f.feeQuote === null || f.feeQuote === undefined ? null : String(f.feeQuote)))}::numeric[],
                ${fills.map((f) => f.isMaker)}::boolean[], ${fills.map((f) => f.filledAt)}::timestamptz[])
      as f (client_order_id, exchange_fill_id, price, amount, fee, fee_currency, fee_quote, is_maker, filled_at)
    join orders o on o.client_order_id = f.client_order_id
    on conflict (order_id, exchange_fill_id) do nothing`.execute(db);
}

/** What a closing trade adds to the figures of its bot. Money in stake currency. */
export interface ClosedTrade {
  botId: string;
  mode: TradeMode;
  startingBalance: string;
  profit: number;
  fees: string;
  closedAt: Date;
}

/**
 * Adds a closed trade to its bot's figures: exact sums, and the deepest fall of the balance from an earlier peak. One that is reported after others
 * which closed later, or in the same moment, may have come before them: then it gives the figures that are to be made again (`makeFiguresAgain`)
 * when all trades are written.
 */
export async function addToFigures(db: Database, closed: ClosedTrade): Promise<FiguresOf | null> {
  const { botId, mode, closedAt } = closed;
  const profit = sql`${closed.profit}::numeric(38, 18)`;
  const start = sql`${closed.startingBalance}::numeric(38, 18)`;
  const balance = sql`(${start} + f.realized_pnl + ${profit})`;
  const { rows } = await sql<{ isLate: boolean | null }>`
    insert into bot_figures as f (bot_id, mode, trades, wins, losses, realized_pnl, fees, peak_balance, max_drawdown, max_drawdown_ratio, last_trade_at, day, day_profit)
    values (${botId}, ${mode}, 1, (${profit} > 0)::int, (${profit} < 0)::int, ${profit}, ${closed.fees}::numeric,
            greatest(${start}, ${start} + ${profit}), greatest(0, -${profit}), greatest(0, -${profit}) / ${start}, ${closedAt}::timestamptz,
            (${closedAt}::timestamptz at time zone 'UTC')::date, ${profit})
    on conflict (bot_id, mode) do update set
      trades = f.trades + 1,
      wins = f.wins + excluded.wins,
      losses = f.losses + excluded.losses,
      realized_pnl = f.realized_pnl + excluded.realized_pnl,
      fees = f.fees + excluded.fees,
      peak_balance = greatest(f.peak_balance, ${balance}),
      max_drawdown = greatest(f.max_drawdown, f.peak_balance - ${balance}),
      max_drawdown_ratio = greatest(f.max_drawdown_ratio, (f.peak_balance - ${balance}) / f.peak_balance),
      last_trade_at = greatest(f.last_trade_at, excluded.last_trade_at),
      day = greatest(f.day, excluded.day),
      day_profit = case when f.day > excluded.day then f.day_profit
                        when f.day = excluded.day then f.day_profit + excluded.day_profit else excluded.day_profit end
    returning (select old.last_trade_at >= ${closedAt}::timestamptz from bot_figures old where old.bot_id = f.bot_id and old.mode = f.mode)
      or exists (select from bot_capitals c where c.bot_id = f.bot_id and c.mode = f.mode and c.since > ${closedAt}::timestamptz) as is_late`.execute(
    db,
  );
  return rows[0]?.isLate === true ? { botId, mode } : null;
}

/**
 * Brings the figures of a bot up to what a trade that had closed comes to after a late fill or payment of funding. The sums move at once, as long as the
 * trade's row is still the old one. Where the balance was highest and how far it fell follows from all trades, so it gives the figures that are to be
 * made again (`makeFiguresAgain`) when all trades of the step are written.
 *
 * Needs: to be sent ahead of the trade
 */
export async function correctFigures(db: Database, trade: TradeRow): Promise<FiguresOf | null> {
  const [profit, fees] = [sql`${String(trade.profit ?? 0)}::numeric`, sql`${String(trade.fees)}::numeric`];
  const was = sql`coalesce(t.profit, 0)`;
  await sql`
    update bot_figures f set
      realized_pnl = f.realized_pnl + ${profit} - ${was},
      fees = f.fees + ${fees} - t.fees,
      wins = f.wins + (${profit} > 0)::int - (${was} > 0)::int,
      losses = f.losses + (${profit} < 0)::int - (${was} < 0)::int,
      day_profit = f.day_profit + case when f.day = (t.closed_at at time zone 'UTC')::date then ${profit} - ${was} else 0 end
    from trades t join bots on bots.id = t.bot_id cross join lateral (${currencySince}) currency
    where t.id = ${trade.id} and t.status = 'closed' and t.closed_at >= currency.since and f.bot_id = t.bot_id and f.mode = t.mode`.execute(
    db,
  );
  return trade.status === 'closed' ? { botId: trade.botId, mode: trade.mode } : null;
}
