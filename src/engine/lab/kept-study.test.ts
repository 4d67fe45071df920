import { describe, expect, test } from 'vitest';
import type { Dimension } from './dimension.ts';
import { KeptStudy, type NumberedBatch } from './kept-study.ts';
import { type Batch, samplerNames, Study, type StudyPlan } from './study.ts';

const dimensions: Dimension[] = [
  { name: 'a', space: 'buy', min: 0, max: 30, step: 1 },
  { name: 'b', space: 'buy', min: 0, max: 30, step: 1 },
];
const lossOf = ([a = 0, b = 0]: readonly number[]): number => (a - 7) ** 2 + (b - 21) ** 2;
const planOf = (changes: Partial<StudyPlan> = {}): StudyPlan => ({
  dimensions,
  sampler: 'tpe',
  seed: 7,
  epochs: 230,
  earlyStop: null,
  ...changes,
});

/** The epochs of a study that one caller runs from its beginning to its end. */
function pointsOf(plan: StudyPlan): string[] {
  const study = new Study(plan);
  const open: Batch[] = [];
  const points: string[] = [];
  for (;;) {
    for (let batch = study.propose(); batch !== null; batch = study.propose()) open.push(batch);
    const batch = open.shift();
    if (batch === undefined) return points.slice(0, study.epochsReceived);
    if (study.isOver) return points.slice(0, study.epochsReceived);
    batch.points.forEach((point, i) => (points[batch.firstEpoch - 1 + i] = point.join()));
    study.receive(batch, batch.points.map(lossOf));
  }
}

/** The same by callers who forget what they know after every few batches, and finish batches in a sequence of their own. */
function keptPointsOf(plan: StudyPlan, forgetsAfter: number, takesLast: boolean): string[] {
  const batches: NumberedBatch[] = [];
  const losses = new Map<number, readonly number[]>();
  let study = new KeptStudy(plan);
  for (let turn = 0; ; turn++) {
    if (turn % forgetsAfter === 0) study = new KeptStudy(plan);
    for (const batch of study.advance(losses)) {
      if (batch.number >= batches.length) batches.push(batch);
      else expect(batch).toEqual(batches[batch.number]); // it proposes what it had proposed
    }
    const open = batches.filter(({ number }) => !losses.has(number));
    const next = takesLast ? open.at(-1) : open[0];
    if (study.isOver || next === undefined) return batches.flatMap(({ points }) => points.map(String)).slice(0, study.epochsReceived);
    losses.set(next.number, next.points.map(lossOf));
  }
}

describe('a study that is kept elsewhere', () => {
  test.each(samplerNames)('by %s it has the same epochs, whoever continues it and in whatever sequence batches end', (sampler) => {
    const plan = planOf(sampler === 'grid' ? { sampler, epochs: 1_000 } : { sampler });
    const points = pointsOf(plan);
    expect(points.length).toBe(sampler === 'grid' ? 961 : 230);
    for (const forgetsAfter of [1, 3, 1_000])
      for (const takesLast of [false, true]) expect(keptPointsOf(plan, forgetsAfter, takesLast)).toEqual(points);
  });

  test('it ends early at the same epoch', () => {
    const plan = planOf({ earlyStop: 45, epochs: 2_000 });
    const points = pointsOf(plan);
    expect(points.length).toBeLessThan(1_000);
    expect(keptPointsOf(plan, 1, true)).toEqual(points);
    expect(keptPointsOf(plan, 2, false)).toEqual(points);
  });

  test('it says from where on it wants losses', () => {
    const study = new KeptStudy(planOf());
    expect([...study.advance(new Map())].map(({ number, firstEpoch }) => [number, firstEpoch])).toEqual([
      [0, 1],
      [1, 21],
    ]);
    expect(study.firstMissing).toBe(0);
    const ones = Array.from({ length: 20 }, () => 1);
    expect([...study.advance(new Map([[1, ones]]))]).toEqual([]);
    expect([study.firstMissing, study.epochsReceived]).toEqual([0, 0]);
    expect([...study.advance(new Map([[0, ones]]))].map(({ number }) => number)).toEqual([2, 3]); // both are known now
  });
});
