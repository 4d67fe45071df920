import { describe, expect, test } from 'vitest';
import type { FundingEvents } from '../account/funding.ts';
import type { QuirkName } from '../risk/quirks.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { BacktestResult } from './backtest-result.ts';
import type { Ohlc, Scenario } from './testing/scenario.ts';
import { f, futures, hour, minute, simulate, start2024, tradeLines, z } from './testing/scenario.ts';

// Rules of freqtrade 2026.9 that random runs beside it have shown. The numbers are those of its own backtester.

const at = (hours: number): number => start2024 + hours * hour;
const pairA = (candles: Ohlc[], more: Partial<Scenario['pairs'][string]> = {}): Scenario['pairs'] => ({
  A: { candles, enter: [0], ...more },
});
const without = (quirk: QuirkName, scenario: Scenario): BacktestResult => simulate({ ...scenario, quirksOff: [quirk] });
const orders = (result: BacktestResult, trade = 0) => {
  const found = [...result.trades, ...result.unclosedTrades][trade];
  return found.orders.filter(({ state }) => state === 'filled').map(({ purpose, price, amount, tag }) => [purpose, price, amount, tag]);
};
const fundingAt = (hours: number, rate: number): FundingEvents => ({
  time: Float64Array.of(at(hours)),
  rate: Float64Array.of(rate),
  mark: Float64Array.of(100),
});

describe('adjustingResetsTheStop settling a trade again sets its stop again', () => {
  // The strategy's stop of 2 per cent from a high of 99 is 97.02; from the average of 100 it is 98.
  const candles: Ohlc[] = [z, [100, 100.5, 99, 99.5], [99, 99, 98.5, 98.8], [98.8, 99, 98.5, 98.9], [98.5, 98.6, 97.5, 97.8], f];
  const customStop: StrategyCallbacks['customStop'] = ({ time }) => (time === at(2) ? -0.02 : null);
  const scenario = (change: number): Scenario => ({
    pairs: pairA(candles),
    settings: { positionAdjustment: true },
    callbacks: {
      customStop,
      adjustPosition: ({ time }) => (time === at(3) ? change : null),
      entryPrice: ({ trade }) => (trade === null ? null : 95),
    },
  });
  test('after a partial exit', () => {
    expect(tradeLines(simulate(scenario(-300)))).toEqual(['01:00 @ 100 -> 04:00 @ 98 trailing_stop_loss, -19.5824']);
    expect(tradeLines(without('adjustingResetsTheStop', scenario(-300)))[0]).toContain('05:00 @ 100 force_exit');
  });
  test('after a further entry is placed, although it never fills', () => {
    expect(orders(simulate(scenario(500)))).toHaveLength(2);
    expect(tradeLines(simulate(scenario(500)))[0]).toContain('04:00 @ 98 trailing_stop_loss');
    expect(tradeLines(without('adjustingResetsTheStop', scenario(500)))[0]).toContain('05:00 @ 100 force_exit');
  });
  test('after a further entry the tighter of the strategy and the average wins', () => {
    const result: Scenario = {
      pairs: pairA([z, f, [95, 96, 94.5, 95], [95, 96, 94.5, 95]]),
      settings: { positionAdjustment: true },
      callbacks: {
        stopAfterFill: true,
        customStop: ({ afterFill, time }) => (afterFill && time === at(2) ? -0.05 : null),
        adjustPosition: ({ time }) => (time === at(2) ? 950 : null),
      },
    };
    // From the fill at 95 it would be 90.25; from the average of 97.5 it is 92.625.
    expect(simulate(result).trades[0]).toMatchObject({ openRate: 97.5, stop: 92.63, isStopTrailing: true });
    expect(without('adjustingResetsTheStop', result).trades[0]).toMatchObject({ openRate: 97.5, stop: 90.25 });
  });
  test('but not once more has been taken out than was held', () => {
    const oversold = simulate({ ...scenario(-2000), callbacks: { ...scenario(-2000).callbacks, customStop } });
    expect(oversold.trades[0]).toMatchObject({ stop: 97.02 });
  });
});

