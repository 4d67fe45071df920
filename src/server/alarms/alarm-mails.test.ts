import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { AlarmAbout, AlarmKind } from '#storage/alarms/alarms.ts';
import { acknowledgeAlarms, endAlarm, listAlarmItems, listAlarms, raiseAlarm, removeOldAlarms } from '#storage/alarms/alarms.ts';
import { noteBackupSchedule } from '#storage/backup/backup-state.ts';
import { endLease, renewLease } from '#storage/bots/runners.ts';
import { keepStandingAlarms } from '#storage/alarms/standing-alarms.ts';
import type { BackupTest, PassedBackup } from '#storage/installation/facts.ts';
import { backupTestFact, passedBackupFact, writeFact } from '#storage/installation/facts.ts';
import { addUser } from '#storage/users/users.ts';
import { alarmSubject, mailNewAlarms } from '#mail/alarm-mails.ts';
import { alarmWords } from '#mail/alarm-words.ts';

const { db } = await freshDatabase();
const admin = 'admin@example.com';
await addUser(db, { email: admin, passwordHash: 'none', role: 'admin', verified: true });
let owner = '';
let userId = '';
let botId = '';

beforeEach(async () => {
  owner = `${randomUUID()}@example.com`;
  for (const table of ['alarms', 'mail_outbox', 'trade_messages', 'runners', 'bots'])
    await sql`delete from ${sql.table(table)}`.execute(db);
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Harbour <@all>', owner });
  userId = (await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow()).userId;
});
/** A runner that lives. */
async function addRunner(): Promise<string> {
  const id = randomUUID();
  await renewLease(db, { id, host: 'test', exchanges: ['sandbox'] }, 60_000, true);
  return id;
}
const about = (kind: AlarmKind, detail?: string): AlarmAbout => ({
  kind,
  target: { level: 'bot', id: botId },
  ...(detail === undefined ? {} : { detail }),
});
const raise = (kind: AlarmKind, detail?: string) =>
  raiseAlarm(db, { ...about(kind, detail), facts: { order: detail ?? null, symbol: 'BTC/USDT' } });
const mailed = async () => {
  await mailNewAlarms(db);
  return (await db.selectFrom('mailOutbox').select(['recipient', 'subject']).orderBy('createdAt').orderBy('recipient').execute()).map(
    ({ recipient, subject }) => `${recipient}: ${subject}`,
  );
};
const open = async () => (await listAlarms(db, null)).map(({ kind }) => kind);

test('an alarm that is raised again while it is open is one alarm and one mail, to the owner and the chat', async () => {
  await sql`update strategies set webhook = '{"v":1}', sheets_key = '{"v":1}'`.execute(db);
  for (let i = 0; i < 3; i++) await raise('unknown-order', 'fl-1');
  expect(await mailed()).toEqual([`${owner}: The state of an order is unknown`]);
  expect(await mailed()).toHaveLength(1);
  const messages = await db.selectFrom('tradeMessages').select(['kind', 'text']).execute();
  expect(messages).toMatchObject([{ kind: 'chat', text: expect.stringContaining('Bot Harbour all: the exchange has not reported') }]);
  await sql`update strategies set webhook = null, sheets_key = null`.execute(db);
});

test('an alarm of a transaction that does not hold was never there', async () => {
  const failing = db.transaction().execute(async (trx) => {
    await raiseAlarm(trx, { ...about('difference'), facts: {} });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect([await open(), await mailed()]).toEqual([[], []]);
});

test('a kind and bot has one mail in 15 minutes, and every alarm is on the screen', async () => {
  await raise('unknown-order', 'fl-1');
  await mailed();
  await raise('unknown-order', 'fl-2');
  await raise('late-fill', 'fl-2');
  expect(await mailed()).toHaveLength(2);
  expect(await open()).toHaveLength(3);
  await sql`update alarms set mailed_at = mailed_at - interval '15 minutes'`.execute(db);
  await raise('unknown-order', 'fl-3');
  expect(await mailed()).toHaveLength(3);
});

test('a mail about one bot or person keeps back none about another', async () => {
  const stranger = `${randomUUID()}@example.com`;
  const second = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Second', owner });
  const theirs = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'Theirs', owner: stranger });
  const strangerId = (await db.selectFrom('bots').select('userId').where('id', '=', theirs).executeTakeFirstOrThrow()).userId;
  const mailedAbout = async (kind: AlarmKind, target: AlarmAbout['target'], detail: string) => {
    await db.deleteFrom('mailOutbox').execute();
    await raiseAlarm(db, { kind, target, detail, facts: { order: detail, symbol: 'BTC/USDT' } });
    return mailed();
  };
  const unknown = 'The state of an order is unknown';
  expect(await mailedAbout('unknown-order', { level: 'bot', id: botId }, 'fl-1')).toEqual([`${owner}: ${unknown}`]);
  expect(await mailedAbout('unknown-order', { level: 'bot', id: botId }, 'fl-2')).toEqual([]);
  expect(await mailedAbout('unknown-order', { level: 'bot', id: second }, 'fl-3')).toEqual([`${owner}: ${unknown}`]);
  expect(await mailedAbout('unknown-order', { level: 'bot', id: theirs }, 'fl-4')).toEqual([`${stranger}: ${unknown}`]);
  const stopped = 'Entries stopped by a limit';
  expect(await mailedAbout('limit-reached', { level: 'user', id: userId }, 'drawdown')).toContain(`${owner}: ${stopped}`);
  expect(await mailedAbout('limit-reached', { level: 'user', id: strangerId }, 'drawdown')).toContain(`${stranger}: ${stopped}`);
});

