import type { CsvCell } from '../../ui/csv.ts';
import { csvText } from '../../ui/csv.ts';
import { settleOf } from '../../ui/money.ts';
import type { BotTrade } from '../use-bot-details.ts';

const columns: readonly [string, (trade: BotTrade) => CsvCell][] = [
  ['Trade', (trade) => trade.trade_id],
  ['Symbol', (trade) => trade.symbol],
  ['Side', (trade) => trade.side],
  ['Entry Price', (trade) => trade.entry_price],
  ['Exit Price', (trade) => trade.exit_price],
  ['Volume', (trade) => trade.volume],
  ['PNL', (trade) => trade.pnl],
  ['Currency', (trade) => settleOf(trade.symbol)],
  ['Entry Time (UTC)', (trade) => trade.entry_time],
  ['Exit Time (UTC)', (trade) => trade.exit_time],
  ['Status', (trade) => trade.status],
  ['PNL %', (trade) => (trade.pnl_ratio === null || trade.pnl_ratio === undefined ? null : Number((trade.pnl_ratio * 100).toFixed(4)))],
  ['Exit Reason', (trade) => trade.exit_reason ?? null],
  ['Imported From', (trade) => trade.imported_from ?? null],
  ['Comment', (trade) => trade.note],
];

/** Trades of a bot as the text of a CSV file, with a header; money as plain numbers, the profit in the currency beside it. */
export function tradesCsv(trades: readonly BotTrade[]): string {
  return csvText([columns.map(([title]) => title), ...trades.map((trade) => columns.map(([, value]) => value(trade)))]);
}

/** 'trades-morning-cross-2026-11-22.csv': the bot's name as far as every file system takes it. `now`: ms. */
export function tradesFileName(nickname: string, now: number): string {
  const name = nickname
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
  return `trades-${name === '' ? 'bot' : name}-${new Date(now).toISOString().slice(0, 10)}.csv`;
}
