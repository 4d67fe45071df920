import { luckiestSharpe, probabilityOfSkill } from './deflated-sharpe.ts';
import { medianOf, type Moments, momentsOf } from './moments.ts';
import { type Overfitting, overfittingOf } from './overfitting.ts';
import { type WalkForward, walkForward } from './walk-forward.ts';

/** How many tries there were, and how their Sharpe ratios for one day were spread. Plain data; those of several studies can be added up. */
export interface Tries {
  count: number;
  mean: number;
  squares: number; // sum of the squared distances from the mean
}

/** No tries. */
export const noTries: Tries = { count: 0, mean: 0, squares: 0 };

/** The tries with these daily profits. */
export function triesOf(daily: readonly Float64Array[]): Tries {
  return daily.reduce((tries, days) => addTries(tries, { count: 1, mean: momentsOf(days).sharpe, squares: 0 }), noTries);
}

/** Two lots of tries together. Source: T. Chan, G. Golub and R. LeVeque, "Updating Formulae and a Pairwise Algorithm" (1979) */
export function addTries(a: Tries, b: Tries): Tries {
  const count = a.count + b.count;
  if (count === 0) return noTries;
  const distance = b.mean - a.mean;
  return {
    count,
    mean: a.mean + (distance * b.count) / count,
    squares: a.squares + b.squares + (distance ** 2 * a.count * b.count) / count,
  };
}

/** What luck alone would show. Sharpe ratios are for a year of 365 days. */
export interface Luck {
  tries: number; // on this data, earlier studies included
  sharpe: number; // of the epoch that is judged
  luckiest: number; // expected of the best of so many tries without any skill
  probability: number; // that there is skill behind it all the same: the deflated Sharpe ratio
}

/** Whether those beside an epoch are as good. */
export interface Neighbourhood {
  count: number;
  medianProfitRatio: number; // of the starting balance
  isPlateau: boolean; // the median keeps at least half of the profit
}

/** Compares the tries with what luck alone would show. */
export function luckOf(daily: Float64Array, tries: Tries): Luck {
  return luckOfMoments(momentsOf(daily), tries);
}

/** The same from the moments of the daily profits. */
export function luckOfMoments(moments: Moments, tries: Tries): Luck {
  const variance = tries.count < 2 ? 0 : tries.squares / (tries.count - 1);
  const luckiest = luckiestSharpe(tries.count, variance);
  const year = Math.sqrt(365);
  return {
    tries: tries.count,
    sharpe: moments.sharpe * year,
    luckiest: luckiest * year,
    probability: probabilityOfSkill(moments, luckiest),
  };
}

/** What all epochs of a study together say about choosing the best of them. */
export interface ChoiceJudgement {
  overfitting: Overfitting | null;
  anchored: WalkForward | null;
  rolling: WalkForward | null;
}

/** Judges the choice among tries by their daily profits. */
export function judgeChoice(daily: readonly Float64Array[]): ChoiceJudgement {
  return { overfitting: overfittingOf(daily), anchored: walkForward(daily, 'anchored'), rolling: walkForward(daily, 'rolling') };
}

/** What the neighbours of an epoch say about it; null without any. */
export function neighbourhoodOf(profitRatio: number, neighbours: readonly number[]): Neighbourhood | null {
  if (neighbours.length === 0) return null;
  const medianProfitRatio = medianOf(neighbours);
  return { count: neighbours.length, medianProfitRatio, isPlateau: medianProfitRatio > 0 && medianProfitRatio >= profitRatio / 2 };
}
