import { createHmac, createPublicKey, createVerify } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { openChannelHost } from '../../../test/support/channel-host.ts';
import { newSubscription, testPushSender } from '../../../test/support/test-browser-subscription.ts';
import { publicLookup } from '../public-lookup.ts';
import type { ChannelLine } from './channel-text.ts';
import type { ChannelTarget } from './channel-target.ts';
import { sendToChannel } from './send-to-channel.ts';
import { newWebhookSecret } from './webhook-signature.ts';

const host = await openChannelHost();
const at = new Date('2026-11-22T10:00:00.700Z');
const line = (text: string, isUrgent = false): ChannelLine => ({
  id: `id of ${text}`,
  topic: 'trade-closed',
  botId: 'bot-1',
  at,
  isUrgent,
  text,
});
const delivery = { id: 'd1', lines: [line('LIVE, Harbour: closed'), line('PAPER, a_b*c & co: opened')] };
const secret = newWebhookSecret();
const token = '123456789:AAExampleExampleExampleExampleExamp';
const browser = newSubscription();
const targets = {
  telegram: { kind: 'telegram', token, chat: '7' },
  discord: { kind: 'discord', address: 'https://discord.com/api/webhooks/1/token' },
  slack: { kind: 'slack', address: 'https://hooks.slack.com/services/T/B/x' },
  ntfy: { kind: 'ntfy', address: 'https://ntfy.sh/harbour', token: 'tk_1' },
  webhook: { kind: 'webhook', address: 'https://hooks.harbour.trade/in', secret },
  browser: { kind: 'browser', address: 'https://hooks.harbour.trade/push/1', ...browser.keys },
} as const satisfies Record<string, ChannelTarget>;
const send = (target: ChannelTarget = targets.webhook, over = {}) =>
  sendToChannel(target, delivery, { at, push: testPushSender }, { ...host.reach, ...over });
const fault = async (target?: ChannelTarget, over = {}) => {
  const outcome = await send(target, over);
  return outcome.ok ? 'delivered' : `${outcome.isGone ? 'gone: ' : ''}${outcome.fault}`;
};

beforeEach(() => {
  host.arrived.length = 0;
  host.answer(200);
});

