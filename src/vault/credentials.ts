import type { Credentials } from '#engine/ports/credentials.ts';
import type { Place, SealedSecret } from './secret-box.ts';
import { type SealingKey, sealSecret } from './sealing.ts';

/** The row of a stored key. */
export interface KeyRow {
  id: string;
  userId: string;
}

/** Where the secret of a stored key belongs. */
export function credentialsPlace({ id, userId }: KeyRow): Place {
  return { table: 'api_keys', column: 'sealed', row: id, owner: userId };
}

/** Seals the key of an account for its row. */
export async function sealCredentials(key: SealingKey, row: KeyRow, { key: name, secret, passphrase }: Credentials): Promise<SealedSecret> {
  return sealSecret(key, credentialsPlace(row), JSON.stringify([name, secret, passphrase]));
}
