import { isDollar } from '#engine/market/dollars.ts';
import { performanceOf } from '#engine/report/performance.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { listBotsOfStrategy } from '#storage/bots/bots.ts';
import { listSeenStrategies } from '#storage/strategies/seen-strategies.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import type { StrategyTrade } from '#storage/trades/trades.ts';
import { closedTradesOfStrategy } from '#storage/trades/trades.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { seesAllBots } from '../calls/caller.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { noSecrets, toStrategyReply } from './strategy-reply.ts';
import { seenStrategy, strategyReader } from '../calls/seen-strategy.ts';
import { shownSecrets } from './strategy-secrets.ts';

/** The strategies, how their trades went, and who uses them. */
export function strategyHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'listStrategies' | 'strategyPerformance' | 'strategyBots'> {
  const { db } = dependencies;
  const botsOf = async (caller: Caller, strategyId: string) => {
    await seenStrategy(db, caller, strategyId);
    return listBotsOfStrategy(db, strategyId);
  };

  return {
    async strategyPerformance({ caller, params }) {
      const bots = await botsOf(caller, params.id);
      const [first, ...others] = (await closedTradesOfStrategy(db, params.id)).map(({ mode, trades }) => ({
        mode,
        ...figuresOf(
          trades,
          bots.filter((bot) => tradeModeOf(bot) === mode),
        ),
      }));
      return { ...(first ?? figuresOf([], [])), other_modes: others };
    },

    async strategyBots({ caller, params }) {
      const bots = (await botsOf(caller, params.id)).filter(
        (bot) => bot.archivedAt === null && (seesAllBots(caller) || bot.userId === caller.id),
      );
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
      const [strategies, secrets] = await Promise.all([listSeenStrategies(db, strategyReader(caller)), shownSecrets(dependencies, caller)]);
      return { strategies: strategies.map((view) => toStrategyReply(view, secrets.get(view.id) ?? noSecrets)) };
    },
  };
}

/** What closed trades come to; `bots`: those of their mode. */
function figuresOf(closed: readonly StrategyTrade[], bots: readonly BotView[]) {
  // As in the fund and the report: trades in other currencies than dollars are won, lost and counted, and bring no money.
  const inDollars = closed.map(({ closeTime, profit, isDollar: isCounted }) => ({ closeTime, profit: isCounted ? profit : 0 }));
  const startingBalance = bots.reduce((sum, bot) => sum + (isDollar(bot.stakeCurrency) ? Number(bot.startingBalance) : 0), 0);
  const figures = performanceOf(inDollars, { startingBalance, unrealizedPnl: 0 });
  const won = closed.filter(({ profit }) => profit > 0).length;
  return {
    total_pnl: figures.realizedPnl,
    sharpe_ratio: figures.sharpeRatio,
    win_rate: closed.length === 0 ? 0 : won / closed.length,
    total_trades: figures.totalTrades,
    winning_trades: won,
    losing_trades: closed.filter(({ profit }) => profit < 0).length,
    max_drawdown: figures.maxDrawdown,
    daily_pnl: figures.dailyPnl.map(({ dayTime, pnl }) => ({ date: new Date(dayTime).toISOString().slice(0, 10), pnl })),
    leaves_out: closed.some(({ isDollar: isCounted }) => !isCounted),
  };
}
