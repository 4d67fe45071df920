import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { openChannelHost } from '../../../test/support/channel-host.ts';
import { publicLookup } from '../public-lookup.ts';
import type { ChannelLine } from './channel-text.ts';
import type { ChannelTarget } from './channel-target.ts';
import { sendToChannel } from './send-to-channel.ts';
import { newWebhookSecret } from './webhook-signature.ts';

const host = await openChannelHost();
const at = new Date('2026-11-22T10:00:00.700Z');
const line = (text: string, isUrgent = false): ChannelLine => ({ id: `id of ${text}`, topic: 'trade-closed', at, isUrgent, text });
const delivery = { id: 'd1', lines: [line('LIVE, Harbour: closed'), line('PAPER, a_b*c & co: opened')] };
const secret = newWebhookSecret();
const token = '123456789:AAExampleExampleExampleExampleExamp';
const targets = {
  telegram: { kind: 'telegram', token, chat: '7' },
  discord: { kind: 'discord', address: 'https://discord.com/api/webhooks/1/token' },
  slack: { kind: 'slack', address: 'https://hooks.slack.com/services/T/B/x' },
  ntfy: { kind: 'ntfy', address: 'https://ntfy.sh/harbour', token: 'tk_1' },
  webhook: { kind: 'webhook', address: 'https://hooks.harbour.trade/in', secret },
} as const satisfies Record<string, ChannelTarget>;
const send = (target: ChannelTarget = targets.webhook, over = {}) => sendToChannel(target, delivery, at, { ...host.reach, ...over });
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
    await sendToChannel({ ...targets.ntfy, token: null }, { id: 'd2', lines: [line('no stop', true)] }, at, host.reach);
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

  test('a redirect is not followed, and a refusal is no reason to stop trying', async () => {
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
