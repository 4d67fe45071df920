import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

/** Which bots a month is about, and between which moments, the last one excluded. */
export interface MonthOf {
  ownerId: string | null; // null: all bots
  start: Date;
  end: Date;
}

/** A trade as a statement lists it. */
export interface StatementTrade {
  mode: TradeMode;
  botName: string;
  symbol: string;
  direction: 'long' | 'short';
  openedAt: Date;
  closedAt: Date | null; // null: it was open at the end
  amount: string;
  stake: string;
  entryPrice: string | null;
  exitPrice: string | null;
  exitReason: string | null;
  profit: string | null;
  currency: string;
}

/** The trades closed in a month, in the order of closing, at most `limit` of them. */
export async function tradesOfMonth(db: Database, { ownerId, start, end }: MonthOf, limit: number): Promise<StatementTrade[]> {
  const { rows } = await sql<StatementTrade>`
    select t.mode, b.nickname as bot_name, t.symbol, t.direction, t.opened_at, t.closed_at, t.amount::text, t.stake::text, t.entry_price::text,
      t.exit_price::text, t.exit_reason, coalesce(t.profit, 0)::text as profit, ${settledIn} as currency
    from trades t join bots b on b.id = t.bot_id
    where t.status = 'closed' and t.closed_at >= ${start} and t.closed_at < ${end} and (${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid)
    order by t.closed_at, t.id limit ${limit}`.execute(db);
  return rows;
}

/** The positions that were open when a month ended, the oldest first, at most `limit` of them, and how many there were. */
export async function openAtEnd(
  db: Database,
  { ownerId, end }: MonthOf,
  limit: number,
): Promise<{ count: number; positions: StatementTrade[] }> {
  const { rows } = await sql<StatementTrade & { count: number }>`
    select t.mode, b.nickname as bot_name, t.symbol, t.direction, t.opened_at, null as closed_at, t.amount::text, t.stake::text,
      t.entry_price::text, null as exit_price, null as exit_reason, null as profit, ${settledIn} as currency, (count(*) over ())::int as count
    from trades t join bots b on b.id = t.bot_id
    where t.entry_price is not null and t.opened_at < ${end} and (t.status = 'open' or (t.status = 'closed' and t.closed_at >= ${end}))
      and (${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid)
    order by t.opened_at, t.id limit ${limit}`.execute(db);
  return { count: rows[0]?.count ?? 0, positions: rows };
}

/** What the bots that had begun to trade in a mode were given to trade with; by mode and currency. */
export interface Capital {
  mode: TradeMode;
  currency: string;
  before: string; // of bots that had traded before the month
  added: string; // of those whose first trade in the mode is of the month
}

/** See `Capital`. A bot counts in a mode from its first trade in it on: what is true of a month stays true. */
export async function capitalOfMonth(db: Database, { start, end }: Pick<MonthOf, 'start' | 'end'>): Promise<Capital[]> {
  const { rows } = await sql<Capital>`
    select m.mode, b.stake_currency as currency, trim_scale(coalesce(sum(b.starting_balance) filter (where f.at < ${start}), 0))::text as before,
      trim_scale(coalesce(sum(b.starting_balance) filter (where f.at >= ${start}), 0))::text as added
    from bots b cross join (values ('live'), ('testnet'), ('paper')) m (mode)
    cross join lateral (select opened_at as at from trades where bot_id = b.id and mode = m.mode order by opened_at limit 1) f
    where f.at < ${end}
    group by 1, 2`.execute(db);
  return rows;
}
