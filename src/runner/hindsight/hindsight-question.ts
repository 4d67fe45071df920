import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { StrategyTerms } from '#storage/strategies/strategy-values.ts';
import type { BotTerms } from '../bots/bot-settings.ts';

/** What settings would have done over the last 30 days is asked with this. */
export interface HindsightQuestion {
  userId: string; // a newer question of the same person ends this one
  bot: BotTerms & { symbols: readonly string[] };
  strategy: StrategyTerms & { className: string };
  code: StrategyCode | null; // what it runs; null for one that is part of the program
}
