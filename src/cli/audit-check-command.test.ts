import { readConfig } from '#processes/config.ts';
import { openLogFile } from '#processes/log-file.ts';
import { auditHead, writeAudit } from '#storage/audit/audit-log.ts';
import type { Database } from '#storage/database.ts';
import { sql } from 'kysely';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { auditCheckCommand } from './audit-check-command.ts';

const { db, url } = await freshDatabase();
const home = mkdtempSync(join(tmpdir(), 'audit-check-'));
const config = readConfig({ DATABASE_URL: url, FLOTILLA_HOME: home }, '/');
const log = openLogFile(home, 'web');
const check = async (files: readonly string[] | null = null) => {
  const said: string[] = [];
  return { code: await auditCheckCommand(config, files, (line) => void said.push(line)), said: said.join('\n') };
};
const write = async (count: number) => {
  for (let n = 0; n < count; n++) await writeAudit(db, { actorId: null, actorRole: null, action: 'sign-in', result: 'ok' });
};
const note = async () =>
  log.write(`${JSON.stringify({ level: 40, time: Date.now(), head: await auditHead(db), msg: 'the audit log ends here' })}\n`);
/** Changes the log as its owner can. */
const tamper = (change: (trx: Database) => Promise<unknown>) =>
  db.transaction().execute(async (trx) => {
    await sql`alter table audit_log disable trigger user`.execute(trx);
    await change(trx);
    await sql`alter table audit_log enable trigger user`.execute(trx);
  });

test('says what is not known while no log names an end', async () => {
  await write(2);
  expect(await check()).toEqual({
    code: 0,
    said: '2 lines: each follows the one before, and none was changed.\nNo log of the web process names an end of the audit log: whether lines were cut off is not known.',
  });
});

test('finds lines that were cut off the end, also when others have been written since', async () => {
  await note();
  await write(3);
  await note();
  log.write('{"head": {"id": "the audit log ends here"\n'); // cut by a crash
  expect(await check()).toMatchObject({ code: 0, said: expect.stringContaining('All 2 ends') });
  await tamper((trx) => sql`delete from audit_log where id > 3`.execute(trx));
  const cut = await check();
  expect(cut.code).toBe(1);
  expect(cut.said).toContain('3 lines: each follows the one before, and none was changed.');
  expect(cut.said).toMatch(/Line 5, which was once the last one .* is gone or another one\./u);
  expect(cut.said).not.toContain('Line 2,');
  await sql`alter sequence audit_log_id_seq restart with 4`.execute(db);
  await write(5); // lines of the same numbers in their place
  expect((await check()).code).toBe(1);
});

test('does not miss lines that were removed after their time; finds one that was changed', async () => {
  await sql`alter sequence audit_log_id_seq restart with 20`.execute(db);
  const other = openLogFile(home, 'other');
  await write(3);
  other.write(`${JSON.stringify({ head: { id: '1', hash: 'ab' }, msg: 'the audit log ends here' })}\n`);
  await tamper((trx) => sql`delete from audit_log where id < 20`.execute(trx));
  const files = [join(home, 'logs', 'other.log')];
  expect(await check(files)).toMatchObject({ code: 0 });
  await tamper((trx) => sql`update audit_log set action = 'sign-out', hash_version = 1 where id = 21`.execute(trx));
  expect(await check(files)).toMatchObject({ code: 1, said: expect.stringMatching(/^Line 21 of .* was changed/u) });
  await expect(check([join(home, 'none.log')])).rejects.toThrow('cannot be read');
});

test('an end is known from the log that was put aside when it was full', async () => {
  const other = mkdtempSync(join(tmpdir(), 'audit-check-'));
  mkdirSync(join(other, 'logs'));
  await write(3);
  const head = await auditHead(db);
  writeFileSync(join(other, 'logs', 'web.log.1'), `${JSON.stringify({ head, msg: 'the audit log ends here' })}\n`);
  writeFileSync(join(other, 'logs', 'web.log'), '{"msg":"the newest log names none yet"}\n');
  const said: string[] = [];
  const config = readConfig({ DATABASE_URL: url, FLOTILLA_HOME: other }, '/');
  await auditCheckCommand(config, null, (line) => void said.push(line));
  expect(said.at(-1)).toContain('All 1 ends that the log of the web process names are there');
  await tamper((trx) => sql`delete from audit_log where id >= ${head?.id}`.execute(trx));
  expect(await auditCheckCommand(config, null, (line) => void said.push(line))).toBe(1);
  expect(said.join('\n')).toMatch(new RegExp(`^Line ${head?.id}, which was once the last one .* is gone`, 'mu'));
});
