import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { clockOffsets, ExchangeClock } from './exchange-clock.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/**
 * Our clock, and an exchange whose clock is ahead of it; each request takes the next of the given times, there and back. Our clock can be
 * set, and the steady one beside it stands still while the machine is suspended.
 */
function clockWith(aheadMs: number, trips: readonly (readonly [there: number, back: number] | 'no answer' | 'no end')[], has = true) {
  const machine = { now: 1_000_000, setBy: 0, suspendedMs: 0, requests: 0 };
  const client = {
    id: 'sandbox',
    has: { fetchTime: has },
    fetchTime: async () => {
      const trip = trips[machine.requests++ % trips.length];
      if (trip === 'no answer') throw new Error('away');
      if (trip === 'no end') return await new Promise<number>(() => {});
      machine.now += trip[0];
      const time = machine.now + aheadMs;
      machine.now += trip[1];
      return time;
    },
  } as unknown as CcxtClient;
  const ours = () => machine.now + machine.setBy;
  const clock = new ExchangeClock(client, { now: ours, pace: () => machine.now - machine.suspendedMs });
  return { clock, client, machine, aheadBy: () => clock.now() - machine.now };
}

describe('the clock of an exchange', () => {
  test('is ours until it was measured, then corrected by half the way', async () => {
    const { clock, aheadBy } = clockWith(-5_000, [[40, 40]]);
    expect(aheadBy()).toBe(0);
    await clock.refresh();
    expect(aheadBy()).toBe(-5_000);
  });

  test('is taken from the fastest of three measurements', async () => {
    const { clock, machine, aheadBy } = clockWith(7_000, [
      [900, 100],
      [10, 10],
      [0, 600],
    ]);
    await clock.refresh();
    expect(machine.requests).toBe(3);
    expect(aheadBy()).toBe(7_000);
  });

  test('is measured again after a minute, not before', async () => {
    const { clock, machine } = clockWith(0, [[1, 1]]);
    await clock.refresh();
    vi.advanceTimersByTime(minuteMs - 1);
    await clock.refresh();
    expect(machine.requests).toBe(3);
    vi.advanceTimersByTime(1);
    await clock.refresh();
    expect(machine.requests).toBe(6);
  });

  test('stays as it was measured while the exchange does not answer', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1], [1, 1], [1, 1], 'no answer']);
    await clock.refresh();
    vi.advanceTimersByTime(minuteMs);
    await clock.refresh();
    expect(machine.requests).toBe(4); // one failure is enough
    expect(aheadBy()).toBe(3_000);
  });

  test('that could not be measured is measured again after five seconds', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, ['no answer', [1, 1]]);
    await clock.refresh();
    vi.advanceTimersByTime(4_999);
    await clock.refresh();
    expect([machine.requests, aheadBy()]).toEqual([1, 0]);
    vi.advanceTimersByTime(1);
    await clock.refresh();
    expect(aheadBy()).toBe(3_000);
  });

  test('is measured once for all who ask before it is known, and they wait for it', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1]]);
    void clock.refresh();
    await clock.refresh();
    expect([machine.requests, aheadBy()]).toEqual([3, 3_000]);
  });

  test('that is known is not waited for while it is measured again', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1], [1, 1], [1, 1], 'no end']);
    await clock.refresh();
    vi.advanceTimersByTime(minuteMs);
    void clock.refresh();
    await clock.refresh();
    expect([machine.requests, aheadBy()]).toEqual([4, 3_000]);
  });

  test('that is distrusted is measured at once, and everybody waits for it', async () => {
    const { clock, machine } = clockWith(3_000, [[1, 1]]);
    await clock.refresh();
    clock.distrust();
    void clock.refresh();
    await clock.refresh();
    expect(machine.requests).toBe(6);
  });

  test('that is distrusted while it is measured is measured once more', async () => {
    const { clock, machine } = clockWith(3_000, [[1, 1]]);
    const first = clock.refresh();
    clock.distrust();
    await first;
    await clock.refresh();
    expect(machine.requests).toBe(6);
  });

  test('is ours where the exchange does not publish it', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1]], false);
    await clock.refresh();
    expect([machine.requests, aheadBy()]).toEqual([0, 0]);
  });
});

