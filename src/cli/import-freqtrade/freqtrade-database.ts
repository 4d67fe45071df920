import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '#engine/ports/error-text.ts';
import { CommandError } from '../command-error.ts';

/** A row of a database of freqtrade: numbers, texts and nulls by the names of their columns. */
export type FreqtradeRow = Readonly<Record<string, unknown>>;

/** The rows of a database of freqtrade, all of one moment. */
export interface FreqtradeRows {
  trades: FreqtradeRow[]; // in the sequence of their ids
  openOrders: FreqtradeRow[]; // with `trade`, `side` and `order_id`; stops are left out
  filledOrders: FreqtradeRow[]; // with `trade`, `side`, `amount` and `price`
}

/** What is read of a trade, in the name it has now, with what it was called before and what it is where nobody has written it. */
const columns: readonly { name: string; before?: string; otherwise?: string }[] = [
  { name: 'id' },
  { name: 'exchange' },
  { name: 'pair' },
  { name: 'is_open' },
  { name: 'fee_open' },
  { name: 'fee_close' },
  { name: 'open_rate' },
  { name: 'close_rate' },
  { name: 'close_profit' },
  { name: 'close_profit_abs' },
  { name: 'stake_amount' },
  { name: 'amount' },
  { name: 'open_date' },
  { name: 'close_date' },
  { name: 'stop_loss' },
  { name: 'initial_stop_loss' },
  { name: 'exit_reason', before: 'sell_reason' },
  { name: 'enter_tag', before: 'buy_tag', otherwise: 'null' },
  { name: 'stake_currency', otherwise: 'null' },
  { name: 'strategy', otherwise: 'null' },
  { name: 'max_stake_amount', otherwise: 'null' },
  { name: 'leverage', otherwise: '1' },
  { name: 'is_short', otherwise: '0' },
  { name: 'liquidation_price', otherwise: 'null' },
  { name: 'funding_fees', otherwise: '0' },
  { name: 'price_precision', otherwise: 'null' },
  { name: 'precision_mode', otherwise: 'null' },
  { name: 'precision_mode_price', otherwise: 'null' },
  { name: 'record_version', otherwise: '1' },
];

/** Since this version of freqtrade databases have every column under its name; many earlier ones have enough of them. */
const oldestVersion = '2022.4';

/**
 * Reads a database of freqtrade, which may be running: nothing in it is changed, and what is read is what was there at one moment.
 *
 * Fails: CommandError with one sentence for what is not a database of freqtrade, is damaged, too old, or cannot be read now
 */
