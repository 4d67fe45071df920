import { describe, expect, test } from 'vitest';
import { registerBody, resetPasswordBody, twoFactorBody } from './auth.ts';
import { botChanges, newBot } from './bots.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

const all = Object.values(routes) as Route[];
const firstText = (
  schema: { safeParse(value: unknown): { success: boolean; error?: { issues: { message: string }[] } } },
  value: unknown,
) => schema.safeParse(value).error?.issues[0]?.message;

describe('the table of calls', () => {
  test('API-01..51, API-63 each call stands in the table exactly once', () => {
    // Calls beyond the table have names of their own.
    const ids = all
      .map((route) => route.id)
      .filter((id) => !id.startsWith('ADD-'))
      .sort();
    expect(ids).toEqual(Array.from({ length: 51 }, (_, i) => `API-${String(i + 1).padStart(2, '0')}`));
    expect(new Set(all.map((route) => `${route.method} ${route.path}`)).size).toBe(all.length);
  });

  test('ROLE-05, OP-05 the admin-only calls are closed to every other role', () => {
    const adminOnly = all
      .filter((route) => Array.isArray(route.access.who) && route.access.who.join() === 'admin')
      .map((route) => route.id);
    expect(adminOnly.sort()).toEqual([
      'ADD-audit',
      'ADD-change-installation',
      'ADD-channel-counts',
      'ADD-check-audit',
      'ADD-end-user-sessions',
      'ADD-installation',
      'ADD-invitations',
      'ADD-invite',
      'ADD-mails',
      'ADD-restore-strategy-version',
      'ADD-retry-mail',
      'ADD-strategy-module',
      'ADD-strategy-versions',
      'ADD-test-mail',
      'ADD-test-sheet',
      'ADD-test-webhook',
      'ADD-withdraw-invitation',
      'API-23',
      'API-24',
      'API-25',
      'API-26',
      'API-39',
      'API-45',
      'API-48',
      'API-49',
    ]);
  });
});

describe('first failing check', () => {
  const bot = {
    strategy_id: '00000000-0000-4000-8000-000000000001',
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

  test('VALID-31..38, VALID-41 a new bot is checked in the written order', () => {
    expect(firstText(newBot, {})).toBe('Strategy is required');
    const order: [string, unknown, string][] = [
      ['strategy_id', '', 'Strategy is required'],
      ['exchange_id', '', 'Exchange is required'],
      ['margin_mode', 'option', 'Market type is required'],
      ['stake_currency', '', 'Stake currency is required'],
      ['stake_amount', 0, 'Stake amount must be positive'],
      ['max_open_trades', 51, 'Max open trades must be between 1 and 50'],
      ['leverage', 0.5, 'Leverage must be between 1.0 and 125.0'],
      ['trading_pairs', [], 'At least one trading pair is required'],
      ['user_email', ' ', 'User email is required'],
    ];
    order.forEach(([field, value, text], i) => {
      const broken = Object.fromEntries(order.slice(i).map(([name, bad]) => [name, bad]));
      expect(firstText(newBot, { ...bot, ...broken }), field).toBe(text);
      expect(firstText(newBot, { ...bot, [field]: value }), field).toBe(text);
    });
    expect(newBot.safeParse(bot).success).toBe(true);
  });

  test('API-34 an update names the unknown field and refuses an empty one', () => {
    expect(firstText(botChanges, { status: 'active' })).toBe('Unknown field: status');
    expect(firstText(botChanges, {})).toBe('No fields to update');
  });

  test('VALID-01..06, OP-23 sign-up and reset are checked in the written order', () => {
    expect(firstText(registerBody, {})).toBe('Email is required');
    expect(firstText(registerBody, { email: 'x', password: 'a', confirmPassword: 'b' })).toBe('Invalid email address');
    expect(firstText(registerBody, { email: 'x@y.zz' })).toBe('Password is required');
    expect(firstText(registerBody, { email: 'x@y.zz', password: 'abc' })).toBe('Confirm Password is required');
    expect(firstText(registerBody, { email: 'x@y.zz', password: 'abc', confirmPassword: 'abd' })).toBe(
      'Password must be at least 8 characters',
    );
    expect(firstText(registerBody, { email: 'x@y.zz', password: 'abcdefgh', confirmPassword: 'abcdefgi' })).toBe(
      'Passwords do not match. Please ensure both passwords are the same.',
    );
    const reset = { email: 'x@y.zz', code: '1', password: 'abc', confirmPassword: 'abd' };
    expect(firstText(resetPasswordBody, reset)).toBe('Passwords do not match. Please ensure both passwords are the same.');
    expect(firstText(resetPasswordBody, { ...reset, confirmPassword: 'abc' })).toBe('Password must be at least 8 characters');
  });

  test('VALID-05, VALID-11 a second factor has exactly 6 characters', () => {
    expect(firstText(twoFactorBody, { code: '' })).toBe('2FA code is required');
    expect(firstText(twoFactorBody, { code: '12345' })).toBe('Please enter a valid 6-digit 2FA code');
  });
});
