import { describe, expect, test } from 'vitest';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { Ohlc, PairScenario, Scenario } from './testing/scenario.ts';
import { clock, f, futures, hour, long, minute, simulate, start2024, tradeLines, z } from './testing/scenario.ts';

// Rules of the reference that the worked examples do not touch, one by one.

const at = (hours: number): number => start2024 + hours * hour;
const short = (candles: Ohlc[], more: Omit<Scenario, 'pairs'> = {}, pair: Partial<PairScenario> = {}) =>
  simulate({ pairs: { A: { candles, enterShort: [0], ...pair } }, ...more, settings: { ...futures, ...more.settings } });

describe('time and pairs', () => {
  test('a pair that is listed later loses its own first candles to the warm-up', () => {
    const every = [0, 1, 2, 3, 4, 5];
    const late = { candles: [z, f, f, f, f], enter: [0, 1, 2, 3], from: at(2) };
    const result = simulate({ pairs: { A: { candles: [z, f, f, f, f, f, f], enter: every }, B: late }, startupCandles: 2 });
    expect(result.trades.map(({ symbol, openTime }) => [symbol, clock(openTime)])).toEqual([
      ['A', '03:00'],
      ['B', '05:00'],
    ]);
  });
  test('without warm-up the candles before the range are dropped', () => {
    const result = simulate({
      pairs: { A: { candles: [z, f, f, f, f], enter: [0, 1, 2, 3] } },
      range: { from: at(2), to: at(4) },
    });
    expect(tradeLines(result)).toEqual(['03:00 @ 100 -> 04:00 @ 100 force_exit, -2']);
  });
  test('the strategy is called for every candle but the first, once, also where detail candles replay it', () => {
    const seen: string[] = [];
    const quarters = [f, f, f, f].map((candle) => [candle, candle, candle, candle]);
    const callbacks: StrategyCallbacks = { loopStart: (time) => void seen.push(clock(time)) };
    simulate({ pairs: { A: { candles: [z, f, f, f], enter: [0] } }, callbacks });
    simulate({ pairs: { A: { candles: [z, f, f, f], enter: [0], detail: quarters } }, callbacks });
    expect(seen).toEqual(['01:00', '02:00', '03:00', '01:00', '02:00', '03:00']);
  });
  test('a trade of a pair that ends early holds its slot to the end and closes on the last candle of the pair', () => {
    const result = simulate({
      pairs: { A: { candles: [z, f, f], enter: [0] }, B: { candles: [z, f, f, f, f], enter: [0, 2, 3] } },
      settings: { maxOpenTrades: 1 },
    });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 100 force_exit, -2']);
    expect(result.counters.rejectedSignals).toBe(2);
  });
  test('the pair with the oldest open trade comes first, whatever the list says', () => {
    // B entered before A; both leave at 03:00.
    const flat = [z, f, f, f, f];
    const result = simulate({ pairs: { A: { candles: flat, enter: [1], exit: [2] }, B: { candles: flat, enter: [0], exit: [2] } } });
    expect(result.trades.map(({ symbol }) => symbol)).toEqual(['B', 'A']);
  });
  test('nothing opens on the last candle', () => {
    expect(long([z, f, f], {}, { enter: [1] }).trades).toEqual([]);
  });
  test('the fee is the worse one of the first pair, for all pairs, unless it is given', () => {
    const pairs = {
      A: { candles: [z, f, f], enter: [0], instrument: { takerFee: 0.002, makerFee: 0.003 } },
      B: { candles: [z, f, f], enter: [0], instrument: { takerFee: 0.05, makerFee: 0.05 } },
    };
    expect(simulate({ pairs, settings: { fee: null } }).trades.map(({ profit }) => profit)).toEqual([-6, -6]);
    expect(simulate({ pairs, settings: { fee: 0 } }).trades.map(({ profit }) => profit)).toEqual([0, 0]);
  });
});

