import { checkAudit, writeAudit } from '#storage/audit/audit-log.ts';
import type { Database } from '#storage/database.ts';
import { removeFact, writeFact } from '#storage/installation/facts.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
/** Changes the log as somebody would who owns the database. */
const tamper = (change: (trx: Database) => Promise<unknown>) =>
  db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ text: string }>`select pg_get_functiondef('refuse_change'::regproc) as text`.execute(trx);
    await sql`create or replace function refuse_change() returns trigger language plpgsql as 'begin return coalesce(new, old); end'`.execute(
      trx,
    );
    await change(trx);
    await sql.raw(rows[0]?.text ?? '').execute(trx);
  });
beforeEach(() => tamper((trx) => sql`delete from audit_log`.execute(trx)));
const line = (n: number) =>
  ({ actorId: null, actorRole: null, action: 'sign-in', result: 'ok', target: `t${n}`, address: '192.0.2.1', requestId: `r${n}` }) as const;
const writeLines = async (count: number): Promise<void> => {
  for (let n = 1; n <= count; n++)
    await writeAudit(db, { ...line(n), detail: { zebra: n, a: { y: [1, { d: 1, c: 2 }], b: null }, cc: 'ü' } });
};

describe('the check of the log', () => {
  test('an untouched log is complete, in batches of any size', async () => {
    await writeLines(7);
    for (const batch of [1, 3, 7, 5_000]) expect(await checkAudit(db, batch)).toEqual({ lines: 7, broken: null });
    await tamper((trx) => sql`delete from audit_log`.execute(trx));
    expect(await checkAudit(db)).toEqual({ lines: 0, broken: null });
  });

  test.each([
    ['time', sql`time + interval '1 ms'`],
    ['actor_role', sql`'admin'`],
    ['action', sql`'sign-out'`],
    ['target', sql`'t9'`],
    ['address', sql`'192.0.2.99'`],
    ['request_id', sql`null`],
    ['result', sql`'refused'`],
    ['detail', sql`'{}'::jsonb`],
    ['hash', sql`sha256('x')`],
    ['previous_hash', sql`sha256('x')`],
  ])('a changed %s is found, and where', async (column, value) => {
    await writeLines(5);
    const { rows } = await sql<{ id: string; time: Date }>`select id, time from audit_log order by id offset 2 limit 1`.execute(db);
    await tamper((trx) => sql`update audit_log set ${sql.ref(column)} = ${value} where id = ${rows[0]?.id}`.execute(trx));
    expect(await checkAudit(db, 2)).toMatchObject({ lines: 2, broken: { id: rows[0]?.id } });
  });

  test('a line taken out of the middle is found; a removed beginning is as after its time', async () => {
    await writeLines(5);
    await tamper((trx) => sql`delete from audit_log where target in ('t1', 't2')`.execute(trx));
    expect(await checkAudit(db)).toEqual({ lines: 3, broken: null });
    await tamper((trx) => sql`delete from audit_log where target = 't4'`.execute(trx));
    expect(await checkAudit(db)).toMatchObject({ lines: 1 });
    expect((await checkAudit(db)).broken).not.toBeNull();
  });

  test('lines of an earlier version are checked for their order', async () => {
    await writeLines(3);
    const [, second] = await db.selectFrom('auditLog').select('id').orderBy('id').execute();
    await writeFact(db, 'last_audit_line_of_hash_1', { id: second?.id });
    await tamper((trx) => sql`update audit_log set hash_version = 1, detail = '{"other": 1}' where target = 't2'`.execute(trx));
    expect(await checkAudit(db)).toEqual({ lines: 3, broken: null });
    await removeFact(db, 'last_audit_line_of_hash_1');
  });

  test('a line that calls itself one of an earlier version, and is none, is found', async () => {
    await writeLines(3);
    await tamper((trx) => sql`update audit_log set hash_version = 1, detail = '{"other": 1}' where target = 't2'`.execute(trx));
    expect((await checkAudit(db)).broken).not.toBeNull();
    await tamper((trx) => sql`update audit_log set hash_version = 1 where target in ('t1', 't2')`.execute(trx));
    expect((await checkAudit(db)).broken).not.toBeNull();
  });

  test('lines written at the same time are one chain', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => writeAudit(db, line(n))));
    expect(await checkAudit(db)).toEqual({ lines: 20, broken: null });
  });
});

describe('the calls', () => {
  test('are for admins alone', async () => {
    for (const role of ['investor', 'trader', 'operator'] as const) {
      const person = await server.signedIn(role);
      for (const call of [() => person.listAudit({ query: {} }), () => person.checkAudit({})])
        expect(await failure(call())).toMatchObject({ status: 403, detail: 'Admin access required' });
    }
    expect((await failure(server.browser().listAudit({ query: {} }))).status).toBe(401);
  });

  test('list the newest first with names, a hundred at a time', async () => {
    const admin = await server.signedIn('admin');
    const bot = await addTestBot(db, { strategy: 'RsiReversal', nickname: '100%_named', owner: admin.email, status: 'active' });
    await admin.toggleBot({ params: { id: bot }, query: { status: 'paused' } });
    const { records, total } = await admin.listAudit({ query: { action: 'bot-status' } });
    expect(total).toBe(1);
    expect(records).toEqual([
      expect.objectContaining({
        actor: admin.email,
        actor_role: 'admin',
        action: 'bot-status',
        target: bot,
        target_name: '100%_named',
        result: 'ok',
        detail: { from: 'active', to: 'paused' },
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/u) as string,
      }),
    ]);
    for (const [search, found] of [
      ['100%_N', 1],
      ['100__', 0],
      ['BOT-STAT', 1],
      [admin.email.slice(0, 7), 2],
      ['%', 1],
      ['nobody at all', 0],
    ] as const)
      expect((await admin.listAudit({ query: { search } })).total, search).toBe(found);

    await writeLines(120);
    const first = await admin.listAudit({ query: {} });
    expect([first.records.length, first.records[0]?.target, first.total]).toEqual([100, 't120', 122]);
    const second = await admin.listAudit({ query: { before: first.next ?? '' } });
    expect([second.records.length, second.records[0]?.target, second.total, second.next]).toEqual([22, 't20', 122, null]);
    expect((await admin.listAudit({ query: { result: 'refused' } })).total).toBe(0);
    expect((await admin.listAudit({ query: { since: new Date(Date.now() + 60_000).toISOString() } })).total).toBe(0);
    for (const before of ['-1', '1e3', '9'.repeat(30), "'"])
      expect((await failure(admin.listAudit({ query: { before } }))).status).toBe(400);
  });

  test('say whether the log is complete', async () => {
    const admin = await server.signedIn('admin');
    await writeLines(3);
    expect(await admin.checkAudit({})).toMatchObject({ records: 4, broken: null });
    await tamper((trx) => sql`update audit_log set address = null where target = 't2'`.execute(trx));
    expect((await admin.checkAudit({})).broken).toMatchObject({ id: expect.stringMatching(/^\d+$/u) as string });
  });
});
