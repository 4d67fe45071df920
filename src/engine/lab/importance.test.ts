import { describe, expect, test } from 'vitest';
import { seededRandom } from '../simulation/seeded-random.ts';
import type { Dimension } from './dimension.ts';
import { importanceOf } from './importance.ts';

const dimension = (name: string, max: number): Dimension => ({ name, space: 'buy', min: 0, max, step: 1 });

describe('what matters', () => {
  test('of a loss that one number makes alone it has all, whatever the size of the losses', () => {
    const dimensions = [dimension('idle', 19), dimension('alone', 19)];
    const random = seededRandom(1);
    const epochs = Array.from({ length: 2_000 }, () => {
      const point = [Math.floor(random() * 20), Math.floor(random() * 20)];
      return { point, loss: Math.exp(point[1] ?? 0) };
    });
    const [first, second] = importanceOf(dimensions, epochs);
    expect(first?.name).toBe('alone');
    expect(first?.share).toBeGreaterThan(0.99);
    expect(second?.share).toBeLessThan(0.01);
  });

  test('by hand: two numbers of two values, of which one explains four times the variance of the other', () => {
    // Ranks of the four losses 0, 1, 2, 3, ten times each: 5.5, 15.5, 25.5, 35.5, mean 20.5.
    const epochs = [0, 1].flatMap((a) => [0, 1].flatMap((b) => Array.from({ length: 10 }, () => ({ point: [a, b], loss: 2 * a + b }))));
    const of = (between: number): number => 1 - (5_000 - between) / 38 / (5_000 / 39); // all: 10 * (225 + 25 + 25 + 225)
    const [a, b] = [of(4_000), of(1_000)]; // means 10.5 and 30.5; 15.5 and 25.5
    expect(importanceOf([dimension('b', 1), dimension('a', 1)].toReversed(), epochs)).toEqual([
      { name: 'a', share: expect.closeTo(a / (a + b), 12) },
      { name: 'b', share: expect.closeTo(b / (a + b), 12) },
    ]);
  });

  test('chance explains next to nothing, however many values there are', () => {
    const dimensions = [dimension('real', 1), ...Array.from({ length: 5 }, (_, i) => dimension(`chance ${i}`, 99))];
    const random = seededRandom(5);
    const epochs = Array.from({ length: 100 }, () => {
      const point = dimensions.map(({ max }) => Math.floor(random() * (max + 1)));
      return { point, loss: (point[0] ?? 0) + random() };
    });
    const [first] = importanceOf(dimensions, epochs);
    expect(first?.name).toBe('real');
    expect(first?.share).toBeGreaterThan(0.8);
  });

  test('where nothing differs, or there is too little, there are no shares', () => {
    const dimensions = [dimension('a', 9), dimension('b', 9)];
    const none = [
      { name: 'a', share: 0 },
      { name: 'b', share: 0 },
    ];
    expect(importanceOf(dimensions, [])).toEqual(none);
    expect(importanceOf(dimensions, [{ point: [1, 2], loss: 1 }])).toEqual(none);
    expect(
      importanceOf(
        dimensions,
        Array.from({ length: 50 }, (_, i) => ({ point: [i % 10, 3], loss: 7 })),
      ),
    ).toEqual(none);
  });
});