describe('entries', () => {
  const opened = (pair: Partial<PairScenario>) =>
    simulate({ pairs: { A: { candles: [z, f, f, f], ...pair } }, settings: futures }).trades.map(({ direction }) => direction);
  test.each<[string, Partial<PairScenario>, string[]]>([
    ['long alone', { enter: [0] }, ['long']],
    ['short alone', { enterShort: [0] }, ['short']],
    ['both directions', { enter: [0], enterShort: [0] }, []],
    ['long with its exit', { enter: [0], exit: [0] }, []],
    ['short with its exit', { enterShort: [0], exitShort: [0] }, []],
    ['short with the exit of a long', { enterShort: [0], exit: [0] }, ['short']],
    ['long with the exit of a short', { enter: [0], exitShort: [0] }, ['long']],
  ])('signals: %s', (_, pair, directions) => {
    expect(opened(pair)).toEqual(directions);
  });
  test('on spot the flags of shorts are not read', () => {
    expect(tradeLines(long([z, f, f], {}, { enterShort: [0] }))).toEqual(['01:00 @ 100 -> 02:00 @ 100 force_exit, -2']);
  });
  test('what is refused, locked or cannot be paid is not counted as rejected, and leaves no trace', () => {
    const none = (result: ReturnType<typeof simulate>, trades: number) => {
      expect(result.trades).toHaveLength(trades);
      expect(result.counters).toEqual({
        rejectedSignals: 0,
        timedOutEntryOrders: 0,
        timedOutExitOrders: 0,
        cancelledTradeEntries: 0,
        cancelledEntryOrders: 0,
        replacedEntryOrders: 0,
      });
    };
    none(long([z, f, f, f], {}, { enter: [0, 1] }, { confirmEntry: () => false }), 0);
    none(long([z, f, f, f], { startingBalance: 999 }, { enter: [0, 1] }), 0);
    const protections = [{ kind: 'cooldown', stopCandles: 9 } as const];
    none(long([z, f, f, f, f], { protections }, { enter: [0, 2], exit: [1] }), 1);
  });
  test('a market order enters at the open, and no callback is asked for its price', () => {
    const result = long([z, f, f], { orderTypes: { entry: 'market' } }, {}, { entryPrice: () => 99 });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 100 force_exit, -2']);
  });
  test('a price asked for is rounded to the tick and held inside the candle: below the high for a long, above the low for a short', () => {
    expect(long([z, f, f], {}, {}, { entryPrice: () => 99.4567 }).trades[0].openRate).toBe(99.46);
    expect(long([z, f, f], {}, {}, { entryPrice: () => 101.5 }).trades[0].openRate).toBe(101);
    expect(short([z, f, f], { callbacks: { entryPrice: () => 98.5 } }).trades[0].openRate).toBe(99);
  });
  test('the leverage asked for is held between 1 and what the tier of the stake allows', () => {
    const leverageOf = (leverage: number) =>
      short([z, [100, 100, 99.9, 100], f], { callbacks: { leverage: () => leverage } }).trades[0]?.leverage;
    expect([0.2, 7, 500].map(leverageOf)).toEqual([1, 7, 50]);
  });
  test('the stake is what the amount cut to its step costs', () => {
    const [trade] = long([z, f, f], {}, { instrument: { amountStep: 3 } }).trades;
    expect([trade.amount, trade.stake]).toEqual([9, 900]);
    expect(long([z, f, f], {}, { instrument: { amountStep: 11 } }).trades).toEqual([]);
  });
  test('amounts are cut in contracts where a contract is not one coin', () => {
    expect(long([z, f, f], {}, { instrument: { amountStep: 1, contractSize: 0.4 } }).trades[0].amount).toBe(10);
    expect(long([z, f, f], {}, { instrument: { amountStep: 2, contractSize: 1.5 } }).trades[0].amount).toBe(9);
  });
});

