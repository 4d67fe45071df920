import { dollarCurrencies } from '#engine/market/dollars.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { closedProfits } from '../profits/profits.ts';
import type { TradeMode } from '../trades/trade-mode.ts';

/** The name of a row `s` of strategies; one that another strategy has too says whose it is. */
const shownName = sql`case when exists (select from strategies o where o.name = s.name and o.id <> s.id)
  then s.name || coalesce(' (' || (select email from users where users.id = s.owner_id) || ')', '') else s.name end`;

/** The live bots of a strategy outside test networks, those that are stopped aside, and their money. Dollars. */
export interface StrategyCapital {
  strategy: string;
  capital: string; // starting balances and realized profits of those in dollars
  leverage: string; // the highest of its bots
  marginModes: string[];
  isActive: boolean; // one of its bots is
}

/** A row `b` of bots that holds real money, in SQL: live outside test networks, and not stopped. */
const holdsMoney = sql`b.mode = 'live' and b.status <> 'stopped' and b.exchange_id <> 'sandbox' and right(b.exchange_id, 8) <> '_testnet'`;

/** What a row `b` of bots with its figures `f` holds in dollars, in SQL. */
const capital = sql`case when b.stake_currency = any(${dollarCurrencies}::text[]) then b.starting_balance + coalesce(f.realized_pnl, 0) else 0 end`;

/** What the live bots of each strategy hold, the most first. */
export async function capitalByStrategy(db: Database): Promise<StrategyCapital[]> {
  const { rows } = await sql<StrategyCapital>`
    select ${shownName} as strategy, sum(${capital})::text as capital, max(b.leverage)::text as leverage,
      array_agg(distinct b.market_type order by b.market_type) as margin_modes, bool_or(b.status = 'active') as is_active
    from bots b
    join strategies s on s.id = b.strategy_id
    left join bot_figures f on f.bot_id = b.id and f.mode = 'live'
    where ${holdsMoney}
    group by 1
    order by sum(${capital}) desc, 1`.execute(db);
  return rows;
}

/** Whether live bots hold money in other currencies, which `capitalByStrategy` leaves out. */
export async function hasOtherCapital(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from bots b where ${holdsMoney} and b.stake_currency <> all(${dollarCurrencies}::text[]) limit 1`.execute(db);
  return rows.length > 0;
}

/** What the closed trades of a strategy in one mode come to, all there are. Dollars; trades in other currencies are counted only. */
export interface StrategyResult {
  mode: TradeMode;
  strategy: string;
  trades: number;
  dollarTrades: number; // of them, whose profits are added
  wins: number;
  losses: number;
  profit: string;
}

/** The results by mode and strategy, in the order of the strategies' names: from the sums of profits, so hardly a trade is read. */
export async function resultsByStrategy(db: Database): Promise<StrategyResult[]> {
  const { groups } = await closedProfits(db, { ownerId: null, from: null, to: null }, 'strategy');
  const { rows } = await sql<StrategyResult>`
    select g.mode, ${shownName} as strategy, sum(g.trades)::int as trades,
      coalesce(sum(g.trades) filter (where g.currency = any(${dollarCurrencies}::text[])), 0)::int as dollar_trades, sum(g.wins)::int as wins, sum(g.losses)::int as losses,
      sum(case when g.currency = any(${dollarCurrencies}::text[]) then g.profit else 0 end)::text as profit
    from jsonb_to_recordset(${JSON.stringify(groups)}::jsonb)
      as g (key uuid, mode text, currency text, trades int, wins int, losses int, profit numeric)
    join strategies s on s.id = g.key
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}
