import { lockKeysSealedOtherwise, resealApiKey } from '#storage/exchange-accounts/api-keys.ts';
import { lockSealedAuthenticators, resealAuthenticator } from '#storage/auth/authenticators.ts';
import { writeAudit } from '#storage/audit/audit-log.ts';
import { type Database, openDatabase } from '#storage/database.ts';
import { lockSealedChannels, resealChannel } from '#storage/channels/channels.ts';
import { keyFact, lockFact, writeFact } from '#storage/installation/facts.ts';
import { hasLiveRunner } from '#storage/bots/runners.ts';
import type { Sealed } from '#storage/schema.ts';
import { resealStrategy, sealedStrategySecrets } from '#storage/strategies/strategy-settings.ts';
import { authenticatorSecrets } from '#vault/authenticator-secrets.ts';
import { channelSecrets } from '#vault/channel-secrets.ts';
import { sealCredentials } from '#vault/credentials.ts';
import { markOf } from '#vault/key-marks.ts';
import { adoptNextKey, writeNextKey } from '#vault/key-change.ts';
import { keyFingerprint, masterKeyPath } from '#vault/master-key.ts';
import { openCredentials } from '#vault/open-credentials.ts';
import { openingKey } from '#vault/opening.ts';
import { pushSecrets } from '#vault/push-secrets.ts';
import { sealingKey } from '#vault/sealing.ts';
import { type StrategySecrets, strategySecrets } from '#vault/strategy-secrets.ts';
import type { Config } from './config.ts';
import { installationKey } from './installation-key.ts';
import { resealPushKeys } from '#server/channels/push-keys.ts';

/** What was done. */
export interface KeyChange {
  path: string; // the file with the new key
  resealed: number; // secrets
}

/**
 * Gives an installation another key: every secret is opened with the old one and sealed with the new one in a single
 * transaction, which also makes the new one the database's. Ended at any moment, the installation has one of the two.
 *
 * Fails: with one sentence when the key is not in a file, a runner is at work, or a secret cannot be opened
 */
export async function changeKey(databaseUrl: string, config: Pick<Config, 'home' | 'masterKey'>): Promise<KeyChange> {
  const { home, masterKey } = config;
  if (masterKey.text !== null && masterKey.file === null)
    throw new Error('The key is the text of MASTER_KEY. Write it to a file, name that by MASTER_KEY_FILE, and change it then.');
  const path = masterKey.file ?? masterKeyPath(home);
  const db = openDatabase(databaseUrl, { connections: 1 });
  try {
    const old = await installationKey(db, config);
    const opening = await openingKey(old);
    const { resealed, keyId } = await db.transaction().execute(async (trx) => {
      if ((await lockFact<string>(trx, keyFact)) !== keyFingerprint(old))
        throw new Error('The key has just been changed by another command.');
      if (await hasLiveRunner(trx)) throw new Error('Flotilla is running on this database. Stop it everywhere first.');
      const next = writeNextKey(path); // under the lock: two at once would write over each other's
      const sealing = await sealingKey(next);
      const rows = await lockKeysSealedOtherwise(trx, sealing.id);
      for (const row of rows) {
        const credentials = await openCredentials(opening, row);
        // One without a mark stays without: another row may have the same key.
        const keyMark = row.keyMark === null ? null : markOf(sealing.marking, row.exchangeId, credentials.key);
        await resealApiKey(trx, row.id, { sealed: await sealCredentials(sealing, row, credentials), keyMark });
      }
      const strategies = await resealStrategies(trx, strategySecrets(old), strategySecrets(next));
      const channels = await lockSealedChannels(trx);
      const [before, after] = [channelSecrets(old), channelSecrets(next)];
      for (const row of channels) await resealChannel(trx, row.id, after.seal(row, before.open(row, row.sealed)));
      const apps = await lockSealedAuthenticators(trx);
      const [appsBefore, appsAfter] = [authenticatorSecrets(old), authenticatorSecrets(next)];
      for (const row of apps) await resealAuthenticator(trx, row.id, appsAfter.seal(row, appsBefore.open(row, row.sealed)));
      const pushKeys = await resealPushKeys(trx, pushSecrets(old), pushSecrets(next));
      const count = rows.length + strategies + channels.length + apps.length + pushKeys;
      await writeFact(trx, keyFact, sealing.id);
      await writeAudit(trx, {
        actorId: null,
        actorRole: null,
        action: 'change-master-key',
        result: 'ok',
        detail: { secrets: count },
      });
      return { resealed: count, keyId: sealing.id };
    });
    adoptNextKey(path, keyId);
    return { path, resealed };
  } finally {
    await db.destroy();
  }
}

/** Seals the secrets of strategies with another key, and gives how many there are. */
async function resealStrategies(trx: Database, old: StrategySecrets, next: StrategySecrets): Promise<number> {
  let count = 0;
  for (const [id, sealed] of await sealedStrategySecrets(trx)) {
    const again = (column: 'webhook' | 'sheets_key', secret: Sealed | null): Sealed | null => {
      if (secret === null) return null;
      count += 1;
      return next.seal(id, column, old.open(id, column, secret));
    };
    await resealStrategy(trx, id, { webhook: again('webhook', sealed.webhook), sheetsKey: again('sheets_key', sealed.sheetsKey) });
  }
  return count;
}