describe('orders that wait', () => {
  const pending: StrategyCallbacks = { entryPrice: () => 98 };
  test('the strategy may say that an order has waited long enough', () => {
    const result = long([z, f, [99, 100, 97, 98], f], {}, {}, { ...pending, isTimedOut: ({ order, time }) => time > order.createdTime });
    expect(result.trades).toEqual([]);
    expect(result.counters.timedOutEntryOrders).toBe(1);
  });
  const adding: StrategyCallbacks = {
    entryPrice: ({ trade }) => (trade === null ? null : 95),
    adjustPosition: ({ time }) => (time === at(2) ? 500 : null),
  };
  test('a further entry that times out takes only itself away', () => {
    const settings = { positionAdjustment: true, unfilledTimeout: { entryMs: 60 * minute } };
    const result = long([z, f, f, f, f], settings, {}, adding);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 04:00 @ 100 force_exit, -2']);
    expect(result.counters.timedOutEntryOrders).toBe(1);
  });
  test('a further entry that waits holds no stake', () => {
    const result = simulate({
      pairs: { A: { candles: [z, f, f, f, f], enter: [0] }, B: { candles: [z, f, f, f, f], enter: [2] } },
      settings: { positionAdjustment: true, startingBalance: 2000 },
      callbacks: { ...adding, adjustPosition: ({ trade, time }) => (trade.symbol === 'A' && time === at(2) ? 900 : null) },
    });
    expect(result.trades.map(({ symbol, stake }) => [symbol, stake])).toEqual([
      ['A', 1000],
      ['B', 1000],
    ]);
  });
  test('an exit takes the place of all open orders, further entries included', () => {
    const result = long([z, f, f, f, f], { positionAdjustment: true }, { exit: [2] }, adding);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 03:00 @ 100 exit_signal, -2']);
    expect(result.trades[0].orders).toHaveLength(2);
    expect(result.counters.cancelledEntryOrders).toBe(1);
  });
  test('the price of an exit that waits may be changed, is rounded to the tick and tried at once', () => {
    const callbacks: StrategyCallbacks = { exitPrice: () => 102.5, adjustOrderPrice: () => 100.678 };
    expect(tradeLines(long([z, f, f, f, f], {}, { exit: [1] }, callbacks))).toEqual(['01:00 @ 100 -> 03:00 @ 100.68 exit_signal, 4.7932']);
  });
  test('an exit that the strategy withdraws leaves the trade open', () => {
    const callbacks: StrategyCallbacks = { exitPrice: () => 102.5, adjustOrderPrice: () => null };
    expect(tradeLines(long([z, f, f, [100, 103, 99, 100], f], {}, { exit: [1] }, callbacks))).toEqual([
      '01:00 @ 100 -> 04:00 @ 100 force_exit, -2',
    ]);
  });
  test('an entry at a new price is neither capped nor rounded', () => {
    const result = long([z, f, f, f], {}, {}, { ...pending, adjustOrderPrice: () => 99.123456 });
    expect(result.trades[0].orders[0]).toMatchObject({ price: 99.123456, fillPrice: 99.123456 });
    expect(result.trades[0].openRate).toBe(99.12);
  });
});

