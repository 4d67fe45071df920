import type { Credentials } from '#engine/ports/credentials.ts';
import { inspect } from 'node:util';
import { credentialsPlace, type KeyRow } from './credentials.ts';
import { type OpeningKey, openSecret } from './opening.ts';
import type { SealedSecret } from './secret-box.ts';

/**
 * The key of an account, opened. Printed, logged or made into JSON it says only that it is there.
 *
 * Fails: as `openSecret`
 */
export async function openCredentials(
  opening: OpeningKey,
  row: KeyRow & { sealed: Readonly<Record<string, unknown>> },
): Promise<Credentials> {
  const text = await openSecret(opening, credentialsPlace(row), row.sealed as SealedSecret);
  const [key, secret, passphrase] = JSON.parse(text) as [string, string, string | null];
  return Object.defineProperties({ key, secret, passphrase }, { toJSON: { value: hidden }, [inspect.custom]: { value: hidden } });
}

const hidden = (): string => '[API key]';
