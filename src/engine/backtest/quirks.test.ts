import { describe, expect, test } from 'vitest';
import type { FundingEvents } from '../account/funding.ts';
import type { QuirkName } from '../risk/quirks.ts';
import { parityQuirks, quirkTable } from '../risk/quirks.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import { fingerprintLines } from './fingerprint.ts';
import type { Ohlc, PairScenario, Scenario } from './testing/scenario.ts';
import { f, futures, hour, long, simulate, start2024, tradeLines, z } from './testing/scenario.ts';

const off = (quirk: QuirkName, scenario: Scenario): [on: string[], off: string[]] => [
  tradeLines(simulate(scenario)),
  tradeLines(simulate({ ...scenario, quirksOff: [quirk] })),
];

describe('each quirk can be switched off singly', () => {
  describe('leverageOnlyFromCallback leverage only through a callback; off, the leverage of the settings counts', () => {
    const narrow: Ohlc = [100, 100.5, 99.9, 100];
    const scenario = (leverage: number): Scenario => ({
      pairs: { A: { candles: [z, narrow, narrow], enter: [0] } },
      settings: { ...futures, leverage, stoploss: -0.5 },
      callbacks: { leverage: () => 2 },
    });
    test('beside a callback', () => {
      const [on, without] = off('leverageOnlyFromCallback', scenario(5));
      expect(on).toEqual(['01:00 @ 100 -> 02:00 @ 100 force_exit, -4']);
      expect(without).toEqual(['01:00 @ 100 -> 02:00 @ 100 force_exit, -10']);
      expect(simulate({ ...scenario(5), quirksOff: ['leverageOnlyFromCallback'] }).trades[0]).toMatchObject({ leverage: 5, amount: 50 });
    });
    test("at most what the market's tier allows", () => {
      expect(simulate({ ...scenario(80), quirksOff: ['leverageOnlyFromCallback'] }).trades[0]).toMatchObject({
        leverage: 50,
        amount: 500,
        profit: -100,
      });
    });
    test('without a callback it changes nothing', () => {
      const [on, without] = off('leverageOnlyFromCallback', { ...scenario(5), callbacks: {} });
      expect(without).toEqual(on);
    });
  });

  test('shortPairEntersOnItsLastCandle a pair that ends early may enter on its last candle', () => {
    const pairs = { A: { candles: [z, f, f], enter: [1] }, B: { candles: [z, f, f, f, f] } };
    const [on, without] = off('shortPairEntersOnItsLastCandle', { pairs });
    expect(on).toEqual(['02:00 @ 100 -> 02:00 @ 100 force_exit, -2']);
    expect(without).toEqual([]);
  });
  test('priceTickReadFromCandles the tick of the instrument', () => {
    const candles: Ohlc[] = [
      [20.5, 20.9, 20.1, 20.3],
      [20.3, 20.6, 20.1, 20.4],
      [20.4, 20.5, 18, 18.6],
    ];
    const [on, without] = off('priceTickReadFromCandles', { pairs: { A: { candles, enter: [0] } }, settings: { stoploss: -0.08 } });
    expect(on[0]).toContain('@ 18.7 stop_loss');
    expect(without[0]).toContain('@ 18.68 stop_loss');
  });
  describe('tradeKeepsEntryTick a trade keeps the tick of its entry; off, its prices have the tick of the moment', () => {
    const startTime = Date.UTC(2024, 0, 31, 21);
    const january = Array.from({ length: 3 }, (): Ohlc => [100.1, 100.5, 99.5, 100.1]);
    test('W19 a forced exit', () => {
      const candles: Ohlc[] = [...january, [100.25, 100.27, 100.25, 100.26], [100.26, 100.27, 100.26, 100.26]];
      const [on, without] = off('tradeKeepsEntryTick', { pairs: { A: { candles, enter: [0] } }, startTime });
      expect(on).toEqual([]);
      expect(without).toEqual(['22:00 @ 100.1 -> 01:00 @ 100.26 force_exit, -0.4031964']);
    });
    const candles: Ohlc[] = [...january, [100.25, 102.37, 100.25, 102.26], [100, 100, 90, 91]];
    test('a stop that trails', () => {
      // 102.37 * 0.9 = 92.133.
      const [on, without] = off('tradeKeepsEntryTick', {
        pairs: { A: { candles, enter: [0] } },
        startTime,
        settings: { trailingStop: true },
      });
      expect(on[0]).toContain('01:00 @ 92.2 trailing_stop_loss');
      expect(without[0]).toContain('01:00 @ 92.14 trailing_stop_loss');
    });
    test('a lower high of a month with a coarser tick may still move the stop', () => {
      // 103.95 * 0.95 = 98.7525, up to 98.76; 103.9 * 0.95 = 98.705, up to 98.8.
      const coarser: Ohlc[] = [
        [100.01, 100.5, 99.5, 100],
        [100, 101, 99.9, 100.5],
        [103, 103.95, 102.9, 103.5],
        [103.5, 103.9, 103.1, 103.3],
        [99, 99.5, 98.8, 99],
        [99, 99.5, 98.9, 99],
      ];
      const settings = { trailingStop: true, stoploss: -0.05 };
      const [on, without] = off('tradeKeepsEntryTick', { pairs: { A: { candles: coarser, enter: [0] } }, startTime, settings });
      expect(on[0]).toContain('02:00 @ 99 force_exit');
      expect(without[0]).toContain('01:00 @ 98.8 trailing_stop_loss');
    });
    test('with priceTickReadFromCandles off too it is the tick of the instrument, which does not change', () => {
      const scenario: Scenario = {
        pairs: { A: { candles, enter: [0], instrument: { priceTick: 0.5 } } },
        startTime,
        settings: { trailingStop: true },
      };
      const both = simulate({ ...scenario, quirksOff: ['priceTickReadFromCandles', 'tradeKeepsEntryTick'] });
      expect(tradeLines(both)[0]).toContain('01:00 @ 92.5 trailing_stop_loss');
      expect(tradeLines(both)).toEqual(tradeLines(simulate({ ...scenario, quirksOff: ['priceTickReadFromCandles'] })));
    });
  });

  describe('tradeOpensWhenOrdered a trade opens with its order; off, with its first fill', () => {
    const callbacks: StrategyCallbacks = { entryPrice: () => 98 };
    const candles: Ohlc[] = [z, f, [96, 97, 95, 96], [96, 99, 95, 98], [98, 99, 97, 98], f];
    test('W7 its duration', () => {
      const [on, without] = off('tradeOpensWhenOrdered', { pairs: { A: { candles, enter: [0] } }, callbacks });
      expect(on).toEqual(['01:00 @ 98 -> 05:00 @ 100 force_exit, 18.387608']);
      expect(without).toEqual(['03:00 @ 98 -> 05:00 @ 100 force_exit, 18.387608']);
    });
    test('the clock of its ROI', () => {
      const settings = { minimalRoi: { 0: 0.1, 120: 0.005 } };
      const [on, without] = off('tradeOpensWhenOrdered', { pairs: { A: { candles, enter: [0] } }, callbacks, settings });
      expect(on).toEqual(['01:00 @ 98 -> 03:00 @ 98.69 roi, 5.03373524']);
      expect(without).toEqual(['03:00 @ 98 -> 05:00 @ 100 roi, 18.387608']);
    });
    test('the rules of the entry candle', () => {
      // The high of 110 moves the stop to 99; on the entry candle the worst path is assumed, which ends at the low.
      const scenario = { pairs: { A: { candles: [z, f, [100, 110, 97, 99], f] as Ohlc[], enter: [0] } }, callbacks };
      const [on, without] = off('tradeOpensWhenOrdered', { ...scenario, settings: { trailingStop: true } });
      expect(on[0]).toContain('01:00 @ 98 -> 02:00 @ 99 trailing_stop_loss');
      expect(without[0]).toContain('02:00 @ 98 -> 02:00 @ 97 trailing_stop_loss');
    });
    test('an order that fills at once opens the trade then, either way', () => {
      const [on, without] = off('tradeOpensWhenOrdered', { pairs: { A: { candles: [z, f, f], enter: [0] } } });
      expect(without).toEqual(on);
    });
  });

  test('lastCandidateNamesTheExit the reason of the order that fills', () => {
    // The signal's order at 102.5 waits; each candle after has the same signal and so the same order, but then a ROI.
    const candles = [z, f, f, [100, 104, 99, 100], f] as Ohlc[];
    const callbacks: StrategyCallbacks = { exitPrice: () => 102.5, confirmExit: ({ reason }) => reason !== 'roi' };
    const scenario = {
      pairs: {
        A: {
          candles,
          enter: [0],
          exit: [
            [1, 'first'],
            [2, 'second'],
          ] as [number, string][],
        },
      },
      callbacks,
    };
    const [on, without] = off('lastCandidateNamesTheExit', scenario);
    expect(on[0]).toContain('102.5 second');
    expect(without[0]).toContain('102.5 first');
  });
  test('highMovesStopBeforeLow the low is tested before the high moves the stop', () => {
    const scenario = { pairs: { A: { candles: [z, f, [100, 112, 95, 111], f] as Ohlc[], enter: [0] } }, settings: { trailingStop: true } };
    const [on, without] = off('highMovesStopBeforeLow', scenario);
    expect(on[0]).toContain('02:00 @ 100.8 trailing_stop_loss');
    // Held over the candle that moved it to 100.80, it is hit by the next low.
    expect(without[0]).toContain('03:00 @ 100.8 trailing_stop_loss');
  });
  test('averagingMakesStopTrail averaging keeps the reason', () => {
    const [on, without] = off('averagingMakesStopTrail', {
      pairs: { A: { candles: [z, f, [110, 111, 109, 110], [110, 111, 94, 95], f], enter: [0] } },
      settings: { positionAdjustment: true },
      callbacks: { adjustPosition: ({ time }) => (time === start2024 + 2 * hour ? 1000 : null) },
    });
    expect(on).toEqual(['01:00 @ 104.76 -> 03:00 @ 94.29 trailing_stop_loss, -203.7037961']);
    expect(without).toEqual(['01:00 @ 104.76 -> 03:00 @ 94.29 stop_loss, -203.7037961']);
  });
  describe('gapBeyondStopExitsAtStop an open beyond the stop still exits at the stop; off, at the open', () => {
    const settings = { trailingStop: true };
    test('also where the stop has trailed before', () => {
      // The high of 110 moves the stop to 99; the next candle opens at 98.
      const candles: Ohlc[] = [z, f, [104, 110, 103.9, 109], [98, 99.5, 97, 98], f];
      const [on, without] = off('gapBeyondStopExitsAtStop', { pairs: { A: { candles, enter: [0] } }, settings });
      expect(on[0]).toContain('03:00 @ 99 trailing_stop_loss');
      expect(without[0]).toContain('03:00 @ 98 trailing_stop_loss');
    });
    test('but not where the candle itself has moved it above its open', () => {
      const [on, without] = off('gapBeyondStopExitsAtStop', {
        pairs: { A: { candles: [z, f, [100, 112, 95, 101], f], enter: [0] } },
        settings,
      });
      expect(on[0]).toContain('02:00 @ 100.8 trailing_stop_loss');
      expect(without).toEqual(on);
    });
    test('nor where the trade was entered after the open', () => {
      const callbacks = { entryPrice: () => 120 };
      const [on, without] = off('gapBeyondStopExitsAtStop', {
        pairs: { A: { candles: [z, [100, 125, 95, 110], f], enter: [0] } },
        callbacks,
      });
      expect(on[0]).toContain('01:00 @ 120 -> 01:00 @ 108 stop_loss');
      expect(without).toEqual(on);
    });
  });
  test.each([
    [
      'beatenRoiExitsAtWorstPrice',
      { 0: 0.1, 120: 0.01 },
      [
        [100, 100.9, 100, 100.5],
        [103, 104, 102, 103],
      ],
      '04:00 @ 102 roi',
      '04:00 @ 103 roi',
    ],
    ['forcedRoiExitsAtWorstPrice', { 0: 0.1, 90: -1 }, [[98, 99, 97, 98]], '03:00 @ 97 roi', '03:00 @ 98 roi'],
  ] as ['beatenRoiExitsAtWorstPrice' | 'forcedRoiExitsAtWorstPrice', Record<number, number>, Ohlc[], string, string][])(
    '%s a ROI exit at the open',
    (quirk, minimalRoi, last, first, second) => {
      const candles: Ohlc[] = [z, [100, 101, 99, 101], [101, 102, 100, 102], ...last, [98, 99, 97, 98]];
      const [on, without] = off(quirk, { pairs: { A: { candles, enter: [0] } }, settings: { minimalRoi } });
      expect(on[0]).toContain(first);
      expect(without[0]).toContain(second);
    },
  );
  test('minimumStakeAssumesConstantStop the minimum stake accounts for the real stop', () => {
    const scenario = {
      pairs: { A: { candles: [z, f, f], enter: [0], instrument: { minCost: 10 } } },
      settings: { stakeAmount: 11.5, stoploss: -0.3 },
    };
    expect(simulate(scenario).trades[0].amount).toBe(0.115);
    // 10 * 1.05 / 0.7 = 15: more than 1.3 times the stake.
    expect(simulate({ ...scenario, quirksOff: ['minimumStakeAssumesConstantStop'] }).trades).toEqual([]);
  });
  test('fundingCountsTwiceAtAFill an entry that waited and fills on a funding time counts it once, for what was held before', () => {
    const funding: FundingEvents = {
      time: Float64Array.of(start2024 + 8 * hour),
      rate: Float64Array.of(0.001),
      mark: Float64Array.of(100),
    };
    const candles: Ohlc[] = [z, ...Array.from({ length: 12 }, (_, i): Ohlc => (i === 7 ? [100, 101, 98, 100] : f))];
    const scenario: Scenario = {
      pairs: { A: { candles, enter: [5], funding } },
      settings: { ...futures, positionAdjustment: true },
      callbacks: {
        entryPrice: ({ trade }) => (trade === null ? null : 98.5),
        adjustPosition: ({ time }) => (time === start2024 + 7 * hour ? 985 : null),
      },
    };
    const on = simulate(scenario).trades[0];
    expect(on.orders.map(({ amount, filledTime }) => [amount, ((filledTime ?? 0) - start2024) / hour])).toEqual([
      [10, 6],
      [10, 8],
      [20, 12],
    ]);
    expect(on.fundingFees).toBeCloseTo(-2, 10);
    expect(simulate({ ...scenario, quirksOff: ['fundingCountsTwiceAtAFill'] }).trades[0].fundingFees).toBeCloseTo(-1, 10);
  });
  test('leverageTierChosenByStake the maintenance tier goes by the notional', () => {
    const tier = { maxNotional: 1e9, maxLeverage: 50 };
    const leverageTiers = [
      { ...tier, minNotional: 0, maintenanceRate: 0.01, maintenanceAmount: 0 },
      { ...tier, minNotional: 5000, maintenanceRate: 0.02, maintenanceAmount: 50 },
    ];
    const [on, without] = off('leverageTierChosenByStake', {
      pairs: { A: { candles: [z, f, [100, 100, 91.5, 92], f], enter: [0], instrument: { leverageTiers } } },
      settings: { ...futures, leverage: 10, stoploss: -0.99 },
    });
    expect(on[0]).toContain('03:00 @ 100 force_exit');
    expect(without[0]).toContain('02:00 @ 91.76 liquidation');
  });
  test('rejectedSignalsCountPerDetailCandle a rejected signal counts once', () => {
    const quarters = [f, f, f, f, f].map((candle) => [candle, candle, candle, candle]);
    const candles: Ohlc[] = [f, f, f, f, f];
    const pairs = { A: { candles, enter: [0], detail: quarters }, B: { candles, enter: [1], detail: quarters } };
    expect(simulate({ pairs, settings: { maxOpenTrades: 1 } }).counters.rejectedSignals).toBe(4);
    expect(
      simulate({ pairs, settings: { maxOpenTrades: 1 }, quirksOff: ['rejectedSignalsCountPerDetailCandle'] }).counters.rejectedSignals,
    ).toBe(1);
  });
  test('stopRoundedFromNoise the stop without the noise of doubles', () => {
    const scenario = { pairs: { A: { candles: [z, f, f], enter: [0] } }, settings: { ...futures, leverage: 10, stoploss: -0.99 } };
    expect(simulate(scenario).trades[0].stop).toBe(90.11);
    expect(simulate({ ...scenario, quirksOff: ['stopRoundedFromNoise'] }).trades[0].stop).toBe(90.1);
  });
});

