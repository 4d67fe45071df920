import { backtestDetails } from '#contract/backtests.ts';
import { portfolioDetails } from '#contract/portfolios.ts';
import { type FingerprintTrade, fingerprintOf } from '#engine/backtest/fingerprint.ts';
import { timeframeLengths, type Timeframe } from '#engine/market/timeframe.ts';
import type { BacktestView } from '#storage/backtests/backtests.ts';
import type { ResultParts } from '#storage/backtests/result-parts.ts';

/** What a kept result says of the trades it came to. */
export interface KeptResult {
  first: number; // opening time of the first candle
  last: number; // of the last candle
  fingerprint: { value: string; trades: number | null }; // of so many trades in closing order; null: of all
}

/** The lists of a run's result that `keptResultOf` reads. */
export function listsRead({ plan }: Pick<BacktestView, 'plan'>): readonly string[] {
  return plan === null ? ['trades'] : [];
}

/** The same of a run; null where this version cannot read what is kept. */
export function keptResultOf(run: Pick<BacktestView, 'plan' | 'symbol'>, stored: ResultParts | null): KeptResult | null {
  if (stored === null) return null;
  const rest = JSON.parse(stored.rest) as Record<string, unknown>;
  if (run.plan !== null) {
    const read = portfolioDetails.safeParse(rest);
    if (!read.success) return null;
    const { from, to, fingerprint } = read.data;
    const length = timeframeLengths[run.plan.timeframe as Timeframe];
    return { first: from, last: to - length, fingerprint: { value: fingerprint, trades: null } };
  }
  const long = stored.lists.get('trades')?.flatMap((part) => JSON.parse(part) as unknown[]);
  const read = backtestDetails.safeParse(long === undefined ? rest : { ...rest, trades: long });
  if (!read.success) return null;
  const { from, to, trades } = read.data;
  const lines = trades.map((trade): FingerprintTrade => ({
    symbol: run.symbol,
    direction: trade.direction,
    openTime: trade.timestamp,
    closeTime: trade.exit_timestamp,
    openRate: trade.entry_price,
    closeRate: trade.exit_price,
    amount: trade.amount,
    exitReason: trade.exit_reason,
    profit: trade.pnl,
  }));
  return { first: from, last: to, fingerprint: { value: fingerprintOf(lines), trades: lines.length } };
}
