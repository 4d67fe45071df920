import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { publicLookup } from '../public-lookup.ts';
import type { TargetEntries } from './channel-target.ts';
import { addressOf, hintOf, isReachable, targetOf } from './channel-target.ts';

const token = '123456789:AAExampleExampleExampleExampleExamp';
const check = (entries: TargetEntries) => {
  const made = targetOf(entries, () => 'whsec_c2VjcmV0');
  return made.ok ? `ok ${hintOf(made.target)} ${addressOf(made.target)}` : made.reason;
};

test.each<[TargetEntries, string]>([
  [{ kind: 'telegram', token, chat: '-1001234567890' }, `ok xamp https://api.telegram.org/bot${token}/sendMessage`],
  [{ kind: 'telegram', token, chat: '@harbour_desk' }, `ok xamp https://api.telegram.org/bot${token}/sendMessage`],
  [{ kind: 'telegram', token: `${token}/../x`, chat: '7' }, 'telegram-token'],
  [{ kind: 'telegram', token: 'x', chat: '7' }, 'telegram-token'],
  [{ kind: 'telegram', token, chat: 'desk' }, 'telegram-chat'],
  [{ kind: 'telegram', token }, 'telegram-chat'],
  [{ kind: 'discord', address: 'https://discord.com/api/webhooks/1/a-token' }, 'ok oken https://discord.com/api/webhooks/1/a-token'],
  [
    { kind: 'discord', address: 'https://discord.com/api/v10/webhooks/1/a-token' },
    'ok oken https://discord.com/api/v10/webhooks/1/a-token',
  ],
  [{ kind: 'discord', address: 'https://discord.com.evil.net/api/webhooks/1/a' }, 'discord-address'],
  [{ kind: 'discord', address: 'https://discord.com/api/users/@me' }, 'discord-address'],
  [{ kind: 'discord', address: 'https://discord.com/api/webhooks/1/a/../../users' }, 'discord-address'],
  [{ kind: 'discord', address: 'https://127.0.0.1/api/webhooks/1/a' }, 'not-public'],
  [{ kind: 'slack', address: 'https://hooks.slack.com/services/T0/B0/abcd' }, 'ok abcd https://hooks.slack.com/services/T0/B0/abcd'],
  [{ kind: 'slack', address: 'https://hooks.slack.com/other' }, 'slack-address'],
  [{ kind: 'ntfy', address: 'https://ntfy.sh/harbour' }, 'ok bour https://ntfy.sh/harbour'],
  [{ kind: 'ntfy', address: 'https://ntfy.harbour.trade/desk', token: 'tk_abcdefg' }, 'ok defg https://ntfy.harbour.trade/desk'],
  [{ kind: 'ntfy', address: 'https://ntfy.sh/a/b' }, 'ntfy-address'],
  [{ kind: 'ntfy', address: 'https://ntfy.sh/a?auth=1' }, 'ntfy-address'],
  [{ kind: 'ntfy', address: 'https://ntfy.sh/a', token: 'a\r\nX-Evil: 1' }, 'ntfy-token'],
  [{ kind: 'ntfy', address: 'http://ntfy.sh/a' }, 'ntfy-address'],
  [{ kind: 'webhook', address: 'https://hooks.harbour.trade/in?for=me' }, 'ok r=me https://hooks.harbour.trade/in?for=me'],
  [{ kind: 'webhook', address: 'https://192.168.1.7/in' }, 'not-public'],
  [{ kind: 'webhook', address: 'https://2130706433/in' }, 'not-public'],
  [{ kind: 'webhook', address: 'https://router.lan/in' }, 'not-public'],
  [{ kind: 'webhook', address: 'https://hooks.harbour.trade:8443/in' }, 'webhook-address'],
  [{ kind: 'webhook', address: 'https://me:secret@hooks.harbour.trade/in' }, 'webhook-address'],
  [{ kind: 'webhook', address: '' }, 'webhook-address'],
  [{ kind: 'webhook' }, 'webhook-address'],
])('%j: %s', (entries, expected) => {
  expect(check(entries)).toBe(expected);
});

test('a host is looked up when the channel is added; one that leads to a private address is refused', async () => {
  const target = { kind: 'webhook', address: 'https://hooks.harbour.trade/in', secret: 'whsec_c2VjcmV0' } as const;
  const leadsTo = (address: string): LookupFunction => publicLookup(async () => [{ address, family: 4 }]);
  expect(await isReachable(target, leadsTo('52.1.2.3'))).toBe(true);
  expect(await isReachable(target, leadsTo('10.0.0.7'))).toBe(false);
  expect(await isReachable({ ...target, address: 'https://localhost.harbour.trade/' }, leadsTo('127.0.0.1'))).toBe(false);
});