test('a clock that was an hour ahead when the last mail was written keeps none back', async () => {
  await raise('unknown-order', 'fl-1');
  expect(await mailed()).toHaveLength(1);
  await sql`update alarms set mailed_at = mailed_at + interval '1 hour', noted_at = noted_at + interval '1 hour'`.execute(db);
  await raise('unknown-order', 'fl-2');
  expect(await mailed()).toHaveLength(2);
  await raise('unknown-order', 'fl-3');
  expect(await mailed()).toHaveLength(2);
});

test('one that ends and comes again is a new alarm', async () => {
  await raise('difference');
  await endAlarm(db, about('unknown-order'));
  expect(await open()).toEqual(['difference']);
  await endAlarm(db, about('difference'));
  expect(await open()).toEqual([]);
  await raise('difference');
  expect(await open()).toEqual(['difference']);
  expect((await db.selectFrom('alarms').select('id').execute()).length).toBe(2);
  await removeOldAlarms(db, new Date(Date.now() + 60_000));
  expect((await db.selectFrom('alarms').select('id').execute()).length).toBe(1);
});

test('what happens again and again is one alarm, one mail and a list, until a person has taken note', async () => {
  for (let i = 0; i < 40; i++) await raise('unrecorded-order', `fl-${i % 20}`);
  expect(await listAlarms(db, userId)).toMatchObject([{ kind: 'unrecorded-order', count: 20, facts: { order: 'fl-0' } }]);
  expect(await mailed()).toEqual([`${owner}: An order without a record in the database`]);
  const [alarm] = await listAlarms(db, userId);
  const list = await listAlarmItems(db, alarm?.id ?? '', { id: userId, seesAll: false });
  expect(list?.items.map(({ facts }) => facts['order'])).toEqual(Array.from({ length: 20 }, (_, i) => `fl-${19 - i}`));
  expect(await listAlarmItems(db, alarm?.id ?? '', { id: randomUUID(), seesAll: false })).toBeNull();
  await acknowledgeAlarms(db, [alarm?.id ?? ''], { id: userId, seesAll: false });
  await raise('unrecorded-order', 'fl-3');
  expect(await listAlarms(db, userId)).toMatchObject([{ count: 1, facts: { order: 'fl-3' } }]);
});

test('an alarm that is raised while a person takes note of it is not lost', async () => {
  await raise('late-fill', 'fl-1');
  const [alarm] = await listAlarms(db, null);
  const raised = Promise.withResolvers<unknown>();
  await db.transaction().execute(async (trx) => {
    await acknowledgeAlarms(trx, [alarm?.id ?? ''], { id: userId, seesAll: true });
    raised.resolve(raise('late-fill', 'fl-2')); // waits for the row
    await expect
      .poll(
        async () =>
          (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db)).rows
            .length,
      )
      .toBe(1);
  });
  await raised.promise;
  expect(await listAlarms(db, null)).toMatchObject([{ kind: 'late-fill', count: 1, facts: { order: 'fl-2' } }]);
});

