import { describe, expect, test } from 'vitest';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { sumsOfReplay } from '../report/refused-replay.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { noSignals } from '../strategy/strategy.ts';
import { replayEntry } from './replay-entry.ts';
import type { Ohlc } from './testing/scenario.ts';
import { columns, f, futures, hour, start2024, z } from './testing/scenario.ts';

/** Replays an entry on candle 0 with a stake of 1000 and a fee of 0.001 each way: it is bought at the opening of candle 1. */
function replay(
  candles: Ohlc[],
  of: {
    direction?: 'long' | 'short';
    exit?: number;
    enter?: number;
    at?: number;
    startup?: number;
    settings?: Partial<SettingsInput>;
  } = {},
) {
  const { direction = 'long', exit, enter, at = 0, startup = 0, settings = {} } = of;
  const signals = noSignals(candles.length);
  if (exit !== undefined) (direction === 'long' ? signals.exitLong : signals.exitShort)[exit] = 1;
  if (enter !== undefined) (direction === 'long' ? signals.enterLong : signals.enterShort)[enter] = 1;
  const marketType = direction === 'short' ? 'futures' : 'spot';
  const pair = {
    instrument: anInstrument({
      symbol: 'A/USDT',
      marketType,
      maxLeverage: marketType === 'spot' ? 1 : 50,
      leverageTiers:
        marketType === 'spot'
          ? []
          : [{ minNotional: 0, maxNotional: Infinity, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 }],
    }),
    candles: columns(candles, start2024, hour),
    signals,
    funding: null,
  };
  const terms = {
    settings: requireSettings({
      stakeAmount: 1000,
      maxOpenTrades: 1,
      startingBalance: 1000,
      tradableBalanceRatio: 1,
      stoploss: -0.1,
      minimalRoi: {},
      fee: 0.001,
      liquidationFormula: 'binance',
      ...(direction === 'short' ? futures : {}),
      ...settings,
    }),
    timeframeMs: hour,
    startupCandles: startup,
    callbacks: {},
  };
  return replayEntry(pair, terms, { candleTime: start2024 + at * hour, direction, tag: 'cross' });
}

const fall: Ohlc = [100, 100.5, 85, 86];

describe('ADD-replay-refused one refused entry as a trade of its own', () => {
  test('a long that would have hit its stop: 10 bought at 100, sold at 90, fees 1 and 0.9', () => {
    expect(replay([z, f, fall, f])).toEqual({
      outcome: 'closed',
      profit: -101.9,
      closeTime: start2024 + 2 * hour,
      exitReason: 'stop_loss',
    });
  });

  test('a long that would have taken its profit: 10 bought at 100, sold at 110 on the signal, fees 1 and 1.1', () => {
    const up: Ohlc = [110, 111, 109, 110];
    expect(replay([z, f, f, up, f], { exit: 2 })).toMatchObject({ outcome: 'closed', profit: 97.9, exitReason: 'exit_signal' });
    // The ROI of 5 per cent, without fees: 10 sold at 105.
    const roi = { minimalRoi: { 0: 0.05 }, fee: 0 };
    expect(replay([z, f, [100, 108, 100, 107], f], { settings: roi })).toMatchObject({ outcome: 'closed', profit: 50, exitReason: 'roi' });
  });

  test('one that is open when the candles end is named so, and valued at the opening price of the last: fees 1 and 1.04', () => {
    expect(replay([z, f, f, [104, 105, 103, 104]])).toEqual({ outcome: 'open', profit: 37.96 });
  });

  test('a short: 10 sold at 100, bought back at 90 on the signal, fees 1 and 0.9', () => {
    const down: Ohlc = [90, 91, 89, 90];
    expect(replay([z, f, f, down, f], { direction: 'short', exit: 2 })).toMatchObject({ outcome: 'closed', profit: 98.1 });
    const rise: Ohlc = [100, 115, 99.5, 114];
    expect(replay([z, f, rise, f], { direction: 'short' })).toMatchObject({ outcome: 'closed', profit: -102.1, exitReason: 'stop_loss' });
  });

  test('it is the only trade: signals after it enter nothing, but one beside its exit still holds that back', () => {
    const last: Ohlc = [104, 105, 103, 104];
    expect(replay([z, f, fall, f, f, last], { enter: 3 })).toMatchObject({ profit: -101.9 });
    expect(replay([z, f, f, f, last], { exit: 2 })).toMatchObject({ outcome: 'closed', profit: -2 });
    expect(replay([z, f, f, f, last], { exit: 2, enter: 2 })).toEqual({ outcome: 'open', profit: 37.96 });
  });

  test('candles before it change nothing but the warm-up', () => {
    expect(replay([f, z, f, z, f, fall, f], { at: 3, startup: 2 })).toMatchObject({ profit: -101.9 });
    expect(replay([f, z, f, z, f, fall, f], { at: 3, startup: 200 })).toMatchObject({ profit: -101.9 });
  });

  test('one that cannot be made says why: no candle after it, none of its time, a stake the market does not take', () => {
    expect(replay([z, f], { at: 1 })).toEqual({ outcome: 'not-made', why: 'end-of-run' });
    expect(replay([z, f])).toEqual({ outcome: 'not-made', why: 'end-of-run' });
    expect(replay([z, f, f], { at: 0.5 })).toEqual({ outcome: 'not-made', why: 'no-candle' });
    expect(replay([z, f, f, f], { settings: { stakeAmount: 0.01 } })).toMatchObject({
      outcome: 'not-made',
      why: expect.stringMatching(/small/u),
    });
  });
});

test('ADD-replay-refused sums are exact, and each currency has its own', () => {
  const one = (profit: number, currency: string, outcome: 'closed' | 'open' = 'closed') => ({ outcome, profit, currency });
  expect(
    sumsOfReplay([one(0.1, 'USDT'), one(0.2, 'USDT', 'open'), one(-0.00000001, 'BTC'), { outcome: 'not-made', currency: 'EUR' }]),
  ).toEqual([
    { currency: 'USDT', profit: 0.3, won: 2, lost: 0, open: 1, openProfit: 0.2 },
    { currency: 'BTC', profit: -0.00000001, won: 0, lost: 1, open: 0, openProfit: 0 },
  ]);
});
