import { describe, expect, test } from 'vitest';
import type { FundingEvents } from '../account/funding.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { BacktestResult } from './backtest-result.ts';
import type { Ohlc, PairScenario, Scenario } from './testing/scenario.ts';
import { clock, f, futures, hour, long, minute, simulate, start2024, tradeLines, z } from './testing/scenario.ts';

// Worked examples: what the reference engine gave on these very candles. What a scenario leaves out, `simulate` says.

test('W1 a plain signal trade', () => {
  const result = long(
    [
      z,
      [100, 101, 99, 100.5],
      [101, 102, 100, 101.5],
      [102, 103, 101, 102.5],
      [103, 106, 102, 105],
      [105, 107, 104, 106],
      [106, 107, 105, 106],
    ],
    {},
    { enter: [1], exit: [[4, 'x']] },
  );
  expect(tradeLines(result)).toEqual(['02:00 @ 101 -> 05:00 @ 105 x, 37.5606']);
  const [trade] = result.trades;
  expect(trade).toMatchObject({ amount: 9.9, openValue: 1000.8999, minRate: 100, maxRate: 107 });
  expect(trade.stake).toBeCloseTo(999.9, 10);
  expect(trade.profitRatio).toBeCloseTo(0.0375268296, 10);
  expect(result.marketChange).toBeCloseTo(0.05989401, 8);
});

describe('W2 stop loss', () => {
  test.each([
    ['low touches exactly', [[100, 101, 90, 95]], '02:00 @ 90 stop_loss, -101.9', -0.1017982018],
    ['opens below and touches later', [[85, 92, 80, 88]], '02:00 @ 90 stop_loss, -101.9', -0.1017982018],
    ['whole candle below', [[85, 88, 80, 86]], '02:00 @ 85 stop_loss, -151.85', -0.1516983017],
  ] as [string, Ohlc[], string, number][])('%s', (_, candles, end, ratio) => {
    const result = long([z, f, ...candles, f, f]);
    expect(tradeLines(result)).toEqual([`01:00 @ 100 -> ${end}`]);
    expect(result.trades[0].profitRatio).toBeCloseTo(ratio, 10);
  });
  test('on the entry candle itself', () => {
    expect(tradeLines(long([z, [100, 101, 89, 95], f, f]))).toEqual(['01:00 @ 100 -> 01:00 @ 90 stop_loss, -101.9']);
  });
  test('with gapBeyondStopExitsAtStop off a candle that opens beyond the stop exits at its open', () => {
    const result = simulate({
      pairs: { A: { candles: [z, f, [85, 92, 80, 88], f], enter: [0] } },
      quirksOff: ['gapBeyondStopExitsAtStop'],
    });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 85 stop_loss, -151.85']);
  });
});

describe('W3 ROI 0.05', () => {
  const settings = { minimalRoi: { 0: 0.05 } };
  test('exits at the rounded rate', () => {
    const result = long([z, f, [101, 106, 100, 103], f], settings);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 105.21 roi, 50.0479']);
    expect(result.trades[0].profitRatio).toBeCloseTo(0.0499979021, 10);
  });
  test('on the entry candle', () => {
    expect(tradeLines(long([z, [100, 106, 99, 103], f], settings))).toEqual(['01:00 @ 100 -> 01:00 @ 105.21 roi, 50.0479']);
  });
  test('a high that touches the price exactly does not exit', () => {
    expect(tradeLines(long([z, f, [101, 105.21, 100, 103], f], settings))[0]).toContain('force_exit');
  });
  test('a tick more does', () => {
    expect(tradeLines(long([z, f, [101, 105.22, 100, 103], f], settings))).toEqual(['01:00 @ 100 -> 02:00 @ 105.21 roi, 50.0479']);
  });
});