test('bots of one owner that fail for the same reason are one alarm with their names', async () => {
  const failing = async () => {
    await keepStandingAlarms(db);
    return (await listAlarms(db, null)).filter(({ kind }) => kind === 'bot-failing');
  };
  const runner = await addRunner();
  const fail = (id: string, error: string | null) =>
    sql`with given as (update bots set given_up_by = ${error === null ? null : runner}::uuid where id = ${id})
      insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error) values (${id}, now(), 0, 0, ${error})
      on conflict (bot_id) do update set last_error = excluded.last_error`.execute(db);
  const full = (n: number) => `could not extend file "base/16385/${n}": No space left on device`;
  const others: string[] = [];
  for (const nickname of ['B', 'C', 'D']) others.push(await addTestBot(db, { strategy: 'AlwaysFlat', nickname, owner }));
  const [b = '', c = '', d = ''] = others;
  await fail(b, full(1));
  expect(await failing()).toMatchObject([{ level: 'bot', targetId: b }]);
  await fail(c, full(2));
  await fail(botId, full(3));
  await fail(d, 'No such market');
  const found = (await failing()).toSorted((one, other) => one.level.localeCompare(other.level));
  expect(found).toMatchObject([
    { level: 'bot', targetId: d },
    { level: 'user', targetId: userId, facts: { bots: 3, names: 'B, C, Harbour <@all>' } },
  ]);
  expect(alarmWords({ kind: 'bot-failing', subject: 'x', facts: found[1]?.facts ?? {} })).toMatchObject({
    title: '3 bots do not run',
    what: `3 bots have failed three times in a row, all for the same reason: ${full(1)} They are B, C, Harbour <@all>.`,
  });
  await fail(b, null);
  await fail(c, null);
  await fail(d, null);
  expect(await failing()).toMatchObject([{ id: found[1]?.id, facts: { bots: 1 } }]); // the same alarm until the last of them runs
  await fail(botId, null);
  expect(await failing()).toEqual([]);
});

test('an alarm is its owner’s and the admins’: others neither see nor acknowledge it', async () => {
  const other = await addUser(db, { email: `${randomUUID()}@example.com`, passwordHash: 'none', role: 'trader', verified: true });
  await raise('late-fill', 'fl-1');
  await raise('difference');
  expect(await listAlarms(db, other?.id ?? '')).toEqual([]);
  const [difference, late] = await listAlarms(db, userId);
  expect(await acknowledgeAlarms(db, [late?.id ?? ''], { id: other?.id ?? '', seesAll: false })).toEqual([]);
  expect(await acknowledgeAlarms(db, [late?.id ?? ''], { id: userId, seesAll: false })).toEqual([
    { kind: 'late-fill', target: `bot ${botId}` },
  ]);
  // What has happened is over then; what lasts stays until its cause is gone.
  await acknowledgeAlarms(db, [difference?.id ?? ''], { id: other?.id ?? '', seesAll: true });
  expect(await listAlarms(db, userId)).toMatchObject([{ kind: 'difference', acknowledgedAt: expect.any(Date), ownerEmail: owner }]);
});

test('a limit that stops many bots is mailed to admins and owners; what concerns the server to admins', async () => {
  const facts = { limit: 'daily-loss', use: '12.5', value: '10', currency: 'USDT', mode: 'live' };
  await raiseAlarm(db, { kind: 'limit-reached', target: { level: 'user', id: userId }, facts });
  expect((await mailed()).toSorted()).toEqual([admin, owner].map((each) => `${each}: Entries stopped by a limit`).toSorted());
  await raiseAlarm(db, { kind: 'limit-reached', target: { level: 'server' }, facts });
  expect(await mailed()).toHaveLength(4);
  await raiseAlarm(db, { kind: 'no-runner', target: { level: 'server' }, facts: {} });
  expect((await mailed()).filter((each) => each.endsWith('No bots are running'))).toEqual([`${admin}: No bots are running`]);
  expect(await listAlarms(db, userId)).toMatchObject([{ kind: 'limit-reached', level: 'user' }]);
});

test('alarms about what lasts end by themselves when the cause is gone', async () => {
  await keepStandingAlarms(db);
  expect(await open()).toEqual([]);
  const runner = await addRunner();
  await sql`update bots set given_up_by = ${runner} where id = ${botId}`.execute(db);
  await sql`insert into bot_vitals (bot_id, last_tick_at, open_trades, unrealized_pnl, last_error) values (${botId}, now(), 0, 0, 'No such market.')`.execute(
    db,
  );
  await sql`update strategies set webhook = '{"v":1}', webhook_result = '{"at": "2026-03-01T00:00:00Z", "error": "404"}' where class_name = 'AlwaysFlat'`.execute(
    db,
  );
  await raise('difference');
  await keepStandingAlarms(db);
  expect((await open()).toSorted()).toEqual(['bot-failing', 'delivery-failed', 'difference']);
  await endLease(db, runner);
  await keepStandingAlarms(db, [{ nickname: 'Harbour', userId }]);
  expect((await open()).toSorted()).toEqual(['bot-failing', 'delivery-failed', 'difference', 'no-runner']);
  await sql`update bots set given_up_by = null where id = ${botId}`.execute(db); // it is being tried again
  await sql`update strategies set webhook_result = null`.execute(db);
  await keepStandingAlarms(db);
  expect((await open()).toSorted()).toEqual(['bot-failing', 'difference']);
  await sql`update bot_vitals set last_error = null`.execute(db);
  await keepStandingAlarms(db);
  expect(await open()).toEqual(['difference']);
  await sql`update strategies set webhook = null`.execute(db);
});

