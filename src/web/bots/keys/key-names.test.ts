import { expect, test } from 'vitest';
import { keyChoice, keyName, sharedWith } from './key-names.ts';

const bot = (id: string, mode: 'live' | 'paper') => ({ id, nickname: `Bot ${id}`, mode, status: 'active' }) as const;
const key = { label: 'main', key_hint: 'b07e', bots: [bot('1', 'live'), bot('2', 'live'), bot('3', 'paper')] };

test('a key is named by its label and its end', () => {
  expect(keyName(key)).toBe('main (****b07e)');
  expect(keyName({ label: null, key_hint: 'b07e' })).toBe('****b07e');
});

test('who shares the account of a key: the other bots that have it, and which of them are on paper', () => {
  expect(sharedWith(key, '1')).toBe('Bot 2 and Bot 3 (paper)');
  expect(sharedWith(key, null)).toBe('Bot 1, Bot 2 and Bot 3 (paper)');
  expect(sharedWith({ bots: [bot('1', 'live')] }, '1')).toBeNull();
});

test('a key that is offered names who trades with its account', () => {
  const others = { id: 'k', exchange: 'sandbox', bots: [bot('2', 'live')] };
  expect(keyChoice({ ...key, ...others } as Parameters<typeof keyChoice>[0], '1')).toBe('main (****b07e), account of Bot 2');
  expect(keyChoice({ ...key, ...others } as Parameters<typeof keyChoice>[0], '2')).toBe('main (****b07e)');
});
