import type { Trade } from '#engine/account/trade.ts';
import { StoredStateError, fromStoredTrade } from '#engine/bot/stored-state.ts';
import { toDecimal, toText } from '#engine/market/decimal.ts';
import { tradeAt } from '#engine/report/certificate/trade-at.ts';
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

type ListedTrade = StatementTrade & { state: unknown }; // the trade as its bot has kept it

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

/**
 * The positions that were open when a month ended, the oldest first, at most `limit` of them, and how many there were. Each is what its fills had
 * made of it by then, whatever was filled since: what is true of a month stays true.
 */
export async function openAtEnd(
  db: Database,
  { ownerId, end }: MonthOf,
  limit: number,
): Promise<{ count: number; positions: StatementTrade[] }> {
  const has = (path: string) =>
    sql`jsonb_path_exists(t.engine_state, ${path}::jsonpath, jsonb_build_object('end', ${end.getTime()}::bigint))`;
  // The clock of an exchange may be behind, so that a fill is older than its order.
  const { rows } = await sql<ListedTrade>`
    select t.mode, b.nickname as bot_name, t.symbol, t.direction, t.opened_at, null as closed_at, trim_scale(t.amount)::text as amount,
      trim_scale(t.stake)::text as stake, trim_scale(t.entry_price)::text as entry_price, null as exit_price, null as exit_reason, null as profit,
      ${settledIn} as currency, t.engine_state as state
    from trades t join bots b on b.id = t.bot_id
    where t.entry_price is not null and t.opened_at < ${end}::timestamptz + interval '1 hour'
      and (t.status = 'open' or (t.status = 'closed' and t.closed_at >= ${end}))
      and case when ${has('$.orders[*].fills[*]')} then ${has('$.orders[*].fills[*] ? (@.time < $end)')} else t.opened_at < ${end} end
      and (${ownerId}::uuid is null or b.user_id = ${ownerId}::uuid)
    order by t.opened_at, t.id`.execute(db);
  // All are read: which of them were no positions, their fills alone say.
  const positions = rows.flatMap((row) => positionAt(row, end) ?? []);
  return { count: positions.length, positions: positions.slice(0, limit) };
}

/** A position as it was at a time; as it is kept where its fills are not on record. Null: less was held than can be sold. */
function positionAt(listed: ListedTrade, time: Date): StatementTrade | null {
  const { state, ...row } = listed;
  const trade = readTrade(state);
  if (trade === null) return row;
  // Where the fills until then settle nothing, nothing of what was filled later may remain.
  const earlier = tradeAt({ ...trade, amount: 0 }, time.getTime(), []);
  if (earlier === null || earlier.amount === 0) return null;
  const { amount, stake, openRate } = earlier;
  return { ...row, amount: text(amount), stake: text(stake), entryPrice: text(openRate) };
}

/** The trade that a bot has kept with its fills. Null: another program made it, or an old version of this one. */
function readTrade(state: unknown): Trade | null {
  try {
    const trade = fromStoredTrade(state);
    return trade.orders.some(({ fills }) => fills.length > 0) ? trade : null;
  } catch (error) {
    if (error instanceof StoredStateError) return null;
    throw error;
  }
}

const text = (value: number): string => toText(toDecimal(value));

/** What the bots that had begun to trade in a mode were given to trade with; by mode and currency. */
export interface Capital {
  mode: TradeMode;
  currency: string;
  before: string; // when the month began
  added: string; // in the month: to bots whose first trade in the mode is of it, and by changes of the others; less than 0 when they were left less
  more: string; // of it what some were given, whatever others were left less
}

/**
 * See `Capital`. A bot counts in a mode from its first trade in it on, with the capital and the currency that it had at the time: what is true of
 * a month stays true.
 */
export async function capitalOfMonth(db: Database, { start, end }: Pick<MonthOf, 'start' | 'end'>): Promise<Capital[]> {
  // Asked for as a range of one mode, in the sequence of the index of bot, mode and time: PostgreSQL would read all trades by time where it knows of
  // few bots, until it comes to one that may not be there.
  const { rows } = await sql<Capital>`
    with begun as materialized (
      select b.id, m.mode, f.at from bots b cross join (values ('live'), ('testnet'), ('paper')) m (mode)
      cross join lateral (select opened_at as at from trades where bot_id = b.id and mode between m.mode and m.mode order by mode, opened_at limit 1) f
      where f.at < ${end}
    ), given as materialized (
      select begun.id, begun.mode, w.at, coalesce(c.currency, b.stake_currency) as currency, coalesce(c.capital, b.starting_balance) as capital
      from begun join (values (${start}::timestamptz), (${end}::timestamptz)) w (at) on begun.at < w.at join bots b on b.id = begun.id
      left join lateral (
        select currency, capital from bot_capitals where bot_id = begun.id and mode = begun.mode and since < w.at order by since desc limit 1
      ) c on true
    )
    select mode, currency, trim_scale(sum(before))::text as before, trim_scale(sum(after - before))::text as added,
      trim_scale(sum(greatest(after - before, 0)))::text as more
    from (
      select mode, currency, coalesce(sum(capital) filter (where at = ${start}), 0) as before, coalesce(sum(capital) filter (where at = ${end}), 0) as after
      from given group by id, mode, currency
    ) each_bot
    group by 1, 2`.execute(db);
  return rows;
}
