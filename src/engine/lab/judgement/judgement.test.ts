import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../simulation/seeded-random.ts';
import { luckiestSharpe, probabilityOfSkill } from './deflated-sharpe.ts';
import { addTries, judgeChoice, luckOf, neighbourhoodOf, noTries, triesOf } from './judgement.ts';
import { momentsOf } from './moments.ts';
import { neighboursOf } from './neighbours.ts';
import { normalBelow, normalQuantile } from './normal.ts';
import { overfittingOf } from './overfitting.ts';
import { walkForward } from './walk-forward.ts';

/** Normal numbers by chance. Source: G. Box and M. Muller (1958) */
function normals(seed: number): () => number {
  const random = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Returns of tries without any skill: 1,000 days at a deviation of a hundredth. */
function returnsOf(seed: number, count: number, { mean = 0, days = 1_000 } = {}): Float64Array[] {
  const normal = normals(seed);
  return Array.from({ length: count }, () => Float64Array.from({ length: days }, () => mean + normal() / 100));
}

/** Moved so that each has exactly this mean over the whole time, as in the first test case of the paper on overfitting. */
function centred(tries: Float64Array[]): Float64Array[] {
  return tries.map((returns) => {
    const { mean } = momentsOf(returns);
    return returns.map((value) => value - mean);
  });
}

describe('the normal distribution', () => {
  test.each([
    // Source: the table of every textbook
    [0, 0.5],
    [1, 0.841344746],
    [1.959963985, 0.975],
    [-2.326347874, 0.01],
    [3.090232306, 0.999],
  ])('below %d lies %d', (x, probability) => {
    expect(normalBelow(x)).toBeCloseTo(probability, 8);
    expect(normalQuantile(probability)).toBeCloseTo(x, 7);
  });
});

describe('the deflated Sharpe ratio, by the worked example of its paper', () => {
  // D. Bailey and M. López de Prado (2014), "A Numerical Example": 1,250 daily returns, 250 a year, with a Sharpe ratio of 2.5 a year, a skewness of -3
  // and a kurtosis of 10; the variance of the tries is 1/2 a year.
  const found = { sharpe: 2.5 / Math.sqrt(250), skewness: -3, kurtosis: 10, count: 1_250 };
  const variance = 0.5 / 250;

  test('after 100 tries luck alone gives 0.1132 a day, and the deflated Sharpe ratio is 0.9004', () => {
    const luckiest = luckiestSharpe(100, variance);
    expect(luckiest).toBeCloseTo(0.1132, 4);
    expect(probabilityOfSkill(found, luckiest)).toBeCloseTo(0.9004, 4);
  });

  test('after 46 tries it is 0.9505; with normal returns as much after 88', () => {
    expect(probabilityOfSkill(found, luckiestSharpe(46, variance))).toBeCloseTo(0.9505, 4);
    expect(probabilityOfSkill({ ...found, skewness: 0, kurtosis: 3 }, luckiestSharpe(88, variance))).toBeCloseTo(0.9505, 4);
  });

  test('the luckiest of 100 is what the best of 100 without skill really shows, on average', () => {
    const best = Array.from({ length: 40 }, (_, i) =>
      Math.max(...returnsOf(i + 1, 100, { days: 250 }).map((each) => momentsOf(each).sharpe)),
    );
    const mean = best.reduce((sum, each) => sum + each, 0) / best.length;
    expect(luckiestSharpe(100, 1 / 250) / mean).toBeCloseTo(1, 1);
  });

  test('one try was not lucky among others', () => expect(luckiestSharpe(1, variance)).toBe(0));
});

describe('the probability of backtest overfitting', () => {
  test('it is 1 where whoever won one half must lose the other, as in test case 1 of its paper', () => {
    // Source: Bailey, Borwein, López de Prado, Zhu (2015), test case 1, and the vignette of the R package pbo, which finds p_bo = 1: 100 tries whose
    // mean over the whole time is 0
    const found = overfittingOf(centred(returnsOf(1, 100)), 8);
    expect(found).toMatchObject({ probability: 1, splits: 70, blocks: 8 });
  });

  test('it is near a half where nothing but chance is at work', () => {
    const mean = [1, 2, 3, 4, 5, 6].reduce((sum, seed) => sum + (overfittingOf(returnsOf(seed, 50), 8)?.probability ?? 0) / 6, 0);
    expect(mean).toBeGreaterThan(0.3);
    expect(mean).toBeLessThan(0.7);
  });

  test('it is 0 where one try is really better', () => {
    const tries = [...returnsOf(1, 50), ...returnsOf(2, 1, { mean: 0.003 })];
    expect(overfittingOf(tries, 16)).toMatchObject({ probability: 0, splits: 12_870, medianRank: 1 });
  });

  test('an example by hand: two tries, two blocks', () => {
    // In the first half A is better (1.5 and 0.5 against 0), in the second B: whoever is chosen is last.
    const a = [2, 1, -2, -1];
    const b = [-2, -1, 2, 1];
    expect(overfittingOf([a, b], 2)).toEqual({ probability: 1, splits: 2, blocks: 2, medianRank: 0 });
    // B is better in both: rank 2 of 2, which is above the middle.
    expect(overfittingOf([a, [3, 2, 3, 2]], 2)).toEqual({ probability: 0, splits: 2, blocks: 2, medianRank: 1 });
  });

  test('tries that are all the same are neither best nor worst', () => {
    const [one] = returnsOf(1, 1);
    expect(overfittingOf([one, one, one], 4)?.medianRank).toBe(0.5);
  });

  test('of one try, or of too few days, nothing is said', () => {
    expect(overfittingOf(returnsOf(1, 1))).toBeNull();
    expect(overfittingOf(returnsOf(1, 5, { days: 31 }))).toBeNull();
    expect(overfittingOf([])).toBeNull();
  });
});

describe('walking forward', () => {
  const days = (...blocks: [mean: number, wave: number][]): Float64Array =>
    Float64Array.from(blocks.flatMap(([mean, wave]) => Array.from({ length: 10 }, (_, i) => mean + (i % 2 === 0 ? wave : -wave))));

  test('an example by hand', () => {
    // A is better in the first three stretches, B in the last three.
    const a = days([3, 1], [3, 1], [3, 1], [-1, 1], [-1, 1], [-1, 1]);
    const b = days([1, 1], [1, 1], [1, 1], [2, 1], [2, 1], [2, 1]);
    // Anchored: A is chosen for stretches 2 to 4 on 3 a day each; the means of A and B are then 2 and 1.25 (deviations 2 and 1.09), 1.4 and 1.4.
    // B's Sharpe ratio is better from the fifth stretch on.
    const anchored = walkForward([a, b], 'anchored');
    expect(anchored).toMatchObject({ steps: 5, won: 4 });
    expect(anchored?.nextProfit).toBeCloseTo((3 + 3 - 1 + 2 + 2) / 5, 10);
    expect(anchored?.chosenProfit).toBeCloseTo((3 * 10 + 3 * 20 + 3 * 30 + 1.25 * 40 + 1.4 * 50) / 150, 10);
    expect(anchored?.efficiency).toBeCloseTo(1.8 / (300 / 150), 10);
    // Rolling: A on stretches 1-2 and 2-3, then B on 3-4 (1.5 against 1) and 4-5.
    const rolling = walkForward([a, b], 'rolling');
    expect(rolling).toMatchObject({ steps: 4, won: 3 });
    expect(rolling?.nextProfit).toBeCloseTo((3 - 1 + 2 + 2) / 4, 10);
    expect(rolling?.chosenProfit).toBeCloseTo((3 + 3 + 1.5 + 2) / 4, 10);
    expect(rolling?.windows.map(({ chosen, next }) => [chosen, next])).toEqual([
      [3, 3],
      [3, -1],
      [1.5, 2],
      [2, 2],
    ]);
    expect(anchored?.windows.at(-1)).toEqual({ chosen: 1.4, next: 2 });
  });

  test('where nothing was won before there is no efficiency', () => {
    expect(walkForward([days([-1, 1], [-1, 1], [-1, 1], [-1, 1], [-1, 1], [-1, 1])], 'anchored')?.efficiency).toBeNull();
    expect(walkForward([new Float64Array(29)], 'anchored')).toBeNull();
    expect(walkForward([], 'rolling')).toBeNull();
  });
});

describe('tries', () => {
  test('those of several studies are together what one study with all of them is', () => {
    const all = returnsOf(1, 30, { days: 60 });
    const together = addTries(addTries(triesOf(all.slice(0, 7)), noTries), triesOf(all.slice(7)));
    const sharpes = all.map((each) => momentsOf(each).sharpe);
    const mean = sharpes.reduce((sum, each) => sum + each, 0) / 30;
    expect(together.count).toBe(30);
    expect(together.mean).toBeCloseTo(mean, 12);
    expect(together.squares).toBeCloseTo(
      sharpes.reduce((sum, each) => sum + (each - mean) ** 2, 0),
      12,
    );
  });

  test('more tries make the same result less likely to be skill', () => {
    const [one] = returnsOf(5, 1, { mean: 0.001, days: 365 });
    const at = (count: number) => luckOf(one, { count, mean: 0, squares: (count - 1) * 0.05 ** 2 });
    expect(at(1_000).luckiest).toBeCloseTo(luckiestSharpe(1_000, 0.05 ** 2) * Math.sqrt(365), 10);
    expect(at(10).probability).toBeGreaterThan(at(1_000).probability);
    expect(at(10).sharpe).toBe(at(1_000).sharpe);
    expect(luckOf(one, triesOf([one]))).toMatchObject({ tries: 1, luckiest: 0 });
  });

  test('a study without trades is judged without a number that is none', () => {
    const empty = [new Float64Array(100), new Float64Array(100)];
    expect(JSON.stringify([luckOf(empty[0], triesOf(empty)), judgeChoice(empty)])).not.toMatch(/null.*luckiest|NaN/u);
    expect(luckOf(empty[0], triesOf(empty)).probability).toBeCloseTo(0.5, 10);
  });
});

describe('neighbours', () => {
  const dimension = (max: number) => ({ name: 'x', space: 'buy', min: 0, max, step: 1 }) as const;

  test('one step away, or a twentieth of a long range, and none beyond the ends', () => {
    expect(neighboursOf([dimension(9), dimension(99)], [0, 50])).toEqual([
      [1, 50],
      [0, 45],
      [0, 55],
    ]);
    expect(neighboursOf([dimension(0)], [0])).toEqual([]);
  });

  test('a plateau keeps half of the profit', () => {
    expect(neighbourhoodOf(0.1, [0.2, 0.05, 0.01])).toEqual({ count: 3, medianProfitRatio: 0.05, isPlateau: true });
    expect(neighbourhoodOf(0.1, [0.2, 0.04, 0.01, 0.05])?.isPlateau).toBe(false);
    expect(neighbourhoodOf(-0.1, [-0.2])?.isPlateau).toBe(false);
    expect(neighbourhoodOf(-0.1, [-0.04])?.isPlateau).toBe(false); // losses beside a loss are nothing to stand on
    expect(neighbourhoodOf(0.1, [])).toBeNull();
  });
});
