import type { Trade } from '#engine/account/trade.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { BotState } from '#engine/bot/state.ts';
import { botState } from '#engine/bot/state.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { StoredBot } from '#storage/running-bots.ts';
import type { BotFacts, BotSums } from './step-writes.ts';

/** What a bot continues with: the state its engine had when it was last written, and what the runner knows beside it. */
export interface StoredState {
  state: BotState;
  sums: BotSums;
  facts: BotFacts;
  confidences: Map<number, number | null>; // of the open trades, by number
}

/** Reads what was written of a bot back into what it was. */
export function storedState(stored: StoredBot, settings: TradingSettings, timeframe: Timeframe): StoredState {
  const { bot } = stored;
  const trades = stored.openTrades as unknown as (Trade & { confidence: number | null })[];
  const state = botState({
    botId: bot.id,
    timeframe,
    settings,
    status: bot.status,
    trades: trades.map(({ confidence: _confidence, ...trade }) => trade),
    closedProfit: Number(stored.closedProfit),
    consecutiveLosses: bot.consecutiveLosses,
    decidedCandleTimes: stored.decidedCandleTimes,
    ...(stored.memory as Partial<BotState> | null),
  });
  return {
    state,
    sums: { profit: Number(stored.closedProfit), fees: Number(stored.totalFees), wins: stored.wins, trades: stored.closedTrades },
    facts: {
      botId: bot.id,
      nickname: bot.nickname,
      ownerEmail: stored.ownerEmail,
      mode: stored.mode,
      epoch: bot.epoch,
      startingBalance: bot.startingBalance,
    },
    confidences: new Map(trades.map(({ id, confidence }) => [id, confidence])),
  };
}