describe('W4 ROI table', () => {
  const lead: Ohlc[] = [z, [101, 102, 100, 102]];
  test.each([
    ['new step, open above', { 0: 0.1, 120: 0.01 }, [[103, 104, 102, 103]], '03:00 @ 103 roi, 27.97'],
    ['new step inside', { 0: 0.1, 120: 0.01 }, [[100.5, 104, 100, 103]], '03:00 @ 101.2 roi, 9.988'],
    [
      'a candle late: the low',
      { 0: 0.1, 120: 0.01 },
      [
        [100, 100.9, 100, 100.5],
        [103, 104, 102, 103],
      ],
      '04:00 @ 102 roi, 17.98',
    ],
    ['-1 on a boundary', { 0: 0.1, 120: -1 }, [[98, 99, 97, 98]], '03:00 @ 98 roi, -21.98'],
    ['-1 off a boundary', { 0: 0.1, 90: -1 }, [[98, 99, 97, 98]], '03:00 @ 97 roi, -31.97'],
  ] as [string, Record<number, number>, Ohlc[], string][])('%s', (_, minimalRoi, candles, end) => {
    const result = long([z, [100, 101, 99, 101], lead[1], ...candles, [98, 99, 97, 98]], { minimalRoi });
    expect(tradeLines(result)).toEqual([`01:00 @ 100 -> ${end}`]);
  });
  test('a step of 0', () => {
    const result = long([z, [100, 100.1, 99, 100], [100, 100.1, 99, 100], [98, 101, 97, 98], [98, 99, 97, 98]], {
      minimalRoi: { 0: 0.1, 120: 0 },
    });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 03:00 @ 100.2 roi, -0.002']);
  });
});

describe('W5 precedence', () => {
  const candle: Ohlc = [100, 112, 89, 95];
  test('signal before stop and ROI', () => {
    expect(tradeLines(long([z, f, candle, f], { minimalRoi: { 0: 0.05 } }, { exit: [1] }))).toEqual([
      '01:00 @ 100 -> 02:00 @ 100 exit_signal, -2',
    ]);
  });
  test('stop before ROI', () => {
    expect(tradeLines(long([z, f, candle, f], { minimalRoi: { 0: 0.05 } }))).toEqual(['01:00 @ 100 -> 02:00 @ 90 stop_loss, -101.9']);
  });
  test('ROI before the trailing stop', () => {
    const result = long([z, f, [100, 112, 95, 101], f], { minimalRoi: { 0: 0.05 }, trailingStop: true });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 105.21 roi, 50.0479']);
    expect(result.trades[0].stop).toBe(100.8);
  });
  test('the trailing stop alone', () => {
    expect(tradeLines(long([z, f, [100, 112, 95, 101], f], { trailingStop: true }))).toEqual([
      '01:00 @ 100 -> 02:00 @ 100.8 trailing_stop_loss, 5.992',
    ]);
  });
  test('an exit flag beside an entry flag is ignored', () => {
    const result = long([z, f, f, f, f], {}, { enter: [0, 1], exit: [1, 2] });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 03:00 @ 100 exit_signal, -2']);
  });
  test('OP-84 risk and reward in proportion exit beside the ROI', () => {
    const result = long([z, f, [101, 106, 100, 103], f], { riskRewardRatio: 0.5, minimalRoi: { 0: 0.2 } });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 105.21 risk_reward, 50.0479']);
  });
  test('OP-84 the lower of ROI and risk-reward counts', () => {
    const result = long([z, f, [101, 112, 100, 103], f], { riskRewardRatio: 0.8, minimalRoi: { 0: 0.05 } });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 105.21 roi, 50.0479']);
  });
});

describe('W6 trailing with positive 0.02, offset 0.03', () => {
  const positive = { trailingStop: true, trailingStopPositive: 0.02, trailingStopPositiveOffset: 0.03 };
  const only = { ...positive, trailingOnlyOffsetIsReached: true };
  test('over four candles', () => {
    const result = long(
      [z, [100, 101, 99.5, 101], [101, 102.5, 100.8, 102], [102.2, 104, 102.2, 103.5], [103.5, 103.6, 101.5, 102], f],
      positive,
    );
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 04:00 @ 101.92 trailing_stop_loss, 17.1808']);
    expect(result.trades[0].profitRatio).toBeCloseTo(0.0171636364, 10);
  });
  test.each([
    ['plain trailing', { trailingStop: true }, [100, 105, 93, 94], 94.5, '93 trailing_stop_loss, -71.93'],
    ['positive and offset', positive, [100, 105, 97, 98], 102.9, '98 trailing_stop_loss, -21.98'],
    ['only above the offset', only, [100, 104, 99, 100], 101.92, '101 trailing_stop_loss, 7.99'],
  ] as [string, Partial<SettingsInput>, Ohlc, number, string][])('entry candle: %s', (_, settings, candle, stop, end) => {
    const result = long([z, candle, f], settings);
    expect(tradeLines(result)).toEqual([`01:00 @ 100 -> 01:00 @ ${end}`]);
    expect(result.trades[0].stop).toBe(stop);
  });
  test('not armed below the offset', () => {
    const result = long([z, [100, 102.9, 99, 100], [100, 100, 91, 95], f], only);
    expect(result.trades[0]).toMatchObject({ stop: 90, exitReason: 'force_exit' });
  });
});