test('with trailing the base distance is what the strategy has asked for on this candle', () => {
  const scenario = (ratio: number | null): Scenario => ({
    pairs: pairA([z, f, [100, 110, 100, 109], [105, 106, 95, 96], f]),
    settings: { trailingStop: true },
    callbacks: { customStop: () => ratio },
  });
  // 20 per cent below 110 is 88, behind the stop of 90; the configured 10 per cent would be 99.
  expect(tradeLines(simulate(scenario(-0.2)))[0]).toContain('04:00 @ 100 force_exit');
  expect(tradeLines(simulate(scenario(null)))[0]).toContain('03:00 @ 99 trailing_stop_loss');
});

describe('a stop after a fill', () => {
  test('trails from the price of the fill, also on a candle that touches the stop before it', () => {
    // The second entry at 110 moves the stop from 90 to 10 per cent below 110.
    const callbacks: StrategyCallbacks = {
      stopAfterFill: true,
      customStop: () => null,
      adjustPosition: ({ time }) => (time === at(2) ? 1000 : null),
    };
    const settings = { positionAdjustment: true, trailingStop: true };
    const result = simulate({ pairs: pairA([z, f, [110, 110, 89, 95], f]), settings, callbacks });
    expect(tradeLines(result)[0]).toContain('02:00 @ 99 trailing_stop_loss');
  });
  test('is not asked for where the fill lies beyond the stop', () => {
    const asked: number[] = [];
    const callbacks: StrategyCallbacks = {
      stopAfterFill: true,
      customStop: ({ time, afterFill }) => {
        if (afterFill) asked.push((time - start2024) / hour);
        return null;
      },
      confirmExit: ({ reason }) => reason === 'force_exit',
      adjustPosition: ({ time }) => (time === at(3) || time === at(2) ? 100 : null),
    };
    simulate({ pairs: pairA([z, f, [95, 96, 94, 95], [85, 86, 84, 85], f]), settings: { positionAdjustment: true }, callbacks });
    expect(asked).toEqual([1, 2]);
  });
});

describe('oversizedExitIsSettledInFull a partial exit of more than is held', () => {
  const scenario: Scenario = {
    pairs: pairA([z, f, [110, 111, 109, 110], [110, 111, 109, 110]]),
    settings: { positionAdjustment: true },
    callbacks: { adjustPosition: ({ time }) => (time === at(2) ? -3000 : null) },
  };
  test('is settled in full and leaves the amount; off, it is refused', () => {
    expect(orders(simulate(scenario))).toEqual([
      ['entry', 100, 10, null],
      ['exit', 110, 30, 'partial_exit'],
      ['exit', 110, 10, 'force_exit'],
    ]);
    expect(simulate(scenario).trades[0].profit).toBeCloseTo(391.6, 8);
    expect(orders(without('oversizedExitIsSettledInFull', scenario))).toEqual([
      ['entry', 100, 10, null],
      ['exit', 110, 10, 'force_exit'],
    ]);
  });
  test('after it a further entry changes the rate of the trade alone, which decides the price of a ROI', () => {
    const { trades } = simulate({
      pairs: pairA([z, f, f, [90, 96, 89.5, 95], f]),
      settings: { positionAdjustment: true, minimalRoi: { 0: 0.02 }, stoploss: -0.3 },
      callbacks: {
        adjustPosition: ({ time }) => (time === at(2) ? -3000 : time === at(3) ? 900 : null),
        roi: ({ time }) => (time === at(3) ? -0.05 : null),
      },
    });
    // Of the old value of 1001 a profit of -0.05 is reached at 95; with the rate of 90 its price is 85.6, so the open is better.
    expect(trades[0]).toMatchObject({ openRate: 90, amount: 10, exitReason: 'roi', closeRate: 90 });
  });
  test('is refused where the market has a smallest stake, as the rest is below it', () => {
    expect(orders(simulate({ ...scenario, pairs: pairA(scenario.pairs['A'].candles, { instrument: { minCost: 5 } }) }))).toHaveLength(2);
  });
});

test('costLimitsTimesContractSize the limits of the cost are multiplied by the contract size', () => {
  const scenario = (instrument: object): Scenario => ({
    pairs: pairA([z, f, f], { instrument: { contractSize: 10, amountStep: 0.001, ...instrument } }),
    settings: { ...futures, stakeAmount: 20 },
  });
  expect(simulate(scenario({ minCost: 5 })).trades).toEqual([]);
  expect(without('costLimitsTimesContractSize', scenario({ minCost: 5 })).trades).toHaveLength(1);
  expect(simulate(scenario({ maxCost: 15 })).trades[0].amount).toBe(0.2);
  expect(without('costLimitsTimesContractSize', scenario({ maxCost: 15 })).trades[0].amount).toBe(0.15);
});