test('live bots on a database that may lose trades are an alarm', async () => {
  await sql`insert into facts (key, value) values ('volatile_store', '"It lies in memory."')`.execute(db);
  await keepStandingAlarms(db);
  expect(await open()).not.toContain('store-undurable');
  await sql`update bots set mode = 'live' where id = ${botId}`.execute(db);
  await keepStandingAlarms(db);
  expect(await open()).toContain('store-undurable');
  await sql`delete from facts where key = 'volatile_store'`.execute(db);
  await keepStandingAlarms(db);
  // The test's own server keeps nothing on a disk for sure.
  expect((await listAlarms(db, null)).every(({ facts }) => facts['fault'] !== 'It lies in memory.')).toBe(true);
});

test('a backup that has failed its test is an alarm until a later one has passed', async () => {
  const found = async () => {
    await keepStandingAlarms(db);
    return (await listAlarms(db, null)).filter(({ kind }) => kind === 'backup-failed');
  };
  const tested = (file: string, fault: string | null) =>
    writeFact(db, backupTestFact, { testedAt: '2026-03-01T06:00:00.000Z', file, fault } satisfies BackupTest);
  await tested('a.flotilla', null);
  expect(await found()).toEqual([]);
  await writeFact(db, passedBackupFact, { file: 'a.flotilla', madeAt: '2026-03-01T00:00:00.000Z', bytes: 7 } satisfies PassedBackup);
  await tested('b.flotilla', 'orders has 1 rows instead of 2.');
  const [raised] = await found();
  expect(raised).toMatchObject({ level: 'server', facts: { file: 'b.flotilla', passed: 'a.flotilla' } });
  expect(alarmWords({ kind: 'backup-failed', subject: 'Whole server', facts: raised?.facts ?? {} }).what).toMatch(
    /The newest that has passed is a\.flotilla, made 2026-03-01 00:00 UTC\.$/u,
  );
  await tested('c.flotilla', 'orders has 1 rows instead of 2.');
  expect(await found()).toMatchObject([{ id: raised?.id, facts: { file: 'c.flotilla' } }]); // one alarm, with what is known now
  const noRoom = 'There is no room for a backup and its test in /data: that takes 30 MB, and 4 MB are free.';
  const lacking = { testedAt: '2026-03-01T06:00:00.000Z', fault: noRoom, isOfRoom: true };
  await writeFact(db, backupTestFact, { ...lacking, file: null } satisfies BackupTest);
  const words = async () => alarmWords({ kind: 'backup-failed', subject: 'Whole server', facts: (await found())[0]?.facts ?? {} });
  expect(await words()).toMatchObject({
    what: `No backup was made: ${noRoom} The newest that has passed is a.flotilla, made 2026-03-01 00:00 UTC.`,
    advice: expect.stringMatching(/^Make room on that disk\. Flotilla tries again every hour/u),
  });
  await writeFact(db, backupTestFact, { ...lacking, file: 'c.flotilla' } satisfies BackupTest);
  expect((await words()).what).toMatch(/^The backup c\.flotilla was not tested, so it does not count: There is no room /u);
  await tested('d.flotilla', null);
  expect(await found()).toEqual([]);
});

test('API-14 no backup that has passed for 13 hours, where they are made on a schedule, is an alarm until one has', async () => {
  const words = async () => {
    await keepStandingAlarms(db);
    const found = (await listAlarms(db, null)).filter(({ kind }) => kind === 'backup-failed');
    return found.map(({ kind, facts }) => alarmWords({ kind, subject: 'Whole server', facts }).what);
  };
  const passed = (hoursAgo: number) =>
    writeFact(db, passedBackupFact, {
      file: 'a.flotilla',
      madeAt: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
      bytes: 7,
    } satisfies PassedBackup);
  await passed(14);
  await noteBackupSchedule(db, true, new Date(Date.now() - 14 * 3_600_000));
  try {
    expect(await words()).toEqual([
      expect.stringMatching(/^No backup has passed its test in the last 13 hours; .+ The newest that has passed is a\.flotilla, made /u),
    ]);
    await passed(12);
    expect(await words()).toEqual([]);
  } finally {
    await noteBackupSchedule(db, false, new Date());
  }
});

