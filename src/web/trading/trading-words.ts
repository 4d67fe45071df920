import type { TradingState, TradingSwitch } from '../live/use-trading-state.ts';

/** What each state of the kill switch does, for people. */
export const stateTexts: Readonly<Record<TradingState, string>> = {
  active: 'Bots trade as configured.',
  reducing: 'No new entries. Waiting entry orders are cancelled. Exits and stops continue.',
  halted: 'No new orders but stops. Open trades stay open until their stops are reached or somebody closes them.',
};

/** What closing everything does, for people. */
export const closeAllText =
  'No new orders but those that close. Waiting orders are cancelled, stops too, and every open trade is closed at market price. Nothing trades until it is re-armed.';

/** A step of the kill switch as people see it. */
export type TradingStep = TradingState | 'closing' | 'closed';

/** The step that a switch stands at. */
export function stepOf({ state, closing_all: closing }: Pick<TradingSwitch, 'state' | 'closing_all'>): TradingStep {
  if (closing === null) return state;
  return closing.open === 0 ? 'closed' : 'closing';
}

/** 'is' or 'are' */
export function isAre(number: number): string {
  return number === 1 ? 'is' : 'are';
}

/** '1 bot', '3 open trades' */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Whose trading a switch is about, as the start of a sentence. */
export function whose({ level, name }: Pick<TradingSwitch, 'level' | 'name'>, isOwn: boolean): string {
  if (level === 'server') return 'Whole server';
  if (level === 'bot') return `Bot ${name ?? ''}`;
  return isOwn ? 'Your bots' : (name ?? '');
}

/** Who or what has set a switch; `unknown` where that is not said. */
export function setterOf({ reason, set_by: setBy }: Pick<TradingSwitch, 'reason' | 'set_by'>, unknown: string): string {
  if (reason === 'daily-loss') return 'the daily loss limit';
  if (reason === 'difference') return 'a difference between the account and the trades';
  return reason === 'drawdown' ? 'the drawdown limit' : (setBy ?? unknown);
}
