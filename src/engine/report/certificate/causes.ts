import type { PartName } from './split-difference.ts';

/** What a trade or an exit that only one side has came of. */
export interface Cause {
  part: PartName;
  why: string; // a gate, or a name of `otherCauses`
}

/** Causes that are no gates, each in words. */
const otherCauses: Readonly<Record<string, [part: PartName, words: string]>> = {
  'by-hand': ['intervention', 'a person traded by hand'],
  'closed-by-person': ['intervention', 'a person or the kill switch closed it'],
  'exchange-failed': ['intervention', 'the exchange did not take the exit in time'],
  'not-running': ['intervention', 'the bot was not running then'],
  'refused-order': ['intervention', 'the exchange refused the order'],
  'not-filled': ['amount', 'the order was not filled'],
  'not-filled-in-backtest': ['amount', 'the order was filled in the account alone'],
  'ordered-before': ['delay', 'ordered before the day, filled on it'],
  'left-at-another-time': ['delay', 'the exit came at another time'],
  'other-candles': ['data', 'the candles were corrected after the day'],
  'other-decision': ['decision', 'the decision differs on the same candles'],
  'no-record': ['unexplained', 'its decision is not on record'],
  'no-rule': ['unexplained', 'nothing on record says why'],
};

/**
 * What each gate says: a person, a limit, another bot of the account or the exchange kept the bot from it (intervention); or what went
 * before left its traces: another trade was still open (delay), or the money was another (amount).
 */
const gates: Readonly<Record<string, [part: PartName, words: string]>> = {
  'strategy-failed': ['intervention', 'the strategy gave no answer'],
  'stale-candle': ['intervention', 'the candle came too late'],
  'expired-signal': ['intervention', 'the signal had expired'],
  'no-price': ['intervention', 'no price came'],
  'account-differs': ['intervention', 'the account held less than the trade'],
  halted: ['intervention', 'the kill switch was pressed'],
  reducing: ['intervention', 'the kill switch was pressed'],
  stopped: ['intervention', 'the bot was stopped'],
  paused: ['intervention', 'the bot was paused'],
  'pair-locked': ['intervention', 'a person had locked the pair'],
  'opposite-position': ['intervention', 'the account held the opposite direction, for another bot or for no bot'],
  'other-leverage': ['intervention', 'another bot of the account held it with another leverage or margin mode'],
  'has-open-trade': ['delay', 'an earlier trade was still open'],
  'slots-full': ['delay', 'other trades were still open'],
  locked: ['delay', 'the pair rested after another trade'],
  'exit-not-profitable': ['delay', 'the exit would have made a loss'],
  'refused-by-strategy': ['delay', 'the strategy refused it at its price'],
  'insufficient-balance': ['amount', 'the balance was too low'],
  'stake-too-large': ['amount', 'the stake was too large'],
  'stake-too-small': ['amount', 'the stake was too small'],
  'amount-too-small': ['amount', 'the amount was too small'],
};

/** The cause of a name of `otherCauses`. */
export function cause(why: keyof typeof otherCauses): Cause {
  return { part: otherCauses[why]?.[0] ?? 'unexplained', why };
}

/** The cause that a gate is; null for one that refuses nothing. */
export function causeOfGate(gate: string): Cause | null {
  if (gate.startsWith('limit-')) return { part: 'intervention', why: gate };
  const known = gates[gate];
  return known === undefined ? null : { part: known[0], why: gate };
}

/** A cause in words, to stand after a colon. */
export function causeWords(why: string): string {
  if (why.startsWith('limit-')) return `the limit ${why.slice(6).replaceAll('-', ' ')} refused it`;
  return (gates[why] ?? otherCauses[why])?.[1] ?? why.replaceAll('-', ' ');
}

/** Exit reasons that no backtest has: what they come of. */
const outsideExits: Readonly<Record<string, string>> = {
  force_exit: 'closed-by-person',
  manual_partial_exit: 'by-hand',
  sold_on_exchange: 'by-hand',
  emergency_exit: 'exchange-failed',
};

/** What an exit came of that a person or the exchange has made; null for one of the bot. */
export function causeOfExit(reason: string): Cause | null {
  const why = outsideExits[reason];
  return why === undefined ? null : cause(why);
}
