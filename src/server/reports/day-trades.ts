import type { reportRoutes } from '#contract/reports.ts';
import { dayListLength } from '#contract/reports.ts';
import type { ClosedOnDay } from '#storage/reports/day-report.ts';
import type { z } from 'zod';
import { dayFigures } from './day-figures.ts';

type Reply = z.input<typeof reportRoutes.reportTrades.reply>;

/** Real money first. */
const modes = ['live', 'testnet', 'paper'] as const;

/** A day's closed trades, in the order of closing, by mode; and the newest of them one by one, newest first. */
export function dayTrades(trades: readonly ClosedOnDay[]): Reply {
  return {
    modes: modes.flatMap((mode) => {
      const ofMode = trades.filter((trade) => trade.mode === mode);
      return ofMode.length === 0 ? [] : [{ mode, figures: dayFigures(ofMode), curve: curveOf(ofMode) }];
    }),
    trades: trades.slice(-dayListLength).toReversed().map(listed),
  };
}

function listed(trade: ClosedOnDay): Reply['trades'][number] {
  return {
    id: trade.id,
    closed_at: trade.closedAt.toISOString(),
    mode: trade.mode,
    bot: trade.botName,
    symbol: trade.symbol,
    direction: trade.direction,
    entry_price: trade.entryPrice === null ? null : Number(trade.entryPrice),
    exit_price: trade.exitPrice === null ? null : Number(trade.exitPrice),
    exit_reason: trade.exitReason,
    pnl: Number(trade.profit),
    stake_currency: trade.stakeCurrency,
  };
}

/** The profit so far after each trade in dollars; of more than the list holds, every second, third, ... and the last. */
function curveOf(trades: readonly ClosedOnDay[]): { time: number; pnl: number }[] {
  let pnl = 0;
  const points = trades
    .filter(({ isDollar }) => isDollar)
    .map(({ closedAt, profit }) => {
      pnl += Number(profit);
      return { time: closedAt.getTime(), pnl };
    });
  const every = Math.ceil(points.length / dayListLength);
  return points.filter((_, i) => (points.length - 1 - i) % every === 0);
}