describe('adjustingDropsRunningFunding the funding since the last fill', () => {
  const scenario: Scenario = {
    pairs: pairA([z, f, f, [100, 105, 99.5, 101], f], { funding: fundingAt(2, 0.01) }),
    settings: { ...futures, positionAdjustment: true, minimalRoi: { 0: 0.02 } },
    callbacks: {
      adjustPosition: ({ time }) => (time === at(3) ? 500 : null),
      entryPrice: ({ trade }) => (trade === null ? null : 90),
    },
  };
  test('is left out of the ROI price after a further entry that has not filled', () => {
    expect(tradeLines(simulate(scenario))[0]).toContain('03:00 @ 102.2 roi');
    expect(tradeLines(without('adjustingDropsRunningFunding', scenario))[0]).toContain('03:00 @ 103.21 roi');
  });
  test('and so after a partial exit, where it would count for the second time', () => {
    const partial: Scenario = {
      ...scenario,
      pairs: pairA([z, f, [100, 106, 99.5, 101], f], { funding: fundingAt(2, 0.01) }),
      callbacks: { adjustPosition: ({ time }) => (time === at(2) ? -200 : null) },
    };
    // 10 has been settled with the exit; without the quirk another 10, on what was held before it, is on the way.
    expect(tradeLines(simulate(partial))[0]).toContain('02:00 @ 103.46 roi');
    expect(tradeLines(without('adjustingDropsRunningFunding', partial))[0]).toContain('02:00 @ 104.71 roi');
  });
  test('but is paid in the end', () => {
    expect(simulate(scenario).trades[0].fundingFees).toBe(-10);
  });
});

test('replacedEntryKeepsFreeMoney free money is that of before the replaced entry filled', () => {
  const scenario: Scenario = {
    pairs: { ...pairA([z, f, f, f, f]), B: { candles: [z, f, f, f, f], enter: [2] } },
    settings: { startingBalance: 2500, positionAdjustment: true },
    callbacks: {
      adjustPosition: ({ trade, time }) => (trade.symbol === 'A' && time === at(2) ? 1000 : null),
      entryPrice: ({ trade }) => (trade === null ? null : 95),
      adjustOrderPrice: () => 100,
    },
  };
  expect(tradeLines(simulate(scenario), 'B')).toHaveLength(1);
  expect(tradeLines(without('replacedEntryKeepsFreeMoney', scenario), 'B')).toEqual([]);
  expect(simulate(scenario).trades.find(({ symbol }) => symbol === 'A')?.stakeMax).toBe(1999.9);
});

describe('free money is counted again', () => {
  const enterB = (candles: Ohlc[], at: number): Scenario['pairs'] => ({
    ...pairA(candles),
    B: { candles: candles.map(() => f), enter: [at] },
  });
  test('after a first entry has run out of time', () => {
    const result = simulate({
      pairs: enterB([z, f, f, f], 1),
      settings: { startingBalance: 1500, unfilledTimeout: { entryMs: hour } },
      callbacks: { entryPrice: ({ symbol }) => (symbol === 'A' ? 95 : null) },
    });
    expect(tradeLines(result, 'B')).toEqual(['02:00 @ 100 -> 03:00 @ 100 force_exit, -2']);
  });
  test('after a further entry that waited fills', () => {
    const scenario: Scenario = {
      pairs: enterB([z, f, f, [100, 101, 94, 100], f], 2),
      settings: { startingBalance: 2500, positionAdjustment: true },
      callbacks: {
        adjustPosition: ({ trade, time }) => (trade.symbol === 'A' && time === at(2) ? 1000 : null),
        entryPrice: ({ trade }) => (trade === null ? null : 95),
      },
    };
    expect(tradeLines(simulate(scenario), 'B')).toEqual([]);
    expect(tradeLines(simulate({ ...scenario, callbacks: {} }), 'B')).toHaveLength(1);
  });
  test('and the entry price is asked for even when there is none', () => {
    const asked: string[] = [];
    const callbacks: StrategyCallbacks = {
      entryPrice({ symbol }) {
        asked.push(symbol);
        return null;
      },
    };
    expect(simulate({ pairs: pairA([z, f, f]), settings: { startingBalance: 500 }, callbacks }).trades).toEqual([]);
    expect(asked).toEqual(['A']);
  });
});

