import { sendDueMails } from '#mail/send-waiting.ts';
import { fileMailer } from '#mail/mailer.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { leaveReport, listReadersWithout } from '#storage/reports/report-readers.ts';
import { updateUser } from '#storage/users/users.ts';
import { sql } from 'kysely';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';
import { leaveDueReports } from './morning-report.ts';

const server = await startTestServer();
const { db, mailer } = server.dependencies;
const { mails } = server.mailBox;
type Person = Awaited<ReturnType<typeof server.signedIn>>;

const dayMs = 86_400_000;
const utcDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
/** The day after tomorrow: each test says at which time of it the server looks. */
const day = utcDay(Date.now() + 2 * dayMs);
const yesterday = utcDay(Date.parse(day) - dayMs);
const at = (time: string, on = day): Date => new Date(`${on}T${time}Z`);
const onError = (error: unknown): never => {
  throw error;
};
const leave = (time: Date) => leaveDueReports({ db, pageUrl: 'https://bots.example.com/', now: () => time, onError });
const send = (time: Date) => sendDueMails(db, mailer, { now: () => time, onError });
/** What a running server does at this moment. */
const run = async (time: Date): Promise<void> => {
  await leave(time);
  await send(time);
};
const sentTo = (person: Person) => mails.filter(({ to }) => to.includes(person.email));

