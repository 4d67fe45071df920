import { bot } from '#contract/bots.ts';
import { expect, test } from 'vitest';
import { tolerate } from './tolerate.ts';

test('STATE-09 after a sign-up omitted flags are true, given ones stay', () => {
  expect(tolerate('API-03', { email: 'a@b.cd' })).toEqual({ email: 'a@b.cd', verified: true, email_verified: true });
  expect(tolerate('API-03', { verified: false, email_verified: false })).toEqual({ verified: false, email_verified: false });
});

test('STATE-10 after a sign-in or a session check omitted flags are false, given ones stay', () => {
  for (const call of ['API-01', 'API-02']) {
    expect(tolerate(call, { role: 'trader' })).toEqual({ role: 'trader', verified: false, email_verified: false });
    expect(tolerate(call, { verified: true, email_verified: true })).toEqual({ verified: true, email_verified: true });
  }
});

test('MON-41 trades of the order metrics that are no list are empty', () => {
  for (const trades of [null, 'none', {}, 3]) expect(tolerate('API-20', { trades })).toEqual({ trades: [] });
  expect(tolerate('API-20', { trades: [1] })).toEqual({ trades: [1] });
});

test('DATA-08, DATA-09, BOTS-33 values a bot of the list omits are filled with the defaults', () => {
  expect(tolerate('API-31', [{ id: '1', mode: 'live' }])).toEqual([
    {
      id: '1',
      mode: 'live',
      trading_pairs: ['BTC/USDT'],
      stake_currency: 'USDT',
      stake_amount: 100,
      status: 'paused',
      current_balance: 100,
      max_open_trades: 3,
      leverage: 1,
      leverage_mode: 'isolated',
      margin_mode: 'spot',
      starting_balance: 100,
      timeframe: '5m',
      stoploss: -0.1,
      max_consecutive_losses: 5,
    },
  ]);
});

test('DATA-02..07 a bot has the fields and words of the inventory', () => {
  expect(bot.shape.status.options).toEqual(['active', 'paused', 'stopped']);
  expect(bot.shape.mode.options).toEqual(['paper', 'live']);
  expect(bot.shape.leverage_mode.options).toEqual(['isolated', 'cross']);
  expect(bot.shape.margin_mode.options).toEqual(['spot', 'margin', 'futures']);
  const card = [
    'id',
    'user_id',
    'nickname',
    'email',
    'status',
    'mode',
    'exchange_id',
    'stake_amount',
    'stake_currency',
    'trading_pairs',
    'total_pnl',
  ];
  expect(Object.keys(bot.shape)).toEqual(expect.arrayContaining(card));
});

test('other answers pass as they are', () => {
  for (const answer of [null, 'text', 7, { verified: 1 }]) expect(tolerate('API-14', answer)).toBe(answer);
});
