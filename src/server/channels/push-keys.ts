import type { PushKeys } from '#outbound/channels/push-keys.ts';
import { newPushKeys } from '#outbound/channels/push-keys.ts';
import type { Database } from '#storage/database.ts';
import { claimFact, lockFact, pushKeysFact, writeFact } from '#storage/installation/facts.ts';
import type { PushSecrets, SealedPushKeys } from '#vault/push-secrets.ts';

/**
 * The keys that browsers know this installation by: made at the first start and kept, because every subscription is bound to them. Keys
 * that were sealed with a lost key are replaced; where channels lead was lost with the same key.
 */
export async function openPushKeys(db: Database, secrets: PushSecrets): Promise<PushKeys> {
  await claimFact(db, pushKeysFact, secrets.seal(JSON.stringify(newPushKeys())));
  return db.transaction().execute(async (trx) => {
    const sealed = await lockFact<SealedPushKeys>(trx, pushKeysFact);
    const opened = sealed === null ? null : openWith(secrets, sealed);
    if (opened !== null) return opened;
    const keys = newPushKeys();
    await writeFact(trx, pushKeysFact, secrets.seal(JSON.stringify(keys)));
    return keys;
  });
}

/** Seals them with another key, and gives how many secrets that were. */
export async function resealPushKeys(trx: Database, before: PushSecrets, after: PushSecrets): Promise<number> {
  const sealed = await lockFact<SealedPushKeys>(trx, pushKeysFact);
  if (sealed === null) return 0;
  await writeFact(trx, pushKeysFact, after.seal(before.open(sealed)));
  return 1;
}

function openWith(secrets: PushSecrets, sealed: SealedPushKeys): PushKeys | null {
  try {
    return JSON.parse(secrets.open(sealed)) as PushKeys; // as they were sealed here
  } catch {
    return null;
  }
}
