import type { Delivery } from '#outbound/post-webhook.ts';
import { postWebhook } from '#outbound/post-webhook.ts';
import { chatSender } from '#processes/message-senders.ts';
import { sendDueMessages } from '#processes/send-trade-messages.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { addBotMessages } from '#storage/trades/trade-messages.ts';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { certificates } from '../../../test/support/mail-box.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

// A real server over TLS stands in for the chat; only the name leads here.
const systems = getCACertificates('default');
setDefaultCACertificates([...systems, readFileSync(join(certificates, 'authority.pem'), 'utf8')]);
afterAll(() => setDefaultCACertificates(systems));
const arrived: { url: string; body: Record<string, unknown> }[] = [];
let status = 204;
const tls = { key: readFileSync(join(certificates, 'server.key')), cert: readFileSync(join(certificates, 'server.pem')) };
const chat = createServer(tls, (request, response) => {
  void (async () => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    arrived.push({ url: `${request.headers.host}${request.url}`, body });
    response.writeHead(status).end();
  })();
});
await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise<void>((resolve) => void chat.close(() => resolve())));
const address = chat.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const deliver = (url: string, message: Readonly<Record<string, unknown>>): Promise<Delivery> =>
  postWebhook(url, message, [], {
    port,
    deadlineMs: 8_000,
    lookup: (_, options, done) => (options.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)),
  });

const server = await startTestServer({ deliver });
const { db, strategySecrets, now } = server.dependencies;
await enterBuiltInStrategies(db);
const admin = await server.signedIn('admin');
const hook = 'https://discord.com/api/webhooks/1/token';
const bots = { chatty: await addTestBot(db, { strategy: 'RsiReversal' }), other: await addTestBot(db, { strategy: 'MacdTrend' }) };
const strategyOf = async (botId: string) =>
  (await db.selectFrom('bots').select('strategyId').where('id', '=', botId).executeTakeFirstOrThrow()).strategyId;
const ids = { chatty: await strategyOf(bots.chatty), other: await strategyOf(bots.other) };
const setHook = (id: string, url: string) => admin.updateStrategy({ params: { id }, body: { encrypted_webhook: url } });
const result = async (id: string) => (await admin.listStrategies({})).strategies.find((strategy) => strategy.id === id)?.webhook_result;
const send = () =>
  sendDueMessages({
    db,
    sender: chatSender(strategySecrets, deliver),
    now,
    onFault: () => {},
  });
/** Messages that are due: the database's clock is finer than this program's, so that one may be left a part of a millisecond after now. */
const leave = async (botId: string, texts: string[]): Promise<void> => {
  await addBotMessages(
    db,
    texts.map((each) => ({ botId, text: each, cells: [each] })),
  );
  server.pass(1);
};
const waiting = async () => (await db.selectFrom('tradeMessages').select('text').orderBy('number').execute()).map((row) => row.text);

beforeEach(async () => {
  arrived.length = 0;
  status = 204;
  await db.deleteFrom('tradeMessages').execute();
  await setHook(ids.chatty, hook);
  await setHook(ids.other, '');
});

describe('messages about trades', () => {
  test('OP-58 are left only where there is a chat, arrive in their order in a form that Discord, Slack and Telegram take, once', async () => {
    await leave(bots.other, ['nobody reads this']);
    await leave(bots.chatty, ['opened', 'closed']);
    expect(await waiting()).toEqual(['opened', 'closed']);
    await send();
    expect(arrived.map(({ url, body }) => [url, body])).toEqual(
      ['opened', 'closed'].map((each) => [
        'discord.com/api/webhooks/1/token',
        { content: each, text: each, allowed_mentions: { parse: [] } },
      ]),
    );
    await send();
    expect(arrived).toHaveLength(2);
    expect(await result(ids.chatty)).toEqual({ at: expect.any(String), error: null });
    expect(await result(ids.other)).toBeNull();
  });

  test('OP-58 one that is refused is tried again with growing pauses, the others of the chat wait, and after a day it is given up', async () => {
    status = 500;
    await leave(bots.chatty, ['first', 'second']);
    await send();
    expect(arrived.map(({ body }) => body['text'])).toEqual(['first']);
    expect((await result(ids.chatty))?.error).toBe('The host refused the message (HTTP 500).');
    await send();
    expect(arrived).toHaveLength(1); // not due yet
    status = 200;
    server.pass(16_000);
    await send();
    expect(arrived.slice(1).map(({ body }) => body['text'])).toEqual(['first', 'second']);
    expect((await result(ids.chatty))?.error).toBeNull();

    status = 500;
    await leave(bots.chatty, ['too late']);
    await db
      .updateTable('tradeMessages')
      .set({ createdAt: new Date(now().getTime() - 25 * 3_600_000) })
      .execute();
    await send();
    expect(await waiting()).toEqual([]);
  });

  test('OP-58 without a webhook any more they are dropped, and two senders at once send one once', async () => {
    await leave(bots.chatty, ['once']);
    await Promise.all([send(), send(), send()]);
    expect(arrived).toHaveLength(1);
    await leave(bots.chatty, ['never']);
    await setHook(ids.chatty, '');
    await send();
    expect([arrived.length, await waiting()]).toEqual([1, []]);
  });
});

describe('the test message', () => {
  const tryOut = (id: string, person = admin) => person.testWebhook({ params: { id } });

  test('goes to the chat and says how it went', async () => {
    expect(await tryOut(ids.chatty)).toEqual({ error: null });
    expect(arrived[0]?.body['text']).toBe('Test message of Flotilla for the strategy RSI reversal');
    status = 404;
    expect(await tryOut(ids.chatty)).toEqual({ error: 'The host refused the message (HTTP 404).' });
    expect((await result(ids.chatty))?.error).toBe('The host refused the message (HTTP 404).');
    const { lines } = await listAudit(db, { action: 'test-webhook' }, 2);
    expect(lines.map((line) => line.result)).toEqual(['failed', 'ok']);
    await setHook(ids.chatty, 'https://evil.example.com/hook');
    expect(await tryOut(ids.chatty)).toEqual({ error: 'This host is not among those that messages may be sent to.' });
  });

  test('needs a webhook and an admin, and is not sent often', async () => {
    expect((await failure(tryOut(ids.other))).message).toBe('400 No webhook is set');
    expect((await failure(tryOut('00000000-0000-4000-8000-00000000dead'))).message).toBe('404 Strategy not found');
    expect((await failure(tryOut(ids.chatty, await server.signedIn('operator')))).message).toBe('403 Admin access required');
    const another = await server.signedIn('admin');
    for (let i = 0; i < 10; i++) await tryOut(ids.chatty, another);
    expect((await failure(tryOut(ids.chatty, another))).status).toBe(429);
    expect(
      (await server.signedIn('trader').then((person) => person.listStrategies({}))).strategies.every(
        (each) => each.webhook_result === null,
      ),
    ).toBe(true);
  });
});
