import type { FundingEvents } from '../../account/funding.ts';
import type { SettingsInput } from '../../settings/normalise-settings.ts';
import { requireSettings } from '../../settings/normalise-settings.ts';
import { anInstrument } from '../../market/testing/an-instrument.ts';
import type { CandleColumns } from '../../market/candle.ts';
import { toColumns } from '../../market/candle.ts';
import type { Instrument } from '../../market/instrument.ts';
import type { StrategyCallbacks } from '../../strategy/callbacks.ts';
import { noSignals } from '../../strategy/strategy.ts';
import type { BacktestResult } from '../backtest-result.ts';
import { backtest } from '../backtest.ts';
import type { BacktestInput } from '../input.ts';

/** Prices of a candle. */
export type Ohlc = [open: number, high: number, low: number, close: number];

/** One pair of a scenario. */
export interface PairScenario {
  candles: Ohlc[];
  enter?: number[]; // candle numbers with a long signal
  exit?: (number | [at: number, tag: string])[];
  enterShort?: number[];
  exitShort?: number[];
  detail?: Ohlc[][]; // quarters of each candle
  detailFrom?: number; // when they begin, where not with the candles
  funding?: FundingEvents;
  from?: number; // when its candles begin, where not with the others
  instrument?: Partial<Instrument>;
}

/** A backtest in a few lines, for tests. */
export interface Scenario {
  pairs: Record<string, PairScenario>;
  settings?: Partial<SettingsInput>;
  callbacks?: StrategyCallbacks;
  startTime?: number;
  startupCandles?: number;
  range?: BacktestInput['range'];
  quirksOff?: BacktestInput['quirksOff'];
  mostRefusedListed?: number;
  watch?: BacktestInput['watch'];
}

/** In ms. */
export const hour = 3_600_000;
/** In ms. */
export const minute = 60_000;
/** When scenarios begin. */
export const start2024 = Date.UTC(2024, 0, 1);
/** A candle that fixes the observed tick at 0.01. */
export const z: Ohlc = [100, 100.5, 99.5, 100.01];
/** A flat candle. */
export const f: Ohlc = [100, 101, 99, 100];

/**
 * Runs a scenario: 1h candles from 2024-01-01, fee 0.001 each way, stake 1000, start balance 10000, stop -0.10, no ROI,
 * three slots, amount step 0.001 - unless it says otherwise.
 */
export function simulate(scenario: Scenario, onProgress?: (fractionDone: number) => void): BacktestResult {
  const { pairs, settings = {}, callbacks = {}, startTime = start2024, quirksOff = [] } = scenario;
  const marketType = settings.marketType ?? 'spot';
  const isFutures = marketType === 'futures';
  const hasDetail = Object.values(pairs).some((pair) => pair.detail !== undefined);
  return backtest({
    settings: requireSettings({
      stakeAmount: 1000,
      maxOpenTrades: 3,
      startingBalance: 10_000,
      tradableBalanceRatio: 1,
      stoploss: -0.1,
      minimalRoi: {},
      fee: 0.001,
      liquidationFormula: 'binance',
      ...settings,
    }),
    timeframeMs: hour,
    startupCandles: scenario.startupCandles ?? 0,
    range: scenario.range ?? null,
    callbacks,
    quirksOff,
    ...(scenario.mostRefusedListed === undefined ? {} : { mostRefusedListed: scenario.mostRefusedListed }),
    ...(scenario.watch === undefined ? {} : { watch: scenario.watch }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(hasDetail ? { detailTimeframeMs: 15 * minute } : {}),
    pairs: Object.entries(pairs).map(([symbol, pair]) => {
      const signals = noSignals(pair.candles.length);
      const tags: string[] = [];
      const exitTag = new Uint8Array(pair.candles.length);
      for (const at of pair.enter ?? []) signals.enterLong[at] = 1;
      for (const at of pair.enterShort ?? []) signals.enterShort[at] = 1;
      for (const at of pair.exitShort ?? []) signals.exitShort[at] = 1;
      for (const exit of pair.exit ?? []) {
        const [at, tag] = typeof exit === 'number' ? [exit, null] : exit;
        signals.exitLong[at] = 1;
        if (tag !== null) exitTag[at] = tags.push(tag);
      }
      return {
        instrument: anInstrument({
          symbol,
          base: symbol,
          marketType,
          takerFee: 0.0005,
          makerFee: 0.0005,
          maxLeverage: marketType === 'spot' ? 1 : 50,
          leverageTiers: isFutures
            ? [{ minNotional: 0, maxNotional: Infinity, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 }]
            : [],
          ...pair.instrument,
        }),
        candles: columns(pair.candles, pair.from ?? startTime, hour),
        signals: { ...signals, tags, exitTag },
        detail: pair.detail === undefined ? null : columns(pair.detail.flat(), pair.detailFrom ?? startTime, 15 * minute),
        funding: pair.funding ?? null,
      };
    }),
  });
}

/** Candles of these prices, from a time on. */
export function columns(candles: Ohlc[], from: number, stepMs: number): CandleColumns {
  return toColumns(candles.map(([open, high, low, close], i) => ({ openTime: from + i * stepMs, open, high, low, close, volume: 1 })));
}

/** '01:00 @ 100 -> 02:00 @ 90 stop_loss, -101.9' for each closed trade of a symbol, or of all. */
export function tradeLines(result: BacktestResult, symbol?: string): string[] {
  return result.trades
    .filter((trade) => symbol === undefined || trade.symbol === symbol)
    .map(
      (trade) =>
        `${clock(trade.openTime)} @ ${trade.openRate} -> ${clock(trade.closeTime ?? 0)} @ ${trade.closeRate} ${trade.exitReason}, ${trade.profit}`,
    );
}

/** The hour and minute of a time. */
export function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}

/** One long pair 'A', signal on candle `enter`. */
export function long(
  candles: Ohlc[],
  settings: Partial<SettingsInput> = {},
  more: Partial<PairScenario> = {},
  callbacks: StrategyCallbacks = {},
) {
  return simulate({ pairs: { A: { candles, enter: [0], ...more } }, settings, callbacks });
}

/** Settings of a market with shorts. */
export const futures = { marketType: 'futures', canShort: true } as const;
