import { describe, expect, test } from 'vitest';
import { Failures } from './failures.ts';

describe('Failures', () => {
  test('a bot that has failed rests, longer after each failure in a row, a minute at most', () => {
    let now = 1_000_000;
    const failures = new Failures(() => now);
    const rests: number[] = [];
    for (let i = 1; i <= 8; i++) {
      expect(failures.add('bot', 'first')).toBe(i);
      const failedAt = now;
      expect(failures.resting()).toEqual(['bot']);
      while (failures.isResting('bot')) now += 100;
      rests.push(now - failedAt);
      expect(failures.resting()).toEqual([]);
    }
    expect(rests).toEqual([1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 60_000, 60_000]);
  });

  test('a clock that is set back holds no bot up', () => {
    let now = 7_200_000;
    const failures = new Failures(() => now);
    failures.add('bot', 'first');
    expect(failures.resting()).toEqual(['bot']);
    now -= 3_600_000;
    expect(failures.resting()).toEqual([]);
    expect(failures.add('bot', 'first')).toBe(2);
    expect(failures.resting()).toEqual(['bot']);
  });

  test('only ten minutes without a failure make the earlier ones forgotten: to have been started proves nothing', () => {
    let now = 0;
    const failures = new Failures(() => now);
    failures.add('bot', 'first');
    now += 10 * 60_000 - 1;
    expect(failures.add('bot', 'first')).toBe(2);
    now += 10 * 60_000;
    expect(failures.add('bot', 'first')).toBe(1);
  });

  test('a bot that people change rests no longer; its next failure counts on', () => {
    const failures = new Failures(() => 0);
    failures.add('bot', 'first');
    failures.add('other', 'first');
    failures.noteChange('bot', 'first');
    expect(failures.resting()).toEqual(['bot', 'other']);
    failures.noteChange('bot', 'second');
    failures.noteChange('unknown', 'second');
    expect(failures.isResting('bot')).toBe(false);
    expect(failures.resting()).toEqual(['other']);
    expect(failures.add('bot', 'second')).toBe(2);
    expect(failures.isResting('bot')).toBe(true);
  });

  test('what is not the fault of a bot has it rest for a second, however often, and does not count', () => {
    let now = 0;
    const failures = new Failures(() => now);
    failures.add('bot', 'first');
    now += 5 * 60_000;
    failures.rest('bot', 'first');
    expect([failures.isResting('bot'), failures.resting()]).toEqual([true, ['bot']]);
    now += 999;
    expect(failures.isResting('bot')).toBe(true);
    now += 1;
    expect(failures.isResting('bot')).toBe(false);
    failures.rest('bot', 'first');
    failures.noteChange('bot', 'second');
    expect(failures.isResting('bot')).toBe(false);
    now += 5 * 60_000 - 1_001;
    expect(failures.add('bot', 'second')).toBe(2); // the first was less than ten minutes ago
    now += 3_000;
    failures.rest('bot', 'second');
    now += 10 * 60_000 - 3_000;
    expect(failures.add('bot', 'second')).toBe(1);
  });

  test('it never makes a rest shorter', () => {
    let now = 0;
    const failures = new Failures(() => now);
    for (let i = 0; i < 4; i++) failures.add('bot', 'first');
    now += 2_000;
    failures.rest('bot', 'first');
    now += 7_999;
    expect(failures.isResting('bot')).toBe(true);
    now += 1;
    expect(failures.isResting('bot')).toBe(false);
  });

  test('bots rest each for themselves', () => {
    const failures = new Failures(() => 0);
    failures.add('one', 'first');
    expect(failures.isResting('two')).toBe(false);
  });
});
