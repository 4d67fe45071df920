import { DatabaseSync } from 'node:sqlite';

type Row = Readonly<Record<string, string | number | null>>;

/** A closed trade as freqtrade writes one, except for what is given. A builder for tests. */
export function aFreqtradeTrade(id: number, given: Row = {}): Row {
  const day = String(id).padStart(2, '0');
  return {
    id,
    exchange: 'binance',
    pair: 'BTC/USDT',
    stake_currency: 'USDT',
    is_open: 0,
    fee_open: 0.001,
    fee_close: 0.001,
    open_rate: 200,
    close_rate: 210.5,
    close_profit: 0.0504895,
    close_profit_abs: 5.0489505,
    stake_amount: 100,
    max_stake_amount: 100,
    amount: 0.5,
    open_date: `2026-01-${day} 03:04:05.678901`,
    close_date: `2026-01-${day} 08:00:00.000000`,
    stop_loss: 180,
    initial_stop_loss: 180,
    exit_reason: 'roi',
    enter_tag: null,
    strategy: 'EmaCross',
    leverage: 1,
    is_short: 0,
    liquidation_price: null,
    funding_fees: 0,
    price_precision: 0.01,
    precision_mode: 4,
    precision_mode_price: 4,
    record_version: 2,
    ...given,
  };
}

/** A trade that is open. */
export function anOpenFreqtradeTrade(id: number, given: Row = {}): Row {
  const open = { is_open: 1, close_rate: null, close_profit: null, close_profit_abs: null, close_date: null, exit_reason: null };
  return aFreqtradeTrade(id, { ...open, ...given });
}

/** An order of a trade that was filled, except for what is given. */
export function aFreqtradeOrder(id: number, trade: number, given: Row = {}): Row {
  return {
    id,
    ft_trade_id: trade,
    ft_order_side: 'buy',
    ft_is_open: 0,
    order_id: `x${id}`,
    filled: 0.5,
    price: 200,
    average: 200,
    stop_price: null,
    ft_price: 200,
    ft_fee_base: null,
    ...given,
  };
}

/** Writes a database of freqtrade with these rows: the tables and columns that are read of it. Gives it open. */
export function writeFreqtradeFile(file: string, trades: readonly Row[], orders: readonly Row[] = []): DatabaseSync {
  const db = new DatabaseSync(file);
  const make = (table: string, rows: readonly Row[], like: Row): void => {
    const columns = Object.keys(rows[0] ?? like);
    db.exec(
      `create table if not exists ${table} (${columns.map((name) => `"${name}"${name === 'id' ? ' integer primary key' : ''}`).join(', ')})`,
    );
    insertRows(db, table, rows);
  };
  db.exec('begin');
  make('trades', trades, aFreqtradeTrade(1));
  make('orders', orders, aFreqtradeOrder(1, 1));
  db.exec('commit');
  return db;
}

/** Adds rows to a table. */
export function insertRows(db: DatabaseSync, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row);
    db.prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`).run(...Object.values(row));
  }
}
