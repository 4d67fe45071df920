import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aFreqtradeOrder, aFreqtradeTrade, insertRows, writeFreqtradeFile } from '../testing/freqtrade-file.ts';
import { readFreqtradeDatabase } from './freqtrade-database.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-freqtrade-file-'));
  file = join(folder, 'tradesv3.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const hash = (of: string): string => createHash('sha256').update(readFileSync(of)).digest('hex');
const refusal = async (): Promise<string> => {
  const error: unknown = await readFreqtradeDatabase(file).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof Error ? `${error.name}: ${error.message}` : 'nothing';
};

test('a database that nobody has open is read and left as it is, without a file beside it', async () => {
  writeFreqtradeFile(file, [aFreqtradeTrade(1), aFreqtradeTrade(2)], [aFreqtradeOrder(1, 1)]).close();
  const before = hash(file);
  const { trades, filledOrders, openOrders } = await readFreqtradeDatabase(file);
  expect(trades.map(({ id }) => id)).toEqual([1, 2]);
  expect(filledOrders).toMatchObject([{ trade: 1, side: 'buy', amount: 0.5, price: 200 }]);
  expect(openOrders).toEqual([]);
  expect([hash(file), readdirSync(folder)]).toEqual([before, ['tradesv3.sqlite']]);
});

test('one that is kept in a write-ahead log is read with what has not reached the file yet, and neither is changed', async () => {
  const writer = writeFreqtradeFile(file, [aFreqtradeTrade(1)]);
  try {
    writer.exec('pragma journal_mode = wal');
    insertRows(writer, 'trades', [aFreqtradeTrade(2)]);
    const before = [hash(file), hash(`${file}-wal`)];
    writer.exec('begin immediate');
    insertRows(writer, 'trades', [aFreqtradeTrade(3)]); // not committed
    expect((await readFreqtradeDatabase(file)).trades.map(({ id }) => id)).toEqual([1, 2]);
    writer.exec('commit');
    expect((await readFreqtradeDatabase(file)).trades.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(hash(file)).toBe(before[0]);
    expect(hash(`${file}-wal`)).not.toBe(before[1]); // the writer has
  } finally {
    writer.close();
  }
});

test('while another writes without pause, each reading is of one moment', async () => {
  writeFreqtradeFile(file, [aFreqtradeTrade(1)]).exec('pragma journal_mode = wal');
  // A trade and its order come in one transaction: whoever sees one and not the other has seen two moments.
  const writing = new Worker(
    `const { DatabaseSync } = require('node:sqlite');
     const { parentPort, workerData } = require('node:worker_threads');
     const db = new DatabaseSync(workerData);
     db.exec('pragma wal_autocheckpoint = 5');
     let isOver = false;
     parentPort.on('message', () => (isOver = true));
     const write = (id) => {
       if (isOver) return db.close(), process.exit();
       db.exec('begin immediate');
       db.prepare("insert into trades (id, exchange, pair, is_open, open_date) values (?, 'binance', 'BTC/USDT', 1, '2026-01-01 00:00:00')").run(id);
       db.prepare("insert into orders (id, ft_trade_id, ft_order_side, ft_is_open, order_id, filled, price) values (?, ?, 'buy', 0, ?, 1, 1)").run(id, id, String(id));
       db.exec('commit');
       if (id === 20) parentPort.postMessage('writes');
       setImmediate(write, id + 1);
     };
     write(2);`,
    { eval: true, workerData: file },
  );
  await new Promise((resolve) => writing.once('message', resolve));
  const seen: number[] = [];
  // On a slow machine twenty readings may be done before it has written again.
  while (seen.length < 20 || seen.every((each) => each === seen[0])) {
    const { trades, filledOrders } = await readFreqtradeDatabase(file);
    expect(filledOrders.length).toBe(trades.length - 1);
    seen.push(trades.length);
  }
  writing.postMessage('end');
  await new Promise((resolve) => writing.once('exit', resolve));
});

test('what is not a database of freqtrade is refused in a sentence', async () => {
  expect(await refusal()).toBe(`CommandError: There is no file ${file}.`);
  mkdirSync(file);
  expect(await refusal()).toBe(`CommandError: ${file} is not a file.`);
  rmSync(file, { recursive: true });
  for (const content of ['', 'SQLite', '{"trades": []}']) {
    writeFileSync(file, content);
    expect(await refusal()).toBe(`CommandError: ${file} is not a SQLite database.`);
  }
  rmSync(file);
  const other = writeFreqtradeFile(file, []);
  other.exec('drop table trades');
  other.close();
  expect(await refusal()).toBe(`CommandError: ${file} is not a database of freqtrade: it has no table "trades".`);
});

test('a damaged one is refused', async () => {
  writeFreqtradeFile(
    file,
    Array.from({ length: 400 }, (_, i) => aFreqtradeTrade(1, { id: i + 1, enter_tag: 'x'.repeat(200) })),
  ).close();
  truncateSync(file, 40_000);
  expect(await refusal()).toMatch(/^CommandError: .*tradesv3\.sqlite is damaged \(.+\): take a backup of it\.$/u);
  writeFreqtradeFile(`${file}2`, [aFreqtradeTrade(1)]).close();
  const bytes = readFileSync(`${file}2`);
  bytes.fill(0xff, 4_096, 4_300);
  writeFileSync(file, bytes);
  expect(await refusal()).toMatch(/is damaged/u);
});

test('one of an older freqtrade is read by the names it has, and refused with what it lacks', async () => {
  const { exit_reason: reason, enter_tag: _tag, ...same } = aFreqtradeTrade(1);
  const later = [
    'max_stake_amount',
    'leverage',
    'is_short',
    'liquidation_price',
    'funding_fees',
    'price_precision',
    'precision_mode',
    'precision_mode_price',
    'record_version',
    'stake_currency',
    'strategy',
  ];
  const before = Object.fromEntries(Object.entries(same).filter(([name]) => !later.includes(name)));
  writeFreqtradeFile(file, [{ ...before, sell_reason: reason ?? null, buy_tag: 'dip' }]).exec('drop table orders');
  expect(await readFreqtradeDatabase(file)).toMatchObject({
    trades: [{ exit_reason: 'roi', enter_tag: 'dip', leverage: 1, is_short: 0, funding_fees: 0, stake_currency: null }],
    openOrders: [],
    filledOrders: [],
  });
  rmSync(file);
  const { close_profit_abs: _profit, ...oldest } = before;
  writeFreqtradeFile(file, [{ ...oldest, sell_reason: 'roi' }]).close();
  expect(await refusal()).toBe(
    `CommandError: ${file} lacks "close_profit_abs" in its trades. Every freqtrade since 2022.4 writes databases that can be read: start a newer one with a copy of this once, which brings the copy up to date, and import that.`,
  );
});

test('one that is being written in place is not read half', async () => {
  const writer = writeFreqtradeFile(file, [aFreqtradeTrade(1)]);
  writer.exec('begin exclusive');
  insertRows(writer, 'trades', [aFreqtradeTrade(2)]);
  expect(existsSync(`${file}-journal`)).toBe(true);
  expect(await refusal()).toBe(
    `CommandError: ${file} is being written, or a write of it was interrupted: stop what writes it, or start freqtrade once, and try again.`,
  );
  writer.exec('rollback');
  writer.close();
  expect((await readFreqtradeDatabase(file)).trades).toHaveLength(1);
});

test.skipIf(process.getuid?.() === 0)('one that may not be read is refused', async () => {
  writeFreqtradeFile(file, [aFreqtradeTrade(1)]).close();
  chmodSync(file, 0);
  expect(await refusal()).toContain('cannot be read');
});
