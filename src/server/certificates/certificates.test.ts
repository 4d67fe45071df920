import { aDecision } from '#storage/testing/a-decision.ts';
import type { CertificateFacts } from '#engine/report/certificate/certificate-facts.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { askNightly, claimCertificate, failCertificate, keepCertificate } from '#storage/certificates/certificates.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { linesOf } from '../../../test/support/pdf-lines.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
const dayMs = 86_400_000;
const today = Date.now(); // one day for all, also where midnight passes meanwhile
const dayAgo = (n: number) => new Date(today - n * dayMs).toISOString().slice(0, 10);
let owner: Person;
let other: Person;
let admin: Person;
let botId: string;

const decided = (bot: string, day: string) => aDecision(bot, Date.parse(`${day}T10:00:00Z`));

/** A sentence that takes two lines of a page. */
const note =
  'The strategy keeps something between its calls (self.best). The replay began without it, and whatever the strategy decided by it may be another.';

const facts: CertificateFacts = {
  notes: [note],
  certificate: {
    promised: '21.400000000000000001',
    made: '19.28',
    parts: { 'fill-price': '-1.120000000000000001', intervention: '-1' },
    trades: [
      {
        symbol: 'BTC/USDT',
        direction: 'long',
        entryTime: Date.parse(`${dayAgo(1)}T06:45:01Z`),
        promised: '20.400000000000000001',
        made: '19.28',
        difference: '-1.120000000000000001',
        parts: { 'fill-price': '-1.120000000000000001' },
        why: null,
        isCarried: false,
        isOpen: true,
        exits: [null, null],
      },
      {
        symbol: 'ETH/USDT',
        direction: 'short',
        entryTime: Date.parse(`${dayAgo(1)}T08:00:00Z`),
        promised: '1',
        made: null,
        difference: '-1',
        parts: { intervention: '-1' },
        why: 'halted',
        isCarried: false,
        isOpen: false,
        exits: ['roi', null],
      },
    ],
    tradesSame: 1,
    decisions: { recorded: 96, same: 95, failed: 0, ofData: 1, differing: [] },
  },
  candles: {
    candles: 96,
    seen: 96,
    same: 95,
    differing: [{ symbol: 'BTC/USDT', openTime: Date.parse(`${dayAgo(1)}T05:00:00Z`), fields: ['volume'] }],
  },
  lines: [],
  from: `${dayAgo(1)}T00:00:00.000Z`,
  to: `${dayAgo(0)}T00:00:00.000Z`,
  fingerprint: '5b70e2c918fd',
  versions: [{ from: `${dayAgo(1)}T00:00:00.000Z`, bot: 14, strategy: 2 }],
};
const found = { mode: 'paper', currency: 'USDT', differing: [], tookMs: 38 } as const;

/** What a replay leaves behind, done by hand. */
async function certify(certificate: CertificateFacts = facts): Promise<void> {
  const claim = await claimCertificate(db);
  const { promised, made } = certificate.certificate;
  expect(await keepCertificate(db, claim!, { ...found, promised, made, certificate }, new Date())).toBe(true);
}

beforeAll(async () => {
  owner = await server.signedIn('trader', 'owner@example.com');
  [other, admin] = await Promise.all([server.signedIn('operator'), server.signedIn('admin')]);
  botId = await addTestBot(db, {
    strategy: 'EmaCross',
    owner: 'owner@example.com',
    nickname: 'Momentum Desk',
    symbols: ['BTC/USDT', 'ETH/USDT'],
  });
  await addDecisions(
    db,
    [1, 3, 9].map((n) => decided(botId, dayAgo(n))),
  );
});

const at = (n: number) => ({ params: { id: botId, day: dayAgo(n) } });

test('ADD-certificate a day without one says why: it is not over, the bot did not run, or nobody has replayed it yet', async () => {
  const nothing = { state: 'none', certificate: null, promised: null, share: null };
  expect(await owner.botCertificate(at(0))).toMatchObject({ ...nothing, why: 'The day is not over yet', can_replay: false });
  expect(await owner.botCertificate(at(2))).toMatchObject({ ...nothing, why: 'The bot did not run on this day', can_replay: false });
  expect(await owner.botCertificate(at(1))).toMatchObject({ ...nothing, why: null, can_replay: true });
  expect(await owner.botCertificates({ params: { id: botId } })).toEqual({ certificates: [] });
  expect((await failure(owner.certificatePdf(at(1)))).message).toBe('404 There is no certificate of this day');
});

