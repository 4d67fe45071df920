import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FundingEvents } from '../account/funding.ts';
import type { Trade } from '../account/trade.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { CandleColumns } from '../market/candle.ts';
import { candleColumns, sliceColumns } from '../market/candle.ts';
import type { Instrument } from '../market/instrument.ts';
import type { QuirkName } from '../risk/quirks.ts';
import { switchableQuirks } from '../risk/quirks.ts';
import { seededRandom } from '../simulation/seeded-random.ts';
import type { Signals } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import { backtest } from './backtest.ts';
import { fingerprintLines } from './fingerprint.ts';
import type { BacktestInput } from './input.ts';

// What must hold for any candles, signals and settings.

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2024, 0, 30);

const cents = (value: number): number => Math.round(value * 100) / 100;
const tenths = (value: number): number => Math.round(value * 10) / 10;
const february = Date.UTC(2024, 1, 1);

/** With `coarseFrom` prices have one decimal from then on, so that the observed tick changes. */
function walk(random: () => number, count: number, from: number, stepMs: number, coarseFrom = Infinity): CandleColumns {
  const candles = candleColumns(count);
  let price = 100;
  for (let i = 0; i < count; i++) {
    const cut = from + i * stepMs < coarseFrom ? cents : tenths;
    price = cut(price);
    const close = Math.max(5, cut(price * (1 + (random() - 0.5) * 0.06)));
    candles.openTime[i] = from + i * stepMs;
    candles.open[i] = price;
    candles.close[i] = close;
    candles.high[i] = cut(Math.max(price, close) * (1 + random() * 0.02));
    candles.low[i] = Math.max(1, cut(Math.min(price, close) * (1 - random() * 0.02)));
    candles.volume[i] = 1;
    // Now and then a gap.
    price = random() < 0.1 ? cut(close * (1 + (random() - 0.5) * 0.05)) : close;
  }
  return candles;
}

function signalsFor(random: () => number, count: number): Signals {
  const signals = noSignals(count);
  for (let i = 0; i < count; i++) {
    signals.enterLong[i] = random() < 0.15 ? 1 : 0;
    signals.exitLong[i] = random() < 0.08 ? 1 : 0;
    signals.enterShort[i] = random() < 0.1 ? 1 : 0;
    signals.exitShort[i] = random() < 0.08 ? 1 : 0;
  }
  return signals;
}

/** Main candles made of four detail candles each. */
function grouped(detail: CandleColumns): CandleColumns {
  const count = detail.openTime.length / 4;
  const candles = candleColumns(count);
  for (let i = 0; i < count; i++) {
    const part = sliceColumns(detail, i * 4, i * 4 + 4);
    candles.openTime[i] = part.openTime[0];
    candles.open[i] = part.open[0];
    candles.close[i] = part.close[3];
    candles.high[i] = Math.max(...part.high);
    candles.low[i] = Math.min(...part.low);
    candles.volume[i] = 4;
  }
  return candles;
}

interface World {
  seed: number;
  isFutures: boolean;
  hasDetail: boolean;
  coarse: boolean;
  quirksOff: QuirkName[];
  settings: Partial<SettingsInput>;
}

const world: fc.Arbitrary<World> = fc.record({
  seed: fc.integer(),
  isFutures: fc.boolean(),
  hasDetail: fc.boolean(),
  coarse: fc.boolean(),
  quirksOff: fc.constant([]),
  settings: fc.record({
    stakeAmount: fc.constantFrom<number | 'unlimited'>(100, 400, 'unlimited'),
    maxOpenTrades: fc.constantFrom(1, 2, 3),
    stoploss: fc.constantFrom(-0.02, -0.05, -0.2),
    minimalRoi: fc.constantFrom<Record<number, number>>({}, { 0: 0.04 }, { 0: 0.06, 120: 0.02, 600: -1 }, { 0: 0.05, 90: 0.001 }),
    trailingStop: fc.boolean(),
    trailingStopPositive: fc.constantFrom(null, 0.01),
    trailingStopPositiveOffset: fc.constantFrom(0, 0.02),
    exitProfitOnly: fc.boolean(),
    ignoreRoiIfEntrySignal: fc.boolean(),
    riskRewardRatio: fc.constantFrom(null, 1.5),
    leverage: fc.constantFrom(1, 3, 10),
    protections: fc.constantFrom<NonNullable<SettingsInput['protections']>>(
      [],
      [{ kind: 'cooldown', stopCandles: 2 }],
      [{ kind: 'stoploss-guard', tradeLimit: 2, lookbackCandles: 12, stopCandles: 4 }],
    ),
  }),
});

