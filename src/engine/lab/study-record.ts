import type { KeptInstrument } from '../market/kept-instrument.ts';
import type { BotOfBacktest } from '../settings/bot-of-backtest.ts';
import type { SpaceName } from './dimension.ts';
import type { EpochFigures } from './epoch-figures.ts';
import type { ChoiceJudgement, Neighbourhood } from './judgement/judgement.ts';
import type { LossName } from './losses.ts';
import type { StudyPlan } from './study.ts';
import type { StudyRange } from './study-range.ts';

/** How far a study is: waiting for its first worker, trying, judging its best, or ended. */
export const studyStatuses = ['queued', 'running', 'judging', 'done', 'cancelled', 'failed'] as const;
/** One of them. */
export type StudyStatus = (typeof studyStatuses)[number];

/** What a study tries, and what it makes small. Plain data, it survives JSON. */
export interface StudySearch extends StudyPlan {
  spaces: readonly SpaceName[];
  loss: LossName;
  minTrades: number;
  sealedShare: number | null; // the last part of the time that is kept out of it
}

/** What all epochs of a study run on: each of its workers takes it from here. Plain data, it survives JSON. */
export interface StudyGround {
  range: StudyRange;
  sealed: StudyRange | null;
  until: number; // end of the candles that are loaded, ms
  settings?: Pick<BotOfBacktest, 'values' | 'parameters'>; // of the strategy, as they were; none where a bot's are taken, and in studies of before they were kept
  instruments: readonly KeptInstrument[]; // those of its pairs that have candles, in the order of the plan
  candles: string; // a hash of them: other candles would be another study
  series: readonly { symbol: string; timeframe: string; kind: string }[]; // that a strategy in Python reads besides
  notes: readonly string[]; // what there is to say of the strategy or the candles
  configured: Pick<EpochFigures, 'trades' | 'profit' | 'profitRatio' | 'maxDrawdownRatio'>; // with nothing turned
  marketChange: number; // of the pairs held in equal parts over the same time
}

/** How far the best epoch of a study can be trusted, beside luck, which later studies change. Plain data, it survives JSON. */
export interface StudyJudgement extends ChoiceJudgement {
  epoch: number;
  neighbourhood: Neighbourhood | null;
  doubledFees: EpochFigures | null;
  delayedSignals: EpochFigures | null;
}