describe('signal exits', () => {
  test('in profit only: strictly above the offset, at the open', () => {
    // 100.21 gives 0.00009996 after fees, 100.2 a loss.
    const run = (open: number, exitProfitOffset = 0) =>
      long([z, f, [open, 105, 99, 104], f], { exitProfitOnly: true, exitProfitOffset }, { exit: [1] }).trades[0].exitReason;
    expect(run(100.2)).toBe('force_exit');
    expect(run(100.21)).toBe('exit_signal');
    expect(run(100.21, 0.0001)).toBe('force_exit');
  });
  test('the strategy is asked where there is no exit flag, or an entry flag beside it; not where the flag stands alone', () => {
    const asked: string[] = [];
    const callbacks: StrategyCallbacks = { customExit: ({ time }) => (asked.push(clock(time)), null) };
    long([z, f, f, f, f, f], { exitProfitOnly: true }, { enter: [0, 3], exit: [2, 3] }, callbacks);
    expect(asked).toEqual(['01:00', '02:00', '04:00', '05:00']);
  });
  test('its reason is cut at 255 signs and does not depend on profit only', () => {
    const reason = 'x'.repeat(300);
    const result = long([z, f, f, f], { exitProfitOnly: true }, {}, { customExit: ({ time }) => (time === at(2) ? reason : null) });
    expect(result.trades[0].exitReason).toBe('x'.repeat(255));
  });
  test('without exit signals neither flag nor strategy is asked', () => {
    const result = long([z, f, f, f], { useExitSignal: false }, { exit: [1] }, { customExit: () => 'now' });
    expect(result.trades[0].exitReason).toBe('force_exit');
  });
  test('a price asked for is held inside the candle on the worse side only', () => {
    expect(tradeLines(long([z, f, f, f], {}, { exit: [1] }, { exitPrice: () => 90 }))[0]).toContain('02:00 @ 99 exit_signal');
    expect(tradeLines(short([z, f, f, f], { callbacks: { exitPrice: () => 110 } }, { exitShort: [1] }))[0]).toContain(
      '02:00 @ 101 exit_signal',
    );
  });
  test('a market exit leaves at the open, and no callback is asked for its price', () => {
    const result = long([z, f, f, f], { orderTypes: { exit: 'market' } }, { exit: [1] }, { exitPrice: () => 90 });
    expect(tradeLines(result)[0]).toContain('02:00 @ 100 exit_signal');
  });
  test('what the strategy refuses gives way to the next reason; a liquidation and a part are not asked about', () => {
    const asked: string[] = [];
    const callbacks: StrategyCallbacks = { confirmExit: ({ reason }) => (asked.push(reason), reason === 'roi') };
    const result = long([z, f, [100, 112, 89, 95], f], { minimalRoi: { 0: 0.05 } }, { exit: [1] }, callbacks);
    expect(tradeLines(result)[0]).toContain('02:00 @ 105.21 roi');
    expect(asked).toEqual(['exit_signal', 'stop_loss', 'roi']);
    asked.length = 0;
    const tenfold = { ...futures, leverage: 10, stoploss: -0.99, positionAdjustment: true };
    const parts = { ...callbacks, adjustPosition: ({ time }: { time: number }) => (time === at(1) ? -100 : null) };
    expect(tradeLines(long([z, f, [100, 100, 91, 91.2], f], tenfold, {}, parts))[0]).toContain('liquidation');
    expect(asked).toEqual([]);
  });
});

describe('stops', () => {
  const only = { trailingStop: true, trailingStopPositive: 0.02, trailingOnlyOffsetIsReached: true };
  test('an offset of 0 arms at any profit of at least 0', () => {
    // 100.2 is a loss after fees, 100.21 a profit: 100.21 * 0.98 = 98.2058.
    const stopAfter = (high: number) => long([z, [100, 100.1, 99, 100], [100, high, 99, 100]], only).trades[0].stop;
    expect(stopAfter(100.2)).toBe(90);
    expect(stopAfter(100.21)).toBe(98.21);
  });
  test('at the very offset it trails by the stoploss, above it by the positive stop', () => {
    // With fee 0 a high of 103 is exactly 0.03.
    const stopAfter = (high: number) =>
      long([z, f, [102, high, 102, high]], { ...only, trailingStopPositiveOffset: 0.03, fee: 0 }).trades[0].stop;
    expect(stopAfter(102.99)).toBe(90);
    expect(stopAfter(103)).toBe(92.7);
    expect(stopAfter(103.01)).toBe(100.95);
  });
  test.each([0, null, NaN, Infinity, -Infinity])('a stop of %s from the strategy is none', (ratio) => {
    expect(long([z, f, f], {}, {}, { customStop: () => ratio }).trades[0].stop).toBe(90);
  });
  test('a stop from the strategy counts by its size and never loosens', () => {
    const ratios = [0.05, -0.2, -0.03];
    const stops: number[] = [];
    const callbacks: StrategyCallbacks = { customStop: ({ trade }) => (stops.push(trade.stop), ratios[stops.length - 1] ?? null) };
    const flat: Ohlc = [100, 100, 99.5, 100];
    const [trade] = long([z, flat, flat, flat, flat], {}, {}, callbacks).trades;
    expect([...stops, trade.stop]).toEqual([90, 95, 95, 97, 97]);
  });
  test('on the entry candle a short that has trailed leaves at the high or the far side of the open', () => {
    const run = (candle: Ohlc, more = {}) => tradeLines(short([z, candle, f], { settings: { trailingStop: true, ...more } }))[0];
    // The low of 95 moves the stop to 104.5, which the high hits; the worst path then ends at the high.
    expect(run([100, 107, 95, 106])).toContain('01:00 @ 107 trailing_stop_loss');
    // With a positive stop of 0.02 the worst path turns at once and ends at 102.
    const positive = { trailingStopPositive: 0.02, trailingStopPositiveOffset: 0.03 };
    expect(run([100, 107, 95, 106], positive)).toContain('01:00 @ 102 trailing_stop_loss');
  });
  test('a whole candle beyond the stop of a short leaves at its open', () => {
    expect(tradeLines(short([z, f, [115, 118, 112, 116], f]))).toEqual(['01:00 @ 100 -> 02:00 @ 115 stop_loss, -152.15']);
  });
});

