import type { Step } from './execution.ts';
import { pairMemory } from './state.ts';

/** Prices older than this are not acted upon; the next ones are waited for. In ms. */
export const viewMaxAgeMs = 10_000;

/** The newest price of a symbol; null where it is not fresh, or none is known yet. */
export function freshPrice({ state, time }: Step, symbol: string): number | null {
  const { view } = pairMemory(state, symbol);
  return view !== null && time - view.time <= viewMaxAgeMs ? view.last : null;
}
