import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { newestCapital } from './capital.ts';
import { currencySince } from './currency-since.ts';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

/** A closed trade that another program has made. Amounts and prices are decimals in text form, money in stake currency. */
export interface ImportedTrade {
  key: string; // what it is called there; no two trades share it
  symbol: string;
  direction: 'long' | 'short';
  openedAt: Date;
  closedAt: Date;
  amount: string;
  stake: string;
  leverage: string;
  entryPrice: string;
  exitPrice: string | null;
  stopPrice: string | null;
  initialStopPrice: string | null;
  liquidationPrice: string | null;
  fees: string;
  funding: string; // received; negative was paid
  profit: string;
  profitRatio: string | null; // of the stake
  entryTag: string | null;
  exitReason: string | null;
  priceTick: number | null; // the market's smallest step of a price
}

/** The trades of another program that a bot is to continue. */
export interface TradesToImport {
  from: NonNullable<Schema['trades']['importedFrom']>;
  closed: readonly ImportedTrade[];
  openKeys: readonly string[]; // of trades that are open there; they are taken when they have been closed
}

/** Waits for imports that are under way, and keeps others waiting until the transaction ends: whoever has a trade stays who has it. */
export async function holdImports(trx: Database): Promise<void> {
  await sql`lock table imported_keys in share row exclusive mode`.execute(trx);
}

/** The bots whose history holds trades of these keys, or waits for them. */
export async function botsOfImportedKeys(db: Database, keys: readonly string[]): Promise<string[]> {
  // One value, however many they are: a statement has room for 65,535.
  const { rows } = await sql<{ botId: string }>`select distinct bot_id from imported_keys where key = any(${[...keys]}::text[])`.execute(
    db,
  );
  return rows.map(({ botId }) => botId);
}

/**
 * Makes closed trades of another program the history of a bot, each once: in its list of trades, its figures and its curve. Its wallet,
 * its limits and its account know nothing of them. Gives how many were new.
 *
 * Needs: trades in the stake currency of the bot; a transaction with `holdImports` and the bot locked; a runner that holds the bot reads it again afterwards
 *
 * Fails: when another bot has one of the trades
 */
export async function importTrades(trx: Database, botId: string, { from, closed, openKeys }: TradesToImport, now: Date): Promise<number> {
  const others = (await botsOfImportedKeys(trx, [...closed.map(({ key }) => key), ...openKeys])).filter((id) => id !== botId);
  if (others.length > 0) throw new Error(`The bot ${others[0]} has some of these trades`);
  await insertInBatches(openKeys, async (keys) => {
    const rows = keys.map((key) => ({ key, botId, isTaken: false }));
    await trx
      .insertInto('importedKeys')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
  const added: string[] = [];
  await insertInBatches(closed, async (some) => {
    const taken = await trx
      .insertInto('importedKeys')
      .values(some.map(({ key }) => ({ key, botId, isTaken: true })))
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ isTaken: true }).where('importedKeys.isTaken', '=', false))
      .returning('key')
      .execute();
    const isNew = new Set(taken.map(({ key }) => key));
    const rows = some.filter(({ key }) => isNew.has(key)).map((trade) => rowOf(botId, from, trade));
    if (rows.length > 0) await trx.insertInto('trades').values(rows).execute();
    added.push(...rows.map(({ id }) => id));
  });
  if (added.length === 0) return 0;
  await addToImportedFigures(trx, botId, added);
  await addToCurve(trx, botId, added);
  await trx.updateTable('bots').set({ updatedAt: now }).where('id', '=', botId).execute();
  return added.length;
}

const batch = 500;

async function insertInBatches<Item>(items: readonly Item[], insert: (some: readonly Item[]) => Promise<void>): Promise<void> {
  for (let first = 0; first < items.length; first += batch) await insert(items.slice(first, first + batch));
}

function rowOf(botId: string, from: TradesToImport['from'], { key: _key, priceTick, ...trade }: ImportedTrade) {
  return {
    ...trade,
    id: randomUUID(),
    botId,
    mode: 'paper' as const, // what is live is compared with accounts and held to limits
    status: 'closed' as const,
    confidence: null,
    engineState: JSON.stringify(priceTick === null ? {} : { priceTick }),
    importedFrom: from,
  };
}