test('every kind has words, on one line each, with what is known', () => {
  const kinds: Record<AlarmKind, RegExp> = {
    'limit-reached': /Bot A: the drawdown has reached its limit \(81\.2 % of 80\.0 %; live\)/u,
    'stopped-by-other': /halted/u,
    'bot-failing': /No such market/u,
    'strategy-rests': /makes no entries with/u,
    'no-runner': /heartbeat/u,
    'store-undurable': /No such table/u,
    'backup-failed': /The backup a\.flotilla did not pass its test, so it does not count: No such table\. None has passed yet\.$/u,
    'delivery-failed': /chat of/u,
    'unknown-order': /order fl-7 of BTC\/USDT/u,
    'unprotected-position': /BTC\/USDT has no stop/u,
    'position-margin':
      /the position in BTC\/USDT has leverage 5 and cross margin at the exchange; its trade was opened with leverage 3 and isolated margin\.$/u,
    difference: /the account holds 1.5 of BTC\/USDT, the trades say 2/u,
    'unrecorded-order': /has order fl-7 of BTC\/USDT, to sell 2 \(a stop at 95; 0 filled\)/u,
    'late-fill': /order fl-7/u,
    'fill-of-unknown-order': /order fl-7/u,
    'amount-differs': /order fl-7/u,
    'decision-differs':
      /Bot A: on 2026-11-20 \(UTC\) 3 decisions of the bot were not what its strategy says on the same candles; the first is of BTC\/USDT at 14:05\.$/u,
    'margin-differs': /BTC\/USDT needs leverage 3 with isolated margin, and the exchange says that it has leverage 5 with cross margin/u,
  };
  const facts = {
    limit: 'drawdown',
    use: '0.812',
    value: '0.8',
    mode: 'live',
    state: 'halted',
    error: 'No such market',
    file: 'a.flotilla',
    fault: 'No such table.',
    order: 'fl-7',
    side: 'sell',
    leverage: 5,
    margin: 'cross',
    wantedLeverage: 3,
    wantedMargin: 'isolated',
    amount: 2,
    type: 'stop',
    price: 95,
    filled: 0,
    symbol: 'BTC/USDT',
    day: '2026-11-20',
    decisions: 3,
    candle: '2026-11-20T14:05:00.000Z',
    expected: '2',
    actual: '1.5',
  };
  for (const [kind, what] of Object.entries(kinds))
    expect(alarmWords({ kind: kind as AlarmKind, subject: 'Bot A', facts }).what, kind).toMatch(what);
  expect(alarmWords({ kind: 'no-runner', subject: 'Whole server', facts: { bots: 2, names: 'A, B' } })).toEqual({
    title: '2 bots have no runner',
    what: 'Runners are at work, but none runs A, B, so nobody manages what they hold.',
    advice: 'Start a runner that may trade there (LIVE_TRADING) and has room (RUNNER_MAX_BOTS).',
  });
  expect(alarmWords({ kind: 'no-runner', subject: 'x', facts: { for: 'owner', bots: 1, names: 'A' } })).toMatchObject({
    title: 'A bot has no runner',
    what: 'Runners are at work, but none runs A, so nobody manages what it holds.',
    advice: expect.stringContaining('Inform the administrator'),
  });
  // One of a newer version, whose processes may run beside this one.
  expect(alarmWords({ kind: 'moon-is-full' as AlarmKind, subject: 'Bot A', facts })).toMatchObject({
    title: 'An alarm of a newer version',
    what: 'Bot A: moon is full.',
  });
  expect(alarmSubject({ level: 'user', targetName: 'a@example.com' })).toBe('All bots of a@example.com');
});

test.each([
  [
    { refusal: 'sandbox: binance {"code":-1013,"msg":"No."}', tooSmall: null },
    'A position has no stop',
    /The newest was refused: "No." \(-1013\)\.$/u,
  ],
  [
    { refusal: null, endedAs: 'expired', tooSmall: null },
    'A position has no stop',
    /The newest was taken by the exchange and ended there unasked \(expired\)\.$/u,
  ],
  [{ refusal: null, tooSmall: 'for-stop' }, 'A position has no stop', /too small for a stop: at its stop price it is worth less/u],
  [
    { refusal: null, tooSmall: 'to-sell' },
    'A position is too small to sell',
    /neither stop nor exit, because the exchange takes no order/u,
  ],
])('the alarm of a position without a stop says why: %j', (why, title, what) => {
  const words = alarmWords({ kind: 'unprotected-position', subject: 'Bot A', facts: { symbol: 'BTC/USDT', ...why } });
  expect(words.title).toBe(title);
  expect(words.what).toMatch(what);
});
