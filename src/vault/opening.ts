import type { webcrypto } from 'node:crypto';
import type { CipherSuite } from '@hpke/core';
import { type MarkingKey, markingKey } from './key-marks.ts';
import { keyFingerprint } from './master-key.ts';
import { cipherSuite, contextOf, keyPairOf, type Place, type SealedSecret } from './secret-box.ts';

/** What opens secrets. Only the process that signs orders, and the change of the key, may have it. */
export interface OpeningKey {
  id: string;
  suite: CipherSuite;
  pair: webcrypto.CryptoKeyPair;
  marking: MarkingKey;
}

/** The half of an installation's key that opens. */
export async function openingKey(masterKey: Buffer): Promise<OpeningKey> {
  const suite = cipherSuite();
  return { id: keyFingerprint(masterKey), suite, pair: await keyPairOf(suite, masterKey), marking: markingKey(masterKey) };
}

/**
 * The text of a sealed secret.
 *
 * Fails: with one sentence when it was sealed with another key, for another place, or has been changed
 */
export async function openSecret(key: OpeningKey, place: Place, sealed: SealedSecret): Promise<string> {
  if (sealed.v !== 1 || sealed.kid !== key.id)
    throw new Error('This secret was sealed with another key than the one of this installation.');
  const context = contextOf(place, key.id);
  const [enc, ct] = [sealed.enc, sealed.ct].map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  try {
    const text = await key.suite.open({ recipientKey: key.pair, enc, info: context }, ct, context);
    return Buffer.from(text).toString('utf8');
  } catch (error) {
    throw new Error('This secret cannot be opened: it was changed, or belongs to another place.', { cause: error });
  }
}
