import { writeAudit } from '#storage/audit/audit-log.ts';
import { openDatabase } from '#storage/database.ts';
import { restore } from '#storage/backup/restore.ts';
import { basename, resolve } from 'node:path';
import { withDatabase } from './backup-command.ts';
import type { Config } from '#processes/config.ts';

/** Fills an empty database from a backup and says what was done. */
export async function restoreCommand(config: Config, file: string, say: (line: string) => void): Promise<void> {
  const fill = async (url: string): Promise<void> => {
    const done = await restore(url, resolve(file));
    const db = openDatabase(url, { connections: 1 });
    try {
      await writeAudit(db, {
        actorId: null,
        actorRole: null,
        action: 'restore',
        target: basename(file),
        result: 'ok',
        detail: { madeAt: done.madeAt, pausedBots: done.pausedBots },
      });
    } finally {
      await db.destroy();
    }
    say(`Restored the backup of ${done.madeAt}: ${done.rows} rows.`);
    say(`${done.pausedBots} bots were paused: active ones, and live ones that were stopped, because they may have traded since.`);
    say('Start the product, wait a minute, and compare: npm run -s flotilla -- accounts. Then activate the bots.');
    say(`Everybody signs in again. The product starts only with the key of that time: put it back as ${config.home}/keys/master.key.`);
  };
  await withDatabase(config, fill, { fillsIt: true });
}