/** What shows each quirk: a run that comes out otherwise without it. */
const shows: Record<Exclude<QuirkName, 'touchedStopDoesNotMove' | 'stakeAboveTiersEndsTheRun'>, Scenario> = (() => {
  const pending: StrategyCallbacks = { entryPrice: () => 98 };
  const gap: Ohlc[] = [z, f, [96, 97, 95, 96], [96, 99, 95, 98], f];
  const one = (candles: Ohlc[], more: Partial<PairScenario> = {}) => ({ A: { candles, enter: [0], ...more } });
  const quarters = [f, f, f, f, f].map((candle) => [candle, candle, candle, candle]);
  const lead: Ohlc[] = [z, [100, 101, 99, 101], [101, 102, 100, 102]];
  const late: Ohlc[] = [[98, 99, 97, 98], f];
  const month: Ohlc[] = [
    ...Array.from({ length: 3 }, (): Ohlc => [100.1, 100.5, 99.5, 100.1]),
    [100.25, 100.27, 100.25, 100.26],
    [100.26, 100.27, 100.26, 100.26],
  ];
  const funding: FundingEvents = { time: Float64Array.of(start2024 + 2 * hour), rate: Float64Array.of(0.001), mark: Float64Array.of(100) };
  const tier = { maxNotional: 1e9, maxLeverage: 50 };
  const tiers = [
    { ...tier, minNotional: 0, maintenanceRate: 0.01, maintenanceAmount: 0 },
    { ...tier, minNotional: 5000, maintenanceRate: 0.02, maintenanceAmount: 50 },
  ];
  const tenfold = { ...futures, leverage: 10, stoploss: -0.99 };
  const add: StrategyCallbacks = { adjustPosition: ({ time }) => (time === start2024 + 2 * hour ? 1000 : null) };
  return {
    leverageOnlyFromCallback: { pairs: one([z, f, f]), settings: { ...futures, leverage: 3 }, callbacks: { leverage: () => 2 } },
    shortPairEntersOnItsLastCandle: { pairs: { A: { candles: [z, f, f], enter: [1] }, B: { candles: [z, f, f, f] } } },
    priceTickReadFromCandles: { pairs: one([z, f, [90, 91, 80, 85]], { instrument: { priceTick: 0.7 } }) },
    tradeKeepsEntryTick: { pairs: one(month), startTime: Date.UTC(2024, 0, 31, 21) },
    reversalOpensAtTheOpen: {
      pairs: { A: { candles: [z, f, [100, 107, 99, 106], [106, 107, 105, 106], f], enter: [0], enterShort: [1] } },
      settings: { ...futures, minimalRoi: { 0: 0.05 }, stoploss: -0.3 },
    },
    tradeOpensWhenOrdered: { pairs: one(gap), callbacks: pending },
    gapThroughLimitDoesNotFill: { pairs: one(gap), callbacks: pending },
    lastCandidateNamesTheExit: {
      pairs: one([z, f, f, [100, 104, 99, 100], f], {
        exit: [
          [1, 'first'],
          [2, 'second'],
        ],
      }),
      callbacks: { exitPrice: () => 102.5 },
    },
    stopBeyondLiquidationWins: { pairs: one([z, f, [100, 100, 85, 89], f]), settings: tenfold },
    highMovesStopBeforeLow: { pairs: one([z, f, [100, 112, 95, 111], f]), settings: { trailingStop: true } },
    averagingMakesStopTrail: {
      pairs: one([z, f, [110, 111, 109, 110], [110, 111, 94, 95], f]),
      settings: { positionAdjustment: true },
      callbacks: add,
    },
    gapBeyondStopExitsAtStop: { pairs: one([z, f, [85, 92, 80, 88], f]) },
    beatenRoiExitsAtWorstPrice: {
      pairs: one([...lead, [100, 100.9, 100, 100.5], [103, 104, 102, 103]]),
      settings: { minimalRoi: { 0: 0.1, 120: 0.01 } },
    },
    forcedRoiExitsAtWorstPrice: { pairs: one([...lead, ...late]), settings: { minimalRoi: { 0: 0.1, 90: -1 } } },
    minimumStakeAssumesConstantStop: {
      pairs: one([z, f, f], { instrument: { minCost: 10 } }),
      settings: { stakeAmount: 11.5, stoploss: -0.3 },
    },
    fundingCountsTwiceAtAFill: {
      pairs: one([z, f, f, f], { funding }),
      settings: { ...futures, positionAdjustment: true },
      callbacks: add,
    },
    leverageTierChosenByStake: { pairs: one([z, f, [100, 100, 91.5, 92], f], { instrument: { leverageTiers: tiers } }), settings: tenfold },
    rejectedSignalsCountPerDetailCandle: {
      pairs: {
        A: { candles: [f, f, f, f, f], enter: [0], detail: quarters },
        B: { candles: [f, f, f, f, f], enter: [1], detail: quarters },
      },
      settings: { maxOpenTrades: 1 },
    },
    detailCandlesOpenAfterTheEnd: { pairs: { A: { candles: [f, f, f, f, f], enter: [3], detail: quarters } } },
    forcedExitMayNotFill: { pairs: one(month), startTime: Date.UTC(2024, 0, 31, 21) },
    stopRoundedFromNoise: { pairs: one([z, f, [100, 100, 85, 89], f]), settings: tenfold },
    adjustingResetsTheStop: {
      pairs: one([z, [100, 100.5, 99, 99.5], [99, 99, 98.5, 98.8], [98.5, 98.6, 97.5, 97.8], f]),
      settings: { positionAdjustment: true },
      callbacks: {
        customStop: ({ time }) => (time === start2024 + 2 * hour ? -0.02 : null),
        adjustPosition: ({ time }) => (time === start2024 + 3 * hour ? -300 : null),
      },
    },
    oversizedExitIsSettledInFull: {
      pairs: one([z, f, f, f]),
      settings: { positionAdjustment: true },
      callbacks: { adjustPosition: ({ time }) => (time === start2024 + 2 * hour ? -3000 : null) },
    },
    costLimitsTimesContractSize: {
      pairs: one([z, f, f], { instrument: { contractSize: 10, minCost: 5 } }),
      settings: { ...futures, stakeAmount: 20 },
    },
    adjustingDropsRunningFunding: {
      pairs: one([z, f, [100, 105, 99.5, 101], f], { funding: { ...funding, rate: Float64Array.of(0.01) } }),
      settings: { ...futures, positionAdjustment: true, minimalRoi: { 0: 0.02 } },
      callbacks: { ...add, entryPrice: ({ trade }) => (trade === null ? null : 90) },
    },
    replacedEntryKeepsFreeMoney: {
      pairs: { ...one([z, f, f, f, f]), B: { candles: [z, f, f, f, f], enter: [2] } },
      settings: { startingBalance: 2500, positionAdjustment: true },
      callbacks: {
        adjustPosition: ({ trade, time }) => (trade.symbol === 'A' && time === start2024 + 2 * hour ? 1000 : null),
        entryPrice: ({ trade }) => (trade === null ? null : 95),
        adjustOrderPrice: () => 100,
      },
    },
    detailCandlesTakenByNumber: {
      pairs: one([z, [100, 101, 80, 100], f, f], {
        detail: [
          [
            [100, 101, 99, 100],
            [100, 100.5, 80, 85],
          ],
        ],
        detailFrom: start2024 + 1.5 * hour,
      }),
    },
  };
})();

