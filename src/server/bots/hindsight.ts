import { hindsightOvertaken } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import type { HindsightAnswer, HindsightFigures } from '#engine/report/hindsight.ts';
import { effectiveSettings } from '#engine/settings/effective-settings.ts';
import type { StrategyValues } from '#engine/settings/own-settings.ts';
import { capitalAfter } from '#storage/trades/capital.ts';
import { strategyValues } from '#storage/strategies/strategy-values.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import type { BotTrading } from './bot-trading.ts';
import { changedTrading, firstCapital, knownOf, newTrading, refuseUnofferedChange, strategyOf } from './bot-trading.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import { refuseUnoffered, refuseUnofferedTimeframe } from '../exchanges/offered.ts';
import { findCode } from '#storage/strategies/strategy-code.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { usableStrategy } from '../calls/seen-strategy.ts';
import { refuseUnrunnableVersion } from './strategy-on-market.ts';
import { untilGone } from './until-gone.ts';
import { ownBot } from './visible-bots.ts';

type Reply = CallReply<'botHindsight'>;

/** What the settings of a bot would have done over the last 30 days, before they are saved. */
export function hindsightHandlers(dependencies: ServerDependencies): Pick<Handlers, 'newBotHindsight' | 'botHindsight'> {
  const { db, markets } = dependencies;

  const ask = async (
    { userId, isGone }: { userId: string; isGone: () => boolean },
    strategy: StrategyView,
    codeId: string | null,
    trading: BotTrading & { startingBalance: string },
  ): Promise<Reply> => {
    const code = codeId === null ? null : await findCode(db, codeId);
    const { timeframe } = effectiveSettings<StrategyValues>(trading.ownSettings, strategyValues(strategy));
    const answer = await untilGone(isGone, (signal) => dependencies.askHindsight({ userId, bot: trading, strategy, code }, signal));
    return toReply(answer, { ...trading, timeframe: timeframe as StrategyTimeframe });
  };

  return {
    async newBotHindsight({ body, caller, isGone }) {
      const strategy = await usableStrategy(db, caller, body.strategy_id);
      const trading = newTrading(body, knownOf(strategy));
      await refuseUnoffered(markets, trading, strategy.supportedExchanges);
      const timeframe = trading.ownSettings.timeframe ?? strategy.defaultTimeframe;
      await refuseUnofferedTimeframe(markets, trading, timeframe);
      await refuseUnrunnableVersion(dependencies, strategy.codeId, { ...trading, timeframe });
      return ask({ userId: caller.id, isGone }, strategy, strategy.codeId, { ...trading, startingBalance: firstCapital(body) });
    },

    async botHindsight({ body, caller, params, isGone }) {
      const bot = await ownBot(db, caller, params.id);
      const trading = changedTrading(bot, body, knownOf(bot));
      await refuseUnofferedChange(dependencies, bot, trading);
      const startingBalance = await capitalAfter(db, bot, { ...trading, mode: bot.mode });
      return ask({ userId: caller.id, isGone }, await strategyOf(db, bot.strategyId), bot.codeId, { ...trading, startingBalance });
    },
  };
}

type Asked = Pick<BotTrading, 'exchangeId' | 'stakeCurrency'> & { timeframe: StrategyTimeframe };

function toReply(answer: HindsightAnswer, asked: Asked): Reply {
  switch (answer.state) {
    case 'overtaken':
      throw new HttpError(409, hindsightOvertaken);
    case 'unavailable':
      return { state: 'unavailable', why: answer.why, figures: null };
    case 'downloading':
      return { state: 'downloading', why: `The candles of ${answer.ready} of ${answer.pairs} pairs are there.`, figures: null };
    case 'done':
      return { state: 'done', why: null, figures: figuresReply(answer.figures, asked) };
  }
}

function figuresReply(figures: HindsightFigures, { exchangeId, stakeCurrency, timeframe }: Asked): NonNullable<Reply['figures']> {
  return {
    from: figures.from,
    to: figures.to,
    exchange_id: exchangeId,
    stake_currency: stakeCurrency,
    timeframe,
    starting_balance: figures.startingBalance,
    profit: figures.profit,
    profit_ratio: figures.profitRatio,
    trades: figures.trades,
    win_rate: figures.winRate,
    drawdown_ratio: figures.drawdownRatio,
    fee_ratio: figures.feeRatio,
    no_trades: figures.noTrades,
    stopped: figures.stopped,
    paused_at: figures.pausedAt,
    equity: figures.equity,
  };
}
