import { csvText } from '../ui/csv.ts';
import type { BacktestDetails, BacktestRun } from './run-list.ts';

type Trade = BacktestDetails['trades'][number];

const moment = (ms: number): string => new Date(ms).toISOString();

const columns: readonly [string, (trade: Trade) => string | number | null][] = [
  ['Direction', (trade) => trade.direction],
  ['Entry Time (UTC)', (trade) => moment(trade.timestamp)],
  ['Entry Price', (trade) => trade.entry_price],
  ['Exit Time (UTC)', (trade) => moment(trade.exit_timestamp)],
  ['Exit Price', (trade) => trade.exit_price],
  ['Amount', (trade) => trade.amount],
  ['Stake', (trade) => trade.stake],
  ['Leverage', (trade) => trade.leverage],
  ['PNL', (trade) => trade.pnl],
  ['PNL Ratio', (trade) => trade.pnl_ratio],
  ['Entry Tag', (trade) => trade.entry_tag],
  ['Exit Reason', (trade) => trade.exit_reason],
];

/** The trades of a run as the text of a CSV file, with a header; reasons by the names freqtrade has for them. */
export function runCsv({ trades }: Pick<BacktestDetails, 'trades'>): string {
  return csvText([columns.map(([title]) => title), ...trades.map((trade) => columns.map(([, value]) => value(trade)))]);
}

/** A run as the text of a JSON file: what was asked for and all that came of it, but for the candles. */
export function runJson(run: BacktestRun, details: BacktestDetails): string {
  const { id, strategy_id, strategy_name, exchange, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades } = run;
  const asked = { id, strategy_id, strategy_name, exchange, symbol, trading_mode, timeframe, days, stake_amount, max_open_trades };
  const { bot, created_at, finished_at, metrics, equity } = run;
  // Candles are the exchange's, and would be most of the file.
  const result = { ...details, candles: undefined };
  return `${JSON.stringify({ ...asked, bot, created_at, finished_at, metrics, equity, ...result }, null, 2)}\n`;
}

/** 'backtest-ema-cross-btcusdt-1h-2026-11-20.json': strategy, symbol, timeframe and day of the run. */
export function runFileName(
  run: Pick<BacktestRun, 'strategy_name' | 'symbol' | 'timeframe' | 'created_at'>,
  ending: 'csv' | 'json',
): string {
  const plain = (text: string) =>
    text
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/gu, '-')
      .replaceAll(/^-|-$/gu, '');
  const symbol = (run.symbol.split(':')[0] ?? '').replaceAll('/', '');
  return `backtest-${plain(`${run.strategy_name} ${symbol} ${run.timeframe}`)}-${run.created_at.slice(0, 10)}.${ending}`;
}
