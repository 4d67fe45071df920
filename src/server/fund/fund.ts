import { dayMs } from '#engine/market/durations.ts';
import { dailyPnlOf } from '#engine/report/performance.ts';
import type { StrategyResult } from '#storage/fund/fund.ts';
import { capitalByStrategy, hasOtherCapital, resultsByStrategy } from '#storage/fund/fund.ts';
import { traderFigures, type TraderFigures } from '#storage/fund/trader-figures.ts';
import type { Handlers } from '../calls/call.ts';
import { roiPercentOf, sharpeRatioOf } from './investors.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

const listLength = 5;
const historyDays = 365;
const allLive = { traderId: null, mode: 'live', start: null, end: null } as const;

/** All money under management: what live bots hold and have earned, and how paper trades went. */
export function fundHandlers({ db }: ServerDependencies): Pick<Handlers, 'fundOverview'> {
  return {
    async fundOverview({ now }) {
      const [capital, otherCapital, results, live] = await Promise.all([
        capitalByStrategy(db),
        hasOtherCapital(db),
        resultsByStrategy(db),
        traderFigures(db, allLive),
      ]);
      const byStrategy = <T>(valueOf: (each: (typeof capital)[number]) => T) =>
        Object.fromEntries(capital.map((each) => [each.strategy, valueOf(each)]));
      const trades = sum(live.map((trader) => trader.trades));
      return {
        total_aum: sum(capital.map((each) => Number(each.capital))),
        strategy_allocation: byStrategy((each) => Number(each.capital)),
        leverage: byStrategy((each) => Number(each.leverage)),
        margin_mode: byStrategy((each) => (each.marginModes.length === 1 ? (each.marginModes[0] ?? 'mixed') : 'mixed')),
        bot_status: byStrategy((each) => (each.isActive ? 'active' : 'paused')),
        roi_percent: roiPercentOf({
          profit: String(profitOf(live)),
          startingBalance: String(sum(live.map((each) => Number(each.startingBalance)))),
        }),
        win_rate: trades === 0 ? 0 : sum(live.map(({ wins }) => wins)) / trades,
        sharpe_ratio: sharpeRatioOf(live),
        top_traders: live
          .filter(({ profit }) => Number(profit) > 0)
          .slice(0, listLength)
          .map(toTrader),
        bottom_traders: live
          .filter(({ profit }) => Number(profit) < 0)
          .reverse()
          .slice(0, listLength)
          .map(toTrader),
        pnl_history: historyOf(live, now),
        leaves_out: otherCapital || live.some(({ leavesOut }) => leavesOut),
        paper_trades: resultsReply(results.filter(({ mode }) => mode === 'paper')),
        testnet_trades: resultsReply(results.filter(({ mode }) => mode === 'testnet')),
      };
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const profitOf = (figures: readonly TraderFigures[]): number => sum(figures.map(({ profit }) => Number(profit)));
const toTrader = ({ traderId, email }: TraderFigures) => ({ id: traderId, email });

/** The profit of each UTC day of the last year, from the first day with a trade on. */
function historyOf(live: readonly TraderFigures[], now: Date): { date: string; pnl: number }[] {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const first = today - (historyDays - 1) * dayMs;
  return dailyPnlOf(
    live.flatMap(({ daily }) => daily),
    now.getTime(),
  )
    .filter(({ dayTime }) => dayTime >= first)
    .map(({ dayTime, pnl }) => ({ date: new Date(dayTime).toISOString().slice(0, 10), pnl }));
}

function resultsReply(results: readonly StrategyResult[]) {
  const count = sum(results.map(({ trades }) => trades));
  const added = sum(results.map(({ dollarTrades }) => dollarTrades));
  const profit = sum(results.map((each) => Number(each.profit)));
  const wins = sum(results.map((each) => each.wins));
  return {
    trade_count: count,
    cumulative_pnl: profit,
    win_rate: count === 0 ? 0 : wins / count,
    avg_pnl_per_trade: added === 0 ? 0 : profit / added,
    wins,
    losses: sum(results.map(({ losses }) => losses)),
    leaves_out: added < count,
    strategy_breakdown: Object.fromEntries(
      results.map((each) => [
        each.strategy,
        {
          trade_count: each.trades,
          total_pnl: Number(each.profit),
          wins: each.wins,
          losses: each.losses,
          win_rate: each.wins / each.trades,
        },
      ]),
    ),
  };
}
