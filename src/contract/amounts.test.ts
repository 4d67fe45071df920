import { describe, expect, test } from 'vitest';
import { botChanges } from './bots.ts';
import { stakeAmount } from './fields.ts';
import { routes } from './routes.ts';

describe('amounts that the database cannot keep are refused as input', () => {
  test.each([1e20, 1e16, Number.MAX_VALUE, 1e-9, 5e-324, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a stake of %d', (amount) => {
    expect(stakeAmount.safeParse(amount).success).toBe(false);
    expect(botChanges.safeParse({ stake_amount: amount }).success).toBe(false);
  });

  test.each([1e-8, 0.5, 100, 1e15])('a stake of %d is taken', (amount) => {
    expect(stakeAmount.parse(amount)).toBe(amount);
  });

  test('API-42, API-43 both calls of a backtest refuse it with a sentence', () => {
    const settings = { exchange: 'sandbox', symbol: 'BTC/USDT', trading_mode: 'spot', timeframe: '1h', days: 7, max_open_trades: 1 };
    const id = '00000000-0000-4000-8000-000000000001';
    for (const [body, base] of [
      [routes.backtestStrategy.body, settings],
      [routes.runBacktest.body, { strategy_id: id, ...settings }],
    ] as const) {
      expect(body.safeParse({ ...base, stake_amount: 100 }).success).toBe(true);
      expect(body.safeParse({ ...base, stake_amount: 1e20 }).error?.issues[0]?.message).toBe('Invalid request');
      expect(body.safeParse({ ...base, stake_amount: 1e-20 }).error?.issues[0]?.message).toBe('Stake amount must be positive');
    }
  });
});
