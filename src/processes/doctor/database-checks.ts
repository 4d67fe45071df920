import { hourMs } from '#engine/market/durations.ts';
import { failedBackupText, failureOf, roomAdvice, staleBackupMs } from '#storage/backup/backup-state.ts';
import type { UsedMarket } from '#storage/bots/bots.ts';
import { botsInUse } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { checkServerVersion, durabilityFault, isStandby, openDatabase } from '#storage/database.ts';
import type { BackupTest, PassedBackup } from '#storage/installation/facts.ts';
import { backupTestFact, keyFact, passedBackupFact, readFact } from '#storage/installation/facts.ts';
import { storeFault } from '#storage/installation/store-fault.ts';
import { schemaState } from '#storage/migrate.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { Finding } from './finding.ts';
import { broken, ok, warning } from './finding.ts';

/** What the database says of the set-up, and what other checks need from it. */
export interface DatabaseFindings {
  findings: Finding[];
  fingerprint: string | null; // of the master key
  markets: readonly UsedMarket[]; // that bots trade on
}

/** Whose database is checked, and when. */
export interface DatabaseCheck {
  isEmbedded: boolean;
  outside: string | null; // the folder of an embedded one that is not in its home
  now: number;
}

/** Nothing is known about a database that was not made yet or does not answer. */
export const unknownDatabase = { fingerprint: null, markets: [] } as const;

/** Checks a database that can be reached at `url`; nothing is written. */
export async function checkDatabase(url: string, options: DatabaseCheck): Promise<DatabaseFindings> {
  const db = openDatabase(url, { connections: 1, onError: () => {} });
  try {
    await checkServerVersion(db);
    const { isOurs, missing, newer } = await schemaState(db);
    const findings = [
      await serverFinding(db),
      schemaFinding(missing, newer, options.isEmbedded),
      durabilityFinding(await (isOurs ? storeFault(db) : durabilityFault(db))),
    ];
    if (!isOurs || missing.length > 0 || newer.length > 0) return { findings, ...unknownDatabase };
    findings.push(await backupFinding(db, options));
    return { findings, fingerprint: await readFact<string>(db, keyFact), markets: (await botsInUse(db)).markets };
  } catch (error) {
    const found = `It cannot be used: ${reason(error)}.`;
    const toDo = options.isEmbedded ? 'See postgres.log beside its data.' : 'Check DATABASE_URL and that server.';
    return { findings: [broken('database', found, toDo)], ...unknownDatabase };
  } finally {
    await db.destroy();
  }
}

async function serverFinding(db: Database): Promise<Finding> {
  return (await isStandby(db))
    ? broken('database', 'It is a standby and takes no writes.', 'Name the primary in DATABASE_URL, or promote this one.')
    : ok('database', 'It answers and its version is supported.');
}

function schemaFinding(missing: readonly string[], newer: readonly string[], isEmbedded: boolean): Finding {
  if (newer.length > 0)
    return broken('migrations', `The database was made by a newer version (${newer.join(', ')}).`, 'Start that version of Flotilla.');
  if (missing.length === 0) return ok('migrations', 'The database is up to date.');
  const toDo = isEmbedded ? 'The next start brings it up to date.' : 'Make a backup, then run: npm run -s flotilla -- migrate';
  return warning('migrations', `The database lacks ${missing.length} (${missing.at(0)} ...).`, toDo);
}

function durabilityFinding(fault: string | null): Finding {
  if (fault === null) return ok('durability', 'What the database has acknowledged survives a loss of power.');
  return broken('durability', fault, 'Switch it on in postgresql.conf of that server, and keep the data on a disk.');
}

async function backupFinding(db: Database, { isEmbedded, outside, now }: DatabaseCheck): Promise<Finding> {
  if (!isEmbedded) return ok('backups', 'The operator of the database server makes them.');
  const [passed, test] = [await readFact<PassedBackup>(db, passedBackupFact), await readFact<BackupTest>(db, backupTestFact)];
  const toDo = 'Leave Flotilla running: it makes and tests the next one by itself.';
  const hours = passed === null ? null : Math.floor((now - Date.parse(passed.madeAt)) / hourMs);
  const failed = test === null ? null : failureOf(test);
  if (failed !== null) {
    const rescue =
      passed === null
        ? `None has passed. Copy FLOTILLA_HOME${outside === null ? '' : ` and ${outside}`} to another disk while Flotilla is stopped; that is a backup, too.`
        : `Copy backups/${passed.file} to another machine: it is ${hours} hours old and has given everything back.`;
    const then = failed.isOfRoom
      ? 'Flotilla tries again every hour.'
      : 'Flotilla tries again every hour; where this repeats, report it with this text.';
    return broken('backups', failedBackupText(failed), [...(failed.isOfRoom ? [roomAdvice] : []), rescue, then].join(' '));
  }
  if (hours === null) return warning('backups', 'None was made yet; the first comes ten minutes after the start.', toDo);
  if (hours < 0) return broken('backups', 'The newest that has passed its test is from the future: a clock was wrong.', toDo);
  const found = `The newest that has passed its test is ${hours} hours old.`;
  return hours * hourMs > staleBackupMs ? broken('backups', found, toDo) : ok('backups', found);
}

/** Without the address, which may hold a password. */
function reason(error: unknown): string {
  const { code } = error as { code?: string };
  return (errorText(error) || code || 'no reason was given').replaceAll(/\w+:\/\/\S+/gu, '...').replace(/\.$/u, '');
}