describe('W7 pending limit entry at 98', () => {
  const callbacks: StrategyCallbacks = { entryPrice: () => 98 };
  const candles: Ohlc[] = [z, f, [96, 97, 95, 96], [96, 99, 95, 98], [98, 99, 97, 98], f];
  test('fills later, opens when ordered', () => {
    const result = long(candles, {}, {}, callbacks);
    expect(tradeLines(result)).toEqual(['01:00 @ 98 -> 05:00 @ 100 force_exit, 18.387608']);
    expect(result.trades[0]).toMatchObject({ amount: 10.204, stop: 88.2 });
    expect(result.trades[0].profitRatio).toBeCloseTo(0.0183693857, 10);
    expect(clock(result.trades[0].orders[0].filledTime ?? 0)).toBe('03:00');
  });
  test('timeout of 60 minutes cancels before the fill', () => {
    const result = long([z, f, [99, 100, 97, 98], f], { unfilledTimeout: { entryMs: 60 * minute } }, {}, callbacks);
    expect(result.trades).toEqual([]);
    expect(result.counters.timedOutEntryOrders).toBe(1);
  });
  test('timeout of 61 minutes lets it fill', () => {
    const result = long([z, f, [99, 100, 97, 98], f], { unfilledTimeout: { entryMs: 61 * minute } }, {}, callbacks);
    expect(clock(result.trades[0].orders[0].filledTime ?? 0)).toBe('02:00');
  });
  test('a fresh signal replaces what timed out on the same candle', () => {
    const result = long([z, f, [99, 100, 97, 98], f], { unfilledTimeout: { entryMs: 60 * minute } }, { enter: [0, 1] }, callbacks);
    expect(tradeLines(result)).toEqual(['02:00 @ 98 -> 03:00 @ 100 force_exit, 18.387608']);
    expect(result.counters.timedOutEntryOrders).toBe(1);
  });
  test('a waiting order holds its slot', () => {
    const result = simulate({
      pairs: { A: { candles: [z, f, f, f], enter: [0] }, B: { candles: [z, f, f, f], enter: [1] } },
      settings: { maxOpenTrades: 1 },
      callbacks: { entryPrice: ({ symbol }) => (symbol === 'A' ? 50 : null) },
    });
    expect(result.trades).toEqual([]);
    expect(result.counters.rejectedSignals).toBe(1);
    expect(result.finalBalance).toBe(10_000);
  });
  test('a price above the candle is capped', () => {
    expect(long([z, f, f], {}, {}, { entryPrice: () => 105 }).trades[0].openRate).toBe(101);
  });
  test('an order that fills on a candle with an exit signal is sold at that open', () => {
    const result = long([z, f, [100, 101, 97, 99], f], {}, { exit: [1] }, callbacks);
    expect(tradeLines(result)).toEqual(['01:00 @ 98 -> 02:00 @ 100 exit_signal, 18.387608']);
  });
  test('with gapThroughLimitDoesNotFill off a gap fills at the open', () => {
    const result = simulate({ pairs: { A: { candles, enter: [0] } }, callbacks, quirksOff: ['gapThroughLimitDoesNotFill'] });
    expect(result.trades[0].orders[0]).toMatchObject({ fillPrice: 96, filledTime: start2024 + 2 * hour });
  });
});

describe('W8 slots and compounding', () => {
  test('a slot freed on a candle goes to the next pair, the one after is rejected', () => {
    const flat = [z, f, f, f, f];
    const result = simulate({
      pairs: { A: { candles: flat, enter: [0], exit: [2] }, B: { candles: flat, enter: [2] }, C: { candles: flat, enter: [2] } },
      settings: { maxOpenTrades: 1 },
    });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 03:00 @ 100 exit_signal, -2', '03:00 @ 100 -> 04:00 @ 100 force_exit, -2']);
    expect(result.trades.map(({ symbol }) => symbol)).toEqual(['A', 'B']);
    expect(result.counters.rejectedSignals).toBe(1);
  });
  test('unlimited stakes compound', () => {
    const flat = [z, f, f, f, f, f];
    const result = simulate({
      pairs: {
        A: {
          candles: [z, f, [100, 110, 100, 110], [110, 111, 109, 110], [110, 111, 109, 110], [110, 111, 109, 110]],
          enter: [0],
          exit: [2],
        },
        B: { candles: flat, enter: [0] },
        C: { candles: flat, enter: [3] },
      },
      settings: { stakeAmount: 'unlimited', startingBalance: 1000, tradableBalanceRatio: 0.99, maxOpenTrades: 2 },
    });
    expect(tradeLines(result, 'A')).toEqual(['01:00 @ 100 -> 03:00 @ 110 exit_signal, 48.4605']);
    expect(result.trades.find(({ symbol }) => symbol === 'C')).toMatchObject({ amount: 5.189 });
    expect(result.finalBalance).toBeCloseTo(1046.4327, 8);
  });
});