test('ADD-replay-day a day is replayed once at a time, whoever asks, and that is in the audit log', async () => {
  expect((await failure(owner.replayDay(at(0)))).message).toBe('400 The day is not over yet');
  expect((await failure(owner.replayDay(at(2)))).message).toBe('400 The bot did not run on this day');
  const answers = await Promise.allSettled([owner.replayDay(at(1)), admin.replayDay(at(1))]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect((await failure(owner.replayDay(at(1)))).message).toBe('409 The day is being replayed already');
  expect(await owner.botCertificate(at(1))).toMatchObject({ state: 'waiting', can_replay: false, certificate: null });
  const { lines } = await listAudit(db, { action: 'replay-day' }, 10);
  expect(lines).toMatchObject([{ target: botId, detail: { day: dayAgo(1) } }]);
});

test('ADD-certificate what a replay has found is exact to the last decimal, in words where only one side has a trade', async () => {
  await certify();
  const answer = await owner.botCertificate(at(1));
  expect(answer).toMatchObject({
    state: 'done',
    promised: '21.400000000000000001',
    made: '19.28',
    share: expect.closeTo(0.9009, 4),
    can_replay: true,
    certificate: {
      parts: { 'fill-price': '-1.120000000000000001', intervention: '-1' },
      trades: [
        { open: true, why: null },
        { made: null, why: 'the kill switch was pressed' },
      ],
      trades_same: 1,
      candles: { differing: 1, listed: [{ fields: ['volume'] }] },
      decisions: { recorded: 96, of_data: 1, differing: [] },
      versions: [{ bot: 14 }],
      fingerprint: '5b70e2c918fd',
      took_ms: 38,
      notes: [note],
    },
  });
  const { certificates } = await owner.botCertificates({ params: { id: botId } });
  expect(certificates).toMatchObject([{ day: dayAgo(1), state: 'done', promised: '21.400000000000000001', differing: 0 }]);
});

test('ADD-newest-certificates each bot of the caller is listed with its newest day, for admins every bot; what is archived is not', async () => {
  const second = await addTestBot(db, { strategy: 'EmaCross', owner: 'owner@example.com', nickname: 'Second Desk', symbols: ['BTC/USDT'] });
  await addTestBot(db, { strategy: 'EmaCross', owner: 'owner@example.com', nickname: 'Without One', symbols: ['BTC/USDT'] });
  await sql`insert into certificates (bot_id, day, state, why) values
    (${second}, ${dayAgo(5)}::date, 'done', null), (${second}, ${dayAgo(2)}::date, 'failed', 'The strategy is in Python.')`.execute(db);
  const listed = async (caller: typeof owner) =>
    (await caller.newestCertificates({})).certificates.map(({ nickname, day, state, why, promised }) => [
      nickname,
      day,
      state,
      why,
      promised,
    ]);
  // What failed is looked at first.
  const both = [
    ['Second Desk', dayAgo(2), 'failed', 'The strategy is in Python.', null],
    ['Momentum Desk', dayAgo(1), 'done', null, '21.400000000000000001'],
  ];
  expect(await listed(owner)).toEqual(both);
  expect(await listed(admin)).toEqual(both);
  expect(await listed(other)).toEqual([]);
  await sql`update bots set status = 'stopped', archived_at = now() where id = ${second}`.execute(db);
  expect(await listed(owner)).toEqual(both.slice(1));
  await sql`delete from certificates where bot_id = ${second}`.execute(db);
});

test('ADD-certificate-pdf the file has the title, the parts to the last decimal, the checks and the trades', async () => {
  const reply = await server.app.inject({
    url: `/api/bots/${botId}/certificates/${dayAgo(1)}/pdf`,
    headers: { host: 'localhost:3000', cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  });
  expect([reply.statusCode, reply.headers['content-disposition']]).toEqual([200, `attachment; filename="certificate_${dayAgo(1)}.pdf"`]);
  const lines = linesOf(reply.rawPayload);
  for (const line of [
    `Certificate ${dayAgo(1)}`,
    "90.1% of the backtest's promise reached the account",
    '-1.120000000000000001',
    'Interventions',
    'Trades: 1 of 2 made by both',
    'interventions -$1.00',
    'the kill switch was pressed',
  ])
    expect(lines, line).toContain(line);
  // A line that is broken keeps the space it is broken at.
  expect(lines.map((line) => line.trimEnd()).join(' ')).toContain(note);
});

test('a replay that fails says why, and leaves what was found before', async () => {
  await owner.replayDay(at(1));
  const claim = await claimCertificate(db);
  await failCertificate(
    db,
    claim!,
    'The strategy is in Python. There is no Python here: install Python 3.11 or later, or name one with --python or FLOTILLA_PYTHON.',
    false,
  );
  expect(await owner.botCertificate(at(1))).toMatchObject({
    state: 'failed',
    why: 'The strategy is in Python. There is no Python here: install Python 3.11 or later, or name one with --python or FLOTILLA_PYTHON.',
    can_replay: true,
    promised: '21.400000000000000001',
    certificate: { took_ms: 38 },
  });
  await owner.replayDay(at(1));
  await certify({ ...facts, certificate: { ...facts.certificate, promised: '-5.6', made: '-6.04' } });
  expect(await owner.botCertificate(at(1))).toMatchObject({ state: 'done', why: null, share: null });
});

describe('the night', () => {
  test('makes up for seven days, and does not replay what is there', async () => {
    const begun = () =>
      sql<{ day: string; state: string }>`select day::text as day, state from certificates where bot_id = ${botId} order by day`.execute(
        db,
      );
    await Promise.all([askNightly(db, new Date()), askNightly(db, new Date())]);
    expect((await begun()).rows).toEqual([
      { day: dayAgo(3), state: 'waiting' },
      { day: dayAgo(1), state: 'done' },
    ]);
  });

  test('waits five minutes after midnight for the last candles', async () => {
    await sql`delete from certificates`.execute(db);
    const midnight = Date.parse(`${dayAgo(0)}T00:00:00Z`);
    await askNightly(db, new Date(midnight + 4 * 60_000));
    const days = async () =>
      (await sql<{ day: string }>`select day::text as day from certificates order by day`.execute(db)).rows.map(({ day }) => day);
    expect(await days()).toEqual([dayAgo(3)]);
    await askNightly(db, new Date(midnight + 5 * 60_000));
    expect(await days()).toEqual([dayAgo(3), dayAgo(1)]);
  });

  test('what is interrupted three times is given up in a sentence', async () => {
    await sql`delete from certificates where day <> ${dayAgo(3)}::date`.execute(db);
    for (let n = 1; n <= 3; n++) {
      const claim = await claimCertificate(db);
      expect(claim).toMatchObject({ tries: n });
      // Whoever began before has lost the day.
      const earlier = { ...claim!, tries: n - 1 };
      expect(await keepCertificate(db, earlier, { ...found, promised: '1', made: '1', certificate: facts }, new Date())).toBe(false);
      await sql`update certificates set lease_until = now() - interval '1 second'`.execute(db);
    }
    expect(await claimCertificate(db)).toBeNull();
    expect(await owner.botCertificate(at(3))).toMatchObject({ state: 'failed', why: 'The replay was interrupted each time it was begun.' });
  });
});

test('certificates are for the owner of a bot and for admins; a bot that is deleted takes them with it', async () => {
  const asked = [
    () => other.botCertificates({ params: { id: botId } }),
    () => other.botCertificate(at(1)),
    () => other.replayDay(at(1)),
    () => other.certificatePdf(at(1)),
  ];
  for (const ask of asked) expect((await failure(ask())).message).toBe('403 You do not have access to this bot');
  expect((await admin.botCertificate(at(1))).state).toBe('none');
  await owner.toggleBot({ params: { id: botId }, query: { status: 'stopped' } });
  await owner.deleteBot({ params: { id: botId } });
  expect((await sql`select from certificates`.execute(db)).rows).toEqual([]);
});
