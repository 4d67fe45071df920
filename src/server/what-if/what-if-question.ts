import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { WhatIfTerms } from '#engine/lab/what-if/terms.ts';
import type { WhatIfAnswer } from '#engine/lab/what-if/what-if-answer.ts';
import type { BacktestView } from '#storage/backtests/backtests.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { StrategyCode } from '#storage/strategies/strategy-code.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';

/** What is replayed: a run that has ended, with the opening times of its first and its last candle, or a bot over its last days. */
export type ReplaySubject = { strategy: StrategyView; code: StrategyCode | null } & (
  | { run: BacktestView; first: number; last: number }
  | { bot: BotView; days: number; to: number | null } // the end of the range; null: now
);

/** What a run or a bot really has, or why it cannot be replayed, a sentence. */
export type TermsFound = { terms: WhatIfTerms } | { why: string };

/** What is asked of the server: what terms come to with changes. */
export interface WhatIfQuestion {
  userId: string; // a newer question of the same person ends this one
  className: string;
  code: StrategyCode | null;
  terms: WhatIfTerms;
  changes: WhatIfChanges;
  fingerprinted: number | null;
}

/** Replays with other settings, as the server makes them. */
export interface WhatIfReplays {
  terms: (subject: ReplaySubject) => Promise<TermsFound>;
  answer: (question: WhatIfQuestion, signal: AbortSignal) => Promise<WhatIfAnswer>;
}
