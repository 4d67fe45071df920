import { CandleWindows } from '#feeds/candle-windows.ts';
import { Markets } from '#feeds/markets.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '#engine/market/durations.ts';
import type { ChannelTarget } from '#outbound/channels/channel-target.ts';
import { noticeOwner } from '#storage/channels/channel-messages.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { channelSecrets } from '#vault/channel-secrets.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { startRegularWork } from './regular-work.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
const secrets = channelSecrets(Buffer.alloc(32, 1));

/** The regular work of a web process, whose rounds come when a test wants them: `after` makes those that come after so many ms. */
function startWork() {
  const rounds: [work: () => void, ms: number | undefined][] = [];
  const timer = setTimeout(() => undefined, 0);
  const timers = (['setTimeout', 'setInterval'] as const).map((name) => {
    const real = globalThis[name];
    return vi.spyOn(globalThis, name).mockImplementation((work: () => void, ms?: number) => {
      // The patience of a connection may be as long as a round, and must not end with it.
      if (new Error().stack?.includes('/pg-pool/') === true) return real(work, ms);
      rounds.push([work, ms]);
      return timer;
    });
  });
  const clock = { now: new Date() };
  const faults: string[] = [];
  const [mailed, sent, heads]: [string[], string[], object[]] = [[], [], []];
  const windows = new CandleWindows(new Markets([], async () => Promise.reject(new Error('no exchange'))));
  const work = startRegularWork({
    db,
    liveTrading: 'off',
    windows,
    mailer: {
      goesTo: 'server',
      send: async ({ recipient }) => void mailed.push(recipient),
      works: async () => true,
      close: () => undefined,
    },
    channels: {
      secrets,
      send: async (_target, { lines }) => {
        sent.push(...lines.map(({ text }) => text));
        return { ok: true };
      },
    },
    senders: [],
    certifier: { askNightly: async () => undefined, work: async () => undefined },
    pageUrl: 'https://bots.example',
    log: {
      warn: (details, message) => void (message === 'the audit log ends here' ? heads.push(details) : faults.push(message)),
      error: (_details, message) => void faults.push(message),
    },
    now: () => clock.now,
  });
  for (const each of timers) each.mockRestore();
  onTestFinished(async () => {
    await work.stop();
    windows.close();
    expect(faults).toEqual([]);
  });
  const after = (ms: number): void => {
    for (const [round, comesAfter] of rounds) if (comesAfter === ms) round();
  };
  return { work, clock, after, mailed, sent, heads };
}

test('what waits for a channel or a mailbox is sent within seconds', async () => {
  const id = randomUUID();
  const target: ChannelTarget = { kind: 'ntfy', address: 'https://ntfy.sh/harbour-1', token: null };
  const sealed = JSON.stringify(secrets.seal({ id, userId }, JSON.stringify(target)));
  await sql`insert into channels (id, user_id, kind, name, hint, sealed, topics, summed_day)
    values (${id}, ${userId}, 'ntfy', 'Phone', 'ur-1', ${sealed}::jsonb, array['stop-missing'], current_date)`.execute(db);
  await noticeOwner(db, botId, [{ topic: 'stop-missing', text: 'No stop stands at the exchange.' }]);
  await addMail(db, { recipient: 'somebody@example.com', subject: 'An alarm', body: 'No stop stands at the exchange.' });
  const { after, mailed, sent, clock } = startWork();
  clock.now = new Date(Date.now() + secondMs); // by now all of it is due
  after(5 * secondMs);
  await expect.poll(() => [sent, mailed]).toEqual([['No stop stands at the exchange.'], ['somebody@example.com']]);
});

test('each minute what is over is removed: old mails, and sessions that have ended', async () => {
  await sql`delete from mail_outbox`.execute(db);
  await sql`insert into mail_outbox (recipient, subject, body, created_at, sent_at) select 'somebody@example.com', days::text, '', at, at
    from unnest(array[1, 31]) days, lateral (select now() - days * interval '1 day' as at) of_day`.execute(db);
  await sql`insert into sessions (user_id, started_at, authenticated_at, last_seen_at, ends_at, address)
    select ${userId}, now(), now(), now(), now() + days * interval '1 day', '203.0.113.' || abs(days) from unnest(array[1, -2]) days`.execute(
    db,
  );
  const left = async () => [
    (await sql<{ subject: string }>`select subject from mail_outbox`.execute(db)).rows.map(({ subject }) => subject),
    (await sql<{ address: string }>`select address from sessions`.execute(db)).rows.map(({ address }) => address),
  ];
  expect((await left()).map(({ length }) => length)).toEqual([2, 2]);
  startWork().after(minuteMs);
  await expect.poll(left).toEqual([['1'], ['203.0.113.1']]);
});

test('each hour the end of the audit log is noted outside the database, and the days to come have a place for their decisions', async () => {
  const { work, clock, after, heads } = startWork();
  await work.headNoted;
  expect(heads).toHaveLength(1);
  const days = async () =>
    (await sql<{ count: number }>`select count(*)::int from pg_inherits where inhparent = 'decisions'::regclass`.execute(db)).rows[0]
      ?.count ?? 0;
  const before = await days();
  clock.now = new Date(Date.now() + 8 * dayMs);
  after(hourMs);
  await expect.poll(() => heads.length).toBe(2);
  await expect.poll(days).toBeGreaterThan(before);
});
