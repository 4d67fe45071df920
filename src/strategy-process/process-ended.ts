import { StrategyError } from './strategy-error.ts';

/** A question has ended its process: by no answer in time, by one that nobody can read, or by whatever else the strategy has done. */
export class ProcessEnded extends StrategyError {}
