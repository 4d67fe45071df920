import { texts } from '#contract/errors.ts';
import type { investorRow } from '#contract/investors.ts';
import { dailyPnlOf, dailyReturns, sharpeOf } from '#engine/report/performance.ts';
import { traderFigures, type TraderFigures } from '#storage/fund/trader-figures.ts';
import type { z } from 'zod';
import type { Handlers } from '../calls/call.ts';
import { shownEmail } from '../calls/shown-email.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

/** How each trader did; traders see themselves. */
export function investorHandlers({ db }: ServerDependencies): Pick<Handlers, 'investorSummary'> {
  return {
    async investorSummary({ caller, query }) {
      if (query.trader_id !== undefined && caller.role !== 'admin') throw new HttpError(403, texts.adminRequired);
      const traderId = caller.role === 'trader' ? caller.id : (query.trader_id ?? null);
      const of = { traderId, mode: query.mode ?? null, start: query.start ?? null, end: query.end ?? null };
      return (await traderFigures(db, of)).map((figures) =>
        toRow(figures, shownEmail(caller, { id: figures.traderId, email: figures.email })),
      );
    },
  };
}

function toRow(figures: TraderFigures, name: string): z.input<typeof investorRow> {
  return {
    trader_id: figures.traderId,
    trader_name: name,
    mode: figures.mode,
    total_pnl: Number(figures.profit),
    roi_percent: roiPercentOf(figures),
    max_drawdown: Number(figures.maxDrawdown),
    num_trades: figures.trades,
    win_rate: figures.wins / figures.trades,
    sharpe_ratio: sharpeRatioOf([figures]),
    avg_latency: figures.latencyMs,
    ml_label_count: figures.notes,
    leaves_out: figures.leavesOut,
  };
}

/** Profit in per cent of the starting balances of the bots that made it; 0 without any. */
export function roiPercentOf({ profit, startingBalance }: Pick<TraderFigures, 'profit' | 'startingBalance'>): number {
  return Number(startingBalance) > 0 ? (Number(profit) / Number(startingBalance)) * 100 : 0;
}

/** The Sharpe ratio of the daily profits of several together, days without a trade among them; null when it cannot be said. */
export function sharpeRatioOf(all: readonly Pick<TraderFigures, 'daily' | 'startingBalance'>[]): number | null {
  const days = dailyPnlOf(all.flatMap(({ daily }) => daily));
  const startingBalance = all.reduce((sum, each) => sum + Number(each.startingBalance), 0);
  return sharpeOf(dailyReturns(days, startingBalance));
}
