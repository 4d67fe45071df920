import type { webcrypto } from 'node:crypto';
import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { keyFrom } from './seal.ts';

/** A secret as it lies in the database: HPKE (RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM; bytes in base64. */
export interface SealedSecret {
  readonly [field: string]: string | number;
  v: 1;
  kid: string; // fingerprint of the master key
  enc: string; // the sender's key of this one record
  ct: string;
}

/** Where a secret belongs. */
export interface Place {
  table: string;
  column: string;
  row: string; // id
  owner: string; // id of the person, or '' when it is nobody's
}

/** The algorithms of all records. */
export function cipherSuite(): CipherSuite {
  return new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
}

/** The pair of keys of an installation, the same at every start: calculated from its master key. */
export async function keyPairOf(suite: CipherSuite, masterKey: Buffer): Promise<webcrypto.CryptoKeyPair> {
  return suite.kem.deriveKeyPair(new Uint8Array(keyFrom(masterKey, 'secrets')));
}

/** What a record is bound to besides its key. */
export function contextOf({ table, column, row, owner }: Place, keyId: string): Uint8Array {
  return Buffer.from(JSON.stringify(['flotilla secret 1', keyId, table, column, row, owner]), 'utf8');
}