describe('detailCandlesTakenByNumber detail candles by their number', () => {
  // The detail begins with the third quarter of the candle at 01:00, whose stop is hit in the quarter after.
  const candles: Ohlc[] = [z, [100, 101, 80, 100], f, f];
  const quarters: Ohlc[][] = [
    [
      [100, 101, 99, 100],
      [100, 100.5, 80, 85],
    ],
    [f, f, f, f],
    [f, f, f, f],
  ];
  const scenario: Scenario = { pairs: pairA(candles, { detail: quarters, detailFrom: at(1) + 30 * minute }) };
  test('come at the start of a candle in which they begin', () => {
    expect(tradeLines(simulate(scenario))).toEqual(['01:30 @ 100 -> 01:15 @ 90 stop_loss, -101.9']);
    expect(tradeLines(without('detailCandlesTakenByNumber', scenario))).toEqual(['01:30 @ 100 -> 01:45 @ 90 stop_loss, -101.9']);
  });
  test('the end of the range ends them: the last candle has one step', () => {
    const calm: Ohlc[][] = Array.from({ length: 4 }, (_, i) => (i === 3 ? [f, f, [100, 101, 80, 85], f] : [f, f, f, f]));
    const whole: Scenario = { pairs: pairA([z, f, f, [100, 101, 80, 100]], { detail: calm }) };
    expect(tradeLines(simulate(whole))[0]).toContain('03:30 @ 90 stop_loss');
    expect(tradeLines(simulate({ ...whole, range: { from: start2024, to: at(3) } }))[0]).toContain('03:00 @ 100 force_exit');
  });
});

describe('orders that are replaced', () => {
  const waits: Scenario = {
    pairs: pairA([z, f, f, f]),
    callbacks: { entryPrice: () => 95, adjustOrderPrice: ({ order }) => (order.purpose === 'entry' ? 99.5 : null) },
  };
  test('a replaced entry is confirmed; a refusal removes a trade without a fill', () => {
    const asked: unknown[] = [];
    const confirming = (says: boolean): Scenario => ({
      ...waits,
      callbacks: {
        ...waits.callbacks,
        confirmEntry: ({ time, price, amount }) => {
          asked.push([(time - start2024) / hour, price, amount]);
          return time === at(1) || says;
        },
      },
    });
    expect(simulate(confirming(true)).trades[0]).toMatchObject({ openRate: 99.5, amount: 10.049 });
    expect(asked).toEqual([
      [1, 95, 10.526],
      [2, 99.5, 10.049],
    ]);
    const refused = simulate(confirming(false));
    expect(refused.trades).toEqual([]);
    expect(refused.counters).toMatchObject({ cancelledEntryOrders: 1, replacedEntryOrders: 1, cancelledTradeEntries: 1 });
  });
  test('the strategy is asked for its entry price again, and the answer is not used', () => {
    let asked = 0;
    const entryPrice = (): number => (asked++ === 0 ? 95 : 99);
    expect(simulate({ ...waits, callbacks: { ...waits.callbacks, entryPrice } }).trades[0].openRate).toBe(99.5);
    expect(asked).toBe(2);
  });
  test('a stake below the smallest is not replaced', () => {
    // The smallest amount is 1: at 90 a stake of 94.5 will do, at 101 it takes 106.05.
    const callbacks: StrategyCallbacks = { ...waits.callbacks, entryPrice: ({ trade }) => (trade === null ? 90 : 101) };
    const { trades, counters } = simulate({
      ...waits,
      pairs: pairA([z, f, f, f], { instrument: { minAmount: 1 } }),
      settings: { stakeAmount: 95 },
      callbacks,
    });
    expect(trades).toEqual([]);
    expect(counters).toMatchObject({ cancelledTradeEntries: 1 });
  });
  test('replaced and cancelled exits are not counted as entries', () => {
    const result = simulate({
      pairs: pairA([z, f, f, f, f, f], { exit: [1] }),
      callbacks: { exitPrice: () => 105, adjustOrderPrice: ({ time }) => (time === at(3) ? 104 : null) },
    });
    expect(result.counters).toMatchObject({ cancelledEntryOrders: 0, replacedEntryOrders: 0, cancelledTradeEntries: 0 });
  });
});

