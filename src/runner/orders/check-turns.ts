import { minuteMs, secondMs } from '#engine/market/durations.ts';
import { orderTimes } from './order-times.ts';

/** How often an account is compared with the trades of its bots, in ms. */
const checkMs = minuteMs;

/**
 * From a comparison that found a difference to the next, which says whether it counts, in ms. By then every order that waits at the
 * exchange has been asked about: a stop that was filled without a word of the user stream is booked, and no difference.
 */
const secondLookMs = orderTimes.checkOpen + 10 * secondMs;

/** In so many rounds, ten a second, all have their turn, also when all are due at once. */
const rounds = 300;

/** Of all accounts those whose turn it is now, the longest due first; their next turn is a minute later. */
export function takeTurns<Account extends { checkAt: number }>(accounts: ReadonlySet<Account>, now: number): Account[] {
  const due = [...accounts].filter(({ checkAt }) => checkAt <= now).toSorted((a, b) => a.checkAt - b.checkAt);
  const taken = due.slice(0, Math.ceil(accounts.size / rounds));
  for (const account of taken) account.checkAt = now + checkMs;
  return taken;
}

/** When an account that is opened now has its first turn. */
export function firstTurn(now: number): number {
  return now + checkMs;
}

/** When an account in which a difference is found now has its next turn. */
export function secondTurn(now: number): number {
  return now + secondLookMs;
}