describe('W9 funding', () => {
  const count = 20;
  const candles: Ohlc[] = [z, ...Array.from({ length: count }, (): Ohlc => f)];
  const funding: FundingEvents = {
    time: Float64Array.of(start2024, start2024 + 8 * hour, start2024 + 16 * hour),
    rate: Float64Array.of(0.0001, 0.0002, -0.0001),
    mark: Float64Array.of(100, 108, 116),
  };
  const settings = { ...futures, leverage: 3, stoploss: -0.5 };
  test.each([
    ['long 08 to 16', { enter: [7], exit: [15] }, -0.3, -6.3, -0.0062937063],
    ['short 08 to 16', { enter: [], enterShort: [7], exitShort: [15] }, 0.3, -5.7, -0.0057057057],
    ['long 09 to 17', { enter: [8], exit: [16] }, 0.348, -5.652, -0.0056463536],
  ] as [string, Partial<PairScenario>, number, number, number][])('%s', (_, signals, fees, profit, ratio) => {
    const result = long(candles, settings, { ...signals, funding });
    expect(result.trades).toHaveLength(1);
    expect(result.trades[0].fundingFees).toBeCloseTo(fees, 10);
    expect(result.trades[0].profit).toBe(profit);
    expect(result.trades[0].profitRatio).toBeCloseTo(ratio, 10);
  });
  const once: FundingEvents = { time: Float64Array.of(start2024 + 8 * hour), rate: Float64Array.of(0.001), mark: Float64Array.of(100) };
  const atEight = (stake: number): StrategyCallbacks => ({ adjustPosition: ({ time }) => (time === start2024 + 8 * hour ? stake : null) });
  test.each([
    ['an entry on the funding time counts twice (fundingCountsTwiceAtAFill)', 1000, [], -3],
    ['a partial exit on the funding time counts twice (fundingCountsTwiceAtAFill)', -500, [], -1.5],
    ['with fundingCountsTwiceAtAFill off it counts once', 1000, ['fundingCountsTwiceAtAFill'], -1],
  ] as const)('%s', (_, stake, quirksOff, fees) => {
    const result = simulate({
      pairs: { A: { candles, enter: [6], exit: [11], funding: once } },
      settings: { ...futures, positionAdjustment: true },
      callbacks: atEight(stake),
      quirksOff,
    });
    expect(result.trades[0].fundingFees).toBeCloseTo(fees, 10);
  });
});

describe('W10 shorts with leverage', () => {
  const short = (candles: Ohlc[], settings: Partial<SettingsInput>) =>
    simulate({ pairs: { A: { candles, enterShort: [0] } }, settings: { ...futures, ...settings } });
  test('stop', () => {
    const result = short([z, f, [100, 103, 99, 102], f], { leverage: 5 });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 102 stop_loss, -110.1']);
    expect(result.trades[0].amount).toBe(50);
    expect(result.trades[0].profitRatio).toBeCloseTo(-0.1102102102, 10);
  });
  test('ROI', () => {
    const result = short([z, [100, 101, 99.5, 100], [100, 100.5, 97, 98], f], { leverage: 5, stoploss: -0.3, minimalRoi: { 0: 0.05 } });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 98.8 roi, 50.06']);
    expect(result.trades[0].profitRatio).toBeCloseTo(0.0501101101, 10);
  });
  test('trailing', () => {
    const result = short([z, [100, 101, 99.5, 100], [100, 100.4, 94, 95], f], { leverage: 2, trailingStop: true });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 98.7 trailing_stop_loss, 22.026']);
    expect(result.trades[0].profitRatio).toBeCloseTo(0.022048048, 10);
  });
});