describe('ROI', () => {
  test('is not counted beside an entry signal, when the settings say so', () => {
    const candles: Ohlc[] = [z, f, [101, 106, 100, 103], f];
    const run = (ignoreRoiIfEntrySignal: boolean) =>
      long(candles, { minimalRoi: { 0: 0.05 }, ignoreRoiIfEntrySignal }, { enter: [0, 1] }).trades[0].exitReason;
    expect([run(false), run(true)]).toEqual(['roi', 'force_exit']);
  });
  test('of the table and the strategy the lower counts, that of the strategy with the minutes as they are', () => {
    const candles: Ohlc[] = [z, f, [101, 106, 100, 103], f];
    const run = (roi: number | null) =>
      tradeLines(long(candles, { minimalRoi: { 0: 0.05 } }, {}, { roi: ({ minutes }) => (minutes === 60 ? roi : null) }))[0];
    expect(run(null)).toContain('02:00 @ 105.21 roi');
    expect(run(0.2)).toContain('02:00 @ 105.21 roi');
    expect(run(0.03)).toContain('02:00 @ 103.21 roi');
    // Its minutes are those of this candle: a step that begins here, so an open that is better counts.
    expect(run(0.005)).toContain('02:00 @ 101 roi');
    expect(run(-1)).toContain('02:00 @ 101 roi');
  });
  test('on the entry candle a price behind the close may have come before the entry: no exit', () => {
    // The order at 98 lies below the open; the ROI price of 98.2 * 1.001 * 1.005 / 0.999 lies above the close.
    const settings = { minimalRoi: { 0: 0.005 } };
    const run = (candle: Ohlc) => tradeLines(long([z, candle, [97, 97.5, 96, 97]], settings, {}, { entryPrice: () => 98 }))[0];
    expect(run([100, 101, 97, 97.5])).toContain('02:00 @ 97 force_exit');
    expect(run([100, 101, 97, 99])).toContain('01:00 @ 98.69 roi');
    expect(run([97.9, 101, 97, 97.5])).toContain('01:00 @ 98.69 roi');
  });
  test('so it is for a short', () => {
    const settings = { minimalRoi: { 0: 0.005 } };
    const run = (candle: Ohlc) =>
      tradeLines(short([z, candle, [103, 103.5, 102.5, 103]], { settings, callbacks: { entryPrice: () => 102 } }))[0];
    // 102 * 0.999 * 0.995 / 1.001 = 101.29.
    expect(run([100, 103, 99, 102.5])).toContain('02:00 @ 103 force_exit');
    expect(run([100, 103, 99, 101])).toContain('01:00 @ 101.29 roi');
  });
  test('a short that the whole candle has beaten leaves at the high, or where a step begins at the open', () => {
    const settings = { minimalRoi: { 0: 0.1, 60: 0.01 } };
    const flat: Ohlc = [100, 100.5, 99.5, 100];
    expect(tradeLines(short([z, flat, [97, 98, 96, 97], flat], { settings }))[0]).toContain('02:00 @ 97 roi');
    expect(tradeLines(short([z, flat, flat, [97, 98, 96, 97], flat], { settings }))[0]).toContain('03:00 @ 98 roi');
  });
});

