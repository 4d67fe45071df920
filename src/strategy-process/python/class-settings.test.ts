import { expect, test } from 'vitest';
import { botSettings } from '#engine/settings/bot-settings.ts';
import { classNotes } from './class-notes.ts';
import { classSettings } from './class-settings.ts';
import type { KeptPythonDescription } from './python-facts.ts';

const words = {
  timeframe: '5m',
  use_exit_signal: false,
  exit_profit_only: true,
  exit_profit_offset: 0.01,
  ignore_roi_if_entry_signal: true,
  ignore_buying_expired_candle_after: 90,
  max_entry_position_adjustment: 2,
  unfilledtimeout: { entry: 10, exit: 30, unit: 'seconds' },
};
const protections = [{ method: 'CooldownPeriod', stop_duration_candles: 3 }];

test('what a class says of trades that nobody can set is part of the settings of its bots', () => {
  const { settings: fixed, faults } = classSettings({ words, protections });
  expect(faults).toEqual([]);
  const account = {
    exchangeId: 'sandbox',
    marketType: 'spot',
    leverage: 1,
    leverageMode: 'isolated',
    stakeAmount: 100,
    maxOpenTrades: 2,
    startingBalance: 200,
  } as const;
  const values = {
    timeframe: '5m',
    stoploss: -0.1,
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
    maxConsecutiveLosses: 5,
    riskRewardRatio: null,
    minimalRoi: { 0: 0.02 },
    orderTypes: {},
    orderTimeInForce: {},
  } as const;
  const settings = botSettings(account, values, { canShort: false, adjustsPosition: true, fixed });
  expect(settings).toMatchObject({
    useExitSignal: false,
    exitProfitOnly: true,
    exitProfitOffset: 0.01,
    ignoreRoiIfEntrySignal: true,
    ignoreExpiredAfterMs: 90_000,
    maxEntryAdjustments: 2,
    unfilledTimeout: { entryMs: 10_000, exitMs: 30_000 },
    protections: [{ kind: 'cooldown', stopCandles: 3 }],
    positionAdjustment: true,
  });
  const plain = botSettings(account, values, {
    canShort: false,
    adjustsPosition: true,
    fixed: classSettings({ words: {}, protections: [] }).settings,
  });
  expect(plain).toEqual(botSettings(account, values, { canShort: false, adjustsPosition: true }));
});

test('what is wrong with it is said', () => {
  expect(classSettings({ words: { use_exit_signal: 'no' }, protections: [{ method: 'Prayer' }] }).faults).toEqual([
    '"use_exit_signal" must be true or false, and is "no".',
    '"protections[0].method" must be "CooldownPeriod" or "StoplossGuard" or "LowProfitPairs" or "MaxDrawdown", and is "Prayer".',
  ]);
});

test('and it is said in words, with what was found when it was tried', () => {
  const { settings: fixed } = classSettings({ words, protections });
  const python = { unannounced: [], readsAccount: false, lookAhead: 'It looks ahead.', remarks: ['Odd.'] };
  const notes = classNotes({ fixed, python } as unknown as KeptPythonDescription);
  expect(notes).toEqual([
    'It looks ahead. Backtests say so, and no live bot runs it.',
    'Odd.',
    'Its class says: exit signals count for nothing; exit signals count above a profit of 1 % only; no exit by ROI while there is an entry signal; entry signals older than 90 s are ignored; at most 2 further entries; entries wait 0.17 min to be filled, exits 0.5 min; protections: cooldown.',
  ]);
  expect(classNotes({ fixed: {}, python: { ...python, lookAhead: null, remarks: [] } } as unknown as KeptPythonDescription)).toEqual([]);
});
