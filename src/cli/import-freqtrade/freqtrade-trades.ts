import { plus, times, toDecimal, toText, zero } from '#engine/market/decimal.ts';
import type { ImportedTrade } from '#storage/trades/imported-trades.ts';
import { CommandError } from '../command-error.ts';
import type { FreqtradeRow, FreqtradeRows } from './freqtrade-database.ts';

/** A trade that is still open in freqtrade. */
export interface OpenTrade {
  id: number;
  key: string;
  symbol: string;
  direction: 'long' | 'short';
  openedAt: Date;
  amount: number;
  openOrders: readonly string[]; // 'buy 1234': what waits at the exchange
}

/** The trades of a database of freqtrade. */
export interface FreqtradeTrades {
  closed: ImportedTrade[]; // in the sequence of their ids
  open: OpenTrade[];
  mostLeverage: number; // of all; 1 without any
  strategies: string[]; // that made them
}

/** What all trades of a database must have been made with. */
export interface MadeWith {
  exchange: string; // of the configuration
  stakeCurrency: string;
}

/** How many trades a sentence names. */
const mostNamed = 5;

/**
 * The trades of a database, closed and open. Every number is the one that freqtrade has stored.
 *
 * Fails: CommandError with a sentence for each thing that forbids to count them as those of one bot
 */
export function freqtradeTrades(
  { trades, openOrders, filledOrders }: FreqtradeRows,
  { exchange, stakeCurrency }: MadeWith,
): FreqtradeTrades {
  const faults: string[] = [];
  const refuse = (where: (row: FreqtradeRow) => boolean, say: (which: string, rows: FreqtradeRow[]) => string): void => {
    const found = trades.filter(where);
    if (found.length > 0) faults.push(say(named(found), found));
  };
  const unreadable = trades.filter((row) => faultOf(row) !== null);
  for (const row of unreadable.slice(0, mostNamed)) faults.push(`Trade ${String(row['id'])} cannot be imported: ${faultOf(row)}.`);
  if (unreadable.length > mostNamed) faults.push(`${unreadable.length - mostNamed} more trades cannot be imported for reasons like these.`);
  refuse(
    (row) => text(row['exchange']) !== null && text(row['exchange'])?.toLowerCase() !== exchange.toLowerCase(),
    (which, rows) =>
      `${which} made at ${others(rows, 'exchange')}, and the configuration names ${exchange}: take the configuration they were made with.`,
  );
  refuse(
    (row) => currencyOf(row) !== stakeCurrency,
    (which, rows) =>
      `${which} made with ${[...new Set(rows.map(currencyOf))].join(', ')}, and the bot has ${stakeCurrency}: amounts of two currencies cannot be added.`,
  );
  const filled = Map.groupBy(filledOrders, ({ trade }) => Number(trade));
  const waiting = Map.groupBy(openOrders, ({ trade }) => Number(trade));
  const isLeft = (row: FreqtradeRow): boolean =>
    row['is_open'] === 0 && (waiting.get(Number(row['id'])) ?? []).some(({ order_id: id }) => !String(id).startsWith('dry_run'));
  refuse(isLeft, (which) =>
    `${which} closed, and an order still waits at the exchange: start freqtrade, which settles it, and try again.`
      .replace(' was closed', ' is closed')
      .replace(' were closed', ' are closed'),
  );
  if (faults.length > 0) throw new CommandError(faults);
  return {
    closed: trades.filter((row) => row['is_open'] === 0).map((row) => closedTrade(row, filled.get(Number(row['id'])) ?? [])),
    open: trades.filter((row) => row['is_open'] !== 0).map((row) => openTrade(row, waiting.get(Number(row['id'])) ?? [])),
    mostLeverage: Math.max(1, ...trades.map((row) => numberOf(row['leverage']) ?? 1)),
    strategies: [...new Set(trades.flatMap((row) => text(row['strategy']) ?? []))],
  };
}