describe('W11 liquidation', () => {
  const settings = { ...futures, leverage: 10, stoploss: -0.99 };
  test('before the stop is reached', () => {
    const result = long([z, f, [100, 100, 91, 91.2], f], settings);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 91.36 liquidation, -883.136']);
    expect(result.trades[0].profitRatio).toBeCloseTo(-0.8822537463, 10);
  });
  test('stopBeyondLiquidationWins a candle that passes both exits at the stop', () => {
    const result = long([z, f, [100, 100, 85, 89], f], settings);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 90.11 stop_loss, -1008.011']);
    expect(result.trades[0].profitRatio).toBeCloseTo(-1.007003996, 10);
  });
  test.each([
    ['a candle that passes both', [100, 100, 85, 89]],
    ['a candle that lies beyond both', [85, 88, 80, 86]],
  ] as [string, Ohlc][])('with stopBeyondLiquidationWins off %s is liquidated and the whole margin is lost, not more', (_, candle) => {
    // (1 - 1/10) * 10010 / (100 * 0.999) = 90.18018: there the stake of 1000 and the fee of its entry are gone.
    const result = simulate({
      pairs: { A: { candles: [z, f, candle, f], enter: [0] } },
      settings,
      quirksOff: ['stopBeyondLiquidationWins'],
    });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 90.18 liquidation, -1001.018']);
  });
  test('with stopBeyondLiquidationWins off the buffer still leaves in time where the exchange has not come yet', () => {
    // Its own price is 90.909.
    const result = simulate({
      pairs: { A: { candles: [z, f, [100, 100, 91, 91.2], f], enter: [0] } },
      settings,
      quirksOff: ['stopBeyondLiquidationWins'],
    });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 91.36 liquidation, -883.136']);
  });
  test('with cross margin the loss of one trade brings the liquidation of the others nearer, from the next fill on', () => {
    const cross = { ...settings, marginMode: 'cross', liquidationBuffer: 0, startingBalance: 3000, stoploss: -5 } as const;
    const dip: Ohlc = [100, 100, 74, 100];
    const held = (enterNext: number[]) =>
      simulate({
        pairs: {
          B: { candles: [z, f, f, dip, dip, f], enter: [0] },
          A: { candles: [z, f, [95, 96, 94, 95], f, f, f], enter: [0], exit: [1] },
          C: { candles: [z, f, f, f, f, f], enter: enterNext },
        },
        settings: cross,
      }).trades.find(({ symbol }) => symbol === 'B');
    // (3000 - 100 - 10000) / (1 - 100) is 71.72: A, with its loss of 519.5, is counted as it was when it leaves.
    expect(held([])?.exitReason).toBe('force_exit');
    // The margin of C in place of its own: (2480.5 - 100 - 10000) / (1 - 100) is 76.96.
    expect(held([2])).toMatchObject({ exitReason: 'liquidation', closeRate: 76.96 });
  });
  test('of a short', () => {
    const result = simulate({ pairs: { A: { candles: [z, f, [100, 108.6, 100, 108], f], enterShort: [0] } }, settings });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 108.47 liquidation, -867.847']);
  });
  test('by the generic formula', () => {
    expect(long([z, f, f], { ...settings, liquidationFormula: 'generic' }).trades[0].liquidationPrice).toBe(91.41);
  });
});

describe('W12 reversal', () => {
  test('on a signal', () => {
    const result = simulate({ pairs: { A: { candles: [z, f, f, f, f], enter: [0], exit: [2], enterShort: [2] } }, settings: futures });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 03:00 @ 100 exit_signal, -2', '03:00 @ 100 -> 04:00 @ 100 force_exit, -2']);
    expect(result.trades.map(({ direction }) => direction)).toEqual(['long', 'short']);
  });
  test('an entry signal alone does not close the other side', () => {
    const result = simulate({ pairs: { A: { candles: [z, f, f, f, f], enterShort: [0], enter: [2] } }, settings: futures });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 04:00 @ 100 force_exit, -2']);
  });
  test.each([
    ['reversalOpensAtTheOpen opens at the open although the old trade closed later', [], 100],
    ['with reversalOpensAtTheOpen off it opens where the old one closed', ['reversalOpensAtTheOpen'], 105.21],
  ] as const)('%s', (_, quirksOff, openRate) => {
    const result = simulate({
      pairs: { A: { candles: [z, f, [100, 107, 99, 106], [106, 107, 105, 106], f], enter: [0], enterShort: [1] } },
      settings: { ...futures, minimalRoi: { 0: 0.05 }, stoploss: -0.3 },
      quirksOff,
    });
    expect(tradeLines(result)[0]).toBe('01:00 @ 100 -> 02:00 @ 105.21 roi, 50.0479');
    expect(result.trades[1]).toMatchObject({ direction: 'short', openTime: start2024 + 2 * hour, openRate });
  });
});

