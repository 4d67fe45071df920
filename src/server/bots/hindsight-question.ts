import type { HindsightAnswer } from '#engine/report/hindsight.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import type { BotTrading } from './bot-trading.ts';

/** What is asked: these settings over these of the strategy. A newer question of the same person ends this one. */
export interface HindsightQuestion {
  userId: string;
  bot: Omit<BotTrading, 'stakeCurrency'> & { startingBalance: string };
  strategy: StrategyView;
}

/** Says what settings would have done over the last 30 days; `signal` ends it when nobody waits any more. */
export type AskHindsight = (question: HindsightQuestion, signal: AbortSignal) => Promise<HindsightAnswer>;