describe('position adjustment', () => {
  const adjust = (change: (hours: number) => number | null): StrategyCallbacks => ({
    adjustPosition: ({ time }) => change((time - start2024) / hour),
  });
  const on = { positionAdjustment: true };
  test('is not asked when it is off', () => {
    expect(
      long(
        [z, f, f],
        {},
        {},
        adjust(() => 100),
      ).trades[0].orders,
    ).toHaveLength(2);
  });
  test('comes on the entry candle and on the last one, whatever slots and locks say', () => {
    const protections = [{ kind: 'cooldown', stopCandles: 9 } as const];
    const result = long(
      [z, f, f, f],
      { ...on, maxOpenTrades: 1, protections },
      {},
      adjust((hours) => (hours === 2 ? -500 : 100)),
    );
    expect(result.trades[0].orders.map(({ purpose, amount, filledTime }) => [purpose, amount, clock(filledTime ?? 0)])).toEqual([
      ['entry', 10, '01:00'],
      ['entry', 1, '01:00'],
      ['exit', 5, '02:00'],
      ['entry', 1, '03:00'],
      ['exit', 7, '03:00'],
    ]);
  });
  test('further entries end with their limit', () => {
    const entries = (maxEntryAdjustments: number) =>
      long(
        [z, f, f, f, f],
        { ...on, maxEntryAdjustments },
        {},
        adjust(() => 100),
      ).trades[0].orders.length - 2;
    expect([-1, 0, 1, 2].map(entries)).toEqual([4, 0, 1, 2]);
  });
  test('a part that would leave less than the smallest stake is not taken, all of it is', () => {
    const run = (change: number) =>
      long(
        [z, f, f, f],
        on,
        { instrument: { minCost: 100 } },
        adjust((hours) => (hours === 2 ? change : null)),
      ).trades[0];
    expect(run(-950).orders).toHaveLength(2);
    expect(run(-1000)).toMatchObject({ exitReason: 'partial_exit', closeTime: at(2), profit: -2 });
    expect(run(-2000).orders).toHaveLength(2);
    expect(run(-500).orders).toHaveLength(3);
    expect(run(-0.05).orders).toHaveLength(2);
  });
  test('what is left may leave on the same candle', () => {
    const [trade] = long(
      [z, f, [100, 101, 89, 90], f],
      on,
      {},
      adjust((hours) => (hours === 2 ? -500 : null)),
    ).trades;
    expect(trade.orders.map(({ tag, price }) => [tag, price])).toEqual([
      [null, 100],
      ['partial_exit', 100],
      ['stop_loss', 90],
    ]);
    expect(trade.profit).toBe(-51.95);
  });
  test('a further entry stays within the largest stake of the market', () => {
    const [trade] = long(
      [z, f, f, f],
      on,
      { instrument: { maxCost: 1200 } },
      adjust((hours) => (hours === 2 ? 900 : null)),
    ).trades;
    expect(trade.orders.map(({ amount }) => amount)).toEqual([10, 2, 12]);
    expect(trade.stakeMax).toBe(1200);
  });
});