test("a further entry's own price has the tick of the moment", () => {
  const january = Array.from({ length: 3 }, (): Ohlc => [100.1, 100.5, 99.5, 100.1]);
  const february = Array.from({ length: 3 }, (): Ohlc => [100.25, 100.27, 100.1, 100.26]);
  const result = simulate({
    pairs: pairA([...january, ...february]),
    startTime: Date.UTC(2024, 0, 31, 21),
    settings: { positionAdjustment: true },
    callbacks: {
      adjustPosition: ({ time }) => (time === Date.UTC(2024, 1, 1, 1) ? 500 : null),
      entryPrice: ({ trade }) => (trade === null ? null : 100.234),
    },
  });
  expect(orders(result)[1].slice(0, 2)).toEqual(['entry', 100.23]);
});

test('fundingCountsTwiceAtAFill two exits at one funding time: the second has the funding of what was held before the first', () => {
  const scenario: Scenario = {
    pairs: pairA([z, f, f, f], { funding: fundingAt(2, 0.001), exit: [1] }),
    settings: { ...futures, positionAdjustment: true },
    callbacks: { adjustPosition: ({ time }) => (time === at(2) ? -400 : null) },
  };
  const fees = (result: BacktestResult) => result.trades[0].orders.map(({ amount, fundingFee }) => [amount, fundingFee]);
  expect(fees(simulate(scenario))).toEqual([
    [10, 0],
    [4, -1],
    [6, -1],
  ]);
  expect(fees(without('fundingCountsTwiceAtAFill', scenario)).map(([, fee]) => (fee === 0 ? 0 : fee))).toEqual([0, -1, 0]);
});

describe('what callbacks are given', () => {
  test('confirmExit has the price before it is rounded, the order the rounded one', () => {
    const seen: number[] = [];
    const confirmExit: StrategyCallbacks['confirmExit'] = ({ price }) => seen.push(price) > 0;
    const { trades } = simulate({
      pairs: pairA([z, f, [100, 105, 99, 104], f]),
      settings: { minimalRoi: { 0: 0.02 } },
      callbacks: { confirmExit },
    });
    expect(seen[0]).toBeCloseTo((100 * 1.001 * 1.02) / 0.999, 9);
    expect(trades[0].closeRate).toBe(102.2);
  });
  test('leverage has side and tag', () => {
    const seen: unknown[] = [];
    const leverage: NonNullable<StrategyCallbacks['leverage']> = ({ direction, tag, maxLeverage }) =>
      seen.push([direction, tag, maxLeverage]) + 1;
    const { trades } = simulate({ pairs: pairA([z, f, f]), settings: futures, callbacks: { leverage } });
    expect(seen).toEqual([['long', null, 50]]);
    expect(trades[0].leverage).toBe(2);
  });
  test('orderFilled has each fill: before the trade is settled where it is an exit', () => {
    const seen: unknown[] = [];
    simulate({
      pairs: pairA([z, f, f, f], { exit: [2] }),
      settings: { positionAdjustment: true },
      callbacks: {
        orderFilled: ({ trade, order, time }) =>
          seen.push([(time - start2024) / hour, order.purpose, order.amount, trade.amount, trade.isOpen]),
        adjustPosition: ({ time }) => (time === at(2) ? -400 : null),
      },
    });
    expect(seen).toEqual([
      [1, 'entry', 10, 10, true],
      [2, 'exit', 4, 10, true],
      [3, 'exit', 6, 6, true],
    ]);
  });
  test('adjustPosition may name the reason of its order', () => {
    const result = simulate({
      pairs: pairA([z, f, f, f, f]),
      settings: { positionAdjustment: true },
      callbacks: {
        adjustPosition: ({ time }) => (time === at(2) ? { stake: 500, tag: 'dip' } : time === at(3) ? { stake: -500, tag: 'rise' } : null),
      },
    });
    expect(orders(result).map(([, , , tag]) => tag)).toEqual([null, 'dip', 'rise', 'force_exit']);
  });
  test('the ROI of the strategy is asked again when its exit is priced', () => {
    let asked = 0;
    const { trades } = simulate({
      pairs: pairA([z, [100, 101, 99, 100.5], [100.5, 110, 100, 104], f]),
      callbacks: { roi: ({ time }) => (time === at(2) ? [0.02, 0.03][asked++] : null) },
    });
    expect(asked).toBe(2);
    expect(trades[0]).toMatchObject({ exitReason: 'roi', closeRate: 103.21 });
  });
});
