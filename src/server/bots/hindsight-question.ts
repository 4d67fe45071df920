import type { Direction } from '#engine/market/direction.ts';
import type { HindsightAnswer } from '#engine/report/hindsight.ts';
import type { ReplayAnswer } from '#engine/report/refused-replay.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import type { BotTrading } from './bot-trading.ts';

/** What is asked: these settings over these of the strategy. A newer question of the same person ends this one. */
export interface HindsightQuestion {
  userId: string;
  bot: Omit<BotTrading, 'stakeCurrency'> & { startingBalance: string };
  strategy: StrategyView;
  code: StrategyCode | null; // what it runs; null for one that is part of the program
}

/** Says what settings would have done over the last 30 days; `signal` ends it when nobody waits any more. */
export type AskHindsight = (question: HindsightQuestion, signal: AbortSignal) => Promise<HindsightAnswer>;

/** What is asked of refused entries: what they would have become with these settings. */
export interface ReplayQuestion extends HindsightQuestion {
  refused: readonly { symbol: string; candleTime: number; decidedAt: number; direction: Direction; tag: string | null }[];
}

/** Says what refused entries would have become; `signal` ends it when nobody waits any more. */
export type AskReplay = (question: ReplayQuestion, signal: AbortSignal) => Promise<ReplayAnswer>;