const owner = await server.signedIn('trader');
const other = await server.signedIn('trader');
const admin = await server.signedIn('admin');
const botId = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email });
const otherBot = await addTestBot(db, { strategy: 'RsiReversal', owner: other.email });
const close = (closedAt: string, profit: number, bot = botId, symbol = 'BTC/USDT') =>
  sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit, entry_price, initial_stop_price, confidence)
    values (gen_random_uuid(), ${bot}, ${symbol}, 'long', 'paper', 'closed', '2026-03-01', ${closedAt}, 1, 1, 1, ${String(profit)}, 100, 92, 0.668)`.execute(
    db,
  );
const want = (person: Person, wanted: boolean) => person.setReportMail({ body: { wanted } });
const had = (lastDay: string) => sql`update report_readers set last_day = ${lastDay}`.execute(db);

beforeEach(async () => {
  mails.length = 0;
  server.mailBox.refuse(false);
  for (const table of ['mailOutbox', 'trades', 'reportReaders'] as const) await db.deleteFrom(table).execute();
});

describe('the report of each morning', () => {
  test('REP-03, REP-05, REP-06, OP-64, OP-65 has the figures of the screen and the PDF of the day', async () => {
    await close(`${yesterday}T08:00:00Z`, 12.5);
    await close(`${yesterday}T23:59:59.999Z`, -30.25);
    await close(`${day}T00:00:00Z`, 1000);
    await want(owner, true);
    await had('2026-01-01');
    await run(at('06:00:05'));
    const [mail, ...more] = sentTo(owner);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe(`Daily Report ${yesterday}`);
    const report = await owner.report({ params: { id: yesterday } });
    expect(report).toMatchObject({ total_trades: 2, net_pnl: -17.75, max_drawdown: 30.25, average_confidence: 0.668 });
    expect(mail?.text.split(/\r?\n/u)).toEqual([
      `The trades that were closed on ${yesterday} (UTC), in all modes:`,
      '',
      `Trades: ${report.total_trades}`,
      'Net PNL: -$17.75',
      'Win Rate: 50.00%',
      'Max Drawdown: $30.25',
      'Avg Stop Size: 8.00%',
      'Average Confidence: 66.8%',
      '',
      'The attached PDF shows the trades.',
      '',
      'You get this mail each morning because you asked for it. To stop it, switch off "Mail me this report each morning" at https://bots.example.com/?tab=reports',
    ]);
    expect(mail?.attachments.map(({ name, type }) => [name, type])).toEqual([[`report_${yesterday}.pdf`, 'application/pdf']]);
    const file = mail?.attachments[0]?.content ?? Buffer.alloc(0);
    expect(file.subarray(0, 5).toString()).toBe('%PDF-');
    expect(file.toString('latin1')).toMatch(/%%EOF\s*$/u);
    expect(file.length).toBeGreaterThan(2_000);
  });

  test('OP-05, OP-64 counts the trades that the person may see: traders their own, the others all', async () => {
    await close(`${yesterday}T08:00:00Z`, 1);
    await close(`${yesterday}T09:00:00Z`, 2, otherBot);
    const investor = await server.signedIn('investor');
    for (const person of [owner, other, admin, investor]) await want(person, true);
    await had('2026-01-01');
    await run(at('06:30:00'));
    const pnl = (person: Person) => /Net PNL: (\S+)/u.exec(sentTo(person)[0]?.text ?? '')?.[1];
    expect([owner, other, admin, investor].map(pnl)).toEqual(['+$1.00', '+$2.00', '+$3.00', '+$3.00']);
  });

  test('OP-64 of a day without a trade says so, without a file', async () => {
    await close(`${yesterday}T09:00:00Z`, 2, otherBot);
    await want(owner, true);
    await had('2026-01-01');
    await run(at('06:00:00'));
    const [mail] = sentTo(owner);
    expect([mail?.subject, mail?.attachments]).toEqual([`Daily Report ${yesterday}`, []]);
    expect(mail?.text).toMatch(
      /^No trade was closed on \d{4}-\d\d-\d\d \(UTC\)\.\s+You get this mail each morning because you asked for it\./u,
    );
  });

  test('names the currencies that it does not add', async () => {
    await close(`${yesterday}T08:00:00Z`, 0.5, botId, 'ETH/BTC');
    await want(owner, true);
    await had('2026-01-01');
    await run(at('06:00:00'));
    expect(sentTo(owner)[0]?.text).toContain('Amounts in other currencies than dollars are not added.');
  });

  test('names them too where trades in dollars are added', async () => {
    await close(`${yesterday}T08:00:00Z`, 0.5, botId, 'ETH/BTC');
    await close(`${yesterday}T09:00:00Z`, 12);
    await want(owner, true);
    await had('2026-01-01');
    await run(at('06:00:00'));
    expect(sentTo(owner)[0]?.text).toContain('Net PNL: +$12.00');
    expect(sentTo(owner)[0]?.text).toContain('Amounts in other currencies than dollars are not added.');
  });
});

describe('is sent once a day', () => {
  test('from six o’clock UTC on, and not again the same day', async () => {
    await want(owner, true);
    await had('2026-01-01');
    await run(at('00:00:00'));
    await run(at('05:59:59'));
    expect(mails).toEqual([]);
    for (const time of ['06:00:00', '06:01:00', '12:00:00', '23:59:59']) await run(at(time));
    expect(sentTo(owner)).toHaveLength(1);
    await run(at('05:59:59', utcDay(Date.parse(day) + dayMs)));
    expect(sentTo(owner)).toHaveLength(1);
    await run(at('06:00:00', utcDay(Date.parse(day) + dayMs)));
    expect(sentTo(owner).map(({ subject }) => subject)).toEqual([`Daily Report ${yesterday}`, `Daily Report ${day}`]);
  });

  test('also when the server was down at six, but not for days that are longer gone', async () => {
    await want(owner, true);
    await had('2026-01-01');
    await run(at('21:17:00'));
    expect(sentTo(owner).map(({ subject }) => subject)).toEqual([`Daily Report ${yesterday}`]);
    const fourDaysLater = utcDay(Date.parse(day) + 4 * dayMs);
    await run(at('03:00:00', fourDaysLater));
    await run(at('08:00:00', fourDaysLater));
    expect(
      sentTo(owner)
        .map(({ subject }) => subject)
        .slice(1),
    ).toEqual([`Daily Report ${utcDay(Date.parse(day) + 3 * dayMs)}`]);
  });

  test('by however many web processes, and each mail is left whole or not at all', async () => {
    for (const person of [owner, other, admin]) await want(person, true);
    await had('2026-01-01');
    await Promise.all(Array.from({ length: 5 }, () => leave(at('06:00:00'))));
    expect((await db.selectFrom('mailOutbox').select('recipient').execute()).map(({ recipient }) => recipient).toSorted()).toEqual(
      [owner, other, admin].map(({ email }) => email).toSorted(),
    );
    await Promise.all(Array.from({ length: 3 }, () => send(at('06:00:10'))));
    expect(mails).toHaveLength(3);
  });

  test('a mail that could not be left is left by the next round', async () => {
    await want(owner, true);
    await had('2026-01-01');
    await sql`alter table mail_outbox add constraint nobody check (recipient = '') not valid`.execute(db);
    const errors: unknown[] = [];
    await leaveDueReports({ db, pageUrl: 'https://bots.example.com/', now: () => at('06:00:00'), onError: (error) => errors.push(error) });
    expect(errors).toHaveLength(1);
    await sql`alter table mail_outbox drop constraint nobody`.execute(db);
    await run(at('06:01:00'));
    expect(sentTo(owner)).toHaveLength(1);
  });

  test('a report that cannot be made keeps nobody else from theirs', async () => {
    for (const person of [owner, other]) await want(person, true);
    await had('2026-01-01');
    const [first, second] = await listReadersWithout(db, yesterday);
    await sql`alter table mail_outbox add constraint not_this check (recipient <> ${sql.lit(first?.email ?? '')}) not valid`.execute(db);
    const errors: unknown[] = [];
    await leaveDueReports({ db, pageUrl: 'https://bots.example.com/', now: () => at('06:00:00'), onError: (error) => errors.push(error) });
    await sql`alter table mail_outbox drop constraint not_this`.execute(db);
    expect([errors.length, await db.selectFrom('mailOutbox').select('recipient').execute()]).toEqual([1, [{ recipient: second?.email }]]);
  });

  test('a report of all bots that could not be made is made again for the next who gets it, in the same round', async () => {
    const second = await server.signedIn('admin');
    for (const person of [admin, second]) await want(person, true);
    await had('2026-01-01');
    let isLost = false;
    const losesOne = db.withPlugin({
      transformQuery({ node }) {
        if (isLost || node.kind !== 'RawNode') return node;
        isLost = true;
        throw new Error('the connection was lost');
      },
      transformResult: async ({ result }) => result,
    });
    const errors: unknown[] = [];
    await leaveDueReports({
      db: losesOne,
      pageUrl: 'https://bots.example.com/',
      now: () => at('06:00:00'),
      onError: (error) => errors.push(error),
    });
    const left = async () => (await db.selectFrom('mailOutbox').select('recipient').execute()).length;
    expect([errors.length, await left()]).toEqual([1, 1]);
    await leave(at('06:01:00'));
    expect(await left()).toBe(2);
  });

  test('a refused one keeps its file for the next try; once it is sent text and file are gone', async () => {
    await close(`${yesterday}T08:00:00Z`, 12.5);
    await want(owner, true);
    await had('2026-01-01');
    server.mailBox.refuse(true);
    await leave(at('06:00:00'));
    await sendDueMails(db, mailer, { now: () => at('06:00:01'), onError: () => {} });
    const kept = () => db.selectFrom('mailOutbox').select(['body', 'attachment', 'attachmentName', 'sentAt']).executeTakeFirst();
    expect((await kept())?.attachment?.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await admin.listMails({ query: {} })).mails[0]).toMatchObject({ subject: `Daily Report ${yesterday}`, state: 'waiting' });
    expect(JSON.stringify(await admin.listMails({ query: {} })).length).toBeLessThan(1_000); // the outbox page does not carry the files
    server.mailBox.refuse(false);
    await send(at('06:05:00'));
    expect(sentTo(owner)[0]?.attachments[0]?.content.subarray(0, 5).toString()).toBe('%PDF-');
    expect(await kept()).toEqual({ body: '', attachment: null, attachmentName: null, sentAt: expect.any(Date) });
  });
});

describe('nobody gets it who', () => {
  const onTheWay = async (change: (person: Person) => Promise<unknown>): Promise<number> => {
    const person = await server.signedIn('trader');
    await want(person, true);
    await had('2026-01-01');
    await change(person);
    await run(at('06:00:00'));
    return sentTo(person).length;
  };

  test('has not asked for it, or not any more', async () => {
    await run(at('06:00:00'));
    expect(mails).toEqual([]);
    expect(await onTheWay(async () => {})).toBe(1);
    expect(await onTheWay((person) => want(person, false))).toBe(0);
  });

  test('is not verified, has no confirmed address, or is gone', async () => {
    expect(await onTheWay(({ userId }) => updateUser(db, userId, { verified: false }))).toBe(0);
    expect(await onTheWay(({ userId }) => updateUser(db, userId, { emailVerified: false }))).toBe(0);
    expect(await onTheWay(({ userId }) => db.deleteFrom('users').where('id', '=', userId).execute())).toBe(0);
  });

  test('becomes another one while the report is made: the report of before is not sent', async () => {
    const person = await server.signedIn('operator');
    await want(person, true);
    await had('2026-01-01');
    const [reader] = await listReadersWithout(db, yesterday);
    if (reader === undefined) throw new Error('nobody wants the report');
    const allBots = { recipient: person.email, subject: 'all bots', body: '' };
    for (const change of [{ verified: false }, { emailVerified: false }]) {
      await updateUser(db, person.userId, change);
      expect([await leaveReport(db, reader, yesterday, allBots), await listReadersWithout(db, yesterday)]).toEqual([false, []]);
      await updateUser(db, person.userId, { verified: true, emailVerified: true });
    }
    await updateUser(db, person.userId, { role: 'trader' });
    expect(await leaveReport(db, reader, yesterday, allBots)).toBe(false);
    await run(at('06:00:00'));
    expect(sentTo(person).map(({ subject }) => subject)).toEqual([`Daily Report ${yesterday}`]);
  });
});

describe('the switch', () => {
  test('is off at first, stays as it was set for that person alone, and each change is in the audit log', async () => {
    expect(await owner.getReportMail({})).toEqual({ wanted: false, goes_to: 'server' });
    expect(await want(owner, true)).toEqual({ wanted: true, goes_to: 'server' });
    await want(owner, true);
    expect([(await owner.getReportMail({})).wanted, (await other.getReportMail({})).wanted]).toEqual([true, false]);
    await want(owner, false);
    await want(owner, false);
    expect((await owner.getReportMail({})).wanted).toBe(false);
    const { lines } = await listAudit(db, { action: 'report-mail' }, 10);
    expect(
      lines
        .filter(({ actorId }) => actorId === owner.userId)
        .slice(0, 2)
        .map(({ detail }) => detail),
    ).toEqual([
      { from: 'on', to: 'off' },
      { from: 'off', to: 'on' },
    ]);
    expect((await failure(server.browser().getReportMail({}))).status).toBe(401);
  });

  test('switched on, it begins with the next morning; switched off and on, no day comes twice', async () => {
    const lastDay = async () => (await db.selectFrom('reportReaders').select('lastDay').executeTakeFirst())?.lastDay;
    const hour = server.dependencies.now().getUTCHours();
    await want(owner, true);
    expect(await lastDay()).toBe(utcDay(server.dependencies.now().getTime() - (hour >= 6 ? 1 : 2) * dayMs));
    await leave(server.dependencies.now());
    expect(await db.selectFrom('mailOutbox').select('id').execute()).toEqual([]);
  });

  test('without a mail server the mails are files, also what goes with them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-reports-'));
    try {
      await close(`${yesterday}T08:00:00Z`, 12.5);
      await want(owner, true);
      await had('2026-01-01');
      await leave(at('06:00:00'));
      const toFiles = fileMailer(
        folder,
        () => {},
        () => at('06:00:05'),
      );
      await sendDueMails(db, toFiles, { now: () => at('06:00:05'), onError });
      const names = readdirSync(folder).toSorted();
      expect(names.map((name) => name.split('.').at(-1))).toEqual(['pdf', 'txt']);
      expect(
        readFileSync(join(folder, names[0] ?? ''))
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-');
      expect(readFileSync(join(folder, names[1] ?? ''), 'utf8')).toContain('Net PNL: +$12.50');
    } finally {
      rmSync(folder, { recursive: true });
    }
    const without = await startTestServer({ mailer: { ...mailer, goesTo: 'files' } });
    expect((await (await without.signedIn('trader')).getReportMail({})).goes_to).toBe('files');
  });
});