export async function readFreqtradeDatabase(file: string): Promise<FreqtradeRows> {
  refuseOtherFiles(file);
  // While freqtrade runs, SQLite itself sees to it that a reader has one moment. Where nobody has the file open, reading it in place
  // would leave files beside it: a copy is read.
  if (existsSync(`${file}-wal`)) return readIn(file, file);
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-import-'));
  try {
    const copy = join(folder, 'copy.sqlite');
    await copyQuietFile(file, copy);
    return readIn(copy, file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function refuseOtherFiles(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandError(`There is no file ${file}.`);
  if (!found.isFile()) throw new CommandError(`${file} is not a file.`);
  const head = Buffer.alloc(16);
  try {
    const opened = openSync(file, 'r');
    readSync(opened, head, 0, 16, 0);
    closeSync(opened);
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${errorText(error)}).`);
  }
  if (head.toString('latin1') !== 'SQLite format 3\0') throw new CommandError(`${file} is not a SQLite database.`);
}

const quietMs = 50;
const copyTries = 20;

/** Copies a file that nobody writes meanwhile. */
async function copyQuietFile(file: string, copy: string): Promise<void> {
  const state = (): string => {
    const { size, mtimeNs, ino } = statSync(file, { bigint: true });
    return `${size} ${mtimeNs} ${ino}`;
  };
  const isWritten = () => existsSync(`${file}-journal`) || existsSync(`${file}-wal`);
  for (let tries = 0; tries < copyTries; tries++) {
    const before = state();
    await sleep(quietMs);
    if (isWritten() || state() !== before) continue;
    copyFileSync(file, copy);
    await sleep(quietMs);
    if (!isWritten() && state() === before) return;
  }
  throw new CommandError(
    `${file} is being written, or a write of it was interrupted: stop what writes it, or start freqtrade once, and try again.`,
  );
}

/** Reads everything in one transaction. `named`: what the file is called to people. */
function readIn(file: string, named: string): FreqtradeRows {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    db.exec('begin');
    const [check] = db.prepare('pragma quick_check(1)').all();
    if (check?.['quick_check'] !== 'ok') throw damaged(named, String(check?.['quick_check']));
    return { trades: readTrades(db, named), openOrders: readOpenOrders(db), filledOrders: readFilledOrders(db) };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const code = Number((error as { errcode?: unknown }).errcode) & 0xff; // of its kind, without the details
    if (code === busy || code === locked)
      throw new CommandError(`${named} is being written by another program: try again when it has finished.`);
    if (code === corrupt || code === notADatabase) throw damaged(named, errorText(error));
    throw new CommandError(`${named} cannot be read (${errorText(error)}).`);
  } finally {
    db?.close();
  }
}

const [busy, locked, corrupt, notADatabase] = [5, 6, 11, 26];

function damaged(file: string, why: string): CommandError {
  return new CommandError(`${file} is damaged (${why.split('\n')[0]}): take a backup of it.`);
}

function readTrades(db: DatabaseSync, named: string): FreqtradeRow[] {
  const present = columnsOf(db, 'trades');
  if (present.size === 0) throw new CommandError(`${named} is not a database of freqtrade: it has no table "trades".`);
  const missing: string[] = [];
  const selected = columns.map(({ name, before, otherwise }) => {
    const source = present.has(name) ? `"${name}"` : before !== undefined && present.has(before) ? `"${before}"` : otherwise;
    if (source === undefined) missing.push(name);
    return `${source} as "${name}"`;
  });
  if (missing.length > 0)
    throw new CommandError(
      `${named} lacks ${missing.map((name) => `"${name}"`).join(', ')} in its trades. Every freqtrade since ${oldestVersion} writes databases that can be read: ` +
        'start a newer one with a copy of this once, which brings the copy up to date, and import that.',
    );
  return db.prepare(`select ${selected.join(', ')} from trades order by id`).all();
}

/** Orders that wait at the exchange, by the trade they belong to; a freqtrade of before 2020.9 kept none. */
function readOpenOrders(db: DatabaseSync): FreqtradeRow[] {
  const present = columnsOf(db, 'orders');
  const needed = ['ft_trade_id', 'ft_is_open', 'ft_order_side', 'order_id'];
  if (!needed.every((name) => present.has(name))) return [];
  return db
    .prepare(
      `select ft_trade_id as trade, ft_order_side as side, order_id from orders where ft_is_open and ft_order_side <> 'stoploss' order by id`,
    )
    .all();
}

/** Orders that were filled, with what a trade counts of them, as freqtrade counts it. */
function readFilledOrders(db: DatabaseSync): FreqtradeRow[] {
  const present = columnsOf(db, 'orders');
  if (!['ft_trade_id', 'ft_is_open', 'ft_order_side', 'filled', 'price'].every((name) => present.has(name))) return [];
  const prices = ['average', 'price', 'stop_price', 'ft_price'].filter((name) => present.has(name)).map((name) => `nullif(${name}, 0)`);
  const amount = present.has('ft_fee_base') ? 'filled - coalesce(ft_fee_base, 0)' : 'filled';
  return db
    .prepare(
      `select ft_trade_id as trade, ft_order_side as side, ${amount} as amount, coalesce(${prices.join(', ')}, 0) as price
       from orders where not ft_is_open and filled > 0 order by id`,
    )
    .all();
}

function columnsOf(db: DatabaseSync, table: string): Set<string> {
  return new Set(
    db
      .prepare(`select name from pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name)),
  );
}
