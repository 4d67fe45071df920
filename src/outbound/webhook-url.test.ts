import { describe, expect, test } from 'vitest';
import { chatHosts, checkPublicUrl, checkWebhookUrl } from './webhook-url.ts';

const reasonOf = (text: string) => {
  const check = checkPublicUrl(text);
  return check.ok ? `ok ${check.url.href}` : check.reason;
};

test.each([
  // The seven spellings of this machine, for six of which Node never asks a lookup.
  ['https://127.0.0.1/', 'not-public'],
  ['https://2130706433/', 'not-public'],
  ['https://0x7f.1/', 'not-public'],
  ['https://017700000001/', 'not-public'],
  ['https://[::ffff:127.0.0.1]/', 'not-public'],
  ['https://0/', 'not-public'],
  ['https://localhost/', 'not-public'],
  // Others of the same kind.
  ['https://127.1/', 'not-public'],
  ['https://[::1]/', 'not-public'],
  ['https://[::]/', 'not-public'],
  ['https://[::127.0.0.1]/', 'not-public'],
  ['https://[::ffff:7f00:1]/', 'not-public'],
  ['https://[64:ff9b::7f00:1]/', 'not-public'],
  ['https://[2002:7f00:1::]/', 'not-public'],
  ['https://①②⑦.0.0.1/', 'not-public'],
  ['https://127。0。0。1/', 'not-public'],
  ['https://%31%32%37.0.0.1/', 'not-public'],
  // Other machines of the own network.
  ['https://10.0.0.1/', 'not-public'],
  ['https://172.16.0.1/', 'not-public'],
  ['https://192.168.1.1/', 'not-public'],
  ['https://100.64.0.1/', 'not-public'],
  ['https://169.254.169.254/latest/meta-data/', 'not-public'],
  ['https://[fd00:ec2::254]/', 'not-public'],
  ['https://[fe80::1]/', 'not-public'],
  ['https://router/', 'not-public'],
  ['https://metadata.google.internal/', 'not-public'],
  ['https://printer.local/', 'not-public'],
  ['https://db.lan/', 'not-public'],
  ['https://a.localhost/', 'not-public'],
  ['https://discord.com./', 'not-public'],
  ['https://127.0.0.1./', 'not-public'],
  // Other ways.
  ['http://discord.com/api/webhooks/1', 'not-https'],
  ['ftp://discord.com/', 'not-https'],
  ['file:///etc/passwd', 'not-https'],
  ['gopher://discord.com/', 'not-https'],
  ['https://discord.com:8443/', 'other-port'],
  ['https://discord.com:80/', 'other-port'],
  ['https://user:password@discord.com/', 'with-user'],
  ['https://discord.com@127.0.0.1/', 'with-user'],
  ['https://@discord.com/', 'with-user'],
  ['https:discord.com/', 'not-an-address'],
  ['https:/discord.com/', 'not-an-address'],
  ['https:\\\\discord.com\\', 'not-an-address'],
  ['https://discord.com\\@127.0.0.1/', 'not-an-address'],
  ['https://discord.com/\r\nHost: evil', 'not-an-address'],
  ['ht\ttps://discord.com/', 'not-an-address'],
  [' https://discord.com/', 'not-an-address'],
  ['https://dis\u200bcord.com/', 'not-an-address'],
  ['https://', 'not-an-address'],
  ['https://[::1/', 'not-an-address'],
  ['discord.com/api', 'not-an-address'],
  [`https://discord.com/${'x'.repeat(2_000)}`, 'not-an-address'],
])('%j is refused: %s', (text, reason) => {
  expect(reasonOf(text)).toBe(reason);
});

test.each([
  'https://discord.com/api/webhooks/1/token',
  'https://discord.com:443/api/webhooks/1/token',
  'HTTPS://Hooks.Slack.com/services/T/B/x',
  'https://api.telegram.org/bot1:token/sendMessage?chat_id=7',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
])('%s is accepted', (text) => {
  expect(reasonOf(text)).toMatch(/^ok https:\/\/[a-z0-9.[\]:]+\//u);
});

describe('only listed hosts', () => {
  const reason = (text: string, added: readonly string[] = []) => {
    const check = checkWebhookUrl(text, added);
    return check.ok ? 'ok' : check.reason;
  };

  test('each chat service, by its name alone', () => {
    for (const host of chatHosts) expect(reason(`https://${host}/x`)).toBe('ok');
    for (const host of [
      'evil.example.com',
      'discord.com.evil.net',
      'evil-discord.com',
      'sub.discord.com',
      '8.8.8.8',
      'constructor.prototype',
    ])
      expect(reason(`https://${host}/x`)).toBe('not-listed');
  });

  test('what the operator adds; a listed host that is not public stays refused', () => {
    expect(reason('https://chat.harbour.trade/hook', ['chat.harbour.trade'])).toBe('ok');
    expect(reason('https://127.0.0.1/', ['127.0.0.1'])).toBe('not-public');
    expect(reason('https://chat.internal/', ['chat.internal'])).toBe('not-public');
  });
});
