import { describe, expect, test } from 'vitest';
import { defaultParameters, noSignals } from '../strategy/strategy.ts';
import { enter, hour, market, Rig, start, symbol, viewAt, quiet } from './testing/rig.ts';
import { watchedRowAt } from './watched-row.ts';

const long = { direction: 'long', name: 'RSI', value: 31, threshold: 30, distance: 1 } as const;
const short = { direction: 'short', name: 'RSI', value: 31, threshold: 31.5, distance: 0.5 } as const;

describe('ADD-bot-decisions: what was seen with a decision', () => {
  test('the values of the indicators, and of the directions the bot may take the nearer one', () => {
    const spot = new Rig(market);
    spot.tick(0, 100);
    spot.tick(60, 101);
    spot.candle(1, { values: { rsi: 31 }, near: [long, short] });
    expect(spot.decisions().at(-1)?.seen).toMatchObject({ values: { rsi: 31 }, near: long, price: 101 });
    const futures = new Rig({ ...market, marketType: 'futures', canShort: true });
    futures.tick(60, 101);
    futures.candle(1, { values: { rsi: 31 }, near: [long, short] });
    expect(futures.decisions().at(-1)?.seen.near).toEqual(short);
  });

  test('a signal has no distance: it was one', () => {
    const rig = new Rig(market);
    rig.tick(60, 101);
    rig.candle(1, { ...enter, near: [long] });
    expect(rig.decisions().at(-1)).toMatchObject({ action: 'enter' });
    expect(rig.decisions().at(-1)?.seen).not.toHaveProperty('near');
  });

  test('the age of the price is from when it last moved, never less than nothing', () => {
    const rig = new Rig(market);
    rig.tick(60, 101, { time: start + hour - 4_000 });
    rig.candle(1);
    expect(rig.decisions().at(-1)?.seen.priceAge).toBe(4_000);
    const closed = (n: number, pricedAt: number) =>
      rig.take({
        kind: 'candle-closed',
        time: start + n * hour,
        symbol,
        candleTime: start + (n - 1) * hour,
        row: quiet,
        view: viewAt(n * 60, 101),
        pricedAt,
      });
    closed(2, start + 2 * hour - 700);
    closed(3, start + 3 * hour + 20); // by the clock of an exchange that is ahead
    expect(rig.decisions().map(({ seen }) => seen.priceAge)).toEqual([4_000, 700, undefined]);
  });

  test('a refusal keeps the numbers that stood against it, and the price then', () => {
    const rig = new Rig({ ...market, stakeAmount: 20_000 });
    rig.tick(60, 101);
    rig.candle(1, enter);
    expect(rig.decisions().at(-1)).toMatchObject({
      gate: 'insufficient-balance',
      seen: { numbers: { stake: 20_000, available: 10_000 } },
    });
    const locked = new Rig(market);
    locked.state.locks = [{ symbol: '*', side: '*', endTime: start + 5 * hour, reason: 'cooldown' }];
    locked.tick(60, 101);
    locked.candle(1, enter);
    expect(locked.decisions().at(-1)).toMatchObject({ gate: 'locked', seen: { last: 101, numbers: { until: start + 5 * hour } } });
  });

  test('of an indicator six digits are kept, of its columns six, and of what is not known nothing', () => {
    const column = (value: number) => Float64Array.of(value);
    const indicators = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, i) => [name, column(i === 1 ? NaN : 1234.56789)]));
    const row = watchedRowAt({}, defaultParameters({ parameters: {} }), noSignals(1, indicators), [1], 0);
    expect(row).toEqual({ values: { a: 1234.57, c: 1234.57, d: 1234.57, e: 1234.57, f: 1234.57 } });
  });
});
