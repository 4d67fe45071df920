import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { minuteMs } from '#engine/market/durations.ts';
import type { CcxtClient } from './ccxt-client.ts';
import { ExchangeClock } from './exchange-clock.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** Our clock, and an exchange whose clock is ahead of it; each request takes the next of the given times, there and back. */
function clockWith(aheadMs: number, trips: readonly (readonly [there: number, back: number] | 'no answer' | 'no end')[], has = true) {
  const machine = { now: 1_000_000, requests: 0 };
  const client = {
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
  const clock = new ExchangeClock(client, () => machine.now);
  return { clock, machine, aheadBy: () => clock.now() - machine.now };
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
