import { StrategyError } from './strategy-error.ts';

/** A process has ended before it was a question's turn: that was another question's fault, and the same may be asked again. */
export class NotAsked extends StrategyError {}
