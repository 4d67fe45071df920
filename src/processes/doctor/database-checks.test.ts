import { hourMs } from '#engine/market/durations.ts';
import { backupTestFact, keyFact, passedBackupFact, removeFact, writeFact } from '#storage/installation/facts.ts';
import { keyFingerprint, openMasterKey } from '#vault/master-key.ts';
import { writeNextKey } from '#vault/key-change.ts';
import { sql } from 'kysely';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { checkDatabase } from './database-checks.ts';
import { checkMasterKey } from './key-check.ts';

const { db, url } = await freshDatabase();
const empty = await freshDatabase('template0');
const now = Date.UTC(2026, 10, 22);
const check = async (name: string, { isEmbedded = false, at = url, outside = null as string | null } = {}) =>
  (await checkDatabase(at, { isEmbedded, outside, now })).findings.find((finding) => finding.check === name);

describe('the database', () => {
  test('of a sound set-up has no fault, and says what bots trade on', async () => {
    await addTestBot(db, { strategy: 'BuyAndHold' });
    const { findings, markets } = await checkDatabase(url, { isEmbedded: false, outside: null, now });
    expect(findings.map(({ check: name, state }) => [name, state])).toEqual([
      ['database', 'ok'],
      ['migrations', 'ok'],
      ['durability', 'ok'],
      ['backups', 'ok'],
    ]);
    expect(markets).toMatchObject([{ exchangeId: 'sandbox', marketType: 'spot' }]);
  });

  test('that is not there, or takes another password, is broken, and no password is printed', async () => {
    const finding = await check('database', { at: 'postgres://flotilla:secret-word@127.0.0.1:1/none' });
    expect(finding).toMatchObject({ state: 'broken', toDo: 'Check DATABASE_URL and that server.' });
    expect(JSON.stringify(finding)).not.toContain('secret-word');
    const missing = new URL(url);
    missing.pathname = '/not-there';
    expect(await check('database', { at: missing.href })).toMatchObject({ state: 'broken', found: expect.stringContaining('not-there') });
  });

  test('without our tables waits for its migrations; nothing is made by the check', async () => {
    expect(await check('migrations', { at: empty.url })).toMatchObject({ state: 'warning', toDo: expect.stringContaining('-- migrate') });
    const { rows } = await sql`select 1 from pg_tables where schemaname = 'public'`.execute(empty.db);
    expect(rows).toEqual([]);
  });

  test('of a newer version is broken, of an older one is to be brought up to date', async () => {
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2026-01-01')`.execute(db);
    expect(await check('migrations')).toMatchObject({ state: 'broken', found: expect.stringContaining('9999-later') });
    await sql`delete from kysely_migration where name = '9999-later'`.execute(db);
    await sql`delete from kysely_migration where name = '0019-report-mails'`.execute(db);
    expect(await check('migrations')).toMatchObject({ state: 'warning', found: expect.stringContaining('0019-report-mails') });
    await sql`insert into kysely_migration (name, timestamp) values ('0019-report-mails', '2026-01-01')`.execute(db);
  });

  test('that acknowledges what it has not written is broken', async () => {
    const name = sql.id(new URL(url).pathname.slice(1));
    await sql`alter database ${name} set synchronous_commit = off`.execute(db);
    expect(await check('durability')).toMatchObject({ state: 'broken', found: expect.stringContaining('synchronous_commit is off') });
    await sql`alter database ${name} reset synchronous_commit`.execute(db);
    expect(await check('durability')).toMatchObject({ state: 'ok' });
  });

  test('that is embedded has had a backup lately, or not', async () => {
    await removeFact(db, passedBackupFact);
    expect(await check('backups', { isEmbedded: true })).toMatchObject({ state: 'warning' });
    const passed = (hours: number) =>
      writeFact(db, passedBackupFact, { file: 'b.flotilla', madeAt: new Date(now - hours * hourMs).toISOString(), bytes: 1 });
    await passed(12);
    expect(await check('backups', { isEmbedded: true })).toMatchObject({
      state: 'ok',
      found: 'The newest that has passed its test is 12 hours old.',
    });
    await passed(14);
    expect(await check('backups', { isEmbedded: true })).toMatchObject({ state: 'broken' });
    await passed(-1);
    expect(await check('backups', { isEmbedded: true })).toMatchObject({ state: 'broken', found: expect.stringContaining('future') });
  });

  test('whose last backup has failed its test is broken, and what to do names the one that has passed', async () => {
    const fault = 'trades has 1 rows instead of 2, and 0 other tables differ.';
    await writeFact(db, backupTestFact, { testedAt: new Date(now).toISOString(), file: 'a.flotilla', fault });
    await writeFact(db, passedBackupFact, { file: 'b.flotilla', madeAt: new Date(now - 7 * hourMs).toISOString(), bytes: 1 });
    expect(await check('backups', { isEmbedded: true })).toMatchObject({
      state: 'broken',
      found: `The backup a.flotilla did not pass its test, so it does not count: ${fault}`,
      toDo: expect.stringMatching(/^Copy backups\/b\.flotilla to another machine: it is 7 hours old/u),
    });
    await removeFact(db, passedBackupFact);
    expect(await check('backups', { isEmbedded: true })).toMatchObject({
      state: 'broken',
      toDo: expect.stringMatching(
        /^None has passed\. Copy FLOTILLA_HOME to another disk while Flotilla is stopped.+ report it with this text\.$/u,
      ),
    });
    expect(await check('backups', { isEmbedded: true, outside: '/var/lib/flotilla/abc' })).toMatchObject({
      toDo: expect.stringContaining('Copy FLOTILLA_HOME and /var/lib/flotilla/abc to another disk while Flotilla is stopped'),
    });
    const noRoom = 'There is no room for a backup and its test in /data: that takes 30 MB, and 4 MB are free.';
    await writeFact(db, backupTestFact, { testedAt: new Date(now).toISOString(), file: null, fault: noRoom, isOfRoom: true });
    expect(await check('backups', { isEmbedded: true })).toMatchObject({
      state: 'broken',
      found: `No backup was made: ${noRoom}`,
      toDo: expect.stringMatching(/^Make room on that disk\. None has passed\. .+ Flotilla tries again every hour\.$/u),
    });
  });
});