describe('W13 detail candles', () => {
  const quarters = (candle: Ohlc): Ohlc[] => [candle, candle, candle, candle];
  const rising: Ohlc[] = [
    [100, 101, 99, 100],
    [100, 107, 100, 106],
    [106, 106, 105, 106],
    [106, 106, 105, 106],
  ];
  const candlesA: Ohlc[] = [z, f, [100, 107, 99, 106], f, f];
  const candlesB: Ohlc[] = [z, f, f, f, f];
  const settings = { maxOpenTrades: 1, minimalRoi: { 0: 0.05 } };
  const withDetail = (more: Partial<SettingsInput> = {}) =>
    simulate({
      pairs: {
        A: { candles: candlesA, enter: [0], detail: [quarters(z), quarters(f), rising, quarters(f), quarters(f)] },
        B: { candles: candlesB, enter: [1], detail: candlesB.map(quarters) },
      },
      settings: { ...settings, ...more },
    });
  test('without detail the slot is free within the candle', () => {
    const result = simulate({ pairs: { A: { candles: candlesA, enter: [0] }, B: { candles: candlesB, enter: [1] } }, settings });
    expect(tradeLines(result, 'A')).toEqual(['01:00 @ 100 -> 02:00 @ 105.21 roi, 50.0479']);
    expect(tradeLines(result, 'B')[0]).toMatch(/^02:00 @ 100/);
    expect(result.counters.rejectedSignals).toBe(0);
  });
  test('with detail it is free from the quarter on in which it becomes so', () => {
    const result = withDetail();
    expect(tradeLines(result, 'A')).toEqual(['01:00 @ 100 -> 02:15 @ 105.21 roi, 50.0479']);
    expect(tradeLines(result, 'B')[0]).toMatch(/^02:15 @ 100/);
    expect(result.counters.rejectedSignals).toBe(1);
  });
  test('an old signal is not acted upon', () => {
    const result = withDetail({ ignoreExpiredAfterMs: 600_000 });
    expect(tradeLines(result, 'B')).toEqual([]);
  });
  test('the path inside a candle decides between stop and ROI', () => {
    const candle: Ohlc = [100, 106, 89, 95];
    const path: Ohlc[] = [
      [100, 103, 99, 102],
      [102, 106, 101, 105],
      [105, 105, 94, 95],
      [95, 96, 89, 95],
    ];
    const candles: Ohlc[] = [z, f, candle, f];
    expect(tradeLines(long(candles, settings))).toEqual(['01:00 @ 100 -> 02:00 @ 90 stop_loss, -101.9']);
    expect(tradeLines(long(candles, settings, { detail: [quarters(z), quarters(f), path, quarters(f)] }))).toEqual([
      '01:00 @ 100 -> 02:15 @ 105.21 roi, 50.0479',
    ]);
  });
  test.each([
    [
      'detailCandlesOpenAfterTheEnd a trade opens after the end and closes before it opened',
      [],
      ['04:15 @ 100 -> 04:00 @ 100 force_exit, -2'],
    ],
    ['with detailCandlesOpenAfterTheEnd off nothing opens on the last candle', ['detailCandlesOpenAfterTheEnd'], []],
  ] as const)('%s', (_, quirksOff, expected) => {
    const result = simulate({ pairs: { A: { candles: candlesB, enter: [3], detail: candlesB.map(quarters) } }, settings, quirksOff });
    expect(tradeLines(result)).toEqual(expected);
  });
});

describe('W14 protections', () => {
  const all = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  const opens = (result: BacktestResult): string[] => result.trades.map((trade) => clock(trade.openTime));
  test.each([
    [2, '06:00'],
    [1, '05:00'],
    [0, '04:00'],
  ])('cooldown of %i candles', (stopCandles, next) => {
    const candles = [z, ...Array.from({ length: 9 }, () => f)];
    const result = simulate({
      pairs: { A: { candles, enter: all(10).filter((i) => i !== 2), exit: [2] } },
      settings: { protections: [{ kind: 'cooldown', stopCandles }] },
    });
    expect(opens(result)).toEqual(['01:00', next]);
  });
  test('stoploss guard', () => {
    const crash: Ohlc = [100, 100, 85, 100];
    const candles = [z, f, crash, f, crash, f, f, f, f, f, f];
    const result = simulate({
      pairs: { A: { candles, enter: all(11) } },
      settings: { protections: [{ kind: 'stoploss-guard', tradeLimit: 2, lookbackCandles: 6, stopCandles: 3 }] },
    });
    expect(opens(result)).toEqual(['01:00', '03:00', '08:00']);
  });
});