/** As `world`, without some of the quirks. */
const realisticWorld: fc.Arbitrary<World> = fc
  .tuple(world, fc.oneof(fc.subarray([...switchableQuirks]), fc.constantFrom(...switchableQuirks.map((quirk) => [quirk]))))
  .map(([given, quirksOff]) => ({ ...given, quirksOff }));

/** A stop that trails over the end of a month, from which on prices have other ticks. */
function trailsOnChangingTick(given: World): World {
  const settings = { ...given.settings, trailingStop: true, trailingStopPositive: null, minimalRoi: {}, riskRewardRatio: null };
  return { ...given, coarse: true, quirksOff: ['tradeKeepsEntryTick'], settings };
}

function inputOf({ seed, isFutures, hasDetail, coarse, quirksOff, settings }: World): BacktestInput {
  const random = seededRandom(seed);
  const symbols = ['AAA', 'BBB', 'CCC'];
  return {
    settings: requireSettings({
      stakeAmount: 100,
      maxOpenTrades: 2,
      stoploss: -0.1,
      startingBalance: 1000,
      fee: 0.001,
      ...settings,
      ...(settings.trailingStop === true && settings.trailingStopPositive === 0.01 ? { trailingOnlyOffsetIsReached: seed % 2 === 0 } : {}),
      ...(isFutures ? { marketType: 'futures', canShort: true, liquidationFormula: 'binance' } : {}),
    }),
    timeframeMs: hour,
    startupCandles: 5,
    quirksOff,
    ...(hasDetail ? { detailTimeframeMs: 15 * minute } : {}),
    pairs: symbols.map((symbol, at) => {
      // The second pair begins later, the third ends earlier.
      const count = at === 0 ? 160 : 130;
      const from = at === 1 ? start + 20 * hour : start;
      const coarseFrom = coarse ? february : Infinity;
      const detail = hasDetail ? walk(random, count * 4, from, 15 * minute, coarseFrom) : null;
      const candles = detail === null ? walk(random, count, from, hour, coarseFrom) : grouped(detail);
      return {
        instrument: instrumentOf(symbol, isFutures),
        candles,
        signals: signalsFor(random, count),
        detail,
        funding: fundingOf(random),
      };
    }),
  };
}

function fundingOf(random: () => number): FundingEvents {
  const times = Array.from({ length: 20 }, (_, i) => start + i * 8 * hour);
  return {
    time: Float64Array.from(times),
    rate: Float64Array.from(times, () => (random() - 0.5) * 0.002),
    mark: Float64Array.from(times, () => 100 + random()),
  };
}

function instrumentOf(symbol: string, isFutures: boolean): Instrument {
  return {
    symbol,
    base: symbol,
    quote: 'USDT',
    marketType: isFutures ? 'futures' : 'spot',
    active: true,
    priceTick: 0.01,
    amountStep: 0.001,
    minAmount: 0.001,
    maxAmount: Infinity,
    minCost: 5,
    maxCost: Infinity,
    contractSize: 1,
    takerFee: 0.001,
    makerFee: 0.001,
    maxLeverage: isFutures ? 20 : 1,
    leverageTiers: isFutures
      ? [
          { minNotional: 0, maxNotional: 5000, maxLeverage: 20, maintenanceRate: 0.01, maintenanceAmount: 0 },
          { minNotional: 5000, maxNotional: 1e9, maxLeverage: 5, maintenanceRate: 0.02, maintenanceAmount: 50 },
        ]
      : [],
  };
}

/** All that is reported of a trade, as text. */
function whole(trades: readonly Trade[]): string[] {
  return trades.map((trade) => JSON.stringify(trade));
}

