import { performanceOf } from '#engine/report/performance.ts';
import { listBotsOfStrategy } from '#storage/bots/bots.ts';
import { findStrategyById, listStrategies } from '#storage/strategies/strategies.ts';
import { closedTradesOfStrategy } from '#storage/trades/trades.ts';
import type { Handlers } from '../calls/call.ts';
import { seesAllBots } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { noSecrets, toStrategyReply } from './strategy-reply.ts';
import { shownSecrets } from './strategy-secrets.ts';

/** The strategies, how their trades went, and who uses them. */
export function strategyHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'listStrategies' | 'strategyPerformance' | 'strategyBots'> {
  const { db } = dependencies;
  const botsOf = async (strategyId: string) => {
    if ((await findStrategyById(db, strategyId)) === null) throw new HttpError(404, 'Strategy not found');
    return listBotsOfStrategy(db, strategyId);
  };

  return {
    async strategyPerformance({ params }) {
      const bots = await botsOf(params.id);
      const closed = await closedTradesOfStrategy(db, params.id);
      const startingBalance = bots.reduce((sum, bot) => sum + Number(bot.startingBalance), 0);
      const figures = performanceOf(closed, { startingBalance, unrealizedPnl: 0 });
      return {
        total_pnl: figures.realizedPnl,
        sharpe_ratio: figures.sharpeRatio,
        win_rate: figures.winRate,
        total_trades: figures.totalTrades,
        winning_trades: figures.winningTrades,
        losing_trades: figures.losingTrades,
        max_drawdown: figures.maxDrawdown,
        daily_pnl: figures.dailyPnl.map(({ dayTime, pnl }) => ({ date: new Date(dayTime).toISOString().slice(0, 10), pnl })),
      };
    },

    async strategyBots({ caller, params }) {
      const bots = (await botsOf(params.id)).filter((bot) => bot.archivedAt === null && (seesAllBots(caller) || bot.userId === caller.id));
      return {
        bots: bots.map((bot) => ({
          id: bot.id,
          nickname: bot.nickname,
          status: bot.status,
          mode: bot.mode,
          exchange_id: bot.exchangeId,
          trading_pairs: bot.symbols,
        })),
      };
    },

    async listStrategies({ caller }) {
      const [strategies, secrets] = await Promise.all([listStrategies(db), shownSecrets(dependencies, caller)]);
      return { strategies: strategies.map((view) => toStrategyReply(view, secrets.get(view.id) ?? noSecrets)) };
    },
  };
}
