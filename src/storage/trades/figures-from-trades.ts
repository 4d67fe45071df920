import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { currencySince } from './currency-since.ts';
import type { TradeMode } from './trade-mode.ts';

/** Whose figures. */
export interface FiguresOf {
  botId: string;
  mode: TradeMode;
}

/**
 * Makes the figures of a bot in a mode again from its closed trades, in the order in which they closed: those that it has made itself since it has
 * its stake currency. A fall in per cent is of the capital that it had then, and of what it had gained. Figures that count trades which are not there
 * stay as they are; those that count fewer, as when an end was not known to be one, count each from then on.
 *
 * Needs: each of these trades written, and its closing counted
 */
export async function makeFiguresAgain(db: Database, { botId, mode }: FiguresOf): Promise<void> {
  const day = sql`(closed_at at time zone 'UTC')::date`;
  await sql`
    with capitals as materialized (
      select since, lead(since, 1, 'infinity') over (order by since) as until, capital from bot_capitals where bot_id = ${botId} and mode = ${mode}
    ), closed as (
      select t.id, t.closed_at, coalesce(t.profit, 0) as profit, t.fees, coalesce(c.capital, bots.starting_balance) as capital, bots.starting_balance
      from bots cross join lateral (${currencySince}) currency
      join trades t on t.bot_id = bots.id and t.closed_at >= currency.since
      left join capitals c on c.since <= t.closed_at and t.closed_at < c.until
      where bots.id = ${botId} and t.mode = ${mode} and t.status = 'closed' and t.imported_from is null
    ), running as (
      select *, sum(profit) over (order by closed_at, id rows unbounded preceding) as total, max(closed_at) over () as newest from closed
    ), falls as (
      select *, greatest(max(total) over (order by closed_at, id rows between unbounded preceding and 1 preceding), 0) as peak from running
    )
    insert into bot_figures as f (bot_id, mode, trades, wins, losses, realized_pnl, fees, peak_balance, max_drawdown, max_drawdown_ratio, last_trade_at, day, day_profit)
    select ${botId}, ${mode}, count(*), count(*) filter (where profit > 0), count(*) filter (where profit < 0), sum(profit), sum(fees),
      coalesce((select capital from capitals where until = 'infinity'), max(starting_balance)) + greatest(max(total), 0), greatest(max(peak - total), 0),
      coalesce(greatest(max((peak - total) / nullif(capital + peak, 0)), 0), 0), max(newest), max(${day}),
      sum(profit) filter (where ${day} = (newest at time zone 'UTC')::date)
    from falls having count(*) > 0
    on conflict (bot_id, mode) do update set
      trades = excluded.trades,
      wins = excluded.wins,
      losses = excluded.losses,
      realized_pnl = excluded.realized_pnl,
      fees = excluded.fees,
      peak_balance = excluded.peak_balance,
      max_drawdown = excluded.max_drawdown,
      max_drawdown_ratio = excluded.max_drawdown_ratio,
      last_trade_at = excluded.last_trade_at,
      day = excluded.day,
      day_profit = excluded.day_profit
    where excluded.trades >= f.trades`.execute(db);
}