function named(rows: readonly FreqtradeRow[]): string {
  const ids = rows.slice(0, mostNamed).map(({ id }) => String(id));
  const more = rows.length - ids.length;
  const list = `${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return rows.length === 1 ? `Trade ${list} was` : `Trades ${list} were`;
}

const others = (rows: readonly FreqtradeRow[], column: string): string => [...new Set(rows.map((row) => String(row[column])))].join(', ');

/** What a trade lacks that it must have, or null. */
function faultOf(row: FreqtradeRow): string | null {
  if (text(row['pair']) === null || !/^[^/\s]+\/[^/\s]+$/u.test(String(row['pair']))) return 'it has no pair';
  if (timeOf(row['open_date']) === null) return 'it has no time of its opening';
  for (const name of ['amount', 'open_rate', 'stake_amount'])
    if (!((numberOf(row[name]) ?? -1) >= 0)) return `its "${name}" is not a number`;
  if (row['is_open'] !== 0) return null;
  const closedAt = timeOf(row['close_date']);
  if (closedAt === null) return 'it is closed and has no time of its end';
  if (closedAt < (timeOf(row['open_date']) ?? closedAt)) return 'it ends before it begins';
  if (row['close_profit_abs'] !== null && numberOf(row['close_profit_abs']) === null) return 'its "close_profit_abs" is not a number';
  return null;
}

/** The currency a trade was made with: 'USDT' of 'BTC/USDT' and of 'BTC/USDT:USDT'. */
function currencyOf(row: FreqtradeRow): string {
  const pair = String(row['pair']);
  return text(row['stake_currency']) ?? pair.split(':')[1] ?? pair.split('/')[1] ?? '';
}

const directionOf = (row: FreqtradeRow): 'long' | 'short' => (row['is_short'] === 1 ? 'short' : 'long');

/** What a trade is called: its number alone would name a trade of every database. */
function keyOf(row: FreqtradeRow): string {
  return ['freqtrade', row['id'], row['pair'], directionOf(row), row['open_date']].join(' ');
}

function closedTrade(row: FreqtradeRow, orders: readonly FreqtradeRow[]): ImportedTrade {
  const leverage = numberOf(row['leverage']) ?? 1;
  const mostStake = numberOf(row['max_stake_amount']) ?? 0;
  // The most that was ever staked, which the ratio is of; before their second version records had it with the leverage in it.
  const stake = mostStake > 0 && (leverage === 1 || Number(row['record_version']) >= 2) ? mostStake : numberOf(row['stake_amount']);
  return {
    key: keyOf(row),
    symbol: String(row['pair']),
    direction: directionOf(row),
    openedAt: new Date(timeOf(row['open_date']) ?? 0),
    closedAt: new Date(timeOf(row['close_date']) ?? 0),
    amount: decimal(row['amount']) ?? '0',
    stake: decimal(stake) ?? '0',
    leverage: String(leverage),
    entryPrice: decimal(row['open_rate']) ?? '0',
    exitPrice: decimal(row['close_rate']),
    stopPrice: decimalUnless0(row['stop_loss']),
    initialStopPrice: decimalUnless0(row['initial_stop_loss']),
    liquidationPrice: decimalUnless0(row['liquidation_price']),
    fees: feesOf(row, orders),
    funding: decimal(row['funding_fees']) ?? '0',
    profit: decimal(row['close_profit_abs']) ?? '0', // as freqtrade counts it
    profitRatio: decimal(row['close_profit']) ?? '0',
    entryTag: text(row['enter_tag']),
    exitReason: exitReasonOf(row),
    priceTick: priceTickOf(row),
  };
}

function openTrade(row: FreqtradeRow, orders: readonly FreqtradeRow[]): OpenTrade {
  return {
    id: Number(row['id']),
    key: keyOf(row),
    symbol: String(row['pair']),
    direction: directionOf(row),
    openedAt: new Date(timeOf(row['open_date']) ?? 0),
    amount: numberOf(row['amount']) ?? 0,
    openOrders: orders.map(({ side, order_id: id }) => `${String(side)} ${String(id)}`),
  };
}

/** What entries and exits cost, at the rates that freqtrade works its profit out with; of a trade without orders its one entry and exit. */
function feesOf(row: FreqtradeRow, orders: readonly FreqtradeRow[]): string {
  const entrySide = directionOf(row) === 'long' ? 'buy' : 'sell';
  const fills =
    orders.length > 0
      ? orders.map(({ side, amount, price }) => ({ isEntry: side === entrySide, amount, price }))
      : [
          { isEntry: true, amount: row['amount'], price: row['open_rate'] },
          { isEntry: false, amount: row['amount'], price: row['close_rate'] },
        ];
  const fees = fills.map(({ isEntry, amount, price }) =>
    [amount, price, row[isEntry ? 'fee_open' : 'fee_close']].map((value) => toDecimal(numberOf(value) ?? 0)).reduce(times),
  );
  return toText(fees.reduce(plus, zero));
}

/** Earlier versions had other names for some ends. */
const renamed: Readonly<Record<string, string>> = {
  sell_signal: 'exit_signal',
  custom_sell: 'custom_exit',
  force_sell: 'force_exit',
  emergency_sell: 'emergency_exit',
};

function exitReasonOf(row: FreqtradeRow): string | null {
  const reason = text(row['exit_reason']);
  return reason === null ? null : (renamed[reason] ?? reason);
}

/** The smallest step of a price: ccxt names it, or its decimals. */
function priceTickOf(row: FreqtradeRow): number | null {
  const precision = numberOf(row['price_precision']);
  const mode = numberOf(row['precision_mode_price']) ?? numberOf(row['precision_mode']);
  if (precision === null) return null;
  if (mode === tickSize && precision > 0) return precision;
  return mode === decimalPlaces && Number.isInteger(precision) && precision >= 0 ? Number(`1e-${precision}`) : null;
}

const [decimalPlaces, tickSize] = [2, 4]; // of ccxt

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A number as freqtrade has stored it, digit by digit. */
function decimal(value: unknown): string | null {
  const number = numberOf(value);
  return number === null ? null : toText(toDecimal(number));
}

function decimalUnless0(value: unknown): string | null {
  return numberOf(value) === 0 ? null : decimal(value);
}

/** Times are texts in UTC: '2026-01-02 03:04:05.678901'. */
function timeOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?$/u.test(value)) return null;
  const time = Date.parse(`${value.replace(' ', 'T')}Z`);
  return Number.isFinite(time) ? time : null;
}
