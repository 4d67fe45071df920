import type { StrategyTimeframe } from '#contract/strategies.ts';
import { performanceOf } from '#engine/report/performance.ts';
import { listBotsOfStrategy } from '#storage/bots.ts';
import { numberOrNull } from '#storage/number-or-null.ts';
import { findStrategyById, listStrategies } from '#storage/strategies.ts';
import { closedTradesOfStrategy } from '#storage/trades.ts';
import type { Handlers } from './call.ts';
import { seesAllBots } from './caller.ts';
import { HttpError } from './http-error.ts';
import type { ServerParts } from './parts.ts';

/** The strategies, how their trades went, and who uses them. */
export function strategyHandlers({ db }: ServerParts): Pick<Handlers, 'listStrategies' | 'strategyPerformance' | 'strategyBots'> {
  const botsOf = async (strategyId: string) => {
    if ((await findStrategyById(db, strategyId)) === null) throw new HttpError(404, 'Strategy not found');
    return listBotsOfStrategy(db, strategyId);
  };

  return {
    async strategyPerformance({ params }) {
      const bots = await botsOf(params.id);
      const closed = await closedTradesOfStrategy(db, params.id);
      const startingBalance = bots.reduce((sum, bot) => sum + Number(bot.startingBalance), 0);
      const figures = performanceOf(
        closed.map(({ closedAt, profit }) => ({ closeTime: closedAt.getTime(), profit: Number(profit) })),
        { startingBalance, unrealizedPnl: 0 },
      );
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
      const bots = (await botsOf(params.id)).filter((bot) => seesAllBots(caller) || bot.userId === caller.id);
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

    async listStrategies() {
      const strategies = await listStrategies(db);
      return {
        strategies: strategies.map((strategy) => ({
          id: strategy.id,
          name: strategy.name,
          description: strategy.description,
          strategy_class_name: strategy.className,
          supported_exchanges: strategy.supportedExchanges,
          default_timeframe: strategy.defaultTimeframe as StrategyTimeframe,
          stoploss: Number(strategy.stoploss),
          trailing_stop: strategy.trailingStop,
          trailing_stop_positive: numberOrNull(strategy.trailingStopPositive),
          trailing_stop_positive_offset: numberOrNull(strategy.trailingStopPositiveOffset),
          trailing_only_offset_is_reached: strategy.trailingOnlyOffsetIsReached,
          max_consecutive_losses: strategy.maxConsecutiveLosses,
          risk_reward_ratio: numberOrNull(strategy.riskRewardRatio),
          minimal_roi: strategy.minimalRoi,
          order_types: strategy.orderTypes,
          order_time_in_force: strategy.orderTimeInForce,
          // No call sets them yet, so there is nothing to unseal; they are never sent as they lie in the database.
          encrypted_webhook: null,
          encrypted_sheets_key: null,
        })),
      };
    },
  };
}
