import { keepAlarms } from '#processes/keep-alarms.ts';
import { sendChannelMessages } from '#processes/send-channel-messages.ts';
import { mailNewAlarms } from '#mail/alarm-mails.ts';
import { closedNotice, openedNotice } from '#mail/notice-texts.ts';
import { publicLookup } from '#outbound/public-lookup.ts';
import { sendToChannel } from '#outbound/channels/send-to-channel.ts';
import { endAlarm, raiseAlarm } from '#storage/alarms/alarms.ts';
import type { ChannelNotice } from '#storage/channels/channel-messages.ts';
import { noticeOwner } from '#storage/channels/channel-messages.ts';
import { takeBatch } from '#storage/channels/channel-outbox.ts';
import { aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { updateUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openChannelHost, sendingTo } from '../../../test/support/channel-host.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { newSubscription, testPushSender } from '../../../test/support/test-browser-subscription.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { leaveDaySums } from './day-sums.ts';
import { quietUntil } from './quiet-hours.ts';

// What happens to bots, on its way to a real server over TLS that stands where the services are.

const host = await openChannelHost();
const server = await startTestServer(sendingTo(host));
const { db, now, channelSecrets } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
type Body = Parameters<Person['addChannel']>[0]['body'];
let trader: Person;
let botId = '';

const all: Body['topics'] = ['trade-opened', 'trade-closed', 'stop-missing', 'runner-lost', 'bot-paused', 'day-sum'];
const add = async (body: Partial<Body> = {}, person = trader): Promise<string> => {
  const { id } = await person.addChannel({
    body: { kind: 'ntfy', name: 'Phone', address: 'https://ntfy.sh/harbour-1', topics: all, ...body },
  });
  return id;
};
const faults: string[] = [];
const send = (over: Partial<Parameters<typeof sendChannelMessages>[0]> = {}) =>
  sendChannelMessages({
    db,
    secrets: channelSecrets,
    send: server.dependencies.sendToChannel,
    now,
    onFault: ({ fault }) => void faults.push(fault),
    ...over,
  });
const closed = (text: string): ChannelNotice => ({ topic: 'trade-closed', text });
const urgent = (text: string): ChannelNotice => ({ topic: 'stop-missing', text });
/** Leaves notices; the database knows the clock of this machine alone, so what it noted is set to the one that this test turns. */
const leave = async (...notices: ChannelNotice[]) => {
  const { rows } = await sql<{ last: string }>`select coalesce(max(number), 0) as last from channel_messages`.execute(db);
  await noticeOwner(db, botId, notices);
  await sql`update channel_messages set created_at = ${now()}, due_at = ${now()} where number > ${rows[0]?.last}`.execute(db);
};
const bodies = () => host.arrived.map(({ body }) => body);
const waiting = async () => (await db.selectFrom('channelMessages').select('text').orderBy('number').execute()).map(({ text }) => text);
const only = async (person = trader) => (await person.listChannels({}))[0];

beforeEach(async () => {
  for (const table of ['channels', 'alarms', 'trades', 'bots', 'runners']) await sql`delete from ${sql.table(table)}`.execute(db);
  host.arrived.length = 0;
  faults.length = 0;
  host.answer(200);
  server.pass(Date.now() - now().getTime()); // what a test before has let pass
  trader = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Harbour', owner: trader.email });
});

describe('what is said', () => {
  const bot = { nickname: 'Harbour <b>@all', mode: 'live' } as const;
  const trade = {
    symbol: 'BTC/USDT',
    direction: 'long',
    amount: 0.00000012,
    stake: 100.1,
    leverage: 1,
    openRate: 64_123.5,
    closeRate: 64_200,
    profit: 0.1 + 0.2,
    exitReason: 'stop_loss',
  } as const;

  test('names the mode first, then the bot, with every digit and no sign that calls somebody', () => {
    expect(openedNotice(bot, trade, 'USDT').text).toBe('LIVE: Harbour ball opened BTC/USDT long: 0.00000012 at 64123.5, stake 100.1 USDT');
    expect(closedNotice(bot, trade, 'USDT').text).toBe(
      'LIVE: Harbour ball closed BTC/USDT long at 64200: profit 0.30000000000000004 USDT after fees (stop loss)',
    );
    const short = { ...trade, symbol: 'BTC/BTC:BTC', direction: 'short', leverage: 3, profit: -1e-9, exitReason: null } as const;
    expect(openedNotice({ ...bot, mode: 'testnet' }, short, 'BTC').text).toMatch(/^TESTNET: .* stake 100\.1 BTC, leverage 3$/u);
    expect(closedNotice({ ...bot, mode: 'paper' }, short, 'BTC').text).toMatch(/^PAPER: .* loss 0\.000000001 BTC after fees and funding$/u);
  });
});

describe('a message', () => {
  test('goes to the channels of the owner of the bot that are about it, and to nobody else', async () => {
    await add();
    await add({ name: 'Other topics', address: 'https://ntfy.sh/other-topics', topics: ['day-sum'] });
    await add({ address: 'https://ntfy.sh/of-another' }, await server.signedIn('trader'));
    await add({ address: 'https://ntfy.sh/of-an-admin' }, await server.signedIn('admin'));
    await leave(closed('PAPER: Harbour closed'));
    await send();
    expect(host.arrived.map(({ url, body }) => [url, body])).toEqual([['ntfy.sh/harbour-1', 'PAPER: Harbour closed']]);
    expect([await waiting(), (await only())?.sent_at]).toEqual([[], expect.any(String)]);
    await send();
    expect(host.arrived).toHaveLength(1);
  });

  test('is there only if the transaction holds that it is about', async () => {
    await add();
    await db
      .transaction()
      .execute(async (trx) => {
        await noticeOwner(trx, botId, [closed('never')]);
        throw new Error('the step is not written');
      })
      .catch(() => {});
    expect(await waiting()).toEqual([]);
  });

  test('the first is sent at once; what follows within a minute is put together in one', async () => {
    await add();
    await leave(closed('first'));
    await send();
    for (let i = 0; i < 30; i++) await leave(closed(`trade ${i}`));
    await send();
    expect(bodies()).toEqual(['first']);
    server.pass(61_000);
    await send();
    expect(bodies().slice(1)).toEqual([Array.from({ length: 30 }, (_, i) => `trade ${i}`).join('\n')]);
  });

  test('an alarm does not wait for the minute, and takes along what waits', async () => {
    await add();
    await leave(closed('first'));
    await send();
    await leave(closed('second'), urgent('BTC/USDT has no stop'));
    await send();
    expect(bodies().slice(1)).toEqual(['second\nBTC/USDT has no stop']);
  });

  test('a thousand at once are a few messages of bounded length, and nothing is left behind', async () => {
    await add();
    await leave(...Array.from({ length: 1_000 }, (_, i) => closed(`PAPER: Harbour closed the trade with the number ${i}`)));
    for (let round = 0; round < 6; round++) {
      await send();
      server.pass(61_000);
    }
    expect(host.arrived).toHaveLength(5);
    for (const body of bodies())
      expect([Buffer.byteLength(body) <= 4_000, /And \d+ more: see Flotilla\.$/u.test(body)]).toEqual([true, true]);
    expect(await waiting()).toEqual([]);
  });

  test('three senders at once send it once', async () => {
    await add();
    await leave(closed('once'));
    await Promise.all([send(), send(), send()]);
    expect(bodies()).toEqual(['once']);
  });
});

describe('what does not arrive', () => {
  test('is tried again after pauses that grow, with the same id and the same content, before what came later', async () => {
    const id = await add({ kind: 'webhook', address: 'https://hooks.harbour.trade/in' });
    onTestFinished(server.hold()); // the pauses are of seconds, and this machine may be slow
    host.answer(500);
    await leave(closed('first'), closed('second'));
    await send();
    await leave(closed('third'));
    await send();
    expect(host.arrived).toHaveLength(1); // not due yet
    expect(await only()).toMatchObject({ error: 'The other side refused the message (HTTP 500).', waiting: 3 });
    server.pass(15_001);
    await send();
    server.pass(15_001);
    await send();
    expect(host.arrived).toHaveLength(2); // half a minute after the second try
    server.pass(15_001);
    host.answer(200);
    await send();
    server.pass(61_000);
    await send();
    const contents = host.arrived.map(({ body }) =>
      (JSON.parse(body) as { messages: { text: string }[] }).messages.map(({ text }) => text),
    );
    expect(contents).toEqual([['first', 'second'], ['first', 'second'], ['first', 'second'], ['third']]);
    expect(new Set(host.arrived.slice(0, 3).map(({ headers }) => headers['webhook-id']))).toHaveProperty('size', 1);
    expect(host.arrived[3]?.headers['webhook-id']).not.toBe(host.arrived[0]?.headers['webhook-id']);
    expect(await only()).toMatchObject({ id, error: null, waiting: 0 });
  });

  test('is given up after a day, and the channel says so', async () => {
    await add();
    host.answer(500);
    await leave(closed('too late'));
    for (let hour = 0; hour <= 25; hour++) {
      await send();
      server.pass(3_600_000);
    }
    server.pass(Date.now() - now().getTime()); // the session is of today
    expect([await waiting(), await only()]).toMatchObject([
      [],
      { given_up: 1, given_up_at: expect.any(String), error: 'The other side refused the message (HTTP 500).' },
    ]);
    const tries = host.arrived.length;
    await send();
    expect(host.arrived).toHaveLength(tries);
  });

  test('because the process was killed while it was sending, is sent again when nobody can be sending it any more', async () => {
    await add({ kind: 'webhook', address: 'https://hooks.harbour.trade/in' });
    await leave(closed('once'));
    const taken = await takeBatch(db, now(), quietUntil); // and then nothing more was done
    await send();
    expect(host.arrived).toEqual([]);
    server.pass(121_000);
    await send();
    expect(host.arrived.map(({ headers }) => headers['webhook-id'])).toEqual([typeof taken === 'string' ? '' : taken.id]);
    expect(await waiting()).toEqual([]);
  });

  test('HTTP 429 is left alone for as long as it asks', async () => {
    await add();
    onTestFinished(server.hold()); // as above
    host.answer((response) => void response.writeHead(429, { 'Retry-After': '600' }).end());
    await leave(closed('patience'), urgent('no stop'));
    await send();
    server.pass(590_000);
    await send();
    expect(host.arrived).toHaveLength(1);
    server.pass(11_000);
    host.answer(200);
    await send();
    expect(bodies().at(-1)).toBe('patience\nno stop');
    expect(host.arrived).toHaveLength(2);
  });

  test.each([404, 410])(
    'HTTP %d pauses the channel, which says so; nothing more is kept for it until its owner resumes it',
    async (status) => {
      const id = await add();
      host.answer(status);
      await leave(closed('nobody is there'));
      await send();
      expect(await only()).toMatchObject({
        paused: 'gone',
        error: `Nobody takes messages at this address any more (HTTP ${status}).`,
        waiting: 0,
      });
      const { rows: mailed } = await sql<{ recipient: string; body: string }>`
        select recipient, body from mail_outbox where subject = 'A channel is paused'`.execute(db);
      expect(mailed.filter(({ recipient }) => recipient === trader.email)).toEqual([
        { recipient: trader.email, body: expect.stringContaining(`Nobody takes messages at this address any more (HTTP ${status}).`) },
      ]);
      await leave(closed('meanwhile'));
      expect(await waiting()).toEqual([]);
      host.answer(200);
      await trader.changeChannel({ params: { id }, body: { paused: false } });
      await leave(closed('again'));
      await send();
      expect([bodies().slice(1), (await only())?.paused]).toEqual([['again'], null]);
    },
  );

  test('because the host leads to a private address by now, is not sent there', async () => {
    await add();
    const lookup = publicLookup(async () => [{ address: '127.0.0.1', family: 4 }]);
    await leave(closed('secret'));
    await send({
      send: (target, delivery) => sendToChannel(target, delivery, { at: now(), push: testPushSender }, { ...host.reach, lookup }),
    });
    expect([host.arrived, (await only())?.error]).toEqual([[], 'The host has no public address.']);
  });

  test('an answer of 10 MB and one that never comes hold up nobody else', async () => {
    const others = ['harbour-2', 'harbour-3', 'harbour-4'];
    await add({ address: 'https://ntfy.sh/never' });
    await add({ address: 'https://ntfy.sh/endless' });
    for (const topic of others) await add({ address: `https://ntfy.sh/${topic}` });
    let silent: ServerResponse | null = null;
    host.answer((response, { url }) => {
      if (url === '/never') {
        silent = response;
        return;
      }
      response.on('error', () => {});
      response.writeHead(200);
      if (url === '/endless') response.end(Buffer.alloc(10_485_760));
      else response.end();
    });
    await leave(closed('news'));
    const sending = send();
    const isDone = async () => (await trader.listChannels({})).map((channel) => channel.sent_at !== null && channel.waiting === 0);
    await expect.poll(isDone).toEqual([false, true, true, true, true]);
    await expect.poll(() => silent).not.toBeNull();
    silent!.destroy();
    await sending;
    expect(faults).toEqual(['The host could not be reached.']);
  });
});

describe('a browser', () => {
  const { keys, read } = newSubscription();
  const addBrowser = () => add({ kind: 'browser', address: 'https://hooks.harbour.trade/push/1', keys, name: 'Phone' });
  const notifications = () => host.arrived.map(({ bytes }) => JSON.parse(read(bytes)) as { id: string; text: string; bot: string | null });

  test('is sent what the others are sent, with the bot that it is about', async () => {
    await addBrowser();
    await leave(closed('LIVE, Harbour: closed'), closed('LIVE, Harbour: closed again'));
    await send();
    expect(notifications()).toMatchObject([{ text: 'LIVE, Harbour: closed\nLIVE, Harbour: closed again', bot: botId }]);
  });

  test('is sent a message under the same id again, so that it replaces the notification that may be there', async () => {
    await addBrowser();
    host.answer(500);
    await leave(closed('once'));
    await send();
    server.pass(15_001);
    host.answer(201);
    await send();
    const [first, second] = notifications();
    expect(second).toEqual(first);
    expect(await only()).toMatchObject({ waiting: 0, error: null });
  });

  test.each([404, 410])('that takes no messages any more (HTTP %d) is removed, and its owner is mailed', async (status) => {
    const id = await addBrowser();
    await db.deleteFrom('mailOutbox').execute();
    await leave(closed('too late'));
    host.answer(status);
    await send();
    expect([await trader.listChannels({}), await waiting()]).toEqual([[], []]);
    expect(await db.selectFrom('mailOutbox').select(['recipient', 'subject']).execute()).toEqual([
      { recipient: trader.email, subject: 'A browser takes no messages any more' },
    ]);
    const record = await db.selectFrom('auditLog').select(['action', 'actorId']).where('target', '=', id).orderBy('id', 'desc').execute();
    expect(record[0]).toEqual({ action: 'end-channel', actorId: null });
  });

  test('that was paused while it was sent to stays as its owner left it', async () => {
    const id = await addBrowser();
    await leave(closed('too late'));
    host.answer((response) => {
      void trader.changeChannel({ params: { id }, body: { paused: true } }).then(() => response.writeHead(410).end());
    });
    await send();
    expect(await only()).toMatchObject({ id, paused: 'person' });
  });
});

describe('quiet hours', () => {
  /** Turns the clock of the server to a time of day of tomorrow, UTC. */
  const turnTo = (time: string) => {
    const day = new Date(now().getTime() + 86_400_000).toISOString().slice(0, 10);
    server.pass(Date.parse(`${day}T${time}:00Z`) - now().getTime());
  };
  const quiet = { from: '22:00', until: '07:00', zone: 'UTC' };
  /** The time of day in so many hours, UTC. */
  const time = (hours: number) => new Date(now().getTime() + hours * 3_600_000).toISOString().slice(11, 16);

  test('what is not urgent waits for their end, and is said together then; alarms break through', async () => {
    await add({ quiet });
    turnTo('23:00');
    await leave(closed('first'));
    await leave(closed('second'));
    await send();
    expect(host.arrived).toEqual([]);
    await leave(urgent('no stop'));
    await send();
    expect(bodies()).toEqual(['no stop']);
    turnTo('06:59');
    await send();
    expect(host.arrived).toHaveLength(1);
    server.pass(61_000);
    await send();
    expect(bodies().slice(1)).toEqual(['first\nsecond']);
  });

  test('what was sent before them and what broke through, neither of which has arrived, keep their ids after them', async () => {
    await add({ kind: 'webhook', address: 'https://hooks.harbour.trade/in', quiet });
    turnTo('21:59');
    server.pass(50_000);
    host.answer(500);
    await leave(closed('evening'));
    await send();
    server.pass(16_000); // the quiet hours have begun
    await send();
    turnTo('06:59');
    server.pass(55_000);
    await leave(urgent('no stop'));
    await send();
    server.pass(31_000); // they are over
    host.answer(200);
    await send();
    await send();
    const ids = (text: string) =>
      new Set(host.arrived.filter(({ body }) => body.includes(text)).map(({ headers }) => headers['webhook-id']));
    expect([ids('evening').size, ids('no stop').size]).toEqual([1, 1]);
    expect(host.arrived).toHaveLength(4); // each twice
  });

  test('what was sent before them with an alarm, and has not arrived, is sent again whole', async () => {
    await add({ quiet });
    turnTo('21:59');
    server.pass(50_000);
    host.answer(500);
    await leave(closed('evening'), urgent('no stop'));
    await send();
    server.pass(16_000); // the quiet hours have begun
    host.answer(200);
    await send();
    expect([bodies(), await waiting()]).toEqual([['evening\nno stop', 'evening\nno stop'], []]);
  });

  test('alarms wait too where their owner wants it so', async () => {
    await add({ quiet, breaks_quiet: false });
    turnTo('23:00');
    await leave(urgent('no stop'));
    await send();
    expect(host.arrived).toEqual([]);
    server.pass(8 * 3_600_000 + 60_000);
    await send();
    expect(bodies()).toEqual(['no stop']);
  });

  test('what waits for their end about something that the channel is no longer about is not sent', async () => {
    const id = await add({ quiet: { from: time(-1), until: time(2), zone: 'UTC' } });
    await leave(closed('private'), { topic: 'bot-paused', text: 'bot paused' });
    await send();
    expect(host.arrived).toEqual([]);
    await trader.changeChannel({ params: { id }, body: { topics: ['bot-paused'] } });
    server.pass(3 * 3_600_000);
    await send();
    expect([bodies(), await waiting()]).toEqual([['bot paused'], []]);
  });

  test('that are taken away let go what waits; they do not count to the day after which a message is given up', async () => {
    const id = await add({ quiet: { from: time(-1), until: time(-2), zone: 'UTC' } });
    await leave(closed('patient'));
    await db
      .updateTable('channelMessages')
      .set({ createdAt: new Date(now().getTime() - 26 * 3_600_000) })
      .execute();
    await send();
    expect([host.arrived, await waiting()]).toEqual([[], ['patient']]);
    await trader.changeChannel({ params: { id }, body: { quiet: null } });
    await db.updateTable('channelMessages').set({ createdAt: now() }).execute();
    await send();
    expect(bodies()).toEqual(['patient']);
  });
});

describe('who gets nothing any more', () => {
  const left = async () => {
    await leave(closed('private'));
    await send();
    return [host.arrived.length, await waiting()];
  };

  test('somebody whose role was changed, until the person resumes the channel', async () => {
    const id = await add();
    await leave(closed('waits'));
    const admin = await server.signedIn('admin');
    await admin.changeRole({ params: { id: trader.userId }, body: { role: 'operator' } });
    expect(await left()).toEqual([0, []]);
    const { rows } = await sql<{ why: string }>`select paused_why as why from channels where id = ${id}`.execute(db);
    expect(rows).toEqual([{ why: 'role' }]);
  });

  test('somebody who is suspended, also when the account is changed without its channels', async () => {
    await add();
    await leave(closed('waits'));
    const admin = await server.signedIn('admin');
    await admin.verifyUser({ params: { id: trader.userId }, body: { verified: false, email_verified: true } });
    expect(await left()).toEqual([0, []]);
    await sql`update channels set paused_at = null, paused_why = null`.execute(db);
    expect(await left()).toEqual([0, []]);
    await updateUser(db, trader.userId, { verified: true });
    await leave(closed('waits'));
    await updateUser(db, trader.userId, { verified: false });
    await send();
    expect(host.arrived).toEqual([]);
  });

  test('somebody who is deleted', async () => {
    await add();
    await leave(closed('waits'));
    await sql`delete from bots`.execute(db);
    await sql`delete from users where id = ${trader.userId}`.execute(db);
    expect([await waiting(), await db.selectFrom('channels').select('id').execute()]).toEqual([[], []]);
  });

  test('the former owner of a bot, not even of what happened before', async () => {
    await add();
    const heir = await server.signedIn('trader');
    await add({ address: 'https://ntfy.sh/heir' }, heir);
    await leave(closed('before'));
    await sql`update bots set user_id = ${heir.userId} where id = ${botId}`.execute(db);
    await leave(closed('after'));
    await send();
    expect(host.arrived.map(({ url, body }) => [url, body])).toEqual([['ntfy.sh/heir', 'after']]);
    expect(await waiting()).toEqual([]);
  });
});

describe('alarms', () => {
  const noStop = (id = botId, detail = 't1') =>
    ({ kind: 'unprotected-position', target: { level: 'bot', id }, detail, facts: { symbol: 'BTC/USDT' } }) as const;

  test('about a missing stop go to the owner, with mode and bot; the mail stays', async () => {
    await add();
    await raiseAlarm(db, noStop());
    await mailNewAlarms(db);
    await send();
    expect(bodies()).toEqual([
      'PAPER: A position has no stop. Bot Harbour: BTC/USDT has no stop that the exchange has confirmed. Check the position at the exchange; close it or set a stop there if this lasts.',
    ]);
    const mails = await db.selectFrom('mailOutbox').select('subject').where('recipient', '=', trader.email).execute();
    expect(mails.map(({ subject }) => subject)).toContain('A position has no stop');
  });

  test('of another position of the bot are said too; the same one that comes and goes is said once in a quarter of an hour', async () => {
    await add();
    await raiseAlarm(db, noStop());
    await raiseAlarm(db, noStop(botId, 't2'));
    await mailNewAlarms(db);
    expect(await waiting()).toHaveLength(2);
    await endAlarm(db, noStop());
    await raiseAlarm(db, noStop());
    await mailNewAlarms(db);
    expect(await waiting()).toHaveLength(2);
  });

  test('about a lost runner go to each owner of an active bot and to admins', async () => {
    await add();
    const admin = await server.signedIn('admin');
    await add({ address: 'https://ntfy.sh/admin' }, admin);
    await add({ address: 'https://ntfy.sh/idle' }, await server.signedIn('trader'));
    const checking = keepAlarms({ db, liveTrading: 'on', now, onError: (error) => faults.push(String(error)) }, 20);
    await expect.poll(waiting).toHaveLength(2);
    await checking.stop();
    await send();
    const text = (advice: string) =>
      `PAPER: No bots are running. No runner has sent a heartbeat, so no bot manages its trades now. ${advice}`;
    expect(new Map(host.arrived.map(({ url, body }) => [url, body]))).toEqual(
      new Map([
        ['ntfy.sh/admin', text('Check the processes of the server and start the runner.')],
        [
          'ntfy.sh/harbour-1',
          text('Stops that lie at an exchange stay there; nothing else is watched. Inform the administrator of this server.'),
        ],
      ]),
    );
    expect(faults).toEqual([]);
  });

  test('about the loss of a person go to that person, and to no admin', async () => {
    await add();
    await add({ address: 'https://ntfy.sh/admin' }, await server.signedIn('admin'));
    const facts = { limit: 'daily-loss', use: '10', value: '10', currency: 'USDT', mode: 'live' };
    await raiseAlarm(db, { kind: 'limit-reached', target: { level: 'user', id: trader.userId }, facts });
    await mailNewAlarms(db);
    await send();
    expect(host.arrived.map(({ url }) => url)).toEqual(['ntfy.sh/harbour-1']);
  });

  test('about a limit of the whole server go to admins and to everybody who owns a bot', async () => {
    await add();
    await add({ address: 'https://ntfy.sh/admin' }, await server.signedIn('admin'));
    await add({ address: 'https://ntfy.sh/no-bot' }, await server.signedIn('trader'));
    const facts = { limit: 'daily-loss', use: '10', value: '10', currency: 'USDT', mode: 'live' };
    await raiseAlarm(db, { kind: 'limit-reached', target: { level: 'server' }, facts });
    await mailNewAlarms(db);
    await send();
    expect(host.arrived.map(({ url }) => url).toSorted()).toEqual(['ntfy.sh/admin', 'ntfy.sh/harbour-1']);
  });

  test('about the loss of a person name the modes of that person’s active bots, and not those of others', async () => {
    await add();
    const other = await addTestBot(db, { strategy: 'AlwaysFlat', owner: (await server.signedIn('trader')).email });
    await goLive(db, other);
    const facts = { limit: 'daily-loss', use: '10', value: '10', currency: 'USDT', mode: 'live' };
    await raiseAlarm(db, { kind: 'limit-reached', target: { level: 'user', id: trader.userId }, facts });
    await mailNewAlarms(db);
    expect(await waiting()).toEqual([expect.stringMatching(/^PAPER: /u)]);
  });
});

describe('a bot that somebody else stops', () => {
  test('is a message to its owner; what an owner does is none', async () => {
    await add();
    const admin = await server.signedIn('admin');
    await trader.toggleBot({ params: { id: botId }, query: { status: 'paused' } });
    expect(await waiting()).toEqual([]);
    await admin.setBotStatus({ params: { id: botId }, body: { status: 'stopped' } });
    await admin.stopTrading({ body: { level: 'user', id: trader.userId, state: 'halted' } });
    await admin.stopTrading({ body: { level: 'bot', id: botId, state: 'reducing' } });
    expect(await waiting()).toEqual([
      'PAPER: Harbour was stopped by an administrator. It does nothing any more.',
      'an administrator has halted your bots. Stops at the exchange stay.',
      'PAPER: an administrator has stopped the entries of Harbour. Exits and stops continue.',
    ]);
  });
});

describe('the sum of a day', () => {
  const day = (shift = 0) => new Date(now().getTime() + shift * 86_400_000).toISOString().slice(0, 10);
  const close = (profit: string, over: Partial<ReturnType<typeof aTradeRow>> = {}, of = botId) =>
    writeTrades(db, [
      {
        trade: aTradeRow(of, {
          status: 'closed',
          closedAt: new Date(`${day(-1)}T23:59:59.999Z`),
          exitPrice: 1,
          profit: profit as never,
          ...over,
        }),
        orders: [],
        fills: [],
      },
    ]);

  test('is exact, each mode and currency by itself, of own bots alone; once for each channel, also by two at once', async () => {
    await add();
    await sql`update channels set summed_day = ${day(-2)}`.execute(db);
    const euros = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Euros', owner: trader.email });
    await sql`update bots set stake_currency = 'EUR' where id = ${euros}`.execute(db);
    const theirs = await addTestBot(db, { strategy: 'AlwaysFlat', owner: (await server.signedIn('trader')).email });
    await close('0.1');
    await close('0.2', { direction: 'short' });
    await close('-0.000000000000000001', { mode: 'live' });
    await close('7', { symbol: 'BTC/EUR' }, euros);
    await close('2', {}, euros); // of before it was set to euros
    await close('1000', {}, theirs);
    await close('5', { closedAt: new Date(`${day()}T00:00:00.000Z`) });
    const faultsOf: unknown[] = [];
    const later = new Date(`${day()}T00:05:00Z`);
    await leaveDaySums(db, new Date(later.getTime() - 1), (error) => faultsOf.push(error));
    expect(await waiting()).toEqual([]); // trades of the last minute may still be written
    await Promise.all([1, 2, 3].map(() => leaveDaySums(db, later, (error) => faultsOf.push(error))));
    expect([await waiting(), faultsOf]).toEqual([
      [
        `${day(-1)} (UTC): LIVE: 1 trade closed, 0 won, loss 0.000000000000000001 USDT; PAPER: 1 trade closed, 1 won, profit 7 EUR; PAPER: 3 trades closed, 3 won, profit 2.3 USDT.`,
      ],
      [],
    ]);
  });

  test('that cannot be left for one channel is left for the others, and for that one in the next round', async () => {
    const [first = ''] = [await add(), await add({ name: 'Tablet', address: 'https://ntfy.sh/harbour-2' })].toSorted();
    await sql`update channels set summed_day = ${day(-2)}`.execute(db);
    await sql`alter table channel_messages add constraint not_this check (channel_id <> ${sql.lit(first)}) not valid`.execute(db);
    const drop = async () => void (await sql`alter table channel_messages drop constraint if exists not_this`.execute(db));
    onTestFinished(drop);
    const errors: unknown[] = [];
    const round = () => leaveDaySums(db, new Date(`${day()}T00:05:00Z`), (error) => errors.push(error));
    await round();
    expect([errors.length, (await waiting()).length]).toEqual([1, 1]);
    await drop();
    await round();
    expect([errors.length, (await waiting()).length]).toEqual([1, 2]);
  });

  test('is left also when the channel is changed in the minutes after that day', async () => {
    const id = await add();
    await sql`update channels set summed_day = ${day(-2)}`.execute(db);
    await trader.changeChannel({ params: { id }, body: { breaks_quiet: true, topics: ['trade-closed', 'day-sum'] } });
    await leaveDaySums(db, new Date(`${day()}T00:05:00Z`), () => {});
    expect(await waiting()).toEqual([`${day(-1)} (UTC): no trade was closed.`]);
  });

  test('says that nothing was closed; one that was not wanted then is not made up for, and who has no bot gets none', async () => {
    const id = await add();
    await add({ address: 'https://ntfy.sh/idle' }, await server.signedIn('trader'));
    const later = new Date(`${day(1)}T00:05:00Z`);
    await leaveDaySums(db, new Date(`${day()}T12:00:00Z`), () => {});
    expect(await waiting()).toEqual([]); // it was added today
    await leaveDaySums(db, later, () => {});
    expect(await waiting()).toEqual([`${day()} (UTC): no trade was closed.`]);
    await sql`delete from channel_messages`.execute(db);
    await sql`update channels set topics = array['trade-closed'], summed_day = '2026-01-01'`.execute(db);
    await trader.changeChannel({ params: { id }, body: { topics: ['day-sum'] } });
    await leaveDaySums(db, new Date(`${day()}T12:00:00Z`), () => {});
    expect(await waiting()).toEqual([]);
  });
});

test('after a clock that was an hour ahead is set back a channel says at once that a stop is missing, and what has rested since', async () => {
  await add();
  server.pass(3_600_000);
  await leave(closed('ahead'));
  await send();
  server.pass(-3_600_000 + 120_000);
  await leave(urgent('LIVE: Harbour has no stop'));
  await send();
  await leave(closed('later'));
  server.pass(61_000);
  await send();
  expect(bodies()).toEqual(['ahead', 'LIVE: Harbour has no stop', 'later']);
  // One whose try was under way when the clock was set back, hours behind.
  await sql`update channels set due_at = now() + interval '5 hours', rests_until = now() + interval '5 hours'`.execute(db);
  await leave(closed('last'));
  await send();
  expect(bodies().at(-1)).toBe('last');
});
