import { writeAudit } from '#storage/audit/audit-log.ts';
import type { Database } from '#storage/database.ts';
import { placeOutside } from '#storage/embedded/server-place.ts';
import { claimFact, keyFact, readFact, writeFact } from '#storage/installation/facts.ts';
import { adoptNextKey } from '#vault/key-change.ts';
import { keyFingerprint, masterKeyPath, openMasterKey } from '#vault/master-key.ts';
import type { Config } from './config.ts';

/**
 * The key of this installation. The database keeps its fingerprint: every process that works on a database must have the
 * same key, or codes and secrets of one could not be read by another. It is made only where the database knows none yet.
 *
 * Fails: with one sentence when the key is another than the database's, or is missing
 */
export async function installationKey(db: Database, { home, masterKey }: Pick<Config, 'home' | 'masterKey'>): Promise<Buffer> {
  const known = await readFact<string>(db, keyFact);
  const path = masterKey.file ?? (masterKey.text === null ? masterKeyPath(home) : null);
  if (known !== null && path !== null) adoptNextKey(path, known); // a change of the key was interrupted
  const key = openMasterKey({ home, ...masterKey }, known === null || masterKey.isLost);
  if (key !== null && (await claimFact(db, keyFact, keyFingerprint(key))) === keyFingerprint(key)) return key;
  if (key !== null && masterKey.isLost) {
    await db.transaction().execute(async (trx) => {
      await writeFact(trx, keyFact, keyFingerprint(key));
      await writeAudit(trx, { actorId: null, actorRole: null, action: 'replace-master-key', result: 'ok' });
    });
    return key;
  }
  const outside = key === null ? placeOutside(home) : null;
  const startOver = outside === null ? '' : ` If you have deleted ${home} to start over with nothing, delete ${outside}, too.`;
  throw new Error(
    `The key of this database is not ${key === null ? 'there' : 'the one'} in ${path ?? 'MASTER_KEY'}. Copy keys/master.key from the first machine (after a restore: from your safe copy) to ${masterKeyPath(home)}, or name it by MASTER_KEY_FILE; if it is lost for good, set MASTER_KEY_LOST=yes for one start, and enter all API keys again.${startOver}`,
  );
}
