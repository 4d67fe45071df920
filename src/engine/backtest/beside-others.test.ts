import { describe, expect, test } from 'vitest';
import { dayMs } from '../market/durations.ts';
import { f, futures, hour, minute, type Ohlc, type PairScenario, type Scenario, simulate, start2024 } from './testing/scenario.ts';

/** A random walk: the same seed gives the same one. */
function walk(seed: number, count: number): Ohlc[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let price = 100;
  return Array.from({ length: count }, () => {
    const open = price;
    const close = Math.round((open + (next() - 0.5) * 6) * 100) / 100;
    const high = Math.round((Math.max(open, close) + next() * 2) * 100) / 100;
    const low = Math.round((Math.min(open, close) - next() * 2) * 100) / 100;
    price = close;
    return [open, high, low, close];
  });
}
/** Quarters of candles that begin and end with them. */
const quarters = (candles: Ohlc[], seed: number): Ohlc[][] =>
  candles.map(([open, high, low, close], i) => {
    const [a, b] = i % 2 === seed % 2 ? [low, high] : [high, low];
    return [
      [open, Math.max(open, a), Math.min(open, a), a],
      [a, Math.max(a, b), Math.min(a, b), b],
      [b, Math.max(b, close), Math.min(b, close), close],
      [close, close, close, close],
    ];
  });

/** Three pairs that begin and end at different times and all have signals. */
function threePairs(hasDetail: boolean): Record<string, PairScenario> {
  const pair = (seed: number, from: number, count: number, enter: number[], exit: number[], short: Partial<PairScenario>): PairScenario => {
    const candles = walk(seed, count);
    const start = start2024 + from * hour;
    return { candles, from: start, enter, exit, ...short, ...(hasDetail ? { detail: quarters(candles, seed), detailFrom: start } : {}) };
  };
  return {
    A: pair(1, 0, 60, [0, 9, 20, 41, 58], [6, 15, 30], {}),
    B: pair(2, 7, 30, [0, 4, 14, 28], [9, 24], { enterShort: [11], exitShort: [13] }),
    C: pair(3, 21, 39, [2, 18, 30, 37], [25], { enterShort: [12], exitShort: [16] }),
  };
}

const settings: Scenario['settings'] = {
  ...futures,
  maxOpenTrades: 3,
  stoploss: -0.05,
  minimalRoi: { 0: 0.06, 120: 0.02 },
  trailingStop: true,
};
/** What a pair's trades came to. Whether the last one of a pair is closed by force depends on when the run ends, so those stay out. */
const tradesOf = (scenario: Scenario, symbol: string) =>
  simulate(scenario)
    .trades.filter((trade) => trade.symbol === symbol && trade.exitReason !== 'force_exit')
    .map(({ id: _id, orders, ...trade }) => ({ ...trade, orders: orders.map(({ id: _order, ...order }) => order) }));

describe.each([['candles alone', false] as const, ['with detail candles', true] as const])('%s', (_name, hasDetail) => {
  test.each(['A', 'B', 'C'])('pair %s trades beside others as it does alone, whenever they begin and end', (symbol) => {
    const pairs = threePairs(hasDetail);
    const alone: Scenario = { pairs: { [symbol]: pairs[symbol] ?? { candles: [] } }, settings };
    const beside = tradesOf({ pairs, settings }, symbol);
    expect(beside.length).toBeGreaterThan(1);
    expect(beside).toEqual(tradesOf(alone, symbol));
  });

  test('the order in which pairs are listed changes no trade while there is room for all', () => {
    const pairs = threePairs(hasDetail);
    const turned = Object.fromEntries(Object.entries(pairs).toReversed());
    for (const symbol of Object.keys(pairs))
      expect(tradesOf({ pairs: turned, settings }, symbol)).toEqual(tradesOf({ pairs, settings }, symbol));
  });

  test('a pair that has ended trades no more, however long the run continues', () => {
    const { trades } = simulate({ pairs: threePairs(hasDetail), settings });
    const end = start2024 + (7 + 30) * hour;
    const last = trades.filter(({ symbol }) => symbol === 'B').map(({ openTime }) => openTime);
    expect(Math.max(...last)).toBeLessThan(end);
  });
});

describe.each([
  ['candles alone', false],
  ['with detail candles', true],
])('the last candle of a pair that ends before the run, %s', (_name, hasDetail) => {
  const candles = (count: number): Pick<PairScenario, 'candles' | 'detail'> => {
    const flat = Array.from({ length: count }, (): Ohlc => [...f]);
    return { candles: flat, ...(hasDetail ? { detail: flat.map((candle): Ohlc[] => [candle, candle, candle, candle]) } : {}) };
  };
  const opened = (enter: number[], quirksOff: NonNullable<Scenario['quirksOff']> = []) =>
    simulate({
      pairs: { A: { ...candles(10), enter: [8] }, B: { ...candles(5), enter } },
      quirksOff: ['detailCandlesOpenAfterTheEnd', ...quirksOff],
    })
      .trades.map(({ symbol, openTime }) => `${symbol} ${(openTime - start2024) / hour}`)
      .toSorted();
  const strict = ['shortPairEntersOnItsLastCandle'] as const;

  test('takes entries by the rule of the reference, and none without it; the last candle of the run never does', () => {
    expect(opened([3])).toEqual(['B 4']);
    expect(opened([3], [...strict])).toEqual([]);
  });

  test('any candle before it takes entries in both', () => {
    expect(opened([2])).toEqual(['B 3']);
    expect(opened([2], [...strict])).toEqual(['B 3']);
  });
});