describe('W15 position adjustment', () => {
  test('adding below and taking out', () => {
    const result = long(
      [z, f, [90.5, 92, 90, 91], [95, 96, 94, 95], [97, 98, 96, 97], [97, 98, 96, 97]],
      { stoploss: -0.2, positionAdjustment: true },
      { exit: [3] },
      { adjustPosition: ({ time }) => (time === start2024 + 2 * hour ? 500 : time === start2024 + 3 * hour ? -750 : null) },
    );
    const [trade] = result.trades;
    expect(trade.orders.map(({ amount, price }) => [amount, price])).toEqual([
      [10, 100],
      [5.524, 90.5],
      [7.762, 95],
      [7.762, 97],
    ]);
    expect(trade).toMatchObject({ openRate: 96.62, profit: -12.608226, stop: 80 });
    expect(trade.profitRatio).toBeCloseTo(-0.0083975236, 10);
    expect(result.finalBalance).toBeCloseTo(10_000 - 12.608226, 8);
  });
  test('averagingMakesStopTrail adding above turns the stop into a trailing one', () => {
    const result = long(
      [z, f, [110, 111, 109, 110], [110, 111, 94, 95], f],
      { positionAdjustment: true },
      {},
      { adjustPosition: ({ time }) => (time === start2024 + 2 * hour ? 1000 : null) },
    );
    const [trade] = result.trades;
    expect(trade).toMatchObject({ openRate: 104.76, stop: 94.29, exitReason: 'trailing_stop_loss', profit: -203.7037961 });
  });
});

test('W17 the tick is read off the candles', () => {
  const result = long(
    [
      [20.5, 20.9, 20.1, 20.3],
      [20.3, 20.6, 20.1, 20.4],
      [20.4, 20.5, 18, 18.6],
    ],
    { stoploss: -0.08 },
  );
  expect(tradeLines(result)).toEqual(['01:00 @ 20.3 -> 02:00 @ 18.7 stop_loss, -80.738779']);
  expect(result.trades[0]).toMatchObject({ amount: 49.261, priceTick: 0.1 });
});

describe('W18 pending exit order', () => {
  const callbacks: StrategyCallbacks = { exitPrice: () => 102.5 };
  test('rests and fills later', () => {
    const result = long([z, f, f, f, [100, 103, 99, 100], f, f], {}, { exit: [1] }, callbacks);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 04:00 @ 102.5 exit_signal, 22.975']);
  });
  test('is replaced by a stop', () => {
    const result = long([z, f, f, [100, 101, 89, 90], f], {}, { exit: [1] }, callbacks);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 03:00 @ 90 stop_loss, -101.9']);
  });
  test('is dropped by its timeout', () => {
    const result = long([z, f, f, f, [100, 103, 99, 100], f, f], { unfilledTimeout: { exitMs: 60 * minute } }, { exit: [1] }, callbacks);
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 06:00 @ 100 force_exit, -2']);
    expect(result.counters.timedOutExitOrders).toBe(1);
  });
});

describe('W19 tick change', () => {
  const pairs: Scenario['pairs'] = {
    A: {
      candles: [
        ...Array.from({ length: 3 }, (): Ohlc => [100.1, 100.5, 99.5, 100.1]),
        [100.25, 100.27, 100.25, 100.26],
        [100.26, 100.27, 100.26, 100.26],
      ],
      enter: [0],
    },
  };
  const startTime = Date.UTC(2024, 0, 31, 21);
  test('forcedExitMayNotFill a forced exit rounded out of the candle does not fill', () => {
    const result = simulate({ pairs, startTime });
    expect(result.trades).toEqual([]);
    expect(result.unclosedTrades[0]).toMatchObject({ amount: 9.99, openRate: 100.1 });
    expect(result.finalBalance).toBeCloseTo(9000.001, 9);
  });
  test('with forcedExitMayNotFill off it fills at the open', () => {
    expect(simulate({ pairs, startTime, quirksOff: ['forcedExitMayNotFill'] }).trades[0]).toMatchObject({
      closeRate: 100.26,
      exitReason: 'force_exit',
    });
  });
});

