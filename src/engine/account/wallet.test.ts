import { describe, expect, test } from 'vitest';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import { aTrade } from './testing/a-trade.ts';
import { walletOf } from './wallet.ts';

const settings = (more: Partial<SettingsInput> = {}) =>
  requireSettings({ stakeAmount: 100, maxOpenTrades: 3, startingBalance: 1000, tradableBalanceRatio: 0.5, stoploss: -0.1, ...more });
const trades = [aTrade({ stake: 100, realizedProfit: 7 }), aTrade({ stake: 200, realizedProfit: -3 })];

describe('the wallet', () => {
  test('of a bot that has not traded is its balance, of which a share may be traded with', () => {
    expect(walletOf(settings(), 0, [])).toEqual({ free: 1000, tied: 0, total: 500, available: 500 });
  });

  test('counts profits of closed trades and of exits so far, and ties up the stakes of open trades', () => {
    // 1000 + 50 + 7 - 3, of which 300 are tied up.
    expect(walletOf(settings(), 50, trades)).toEqual({ free: 754, tied: 300, total: 527, available: 227 });
  });

  test('with a given capital may trade with that and the profits of closed trades', () => {
    expect(walletOf(settings({ availableCapital: 400 }), 50, trades)).toEqual({ free: 754, tied: 300, total: 450, available: 150 });
  });

  test('never has more available than is free', () => {
    expect(walletOf(settings({ availableCapital: 5000 }), 50, trades)).toMatchObject({ total: 5050, available: 754 });
  });

  test('uses an earlier figure of what is free, 0 too, when that is given', () => {
    expect(walletOf(settings(), 50, trades, 100)).toEqual({ free: 100, tied: 300, total: 200, available: -100 });
    expect(walletOf(settings(), 50, trades, 0)).toMatchObject({ free: 0, total: 150 });
  });
});