describe('each service gets what it takes', () => {
  const plain = 'LIVE, Harbour: closed\nPAPER, a_b*c & co: opened';
  test.each([
    ['telegram', `api.telegram.org/bot${token}/sendMessage`, { chat_id: '7', text: plain, link_preview_options: { is_disabled: true } }],
    [
      'discord',
      'discord.com/api/webhooks/1/token',
      { content: plain.replace('a_b*c', String.raw`a\_b\*c`), allowed_mentions: { parse: [] }, flags: 4 },
    ],
    ['slack', 'hooks.slack.com/services/T/B/x', { text: plain.replace('&', '&amp;'), mrkdwn: false, unfurl_links: false }],
  ] as const)('%s', async (kind, url, body) => {
    expect(await send(targets[kind])).toEqual({ ok: true });
    expect(host.arrived.map((each) => [each.url, JSON.parse(each.body)])).toEqual([[url, body]]);
  });

  test('ntfy: the text itself, with the token in a header, louder when something is urgent', async () => {
    await send(targets.ntfy);
    await sendToChannel(
      { ...targets.ntfy, token: null },
      { id: 'd2', lines: [line('no stop', true)] },
      { at, push: testPushSender },
      host.reach,
    );
    expect(host.arrived.map(({ url, body, headers }) => [url, body, headers['priority'], headers.authorization])).toEqual([
      ['ntfy.sh/harbour', plain, '3', 'Bearer tk_1'],
      ['ntfy.sh/harbour', 'no stop', '5', undefined],
    ]);
  });

  test('a webhook: lines as JSON, with a signature over id, time and body', async () => {
    await send();
    const [first] = host.arrived;
    const [headers, body] = [first?.headers ?? {}, first?.body ?? ''];
    expect(JSON.parse(body)).toEqual({
      id: 'd1',
      messages: delivery.lines.map(({ id, text }) => ({ id, topic: 'trade-closed', at: '2026-11-22T10:00:00.700Z', text })),
    });
    expect([headers['webhook-id'], headers['webhook-timestamp']]).toEqual(['d1', '1795341600']);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(key).toHaveLength(32);
    const expected = createHmac('sha256', key).update(`d1.1795341600.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  });
});

describe('a browser', () => {
  const notification = () => JSON.parse(browser.read(host.arrived[0]?.bytes ?? Buffer.alloc(0))) as Record<string, unknown>;
  const sendLines = (...lines: ChannelLine[]) =>
    sendToChannel(targets.browser, { id: 'd3', lines }, { at, push: testPushSender }, host.reach);

  test('gets lines that it alone can read, and the bot that they are about', async () => {
    host.answer(201);
    expect(await send(targets.browser)).toEqual({ ok: true });
    expect(notification()).toEqual({ id: 'd1', text: delivery.lines.map(({ text }) => text).join('\n'), bot: 'bot-1', urgent: false });
    expect(host.arrived[0]?.body).not.toContain('Harbour');
    expect(host.arrived[0]?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'normal' });
    expect(() => newSubscription().read(host.arrived[0]?.bytes ?? Buffer.alloc(0))).toThrow('unable to authenticate');
  });

  test('of several bots none is named, and what is urgent is sent as urgent', async () => {
    await sendLines(line('no stop', true), { ...line('closed'), botId: 'bot-2' });
    expect(notification()).toEqual({ id: 'd3', text: 'no stop\nclosed', bot: null, urgent: true });
    expect(host.arrived[0]?.headers).toMatchObject({ urgency: 'high' });
  });

  test('gets no more than a push service takes, whatever the text is', async () => {
    await sendLines(...Array.from({ length: 200 }, () => line('"\\é🚀'.repeat(20))));
    expect(host.arrived[0]?.bytes.length).toBeLessThanOrEqual(4_096);
    expect(notification()['text']).toMatch(/And \d+ more: see Flotilla\.$/u);
  });

  test('the push service sees by a signature who sends, to this service and no longer than a day', async () => {
    await send(targets.browser);
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/u.exec(host.arrived[0]?.headers.authorization ?? '') ?? [];
    expect(key).toBe(testPushSender.keys.publicKey);
    const point = Buffer.from(key, 'base64url');
    const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
    const [head = '', claims = '', signature = ''] = token.split('.');
    const verifier = createVerify('sha256').update(`${head}.${claims}`);
    const signed = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    expect(verifier.verify(signed, signature, 'base64url')).toBe(true);
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
    const twelveHoursOn = Math.floor(at.getTime() / 1_000) + 43_200;
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      aud: 'https://hooks.harbour.trade',
      sub: 'mailto:desk@harbour.example',
      exp: twelveHoursOn,
    });
  });

  test.each([404, 410])('HTTP %d: the subscription has ended', async (status) => {
    host.answer(status);
    expect(await fault(targets.browser)).toBe(
      `gone: The browser takes no messages any more (HTTP ${status}). Delete the channel, and add it again there.`,
    );
  });

  test('of a push service in a private network gets nothing', async () => {
    expect(await fault({ ...targets.browser, address: 'https://10.0.0.1/push' })).toBe('The host has no public address.');
    const lookup = publicLookup(async () => [{ address: '10.0.0.1', family: 4 }]);
    expect(await fault(targets.browser, { lookup })).toBe('The host has no public address.');
    expect(host.arrived).toEqual([]);
  });
});

describe('what became of it', () => {
  test.each([404, 410])('HTTP %d: there is nobody any more', async (status) => {
    host.answer(status);
    for (const kind of ['discord', 'slack', 'ntfy', 'webhook'] as const)
      expect(await fault(targets[kind])).toBe(`gone: Nobody takes messages at this address any more (HTTP ${status}).`);
    expect(await fault(targets.telegram)).toBe(`gone: Telegram does not know this bot token (HTTP ${status}).`);
  });

  test('Telegram: a bot that was blocked, a token that is void, a chat that it does not know', async () => {
    host.answer(403);
    expect(await fault(targets.telegram)).toBe('gone: The Telegram bot was blocked, or removed from the chat (HTTP 403).');
    host.answer(400);
    expect(await fault(targets.telegram)).toBe(
      'Telegram does not know this chat (HTTP 400). Write to your bot first, and check the chat id.',
    );
  });

  test.each([
    ['7', 7_000],
    ['0.5', 500],
    ['Sun, 22 Nov 2026 10:01:00 GMT', 59_300],
    ['Sun, 22 Nov 2026 09:00:00 GMT', 0],
    ['999999999', 3_600_000],
    ['-5', 0],
    ['soon', 0],
  ])('HTTP 429 with Retry-After %s asks to be left alone for %d ms', async (header, waitMs) => {
    host.answer((response) => void response.writeHead(429, { 'Retry-After': header }).end());
    expect(await send()).toEqual({ ok: false, isGone: false, waitMs, fault: 'The other side wants fewer messages (HTTP 429).' });
  });

  test('a redirect is not followed, and a refusal is not a reason to stop trying', async () => {
    host.answer((response) => void response.writeHead(302, { Location: 'https://127.0.0.1/' }).end());
    expect(await fault()).toBe('The other side refused the message (HTTP 302).');
    host.answer(500);
    expect(await fault()).toBe('The other side refused the message (HTTP 500).');
    expect(host.arrived).toHaveLength(2);
  });

  test('an answer of 10 MB is cut off, and its status counts', async () => {
    let written = 0;
    host.answer((response) => {
      response.on('error', () => {});
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (!response.destroyed && written < 10_485_760) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(await send()).toEqual({ ok: true });
    expect(written).toBeLessThan(10_485_760);
  });

  test('no answer at all is given up at the deadline', async () => {
    host.answer(() => {});
    expect(await fault(targets.webhook, { deadlineMs: 200 })).toBe('The host did not answer in time.');
  });

  test('a name that leads to a private address by now gets nothing', async () => {
    const lookup = publicLookup(async () => [{ address: '127.0.0.1', family: 4 }]);
    expect(await fault(targets.webhook, { lookup })).toBe('The host has no public address.');
    expect(await fault({ ...targets.webhook, address: 'https://127.0.0.1/in' })).toBe('The host has no public address.');
    expect(host.arrived).toEqual([]);
  });
});