describe('W20 small print', () => {
  test('minimum stake', () => {
    const instrument = { minCost: 10 };
    const raised = long([z, f, f], { stakeAmount: 9 }, { instrument });
    expect(raised.trades[0].amount).toBe(0.11);
    expect(raised.trades[0].stake).toBeCloseTo(11, 10);
    expect(long([z, f, f], { stakeAmount: 8 }, { instrument }).trades).toEqual([]);
  });
  const two = (settings: Partial<SettingsInput>) =>
    simulate({
      pairs: { A: { candles: [z, f, f], enter: [0] }, B: { candles: [z, f, f], enter: [0] } },
      settings: { startingBalance: 1000, ...settings },
    });
  test('a stake that is not there is skipped in silence', () => {
    const result = two({ stakeAmount: 700 });
    expect(result.trades.map(({ symbol }) => symbol)).toEqual(['A']);
    expect(result.counters.rejectedSignals).toBe(0);
  });
  test('the last stake may be amended', () => {
    const amended = { tradableBalanceRatio: 0.99, amendLastStakeAmount: true };
    expect(two({ stakeAmount: 700, ...amended }).trades.map(({ symbol }) => symbol)).toEqual(['A']);
    expect(two({ stakeAmount: 600, ...amended }).trades.map(({ stake }) => stake)).toEqual([600, 390]);
  });
  test('a custom stop', () => {
    const result = long([z, f, [100.5, 110, 100.5, 109], f], {}, {}, { customStop: () => -0.05 });
    expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 02:00 @ 104.5 trailing_stop_loss, 42.955']);
  });
  test('available capital', () => {
    const result = long([z, f, f], { stakeAmount: 'unlimited', availableCapital: 500, maxOpenTrades: 2 });
    expect(result.trades[0].stake).toBe(250);
  });
});

test('with stacking a pair holds several trades, each in its slot', () => {
  const result = simulate({
    pairs: { A: { candles: [z, f, f, f, f], enter: [0, 1, 2], exit: [3] } },
    settings: { positionStacking: true, maxOpenTrades: 2 },
  });
  expect(tradeLines(result)).toEqual(['01:00 @ 100 -> 04:00 @ 100 exit_signal, -2', '02:00 @ 100 -> 04:00 @ 100 exit_signal, -2']);
  expect(result.counters.rejectedSignals).toBe(1);
});

describe('the strategy may change the price of an order that waits', () => {
  const callbacks: StrategyCallbacks = { entryPrice: () => 90, adjustOrderPrice: ({ proposedPrice }) => proposedPrice - 0.5 };
  test('it is tried at the new price on the same candle', () => {
    const result = long([z, f, f, f], {}, {}, callbacks);
    expect(tradeLines(result)).toEqual(['01:00 @ 99.5 -> 03:00 @ 100 force_exit, 3.020025']);
    expect(result.trades[0].amount).toBe(10.05);
    expect(result.counters).toMatchObject({ cancelledEntryOrders: 1, replacedEntryOrders: 1 });
  });
  test('with leverage the new order buys what the stake and the leverage pay for', () => {
    const result = long([z, f, f, f], { ...futures, marginMode: 'isolated', leverage: 3 }, {}, callbacks);
    expect(result.counters.replacedEntryOrders).toBe(1);
    expect(result.trades[0]).toMatchObject({ openRate: 99.5, amount: 30.15, leverage: 3 });
    expect(result.trades[0].stake).toBeCloseTo((30.15 * 99.5) / 3, 8);
  });
  test('none takes the trade with it', () => {
    const result = long([z, f, f, f], {}, {}, { entryPrice: () => 90, adjustOrderPrice: () => null });
    expect(result.trades).toEqual([]);
    expect(result.counters).toMatchObject({ cancelledEntryOrders: 1, cancelledTradeEntries: 1 });
    expect(result.finalBalance).toBe(10_000);
  });
});

test('a stop asked for after a fill may move both ways', () => {
  const result = long([z, f, f], {}, {}, { customStop: ({ afterFill }) => (afterFill ? -0.2 : null), stopAfterFill: true });
  expect(result.trades[0]).toMatchObject({ initialStop: 90, stop: 80, isStopTrailing: false });
});