describe('for any candles, signals and settings', () => {
  test('passing over quiet candles changes nothing: every candle evaluated gives the same trades', () => {
    let trades = 0;
    fc.assert(
      fc.property(world, (given) => {
        const input = inputOf(given);
        const fast = backtest(input);
        const slow = backtest({ ...input, callbacks: { customExit: () => null } });
        expect(whole(fast.trades)).toEqual(whole(slow.trades));
        expect(fast.counters).toEqual(slow.counters);
        expect(fast.finalBalance).toBe(slow.finalBalance);
        expect(fast.dailyBalance).toEqual(slow.dailyBalance);
        trades += fast.trades.length;
      }),
      { numRuns: 300 },
    );
    expect(trades).toBeGreaterThan(3000);
  });

  test('the same holds without any of the quirks, also where the tick changes with the month', () => {
    let trades = 0;
    fc.assert(
      fc.property(realisticWorld, (given) => {
        const input = inputOf(given);
        const fast = backtest(input);
        const slow = backtest({ ...input, callbacks: { customExit: () => null } });
        expect(whole(fast.trades)).toEqual(whole(slow.trades));
        expect(fast.counters).toEqual(slow.counters);
        expect(fast.finalBalance).toBe(slow.finalBalance);
        trades += fast.trades.length;
      }),
      { numRuns: 400 },
    );
    expect(trades).toBeGreaterThan(3000);
  });

  test.each([
    ['with all quirks', world, false],
    ['without some of them', realisticWorld, false],
    ['with funding', world.map((given) => ({ ...given, isFutures: true })), true],
    ['where the tick of a trade changes with the month', world.map(trailsOnChangingTick), false],
  ])('the same holds where signals are rare and trades are held for long, %s', (_, worlds, hasFunding) => {
    let trades = 0;
    fc.assert(
      fc.property(worlds, (given) => {
        const { pairs, ...input } = inputOf({ ...given, hasDetail: false });
        const random = seededRandom(given.seed);
        const count = 1_200;
        const rare = {
          ...input,
          // One pair, whose only trade is walked through, or three, which are looked at together.
          pairs: pairs.slice(0, given.seed % 2 === 0 ? 1 : 3).map((pair) => {
            const signals = noSignals(count);
            for (const name of ['enterLong', 'exitLong', 'enterShort', 'exitShort'] as const)
              for (let i = 0; i < count; i++) signals[name][i] = random() < 0.02 ? 1 : 0;
            // With funding each hour ends the quiet.
            const funding = hasFunding ? (pair.funding ?? null) : null;
            return { ...pair, candles: walk(random, count, start, hour, given.coarse ? february : Infinity), signals, funding };
          }),
        };
        const settings = { ...input.settings, stoploss: input.settings.stoploss * 3 };
        const fast = backtest({ ...rare, settings });
        const slow = backtest({ ...rare, settings, callbacks: { customExit: () => null } });
        expect(whole(fast.trades)).toEqual(whole(slow.trades));
        expect(fast.dailyBalance).toEqual(slow.dailyBalance);
        expect(fast.entries).toEqual(slow.entries);
        trades += fast.trades.length;
      }),
      { numRuns: 300 },
    );
    expect(trades).toBeGreaterThan(2_000);
  });

  test('profits and the start make the end; without leverage the wallet is never negative', () => {
    fc.assert(
      fc.property(world, (given) => {
        const { trades, unclosedTrades, finalBalance, startingBalance } = backtest(inputOf(given));
        const profit = trades.reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
        const lost = unclosedTrades.reduce((sum, trade) => sum + trade.stake - trade.realizedProfit, 0);
        expect(finalBalance).toBeCloseTo(startingBalance + profit - lost, 6);
        if (given.isFutures) return;
        let balance = startingBalance;
        for (const trade of trades) {
          balance += trade.profit ?? 0;
          expect(balance).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('no fill lies outside its candle, and no stop loosens', () => {
    fc.assert(
      fc.property(world, (given) => {
        const input = inputOf(given);
        for (const trade of backtest(input).trades) {
          const pair = input.pairs.find(({ instrument }) => instrument.symbol === trade.symbol);
          for (const { fillPrice, filledTime } of trade.orders) {
            const at = pair?.candles.openTime.findLastIndex((time) => time <= (filledTime ?? 0)) ?? -1;
            expect(fillPrice).toBeGreaterThanOrEqual(pair?.candles.low[at] ?? NaN);
            expect(fillPrice).toBeLessThanOrEqual(pair?.candles.high[at] ?? NaN);
          }
          if (trade.direction === 'long') expect(trade.stop).toBeGreaterThanOrEqual(trade.initialStop);
          else expect(trade.stop).toBeLessThanOrEqual(trade.initialStop);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('never more trades open than allowed, one per pair, and none of a locked pair', () => {
    fc.assert(
      fc.property(world, (given) => {
        const input = inputOf({ ...given, hasDetail: false });
        const { trades } = backtest(input);
        // An exit comes before an entry at the same time; a trade may open and close at once.
        const moments = trades.flatMap((trade) => [
          { time: trade.openTime, change: 1, isInstant: trade.openTime === trade.closeTime },
          { time: trade.closeTime ?? 0, change: -1, isInstant: trade.openTime === trade.closeTime },
        ]);
        let open = 0;
        for (const { change, isInstant } of moments.sort((a, b) => a.time - b.time || a.change - b.change)) {
          if (isInstant) continue;
          open += change;
          expect(open).toBeLessThanOrEqual(input.settings.maxOpenTrades);
        }
        const isCooling = input.settings.protections[0]?.kind === 'cooldown';
        for (const { instrument } of input.pairs) {
          const own = trades.filter(({ symbol }) => symbol === instrument.symbol).sort((a, b) => a.openTime - b.openTime);
          own.slice(1).forEach((trade, i) => {
            const rest = trade.openTime - (own[i].closeTime ?? 0);
            // Two candles of rest, and the boundary moves to the next: entries from the third on. A reversal is an entry too.
            expect(rest).toBeGreaterThanOrEqual(isCooling ? 3 * hour : 0);
          });
        }
      }),
      { numRuns: 150 },
    );
  });

  test('the same input gives the same result, and candles after the end change nothing', () => {
    fc.assert(
      fc.property(world, (given) => {
        const input = inputOf({ ...given, hasDetail: false });
        const range = { from: start, to: start + 100 * hour };
        const once = fingerprintLines(backtest({ ...input, range }).trades);
        expect(fingerprintLines(backtest({ ...input, range }).trades)).toEqual(once);
        const cut = {
          ...input,
          pairs: input.pairs.map((pair) => {
            const count = pair.candles.openTime.findLastIndex((time) => time <= range.to) + 1;
            const { enterLong, exitLong, enterShort, exitShort } = pair.signals;
            const signals = {
              ...pair.signals,
              enterLong: enterLong.slice(0, count),
              exitLong: exitLong.slice(0, count),
              enterShort: enterShort.slice(0, count),
              exitShort: exitShort.slice(0, count),
            };
            return { ...pair, candles: sliceColumns(pair.candles, 0, count), signals };
          }),
        };
        expect(fingerprintLines(backtest(cut).trades)).toEqual(once);
      }),
      { numRuns: 80 },
    );
  });
});

describe('warm-up and range', () => {
  const signalEverywhere = (count: number): Signals => {
    const signals = noSignals(count);
    signals.enterLong.fill(1);
    return signals;
  };
  const run = (more: Partial<BacktestInput>) => {
    const candles = walk(seededRandom(3), 50, start, hour);
    const settings = requireSettings({ stakeAmount: 100, maxOpenTrades: 1, stoploss: -0.5 });
    const pairs = [{ instrument: instrumentOf('AAA', false), candles, signals: signalEverywhere(50) }];
    return backtest({ settings, timeframeMs: hour, startupCandles: 0, pairs, ...more });
  };
  test('the earliest entry is one candle after the start', () => {
    expect(run({})).toMatchObject({ startTime: start, endTime: start + 49 * hour });
    expect(run({}).trades[0].openTime).toBe(start + hour);
  });
  test('warm-up is taken off by count', () => {
    const result = run({ startupCandles: 10 });
    expect(result.startTime).toBe(start + 10 * hour);
    expect(result.trades[0].openTime).toBe(start + 11 * hour);
  });
  test('both ends of the range count, and warm-up is loaded before it', () => {
    const result = run({ startupCandles: 10, range: { from: start + 20 * hour, to: start + 30 * hour } });
    expect(result).toMatchObject({ startTime: start + 20 * hour, endTime: start + 30 * hour });
  });
  test('a range that begins too early for the warm-up moves', () => {
    expect(run({ startupCandles: 10, range: { from: start + 3 * hour, to: start + 30 * hour } }).startTime).toBe(start + 10 * hour);
  });
  test('nothing left is an error', () => {
    expect(() => run({ startupCandles: 50 })).toThrow('No pair has a candle left');
  });
});