describe('the end and what is around', () => {
  test('with stacking nothing reverses', () => {
    const pair = { candles: [z, f, f, f, f], enter: [0], exit: [2], enterShort: [2] };
    const result = simulate({ pairs: { A: pair }, settings: { ...futures, positionStacking: true } });
    // The short opens beside the long before that one leaves.
    expect(result.trades.map(({ direction, openTime }) => [direction, clock(openTime)])).toEqual([
      ['long', '01:00'],
      ['short', '03:00'],
    ]);
    expect(
      long([z, f, f, f, f], { ...futures, positionStacking: true, maxOpenTrades: 1 }, { exit: [2], enterShort: [2] }).trades,
    ).toHaveLength(1);
  });
  test('a part taken out makes protections look as an exit does', () => {
    const high: Ohlc = [110, 111, 109, 110];
    const flat: Ohlc = [105, 106, 104, 105];
    const opens = (part: number | null) =>
      long(
        [z, f, high, high, flat, flat, flat, flat, flat],
        {
          positionAdjustment: true,
          positionStacking: true,
          protections: [{ kind: 'low-profit', lookbackCandles: 4, stopCandles: 5 }],
        },
        { enter: [0, 2, 4, 6], exit: [1, 3] },
        { adjustPosition: ({ time }) => (time === at(6) ? part : null) },
      ).trades.map(({ openTime }) => clock(openTime));
    // Won at 02:00, lost less at 04:00. At 06:00 only the loss is in sight.
    expect(opens(null)).toEqual(['01:00', '03:00', '05:00', '07:00']);
    expect(opens(-500)).toEqual(['01:00', '03:00', '05:00']);
  });
  test('a first entry that still waits at the end vanishes, uncounted', () => {
    const result = long([z, f, f, f], {}, {}, { entryPrice: () => 50 });
    expect(result).toMatchObject({ trades: [], unclosedTrades: [], finalBalance: 10_000 });
    expect(Object.values(result.counters).every((count) => count === 0)).toBe(true);
  });
  test('trades are reported in closing order, with all that is known of them', () => {
    const result = simulate({
      pairs: { A: { candles: [z, f, f, f, f], enter: [0], exit: [2] }, B: { candles: [z, f, f, f, f], enter: [0], exit: [1] } },
    });
    expect(result.trades.map(({ symbol }) => symbol)).toEqual(['B', 'A']);
    expect(result.trades[0]).toMatchObject({
      symbol: 'B',
      stake: 1000,
      stakeMax: 1000,
      amount: 10,
      openTime: at(1),
      closeTime: at(2),
      openRate: 100,
      closeRate: 100,
      feeOpen: 0.001,
      feeClose: 0.001,
      profit: -2,
      exitReason: 'exit_signal',
      initialStop: 90,
      initialStopRatio: -0.1,
      stop: 90,
      stopRatio: -0.1,
      minRate: 99,
      maxRate: 101,
      isOpen: false,
      enterTag: null,
      leverage: 1,
      direction: 'long',
      fundingFees: 0,
    });
    expect(result.trades[0].orders).toMatchObject([
      { side: 'buy', amount: 10, price: 100, fillPrice: 100, filledTime: at(1), tag: null },
      { side: 'sell', amount: 10, price: 100, fillPrice: 100, filledTime: at(2), tag: 'exit_signal' },
    ]);
  });
});

describe('detail candles', () => {
  const four = (candle: Ohlc): Ohlc[] => [candle, candle, candle, candle];
  test('a candle that has none is used once itself', () => {
    // The detail of 02:00 and 03:00 is missing: the stop of the main candle counts.
    const candles: Ohlc[] = [z, f, [100, 101, 89, 90], f];
    const result = simulate({ pairs: { A: { candles, enter: [0], detail: [four(z), four(f)] } } });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 90 stop_loss, -101.9']);
  });
  test('a pair that has left within a candle does not enter again before the next', () => {
    const dip: Ohlc[] = [f.slice() as Ohlc, [100, 101, 89, 90], f.slice() as Ohlc, f.slice() as Ohlc];
    const candles: Ohlc[] = [z, f, [100, 101, 89, 100], f, f];
    const result = simulate({ pairs: { A: { candles, enter: [0, 1, 2], detail: [four(z), four(f), dip, four(f), four(f)] } } });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:15 @ 90 stop_loss, -101.9', '03:00 @ 100 -> 04:00 @ 100 force_exit, -2']);
  });
  test('a step of the ROI table begins on a boundary of the main candles', () => {
    // 75 minutes after the entry is a boundary of the quarters, not of the hours: the price is the worst of the quarter.
    const candles: Ohlc[] = [z, f, [100, 100, 97, 98], f];
    const detail = [four(z), four(f), [f, [98, 99, 97, 98], f, f] as Ohlc[], four(f)];
    const run = (step: number) =>
      tradeLines(simulate({ pairs: { A: { candles, enter: [0], detail } }, settings: { minimalRoi: { 0: 0.1, [step]: -1 } } }))[0];
    expect(run(75)).toContain('02:15 @ 97 roi');
    expect(run(60)).toContain('02:00 @ 100 roi');
  });
});
