import { channelTexts, mostChannels } from '#contract/channels.ts';
import { texts } from '#contract/errors.ts';
import { isReachable } from '#outbound/channels/channel-target.ts';
import { publicLookup } from '#outbound/public-lookup.ts';
import { addChannel, lockChannel, pauseChannelsOf, removeChannel } from '#storage/channels/channels.ts';
import { noticeOwner } from '#storage/channels/channel-messages.ts';
import { sql } from 'kysely';
import { createHmac, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { openChannelHost, sendingTo } from '../../../test/support/channel-host.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { newSubscription, testPushSender } from '../../../test/support/test-browser-subscription.ts';
import { failure, password, startTestServer } from '../../../test/support/test-server.ts';
import { twoConnections } from '../../../test/support/two-connections.ts';

const host = await openChannelHost();
let hostAddress = '52.1.2.3';
const server = await startTestServer({
  ...sendingTo(host),
  isReachable: (target) =>
    isReachable(
      target,
      publicLookup(async () => [{ address: hostAddress, family: 4 }]),
    ),
});
const { db } = server.dependencies;
const { meets, expectWaited } = twoConnections(db);
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let trader: Person;

const ntfy = { kind: 'ntfy', name: 'My phone', address: 'https://ntfy.sh/harbour-1', topics: ['trade-closed', 'stop-missing'] } as const;
const webhook = { kind: 'webhook', name: 'Desk', address: 'https://hooks.harbour.trade/in', topics: ['trade-closed'] } as const;
const token = '123456789:AAExampleExampleExampleExampleExamp';
const telegram = { kind: 'telegram', name: 'Chat', token, chat: '-1001234567890', topics: ['trade-closed'] } as const;
const subscription = newSubscription();
const pushAddress = 'https://hooks.harbour.trade/push/abcd';
const phone = { kind: 'browser', name: 'Phone', address: pushAddress, keys: subscription.keys, topics: ['stop-missing'] } as const;
const add = (body: Parameters<Person['addChannel']>[0]['body'] = { ...ntfy, topics: [...ntfy.topics] }, person = trader) =>
  person.addChannel({ body });
const only = async (person = trader) => (await person.listChannels({}))[0];
const records = async () => {
  const { rows } = await sql<{ action: string; result: string; text: string }>`
    select action, result, to_jsonb(a)::text as text from audit_log a where action like '%channel' order by id`.execute(db);
  return rows;
};
const mailsTo = async (person: Person) =>
  (await db.selectFrom('mailOutbox').select('subject').where('recipient', '=', person.email).orderBy('createdAt').execute()).map(
    ({ subject }) => subject,
  );

beforeEach(async () => {
  await sql`delete from channels`.execute(db);
  await sql`delete from mail_outbox`.execute(db);
  host.arrived.length = 0;
  host.answer(200);
  hostAddress = '52.1.2.3';
  trader = await server.signedIn('trader');
});

describe('a channel', () => {
  test('is added, listed without where it leads, and sealed in the database; its owner is mailed, and the audit log has no secret', async () => {
    const { id, secret } = await add({ ...telegram, topics: ['trade-closed'] });
    expect(secret).toBeNull();
    expect(await trader.listChannels({})).toEqual([
      {
        id,
        kind: 'telegram',
        name: 'Chat',
        hint: 'xamp',
        topics: ['trade-closed'],
        quiet: null,
        breaks_quiet: true,
        created_at: expect.any(String),
        paused: null,
        waiting: 0,
        sent_at: null,
        failed_at: null,
        error: null,
        given_up: 0,
        given_up_at: null,
      },
    ]);
    expect(await mailsTo(trader)).toEqual(['A channel was added']);
    const { rows } = await sql<{ everything: string }>`
      select (select jsonb_agg(c)::text from channels c) || (select jsonb_agg(a)::text from audit_log a) || (select jsonb_agg(k)::text from idempotency_keys k) as everything`.execute(
      db,
    );
    expect(rows[0]?.everything ?? '').not.toContain('AAExample');
    expect((await records()).at(-1)).toMatchObject({ action: 'add-channel', result: 'ok' });
  });

  test('of a webhook: its secret is answered once, and signs what is sent', async () => {
    const { id, secret } = await add({ ...webhook, topics: ['trade-closed'] });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/u);
    expect(JSON.stringify(await trader.listChannels({}))).not.toContain(secret?.slice(6));
    expect(await trader.testChannel({ params: { id } })).toEqual({ error: null });
    const [first] = host.arrived;
    const [headers, body] = [first?.headers ?? {}, first?.body ?? ''];
    const key = Buffer.from(String(secret).slice(6), 'base64');
    const signed = createHmac('sha256', key).update([headers['webhook-id'], headers['webhook-timestamp'], body].join('.')).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signed}`);
    expect(body).toContain('Test message of Flotilla for the channel Desk');
  });

  test.each([
    [{ ...ntfy, name: '  ' }, channelTexts.nameRequired],
    [{ ...ntfy, topics: [] }, channelTexts.topicRequired],
    [{ ...ntfy, topics: ['trade-closed', 'trade-closed'] }, texts.invalidRequest],
    [{ ...ntfy, address: 'https://ntfy.sh/' }, channelTexts.ntfyAddress],
    [{ ...ntfy, token: 'a b' }, channelTexts.ntfyToken],
    [{ ...ntfy, kind: 'discord' }, channelTexts.discordAddress],
    [{ ...ntfy, kind: 'slack' }, channelTexts.slackAddress],
    [{ ...webhook, address: 'http://hooks.harbour.trade/in' }, channelTexts.webhookAddress],
    [{ ...webhook, address: 'https://10.0.0.1/in' }, channelTexts.notPublic],
    [{ ...telegram, token: 'no' }, channelTexts.telegramToken],
    [{ ...telegram, chat: 'no' }, channelTexts.telegramChat],
    [{ ...phone, address: 'http://hooks.harbour.trade/push' }, channelTexts.browserSubscription],
    [{ ...phone, address: 'https://10.0.0.1/push' }, channelTexts.notPublic],
    [{ ...phone, keys: undefined }, channelTexts.browserSubscription],
    [{ ...phone, keys: { ...subscription.keys, auth: 'AAAA' } }, channelTexts.browserSubscription],
    [{ ...phone, keys: { ...subscription.keys, more: 'AAAA' } }, texts.invalidRequest],
    [{ ...ntfy, quiet: { from: '22:00', until: '22:00', zone: 'UTC' } }, channelTexts.quietHours],
    [{ ...ntfy, quiet: { from: '25:00', until: '22:00', zone: 'UTC' } }, channelTexts.quietHours],
    [{ ...ntfy, quiet: { from: '22:00', until: '07:00', zone: 'Mars/Olympus' } }, channelTexts.timeZone],
  ])('%j is refused: %s', async (body, text) => {
    expect((await failure(add(body as never))).message).toBe(`400 ${text}`);
    expect(await trader.listChannels({})).toEqual([]);
  });

  test('of a browser: it is sent what it alone can read, and what it subscribed with lies sealed', async () => {
    expect(await trader.channelBrowserKey({})).toEqual({ key: testPushSender.keys.publicKey });
    const { id, secret } = await add({ ...phone, topics: [...phone.topics] });
    expect(secret).toBeNull();
    expect(await only()).toMatchObject({ kind: 'browser', hint: 'abcd' });
    const { rows } = await sql<{ everything: string }>`
      select concat((select string_agg(to_jsonb(c)::text, '') from channels c), (select string_agg(to_jsonb(a)::text, '') from audit_log a)) as everything`.execute(
      db,
    );
    for (const hidden of ['harbour.trade/push', subscription.keys.auth, subscription.keys.p256dh])
      expect(rows[0]?.everything).not.toContain(hidden);
    expect(await trader.testChannel({ params: { id } })).toEqual({ error: null });
    const [sent] = host.arrived;
    expect(sent?.url).toBe('hooks.harbour.trade/push/abcd');
    expect(JSON.parse(subscription.read(sent?.bytes ?? Buffer.alloc(0)))).toEqual({
      id: expect.any(String),
      text: expect.stringContaining('Test message of Flotilla for the channel Phone'),
      bot: null,
      urgent: false,
    });
  });

  test('whose host leads to a private address is refused when it is added', async () => {
    hostAddress = '192.168.1.7';
    expect((await failure(add())).message).toBe(`400 ${channelTexts.notPublic}`);
  });

  test('needs the password again, and not on the day after a reset of it', async () => {
    server.pass(11 * 60_000);
    expect((await failure(add())).message).toBe(`403 ${texts.passwordNeeded}`);
    await trader.confirmPassword({ body: { password } });
    await db.updateTable('users').set({ passwordResetAt: server.dependencies.now() }).where('id', '=', trader.userId).execute();
    expect((await failure(add())).message).toBe(`403 ${channelTexts.afterReset}`);
    server.pass(24 * 3_600_000);
    await db
      .updateTable('users')
      .set({ passwordResetAt: new Date(0) })
      .where('id', '=', trader.userId)
      .execute();
  });

  test('is changed, paused and resumed by its owner, each change with its record; nothing to change leaves none', async () => {
    const { id } = await add();
    const change = (body: Parameters<Person['changeChannel']>[0]['body']) => trader.changeChannel({ params: { id }, body });
    const before = (await records()).length;
    await change({ name: 'My phone', topics: [...ntfy.topics], paused: false });
    expect(await records()).toHaveLength(before);
    await change({ topics: ['day-sum'], quiet: { from: '22:00', until: '07:30', zone: 'Europe/Zurich' }, breaks_quiet: false });
    expect(await only()).toMatchObject({
      name: 'My phone',
      topics: ['day-sum'],
      quiet: { from: '22:00', until: '07:30', zone: 'Europe/Zurich' },
      breaks_quiet: false,
    });
    await change({ paused: true });
    expect((await only())?.paused).toBe('person');
    await change({ paused: false, quiet: null });
    expect(await only()).toMatchObject({ paused: null, quiet: null });
    expect((await records()).slice(before).map(({ action }) => action)).toEqual(['change-channel', 'change-channel', 'change-channel']);
  });

  test('is deleted with what waits for it; its owner is mailed', async () => {
    const { id } = await add();
    await db.insertInto('channelMessages').values({ channelId: id, topic: 'trade-closed', text: 'closed' }).execute();
    await trader.deleteChannel({ params: { id } });
    expect([await trader.listChannels({}), await db.selectFrom('channelMessages').select('id').execute()]).toEqual([[], []]);
    expect(await mailsTo(trader)).toEqual(['A channel was added', 'A channel was deleted']);
    expect((await records()).at(-1)?.action).toBe('delete-channel');
  });

  test('of somebody else is refused like none, whoever asks; admins see how many there are', async () => {
    const { id } = await add();
    for (const role of ['trader', 'admin', 'operator', 'investor'] as const) {
      const other = await server.signedIn(role);
      expect(await other.listChannels({})).toEqual([]);
      for (const call of [
        () => other.changeChannel({ params: { id }, body: { name: 'mine now' } }),
        () => other.testChannel({ params: { id } }),
        () => other.deleteChannel({ params: { id } }),
      ])
        expect((await failure(call())).message).toBe(`404 ${channelTexts.notFound}`);
    }
    expect([host.arrived, (await only())?.name]).toEqual([[], 'My phone']);
    expect(await (await server.signedIn('admin')).countChannels({})).toEqual({ people: 1, channels: 1, paused: 0, failing: 0, waiting: 0 });
    expect((await failure(trader.countChannels({}))).message).toBe(`403 ${texts.adminRequired}`);
  });

  test('sealed for one row does not open in another', async () => {
    const [mine, theirs] = [await add(), await add(undefined, await server.signedIn('trader'))];
    await sql`update channels set sealed = (select sealed from channels where id = ${theirs.id}) where id = ${mine.id}`.execute(db);
    expect((await trader.testChannel({ params: { id: mine.id } })).error).toMatch(/^Where it leads was sealed with a key that is lost/u);
    expect(host.arrived).toEqual([]);
  });
});

describe('at most ten', () => {
  const row = () => ({
    id: randomUUID(),
    kind: 'ntfy' as const,
    name: 'n',
    hint: 'xxxx',
    sealed: { v: 1 },
    topics: ['trade-closed' as const],
    quietFrom: null,
    quietUntil: null,
    quietZone: 'UTC',
    breaksQuiet: true,
    summedDay: '2026-01-01',
  });
  const owner = () => ({ id: trader.userId, role: 'trader' as const });

  test('the eleventh is refused', async () => {
    for (let i = 0; i < mostChannels; i++) await addChannel(db, owner(), row(), mostChannels);
    expect((await failure(add())).message).toBe(`409 ${channelTexts.tooMany}`);
    expect(await trader.listChannels({})).toHaveLength(mostChannels);
  });

  test('two at once are counted', async () => {
    for (let i = 1; i < mostChannels; i++) await addChannel(db, owner(), row(), mostChannels);
    const outcome = await meets(
      (trx) => addChannel(trx, owner(), row(), mostChannels),
      () => db.transaction().execute((trx) => addChannel(trx, owner(), row(), mostChannels)),
    );
    expectWaited(outcome);
    expect([outcome.value, (await trader.listChannels({})).length]).toEqual(['too-many', mostChannels]);
  });

  test('is not changed, and not deleted, in a session that is being ended', async () => {
    const { id } = await add();
    const mine = trader;
    mine.renews = false;
    for (const act of [
      () => mine.changeChannel({ params: { id }, body: { name: 'Other' } }),
      () => mine.changeChannel({ params: { id }, body: { paused: true } }),
      () => mine.deleteChannel({ params: { id } }),
    ]) {
      await sql`update sessions set revoked_at = null, revoked_why = null where user_id = ${trader.userId}`.execute(db);
      const outcome = await meets(async (trx) => {
        await sql`update sessions set revoked_at = now(), revoked_why = 'ended by its owner' where user_id = ${trader.userId}`.execute(trx);
      }, act);
      expect([outcome.hasWaited, String(outcome.error)]).toEqual([true, expect.stringContaining('Not authenticated')]);
    }
    const { rows } = await sql`select name, paused_at from channels where id = ${id}`.execute(db);
    expect(rows).toEqual([{ name: 'My phone', pausedAt: null }]);
  });

  test('one that is added while the role is changed is not left sending', async () => {
    const outcome = await meets(
      async (trx) => {
        await trx.updateTable('users').set({ role: 'investor' }).where('id', '=', trader.userId).execute();
        await pauseChannelsOf(trx, trader.userId, 'role', new Date());
      },
      () => db.transaction().execute((trx) => addChannel(trx, owner(), row(), mostChannels)),
    );
    expectWaited(outcome);
    expect([outcome.value, await trader.listChannels({})]).toEqual(['changed', []]);
  });
});

describe('a step of a bot', () => {
  const notice = [{ topic: 'trade-closed', text: 'closed' }] as const;
  const said = async () => (await db.selectFrom('channelMessages').select('text').execute()).map(({ text }) => text);
  let botId = '';
  beforeEach(async () => void (botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner: trader.email })));

  test('does not wait for a channel that is being changed or sent to', async () => {
    const { id } = await add();
    const outcome = await meets(
      (trx) => lockChannel(trx, id, trader.userId),
      () => noticeOwner(db, botId, notice),
    );
    expect([outcome.hasWaited, outcome.error, await said()]).toEqual([false, undefined, ['closed']]);
  });

  test('neither waits for a channel that is being deleted nor fails by it', async () => {
    const { id } = await add();
    await add({ ...webhook, topics: ['trade-closed'] });
    const outcome = await meets(
      (trx) => removeChannel(trx, id),
      () => noticeOwner(db, botId, notice),
    );
    expect([outcome.hasWaited, outcome.error, await said()]).toEqual([false, undefined, ['closed']]);
  });
});

describe('the test message', () => {
  test('says what the other side answered, and stays with the channel', async () => {
    const { id } = await add();
    host.answer(500);
    expect(await trader.testChannel({ params: { id } })).toEqual({ error: 'The other side refused the message (HTTP 500).' });
    expect(await only()).toMatchObject({ error: 'The other side refused the message (HTTP 500).', failed_at: expect.any(String) });
    host.answer(200);
    expect(await trader.testChannel({ params: { id } })).toEqual({ error: null });
    expect(await only()).toMatchObject({ error: null, sent_at: expect.any(String) });
    expect(host.arrived.map(({ body }) => body)).toEqual(
      Array.from({ length: 2 }, () => 'Test message of Flotilla for the channel My phone'),
    );
    expect((await records()).slice(-2).map(({ action, result }) => `${action} ${result}`)).toEqual([
      'test-channel failed',
      'test-channel ok',
    ]);
  });

  test('is sent ten times an hour, over all channels of a person', async () => {
    const { id } = await add();
    const { id: other } = await add({ ...webhook, topics: ['trade-closed'] });
    for (let i = 0; i < 10; i++) await trader.testChannel({ params: { id: i % 2 === 0 ? id : other } });
    expect((await failure(trader.testChannel({ params: { id } }))).message).toBe(`429 ${texts.tooManyRequests}`);
    expect(host.arrived).toHaveLength(10);
  });
});
