import type { webcrypto } from 'node:crypto';
import type { CipherSuite } from '@hpke/core';
import { type MarkingKey, markingKey } from './key-marks.ts';
import { keyFingerprint } from './master-key.ts';
import { cipherSuite, contextOf, keyPairOf, type Place, type SealedSecret } from './secret-box.ts';

/** What secrets are sealed with. It opens nothing. */
export interface SealingKey {
  id: string; // of the master key, so that a record says which key opens it
  suite: CipherSuite;
  publicKey: webcrypto.CryptoKey;
  marking: MarkingKey;
}

/** The half of an installation's key that seals. */
export async function sealingKey(masterKey: Buffer): Promise<SealingKey> {
  const suite = cipherSuite();
  const { publicKey } = await keyPairOf(suite, masterKey);
  return { id: keyFingerprint(masterKey), suite, publicKey, marking: markingKey(masterKey) };
}

/** Seals a text for its place: moved to another row, column or owner it cannot be opened. */
export async function sealSecret(key: SealingKey, place: Place, text: string): Promise<SealedSecret> {
  const context = contextOf(place, key.id);
  const { enc, ct } = await key.suite.seal({ recipientPublicKey: key.publicKey, info: context }, Buffer.from(text, 'utf8'), context);
  return { v: 1, kid: key.id, enc: Buffer.from(enc).toString('base64'), ct: Buffer.from(ct).toString('base64') };
}