describe('an order that waits', () => {
  const flat = (count: number): Ohlc[] => Array.from({ length: count }, (): Ohlc => [...f]);

  test('is offered another price from the candle after its own on', () => {
    const asked: [purpose: string, hours: number][] = [];
    simulate({
      pairs: { A: { candles: flat(8), enter: [0], exit: [3] } },
      callbacks: {
        entryPrice: () => 100,
        exitPrice: () => 105, // never reached
        adjustOrderPrice: ({ order, time }) => {
          asked.push([order.purpose, (time - order.createdTime) / hour]);
          return order.price;
        },
      },
    });
    expect(asked).toEqual([1, 2, 3].map((hours) => ['exit', hours]));
  });

  test('that is an exit and is replaced by another exit does not count as an entry that was given up', () => {
    const prices = new Set<number>();
    const { counters } = simulate({
      pairs: { A: { candles: flat(9), enter: [0], exit: [2, 5] } },
      callbacks: {
        exitPrice: ({ time, reason }) => {
          const price = (time - start2024) / hour < 5 ? 105 : 104;
          if (reason === 'exit_signal') prices.add(price);
          return price;
        },
      },
    });
    expect([...prices]).toEqual([105, 104]);
    expect(counters.cancelledEntryOrders).toBe(0);
  });
});

describe('a missing detail candle', () => {
  const flat = (): Ohlc => [...f];
  // The second candle falls through the stop in its third quarter.
  const quartersOf = (low: number): Ohlc[] => [flat(), flat(), [100, 100, low, 95], [95, 96, 94, 95]];
  const candles: Ohlc[] = [flat(), flat(), [100, 101, 85, 95], flat(), flat()];
  const detail = [quartersOf(99), quartersOf(99), quartersOf(85), quartersOf(99), quartersOf(99)].map((each, i) =>
    i === 2 ? each : each.map(flat),
  );
  const stopped = (more: Partial<PairScenario>) => {
    const [trade] = simulate({ pairs: { A: { candles, enter: [0], ...more } } }).trades;
    return [trade?.exitReason, ((trade?.closeTime ?? 0) - start2024) / minute];
  };

  test('the stop is met in the quarter in which the price falls', () => {
    expect(stopped({ detail })).toEqual(['stop_loss', 2 * 60 + 30]);
  });

  test('without any, the candle itself is looked at', () => {
    expect(stopped({})).toEqual(['stop_loss', 120]);
    // Detail that ends before the candle: the candle itself again, once.
    expect(stopped({ detail: detail.slice(0, 2) })).toEqual(['stop_loss', 120]);
  });
});

describe('how far it is', () => {
  const progress = (count: number, enter: number[], callbacks = {}): number[] => {
    const said: number[] = [];
    const candles = Array.from({ length: count }, (): Ohlc => [...f]);
    const scenario: Scenario = { pairs: { A: { candles, enter } }, callbacks };
    simulate(scenario, (fraction) => said.push(fraction));
    return said;
  };

  test.each([
    ['nothing is traded', []],
    ['something is held all the time', [0]],
    ['signals come again and again', [0, 100, 200, 300, 900]],
  ])('is said about a hundred times, rising, when %s', (_name, enter) => {
    for (const count of [1_001, 2_500]) {
      const said = progress(count, enter);
      expect(said.length).toBeGreaterThan(80);
      expect(said.length).toBeLessThanOrEqual(100);
      expect(said).toEqual(said.toSorted((a, b) => a - b));
      expect(new Set(said).size).toBe(said.length);
      expect(said.at(-1)).toBeGreaterThan(0.98);
      expect(said.at(-1)).toBeLessThanOrEqual(1);
    }
  });

  test('is said at every candle of a short run', () => {
    expect(progress(11, [])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((k) => k / 10));
  });
});

describe('the balance while coins are held', () => {
  const rising: Ohlc[] = Array.from({ length: 49 }, (_, i): Ohlc => [100 + i, 101 + i, 99 + i, 101 + i]);
  const balances = (marketType: 'spot' | 'futures') => {
    const more = marketType === 'futures' ? futures : {};
    return simulate({ pairs: { A: { candles: rising, enter: [0] }, B: { candles: rising, enter: [0] } }, settings: { ...more, fee: 0 } })
      .dailyBalance;
  };

  test('counts them at the open of each candle, all positions together', () => {
    // Bought for 1000 each at 101; the last candle of the first day opens at 123.
    const [first] = balances('spot').days;
    const amount = 9.9; // 1000 / 101 in steps of 0.001
    expect(first?.dayTime).toBe(Math.floor(start2024 / dayMs) * dayMs);
    expect(first?.balance).toBeCloseTo(10_000 + 2 * amount * (123 - 101), -1);
    expect(first?.balance).toBeGreaterThan(10_400);
  });

  test('counts positions on futures with their stake', () => {
    expect(balances('futures').days[0]?.balance).toBeCloseTo(10_000, -1);
  });
});
