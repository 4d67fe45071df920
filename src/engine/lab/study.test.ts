import { describe, expect, test } from 'vitest';
import { seededRandom } from '../simulation/seeded-random.ts';
import type { Dimension, Point } from './dimension.ts';
import { type Batch, type SamplerName, samplerNames, Study, type StudyPlan } from './study.ts';

const dimension = (name: string, size: number): Dimension => ({ name, space: 'buy', min: 0, max: size - 1, step: 1 });
const six = Array.from({ length: 6 }, (_, i) => dimension(`d${i}`, 40));
const planOf = (more: Partial<StudyPlan>): StudyPlan => ({
  dimensions: six,
  sampler: 'tpe',
  seed: 1,
  epochs: 200,
  earlyStop: null,
  ...more,
});

/** A bowl with its lowest point away from the middle; less is better. */
const bowl = (point: Point): number => point.reduce((sum, at, i) => sum + (at - 5 - 4 * i) ** 2, 0);

/** Runs a study; batches under way end in the sequence that `pick` chooses. */
function epochsOf(plan: StudyPlan, lossOf = bowl, pick: (open: readonly Batch[]) => number = () => 0) {
  const study = new Study(plan);
  const epochs: { point: Point; loss: number }[] = [];
  const open: Batch[] = [];
  for (;;) {
    for (let batch = study.propose(); batch !== null; batch = study.propose()) open.push(batch);
    if (open.length === 0) break;
    const [batch] = open.splice(pick(open), 1);
    const found = batch.points.map((point) => lossOf(point));
    batch.points.forEach((point, i) => (epochs[batch.firstEpoch - 1 + i] = { point, loss: found[i] }));
    study.receive(batch, found);
  }
  expect(study.isOver).toBe(true);
  return { study, epochs: epochs.slice(0, study.epochsReceived) };
}

describe('a study', () => {
  test.each(samplerNames)('%s: the same seed gives the same epochs in whatever sequence batches end', (sampler) => {
    const dimensions = sampler === 'grid' ? six.slice(0, 2).map((each) => ({ ...each, max: 13 })) : six;
    const plan = planOf({ sampler, dimensions, epochs: 196 });
    const straight = epochsOf(plan).epochs;
    const random = seededRandom(3);
    const mixed = epochsOf(plan, bowl, (open) => Math.floor(random() * open.length)).epochs;
    expect(mixed).toEqual(straight);
    expect(straight).toHaveLength(196);
    if (sampler !== 'grid') expect(epochsOf({ ...plan, seed: 2 }).epochs).not.toEqual(straight);
  });

  test.each(samplerNames)('%s: no point is tried twice, and a space that is used up ends it', (sampler) => {
    const dimensions = [dimension('a', 7), dimension('b', 9)];
    const { epochs } = epochsOf(planOf({ sampler, dimensions, epochs: 1_000 }));
    expect(new Set(epochs.map(({ point }) => point.join())).size).toBe(63);
    expect(epochs).toHaveLength(63);
  });

  test('a grid turns the last dimension fastest', () => {
    const { epochs } = epochsOf(planOf({ sampler: 'grid', dimensions: [dimension('a', 2), dimension('b', 3)] }));
    expect(epochs.map(({ point }) => point.join(''))).toEqual(['00', '01', '02', '10', '11', '12']);
  });

  test('it ends early after so many epochs without a better one, at the same epoch whatever the sequence', () => {
    const plan = planOf({ sampler: 'random', epochs: 5_000, earlyStop: 30 });
    const { study, epochs } = epochsOf(plan);
    expect(study.epochsReceived - study.bestEpoch).toBe(30);
    const late = epochsOf(plan, bowl, (open) => open.length - 1);
    expect(late.epochs).toEqual(epochs);
  });

  test('epochs without a loss are never the best, and end a study early too', () => {
    const none = epochsOf(planOf({ earlyStop: 50, epochs: 500 }), () => Infinity);
    expect([none.study.bestEpoch, none.epochs.length]).toEqual([0, 50]);
    const some = epochsOf(planOf({}), (point) => (point[0] < 20 ? Infinity : bowl(point)));
    expect(some.epochs[some.study.bestEpoch - 1].point[0]).toBeGreaterThanOrEqual(20);
  });

  test('even points lie more evenly than those of chance', () => {
    const filled = (sampler: SamplerName): number => {
      const { epochs } = epochsOf(planOf({ sampler, dimensions: six.slice(0, 2), epochs: 100 }));
      return new Set(epochs.map(({ point }) => point.map((at) => Math.floor(at / 4)).join())).size; // of 100 cells
    };
    expect(filled('quasi-random')).toBeGreaterThan(filled('random') + 10);
  });

  test('what is learned finds better points than chance', () => {
    const bestOf = (sampler: SamplerName, seed: number): number =>
      Math.min(...epochsOf(planOf({ sampler, seed, epochs: 300 })).epochs.map(({ loss }) => loss));
    const seeds = Array.from({ length: 9 }, (_, i) => i + 1);
    const median = (sampler: SamplerName): number => seeds.map((seed) => bestOf(sampler, seed)).sort((a, b) => a - b)[4];
    expect(median('tpe')).toBeLessThan(median('random') / 4);
  });

  test('a grid of 10^30 points is refused, and one that --epochs does not allow', () => {
    const huge = planOf({ sampler: 'grid', dimensions: Array.from({ length: 30 }, (_, i) => dimension(`d${i}`, 10)) });
    expect(Study.faultOf(huge)).toBe(
      'The grid has about 10^30 points, and a grid may have 1000000 at most: name fewer spaces, give ranges with wider steps, or choose another sampler.',
    );
    expect(Study.faultOf({ ...huge, sampler: 'random' })).toBeNull();
    const small = planOf({ sampler: 'grid', dimensions: [dimension('a', 20)], epochs: 19 });
    expect(Study.faultOf(small)).toMatch(/^The grid has 20 points, and the study has 19 epochs at most: /u);
    expect(Study.faultOf({ ...small, epochs: 20 })).toBeNull();
  });

  test('the losses of what was not proposed, or were given before, cannot be given', () => {
    const study = new Study(planOf({}));
    const batch = study.propose();
    if (batch === null) throw new Error('a study proposes something');
    expect(() => study.receive({ firstEpoch: 21 }, [])).toThrow('the study has no open batch of 0 points from epoch 21 on');
    const found = batch.points.map(bowl);
    study.receive(batch, found);
    expect(() => study.receive(batch, found)).toThrow(/no open batch/u);
  });
});
