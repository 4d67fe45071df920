import { describe, expect, test } from 'vitest';
import { waterfall } from './waterfall-steps.ts';

const names = (parts: Parameters<typeof waterfall>[2]) => waterfall(10, 9, parts).steps.map(({ name }) => name);

describe('the way from the promise to the account', () => {
  test('goes through every part; interventions and what is unexplained are shown where there are some', () => {
    const usual = [
      'Backtest of the day',
      'Fill price',
      'Delay',
      'Partial fills',
      'Fees',
      'Funding',
      'Data differed',
      'Decision differed',
      'Account',
    ];
    expect(names({ fee: '-1' })).toEqual(usual);
    expect(names({ intervention: '-2', unexplained: '1' })).toEqual([...usual.slice(0, -1), 'Interventions', 'Unexplained', 'Account']);
  });

  test.each([
    [21.4, 19.28, { 'fill-price': '-1.12', delay: '-1' }, true],
    [-5.6, -6.04, { fee: '-0.44' }, true],
    [5, -3, { delay: '-8' }, false],
    [0, 0, {}, false],
    [-0.81, -0.81, {}, false],
    [0, 3, { intervention: '3' }, false],
    [1e-7, 2e-7, { fee: '0.0000001' }, false],
  ])('from %d to %d each bar begins where the last one ended, within the axis', (promised, made, parts, isBroken) => {
    const { steps, ticks, isBroken: broken, start } = waterfall(promised, made, parts);
    expect(broken).toBe(isBroken);
    expect(start === 0).toBe(!isBroken);
    for (const { low, high, end } of steps) {
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect([low, high]).toContain(end);
    }
    const [first, last] = [steps[0], steps[steps.length - 1]];
    expect(steps.at(-2)?.end).toBeCloseTo(last.end, 9);
    expect(first.end === last.end).toBe(promised === made);
    expect(ticks.length).toBeGreaterThan(1);
    for (const { at } of ticks) expect(at >= 0 && at <= 1).toBe(true);
  });
});
