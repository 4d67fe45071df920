import type { Config } from '#processes/config.ts';
import { checkAudit, lostHeads, type AuditHead } from '#storage/audit/audit-log.ts';
import { openDatabase } from '#storage/database.ts';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withDatabase } from './backup-command.ts';
import { CommandError, type Say } from './command-error.ts';

/**
 * Checks the audit log: that no line was changed or taken out, and that every end of it that the web process has noted in its log is
 * still there: what was cut off the end is seen in no other way. Without `files` the logs of this instance are read. 0: complete; else 1
 */
export async function auditCheckCommand(config: Config, files: readonly string[] | null, say: Say): Promise<0 | 1> {
  const own = [join(config.home, 'logs', 'web.log.1'), join(config.home, 'logs', 'web.log')].filter((file) => existsSync(file));
  const heads = (files ?? own).flatMap((file) => headsIn(resolve(file)));
  const { broken, lines, lost } = await withDatabase(config, async (url) => {
    const db = openDatabase(url, { connections: 1 });
    try {
      return { ...(await checkAudit(db)), lost: await lostHeads(db, heads) };
    } finally {
      await db.destroy();
    }
  });
  if (broken === null) say(`${lines} lines: each follows the one before, and none was changed.`);
  else
    say(
      `Line ${broken.id} of ${broken.time.toISOString()} was changed, or does not follow the one before. ${lines} lines before it are as written.`,
    );
  for (const { id, hash } of lost) say(`Line ${id}, which was once the last one (${hash.slice(0, 12)}), is gone or another one.`);
  if (heads.length === 0) say('No log of the web process names an end of the audit log: whether lines were cut off is not known.');
  else if (lost.length === 0)
    say(`All ${heads.length} ends that the log of the web process names are there: nothing was cut off before the newest.`);
  else say('Lines were cut off the end, unless the database was restored from a backup since.');
  return broken === null && lost.length === 0 ? 0 : 1;
}

/** The ends of the audit log that a log of the web process names. Fails: with one sentence when it cannot be read */
function headsIn(file: string): AuditHead[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CommandError(`${file} cannot be read.`);
  }
  return text.split('\n').flatMap((line) => headOf(line) ?? []);
}

/** The end that a line of the log names; null for any other line, and one that a crash has cut. */
function headOf(line: string): AuditHead | null {
  if (!line.includes('"the audit log ends here"')) return null;
  try {
    const { head } = JSON.parse(line) as { head?: Partial<AuditHead> | null };
    const { id, hash } = head ?? {};
    return typeof id === 'string' && /^\d+$/u.test(id) && typeof hash === 'string' ? { id, hash } : null;
  } catch {
    return null;
  }
}
