import { describe, expect, test } from 'vitest';
import { builtInServerConfig } from '#contract/settings.ts';
import type { BotEntries } from './bot-entries.ts';
import { leftLeverage, leftMaxOpenTrades, leftStake, newEntries } from './bot-entries.ts';
import { botIssue } from './bot-issue.ts';

const limits = builtInServerConfig;
const complete: BotEntries = {
  ...newEntries(limits),
  userEmail: 'a@b.example',
  strategyId: 's',
  exchangeId: 'sandbox',
  stakeCurrency: 'USDT',
  pairs: ['BTC/USDT'],
};

describe('what is left in a field', () => {
  test.each([
    ['', '100'],
    ['0', '100'],
    ['.', '100'],
    ['1.2.3', '100'],
    ['0.5', '0.5'],
  ])('BOTCFG-34 stake %j becomes %j', (text, left) => expect(leftStake(text, limits)).toBe(left));
  test.each([
    ['', '3'],
    ['0', '3'],
    ['51', '3'],
    ['2.5', '3'],
    ['1', '1'],
    ['50', '50'],
  ])('BOTCFG-35 max open trades %j becomes %j', (text, left) => expect(leftMaxOpenTrades(text, limits)).toBe(left));
  test.each([
    ['', '1'],
    ['0.9', '1'],
    ['126', '1'],
    ['125', '125'],
    ['2.5', '2.5'],
  ])('BOTCFG-36 leverage %j becomes %j', (text, left) => expect(leftLeverage(text, limits)).toBe(left));
});

/** Each row breaks one more check, from the last to the first: the earlier one always wins. */
const faults: readonly [ids: string, text: string, fault: Partial<BotEntries>][] = [
  ['VALID-41, OP-33', 'User email is required', { userEmail: ' ' }],
  ['VALID-39', 'API key and secret are required for live mode', { mode: 'live', key: 'k', secret: ' ' }],
  ['VALID-38', 'At least one trading pair is required', { pairs: [] }],
  ['VALID-37', 'Leverage must be between 1.0 and 125.0', { leverage: '125.1' }],
  ['VALID-36', 'Max open trades must be between 1 and 50', { maxOpenTrades: '51' }],
  ['VALID-35', 'Stake amount must be positive', { stakeAmount: '0' }],
  ['VALID-34', 'Stake currency is required', { stakeCurrency: '' }],
  ['VALID-33', 'Market type is required', { marketType: '' }],
  ['VALID-32', 'Exchange is required', { exchangeId: '' }],
  ['VALID-31', 'Strategy is required', { strategyId: '' }],
];

describe('checks in their order', () => {
  test('what is complete passes; VALID-40 the passphrase is optional', () => {
    expect(botIssue(complete, null)).toBeNull();
    expect(botIssue({ ...complete, mode: 'live', key: 'k', secret: 's' }, null)).toBeNull();
  });
  test.each(faults.map(([ids, text], i) => [ids, text, i] as const))('%s %s', (_ids, text, i) => {
    const broken = Object.assign({}, complete, ...faults.slice(0, i + 1).map(([, , fault]) => fault)) as BotEntries;
    expect(botIssue(broken, null)?.text).toBe(text);
  });
  test('OP-31 masked values that are as they were count as a key; a part of a new key does not', () => {
    const stored: BotEntries = { ...complete, mode: 'live', key: '****9f3C', secret: '********' };
    expect(botIssue(stored, stored)).toBeNull();
    expect(botIssue({ ...stored, key: 'new' }, stored)?.field).toBe('key');
    expect(botIssue({ ...stored, label: 'new' }, stored)?.field).toBe('key');
    expect(botIssue({ ...stored, key: 'new', secret: 'new' }, stored)).toBeNull();
  });
});
