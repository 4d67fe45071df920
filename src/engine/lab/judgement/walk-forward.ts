import { momentsOf } from './moments.ts';

/** What choosing the best of one stretch would have brought in the next, again and again. */
export interface WalkForward {
  steps: number; // stretches after the first choice
  chosenProfit: number; // of the chosen ones in the stretches they were chosen on, for each period; fraction of the starting balance
  nextProfit: number; // of the same ones in the stretches that followed
  efficiency: number | null; // nextProfit / chosenProfit; null where nothing was won before
  won: number; // stretches that followed and ended with a profit
  windows: WalkWindow[]; // one for each step, in their sequence
}

/** One choice, and what came after it; means for each period, fractions of the starting balance. */
export interface WalkWindow {
  chosen: number; // of the chosen one in the stretch it was chosen on
  next: number; // of the same one in the stretch that followed
}

/** So many stretches the time is cut into; each but the first follows a choice. */
const stretches = 6;

/** A rolling choice looks at so many stretches. */
const rollingStretches = 2;

/**
 * Walks through the time: of all tries the one with the best Sharpe ratio so far is taken into the next stretch. Anchored choices look back to the beginning,
 * rolling ones over the two stretches before.
 *
 * It chooses among the tries of the study and searches for no others; where a model proposed them, it had seen the whole time.
 *
 * Shape:  for each try its returns, all of the same length; null with too few of them
 * Source: R. Pardo, "The Evaluation and Optimization of Trading Strategies" (2008), chapter 11, for the efficiency
 */
export function walkForward(tries: readonly Float64Array[], kind: 'anchored' | 'rolling'): WalkForward | null {
  const length = tries[0]?.length ?? 0;
  const rows = Math.floor(length / stretches);
  if (tries.length === 0 || rows < 5) return null;
  const first = kind === 'anchored' ? 1 : rollingStretches;
  let chosenProfit = 0;
  let chosenPeriods = 0;
  let nextProfit = 0;
  let nextPeriods = 0;
  let won = 0;
  const windows: WalkWindow[] = [];
  for (let step = first; step < stretches; step++) {
    const from = kind === 'anchored' ? 0 : (step - rollingStretches) * rows;
    const now = step * rows;
    const to = step === stretches - 1 ? length : now + rows;
    const best = bestOf(tries, from, now);
    const profit = sumOf(best, now, to);
    const chosen = sumOf(best, from, now);
    windows.push({ chosen: chosen / (now - from), next: profit / (to - now) });
    chosenProfit += chosen;
    chosenPeriods += now - from;
    nextProfit += profit;
    nextPeriods += to - now;
    if (profit > 0) won += 1;
  }
  const before = chosenProfit / chosenPeriods;
  const after = nextProfit / nextPeriods;
  return {
    steps: stretches - first,
    chosenProfit: before,
    nextProfit: after,
    efficiency: before > 0 ? after / before : null,
    won,
    windows,
  };
}

function bestOf(tries: readonly Float64Array[], from: number, to: number): Float64Array {
  let best = tries[0];
  let highest = -Infinity;
  for (const returns of tries) {
    const { sharpe } = momentsOf(returns.subarray(from, to));
    if (sharpe > highest) [best, highest] = [returns, sharpe];
  }
  return best;
}

function sumOf(returns: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += returns[i];
  return sum;
}