describe('the master key', () => {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-doctor-key-'));
  afterAll(() => rmSync(home, { recursive: true }));
  const source = { home, masterKey: { file: null, text: null, isLost: false } };
  const fingerprint = async (): Promise<string | null> => (await checkDatabase(url, { isEmbedded: false, outside: null, now })).fingerprint;

  test('is made by the first start, and belongs to its database from then on', async () => {
    expect(checkMasterKey(source, await fingerprint())).toMatchObject({ state: 'ok', found: expect.stringContaining('first start') });
    const key = openMasterKey({ home, file: null, text: null }, true);
    await writeFact(db, keyFact, keyFingerprint(key ?? Buffer.alloc(0)));
    expect(checkMasterKey(source, await fingerprint())).toMatchObject({ state: 'ok', found: expect.stringContaining('of this database') });
  });

  test('of another installation, missing or damaged, is broken', async () => {
    const other = { ...source, masterKey: { ...source.masterKey, text: Buffer.alloc(32, 1).toString('base64') } };
    expect(checkMasterKey(other, await fingerprint())).toMatchObject({ state: 'broken', found: expect.stringContaining('not the one') });
    expect(checkMasterKey({ ...source, home: join(home, 'none') }, await fingerprint())).toMatchObject({
      state: 'broken',
      found: expect.stringContaining('not there'),
    });
    writeFileSync(join(home, 'bad'), 'no key', { mode: 0o600 });
    const bad = { ...source, masterKey: { ...source.masterKey, file: join(home, 'bad') } };
    expect(checkMasterKey(bad, await fingerprint())).toMatchObject({
      state: 'broken',
      found: expect.stringContaining('does not hold a key'),
    });
  });

  test('whose change was interrupted is finished by the next start', async () => {
    const next = writeNextKey(join(home, 'keys', 'master.key'));
    await writeFact(db, keyFact, keyFingerprint(next));
    expect(checkMasterKey(source, await fingerprint())).toMatchObject({ state: 'warning' });
  });
});