test.each(Object.entries(shows) as [QuirkName, Scenario][])('%s switched off alone changes what is reported', (quirk, scenario) => {
  const reported = (quirksOff: QuirkName[]) => {
    const { trades, unclosedTrades, counters, mode } = simulate({ ...scenario, quirksOff });
    expect(mode).toBe(quirksOff.length === 0 ? 'parity' : 'realistic');
    return { lines: fingerprintLines(trades), unclosed: unclosedTrades.length, counters };
  };
  expect(reported([quirk])).not.toEqual(reported([]));
});

describe('touchedStopDoesNotMove the stop is not moved on a candle that touches it', () => {
  test('a candle that reaches a higher price and the old stop exits at the old stop', () => {
    expect(tradeLines(long([z, f, [100, 130, 90, 128], f], { trailingStop: true }))).toEqual([
      '01:00 @ 100 -> 02:00 @ 90.9 trailing_stop_loss, -92.909',
    ]);
  });
  test('it alone cannot be switched off, and it is said why', () => {
    expect(() => simulate({ pairs: { A: { candles: [z, f] } }, quirksOff: ['touchedStopDoesNotMove'] })).toThrow(
      'Q10 cannot be switched off: a candle does not show which came first, its high or its low; the stop that stood before is the worse of the two, so a realistic run takes it too.',
    );
    const names = Object.keys(quirkTable) as QuirkName[];
    expect(names.filter((name) => quirkTable[name].neverBecause !== undefined)).toEqual(['stakeAboveTiersEndsTheRun']);
    expect(names.filter((name) => quirkTable[name].alwaysBecause !== undefined)).toEqual(['touchedStopDoesNotMove']);
  });
});

describe('stakeAboveTiersEndsTheRun a stake above the last leverage tier ends the run of freqtrade', () => {
  const tier = { minNotional: 0, maxNotional: 1000, maxLeverage: 10, maintenanceRate: 0.01, maintenanceAmount: 0 };
  const scenario: Scenario = {
    pairs: { A: { candles: [z, f, f], enter: [0], instrument: { leverageTiers: [tier] } }, B: { candles: [z, f, f], enter: [0] } },
    settings: futures,
  };
  test('here there is no trade of that pair, and the run continues', () => {
    expect(tradeLines(simulate(scenario), 'A')).toEqual([]);
    expect(tradeLines(simulate(scenario), 'B')).toHaveLength(1);
  });
  test('it is off in every run, and it is said why', () => {
    expect(parityQuirks).toMatchObject({ detailCandlesTakenByNumber: true, stakeAboveTiersEndsTheRun: false });
    expect(() => simulate({ ...scenario, quirksOff: ['stakeAboveTiersEndsTheRun'] })).toThrow(
      'Q29 is off in every run: a run that ends shows nothing',
    );
  });
});
