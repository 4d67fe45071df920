import type { CallbackFailure } from './python-strategy.ts';

/** What there is to say of callbacks that failed in a backtest. */
export function failureNotes(strategyName: string, failures: readonly CallbackFailure[]): string[] {
  return failures.map(({ callback, count, first }) => {
    const times = count === 1 ? 'once' : `${count} times`;
    return `${strategyName}: the callback ${callback} failed ${times}, and freqtrade’s answer for that counted; first: ${first}`;
  });
}
