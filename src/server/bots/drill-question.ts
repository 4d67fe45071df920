import type { BotView } from '#storage/bots/bots.ts';
import type { DrillAnswer } from '#storage/bots/drills.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';

/** A drill is asked for with this: the settings of a bot over those of its strategy. */
export interface DrillQuestion {
  bot: BotView;
  strategy: StrategyView;
  seed: number;
}

/** Runs a drill; `signal` ends it when nobody waits any more. */
export type AskDrill = (question: DrillQuestion, signal: AbortSignal) => Promise<DrillAnswer>;