/** What a row `b` of `bots` had on paper at last, in its stake currency; what it has now, where it had none. It may be live by now, with less or more. */
const onPaper = sql`
  select coalesce((select capital from (${newestCapital(sql`b.id`, sql`'paper'`)}) newest where currency = b.stake_currency), b.starting_balance) as capital`;

async function addToImportedFigures(trx: Database, botId: string, tradeIds: readonly string[]): Promise<void> {
  await sql`
    insert into bot_figures as f (bot_id, mode, peak_balance, imported_trades, imported_wins, imported_losses, imported_pnl, imported_fees, imported_until)
    select b.id, 'paper', p.capital, count(*), count(*) filter (where t.profit > 0), count(*) filter (where t.profit < 0), sum(t.profit),
      sum(t.fees), max(t.closed_at)
    from bots b cross join lateral (${onPaper}) p join trades t on t.bot_id = b.id
    where b.id = ${botId} and t.id = any(${[...tradeIds]}::uuid[])
    group by b.id, p.capital
    on conflict (bot_id, mode) do update set
      imported_trades = f.imported_trades + excluded.imported_trades,
      imported_wins = f.imported_wins + excluded.imported_wins,
      imported_losses = f.imported_losses + excluded.imported_losses,
      imported_pnl = f.imported_pnl + excluded.imported_pnl,
      imported_fees = f.imported_fees + excluded.imported_fees,
      imported_until = greatest(f.imported_until, excluded.imported_until)`.execute(trx);
}

/**
 * A snapshot where each of these trades was closed; those that the bot has taken later have the trades in them from now on. Of its other trades those
 * count that it has closed since it has its stake currency, as in its figures.
 */
async function addToCurve(trx: Database, botId: string, tradeIds: readonly string[]): Promise<void> {
  const ids = sql`${[...tradeIds]}::uuid[]`;
  const counts = sql`(t.id = any(${ids}) or t.closed_at >= (select since from bots cross join lateral (${currencySince}) currency where bots.id = ${botId}))`;
  await sql`
    update pnl_snapshots s set net_pnl = s.net_pnl + a.profit, realized_pnl = s.realized_pnl + a.profit, total_fees = s.total_fees + a.fees,
      net_pnl_pct = case when p.capital = 0 then 0 else (s.net_pnl + a.profit) / p.capital * 100 end, win_rate = a.win_rate
    from bots b cross join lateral (${onPaper}) p, pnl_snapshots old
    cross join lateral (
      select coalesce(sum(t.profit) filter (where t.id = any(${ids})), 0) as profit, coalesce(sum(t.fees) filter (where t.id = any(${ids})), 0) as fees,
        (count(*) filter (where t.profit > 0))::numeric / greatest(count(*), 1) as win_rate
      from trades t where t.bot_id = ${botId} and t.mode = 'paper' and t.status = 'closed' and t.closed_at <= old.taken_at and ${counts}
    ) a
    where b.id = ${botId} and old.bot_id = ${botId} and old.mode = 'paper'
      and old.taken_at >= (select min(closed_at) from trades where id = any(${ids}))
      and s.bot_id = old.bot_id and s.mode = old.mode and s.taken_at = old.taken_at`.execute(trx);
  await sql`
    insert into pnl_snapshots (bot_id, mode, taken_at, net_pnl, net_pnl_pct, unrealized_pnl, realized_pnl, total_fees, win_rate, current_balance)
    select distinct on (t.closed_at) b.id, 'paper', t.closed_at, t.profit, case when p.capital = 0 then 0 else t.profit / p.capital * 100 end,
      0, t.profit, t.fees, t.wins::numeric / t.trades, p.capital + t.own
    from bots b cross join lateral (${onPaper}) p cross join lateral (
      select id, closed_at, sum(profit) over until_then as profit, sum(fees) over until_then as fees, count(*) over until_then as trades,
        count(*) filter (where profit > 0) over until_then as wins,
        coalesce(sum(profit) filter (where imported_from is null) over until_then, 0) as own
      from trades t where bot_id = b.id and mode = 'paper' and status = 'closed' and ${counts}
      window until_then as (order by closed_at)
    ) t
    where b.id = ${botId} and t.id = any(${ids})
    order by t.closed_at
    on conflict (bot_id, mode, taken_at) do nothing`.execute(trx);
}
