import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { newBot } from './bots.ts';
import { routes } from './routes.ts';
import { strategyChanges } from './strategies.ts';

const id = '00000000-0000-4000-8000-000000000001';
const general = 'Invalid request';
const text = (schema: z.ZodType, input: unknown): string | undefined => schema.safeParse(input).error?.issues[0]?.message;

describe('a field of the wrong type gives the general text, a value that is not allowed the text of its row', () => {
  const run = {
    strategy_id: id,
    exchange: 'sandbox',
    symbol: 'BTC/USDT',
    trading_mode: 'spot',
    timeframe: '1h',
    days: 7,
    stake_amount: 100,
    max_open_trades: 1,
  };
  test.each([
    ['stake_amount', 'much', 0, 'Stake amount must be positive'],
    ['max_open_trades', '1', 1.5, 'Max open trades must be between 1 and 50'],
    ['days', '7', 31, 'Invalid data period'],
    ['timeframe', 60, '2h', 'Invalid timeframe'],
    ['trading_mode', true, 'margin', 'Trading mode must be spot or futures'],
    ['symbol', 5, '', 'Symbol is required'],
  ])('API-43 %s', (field, wrongType, notAllowed, message) => {
    expect(routes.runBacktest.body.safeParse(run).success).toBe(true);
    expect(text(routes.runBacktest.body, { ...run, [field]: wrongType })).toBe(general);
    expect(text(routes.runBacktest.body, { ...run, [field]: notAllowed })).toBe(message);
    expect(text(routes.runBacktest.body, { ...run, [field]: undefined })).toBe(message);
  });

  test.each([
    ['order_types', 'limit', { entry: 'fast' }, 'Invalid order type'],
    ['order_types', ['limit'], { somewhere: 'limit' }, 'Invalid order type'],
    ['order_types', { entry: 5 }, { entry: '' }, 'Invalid order type'],
    ['order_time_in_force', 7, { entry: 'DAY' }, 'Invalid time in force'],
    ['default_timeframe', 5, '7m', 'Invalid timeframe'],
    ['stoploss', '-0.1', 0, 'Stop loss must be a negative fraction'],
    ['trailing_stop_positive', true, 2, 'Trailing stop must be a positive fraction'],
    ['trailing_stop_positive_offset', true, 2, 'Trailing stop must be a positive fraction'],
    ['max_consecutive_losses', '5', 11, 'Max consecutive losses must be between 1 and 10'],
    ['risk_reward_ratio', '2', 0.05, 'Risk reward ratio must be at least 0.1'],
    ['minimal_roi', [0.1], {}, 'ROI must have 1 to 3 entries'],
    ['minimal_roi', { 0: '0.1' }, { soon: 0.1 }, 'Invalid ROI entry'],
  ])('API-39 %s %j', (field, wrongType, notAllowed, message) => {
    expect(text(strategyChanges, { [field]: wrongType })).toBe(general);
    expect(text(strategyChanges, { [field]: notAllowed })).toBe(message);
  });

  const bot = {
    strategy_id: id,
    exchange_id: 'sandbox',
    margin_mode: 'spot',
    stake_currency: 'USDT',
    stake_amount: 100,
    max_open_trades: 3,
    leverage: 1,
    trading_pairs: ['BTC/USDT'],
    user_email: 'a@b.cd',
    mode: 'paper',
    leverage_mode: 'isolated',
  };
  test.each([
    ['stake_amount', [], -1, 'Stake amount must be positive'],
    ['max_open_trades', {}, 0, 'Max open trades must be between 1 and 50'],
    ['leverage', '2', 200, 'Leverage must be between 1.0 and 125.0'],
    ['trading_pairs', 'BTC/USDT', [], 'At least one trading pair is required'],
    ['mode', 1, 'demo', 'Mode must be paper or live'],
    ['margin_mode', 1, 'option', 'Market type is required'],
  ])('API-33 %s', (field, wrongType, notAllowed, message) => {
    expect(newBot.safeParse(bot).success).toBe(true);
    expect(text(newBot, { ...bot, [field]: wrongType })).toBe(general);
    expect(text(newBot, { ...bot, [field]: notAllowed })).toBe(message);
  });
});
