import type { OrderFailures } from '#engine/account/trade.ts';
import { endExitRest } from '#engine/bot/exit-failures.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { BotState } from '#engine/bot/state.ts';
import { fromStored } from '#engine/bot/stored-state.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { StoredBot } from '#storage/bots/running-bots.ts';
import type { BotFacts, BotSums } from './step-writes.ts';

/** What a bot continues with: the state its engine had when it was last written, and what the runner knows beside it. */
export interface StoredState {
  state: BotState;
  sums: BotSums;
  facts: BotFacts;
  confidences: Map<number, number | null>; // of the open trades, by number
}

/** Reads what was written of a bot back into what it was. Fails: StoredStateError with one sentence */
export function storedState(
  stored: StoredBot,
  settings: TradingSettings,
  timeframe: Timeframe,
  timeInForce: BotFacts['timeInForce'],
): StoredState {
  const { bot } = stored;
  const identity = {
    botId: bot.id,
    timeframe,
    settings,
    status: bot.status,
    tradingState: stored.tradingState,
    closedProfit: Number(stored.closedProfit),
    consecutiveLosses: bot.consecutiveLosses,
    decidedCandleTimes: stored.decidedCandleTimes,
  };
  const state = fromStored(identity, stored.memory, stored.openTrades);
  // Order numbers continue through all modes: an order's id must be the bot's only one of that name.
  state.nextOrderNumber = Math.max(state.nextOrderNumber, stored.nextOrderNumber);
  // Whoever has changed the bot since may have mended why its stops or exits failed: they are tried again at once.
  for (const trade of state.trades) {
    const isOld = (failures: OrderFailures | undefined): boolean => failures !== undefined && failures.last < bot.updatedAt.getTime();
    if (isOld(trade.stopFailures)) delete trade.stopFailures;
    if (isOld(trade.exitFailures)) endExitRest(state, trade);
  }
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
      stakeCurrency: bot.stakeCurrency,
      imported: stored.imported,
      timeInForce,
      versions: { bot: bot.version, strategy: stored.strategy.version },
    },
    confidences: new Map(state.trades.map(({ id }, i) => [id, confidenceOf(stored.openTrades[i])])),
  };
}

/** How sure the strategy was when it entered, from 0 to 1; the engine's trade does not know it. */
function confidenceOf(stored: Readonly<Record<string, unknown>> | undefined): number | null {
  const confidence = stored?.['confidence'];
  return typeof confidence === 'number' ? confidence : null;
}