describe('when our own clock is set, the clock of an exchange', () => {
  const sets = [
    ['ahead', 40_000],
    ['back', -hourMs],
  ] as const;

  test.each(sets)('does not follow it %s, also while it cannot be measured', async (_where, setBy) => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1], [1, 1], [1, 1], 'no answer']);
    await clock.refresh();
    machine.setBy = setBy;
    expect(aheadBy()).toBe(3_000);
    await clock.refresh();
    machine.now += minuteMs;
    expect([machine.requests, aheadBy()]).toEqual([4, 3_000]);
  });

  test.each(sets)('is measured at once when that was %s, and everybody waits for it', async (_where, setBy) => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1]]);
    await clock.refresh();
    machine.setBy = setBy;
    void clock.refresh();
    await clock.refresh();
    expect([machine.requests, aheadBy()]).toEqual([6, 3_000]);
    expect(clockOffsets().get('sandbox')).toBe(3_000 - setBy);
  });

  test('is measured once more when that was while it was measured', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1]]);
    const first = clock.refresh();
    machine.setBy = 40_000;
    await clock.refresh();
    await first;
    expect([machine.requests, aheadBy()]).toEqual([3, 3_000]);
    await clock.refresh();
    expect([machine.requests, aheadBy()]).toEqual([6, 3_000]);
  });

  test('is measured for one set once, then when it is due: while there is no answer every five seconds', async () => {
    const { clock, machine } = clockWith(3_000, [[1, 1], [1, 1], [1, 1], 'no answer']);
    await clock.refresh();
    machine.setBy = 40_000;
    await clock.refresh();
    vi.advanceTimersByTime(4_999);
    await clock.refresh();
    expect(machine.requests).toBe(4);
    vi.advanceTimersByTime(1);
    await clock.refresh();
    expect(machine.requests).toBeGreaterThan(4);
  });

  test('is not measured for half a second: as much may pass between two looks at two clocks', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1]]);
    await clock.refresh();
    for (const setBy of [500, -500]) {
      machine.setBy = setBy;
      await clock.refresh();
    }
    expect([machine.requests, aheadBy()]).toEqual([3, 3_000]);
    machine.setBy = 501; // all since it was measured, whatever the last look has seen
    await clock.refresh();
    expect(machine.requests).toBe(6);
  });

  test('is late after the machine was suspended, never ahead, until it is measured at once', async () => {
    const { clock, machine, aheadBy } = clockWith(3_000, [[1, 1]]);
    await clock.refresh();
    machine.now += hourMs;
    machine.suspendedMs = hourMs;
    expect(aheadBy()).toBe(3_000 - hourMs);
    await clock.refresh();
    expect(aheadBy()).toBe(3_000);
  });

  test('is ours where it was never measured: nothing else is known', async () => {
    const { clock, machine } = clockWith(3_000, ['no answer']);
    await clock.refresh();
    machine.setBy = 40_000;
    expect(clock.now()).toBe(machine.now + 40_000);
  });
});

describe('the steady clock beside ours', () => {
  test('is that of the machine, where ours is the machine’s: the time is followed in whole milliseconds, and no set of it', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const start = Date.now();
    const clock = new ExchangeClock({ id: 'sandbox', has: { fetchTime: true }, fetchTime: async () => start } as unknown as CcxtClient);
    await clock.refresh();
    vi.setSystemTime(start + 40_000);
    expect(clock.now()).toBe(start);
    vi.advanceTimersByTime(1_000.75);
    expect(clock.now()).toBe(start + 1_000);
  });

  test('is ours itself, where that is not the machine’s: a clock that a test moves is not one that was set', async () => {
    const { client, machine } = clockWith(3_000, [[1, 1]]);
    const clock = new ExchangeClock(client, { now: () => machine.now });
    await clock.refresh();
    machine.now += hourMs;
    await clock.refresh();
    expect([machine.requests, clock.now() - machine.now]).toEqual([3, 3_000]);
  });

  test('is ours itself, however much passes between two looks at a clock that runs many times as fast', async () => {
    const { client, machine } = clockWith(3_000, [[1, 1]]);
    const clock = new ExchangeClock(client, { now: () => (machine.now *= 2) });
    await clock.refresh();
    await clock.refresh();
    expect(machine.requests).toBe(3);
  });
});
