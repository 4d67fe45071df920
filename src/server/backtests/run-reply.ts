import { otherThanBot } from '#contract/backtests.ts';
import type { CallReply } from '#contract/client.ts';
import type { BotOfBacktest } from '#engine/settings/bot-of-backtest.ts';
import type { BacktestView } from '#storage/backtests/backtests.ts';
import { effectiveValues } from '#storage/bots/effective-values.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { effectiveParametersOf } from '../bots/bot-reply.ts';
import { ownBot } from '../bots/visible-bots.ts';
import type { Caller } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';

/** The caller's bot of this id with what it trades with now, and the version of what it runs. Fails: 403, 404, 409 when it trades something else */
export async function botOfRun(
  db: Database,
  caller: Caller,
  botId: string,
  run: Pick<BotView, 'strategyId' | 'exchangeId' | 'marketType'>,
): Promise<{ traded: BotOfBacktest; codeId: string | null }> {
  const bot = await ownBot(db, caller, botId);
  const isOther = bot.strategyId !== run.strategyId || bot.exchangeId !== run.exchangeId || bot.marketType !== run.marketType;
  if (isOther) throw new HttpError(409, otherThanBot);
  const { id, nickname, leverage, leverageMode, codeId } = bot;
  const traded = { id, nickname, leverage, leverageMode, values: effectiveValues(bot), parameters: effectiveParametersOf(bot).values };
  return { traded, codeId };
}

/** The bot of a run as it travels. */
export function botReply({
  id,
  nickname,
  leverage,
  leverageMode,
  values,
  parameters,
}: BotOfBacktest): NonNullable<CallReply<'backtestResults'>['results'][number]['bot']> {
  return {
    id,
    nickname,
    leverage: Number(leverage),
    leverage_mode: leverageMode,
    stoploss: values.stoploss,
    minimal_roi: values.minimalRoi,
    trailing_stop: values.trailingStop,
    trailing_stop_positive: values.trailingStopPositive,
    trailing_stop_positive_offset: values.trailingStopPositiveOffset,
    trailing_only_offset_is_reached: values.trailingOnlyOffsetIsReached,
    max_consecutive_losses: values.maxConsecutiveLosses,
    risk_reward_ratio: values.riskRewardRatio,
    order_types: values.orderTypes,
    order_time_in_force: values.orderTimeInForce,
    parameters,
  };
}

/** Whether a run has ended. */
export function isOver({ finishedAt }: Pick<BacktestView, 'finishedAt'>): boolean {
  return finishedAt !== null;
}

/** What is left of a phase if it continues as it began; null before it has begun to show. */
export function secondsLeft({ phaseStartedAt, progress }: Pick<BacktestView, 'phaseStartedAt' | 'progress'>, now: number): number | null {
  const done = Number(progress);
  const passedMs = phaseStartedAt === null ? 0 : now - phaseStartedAt.getTime();
  return done < 0.02 || passedMs < 2_000 ? null : Math.ceil((passedMs * (1 - done)) / done / 1000);
}
