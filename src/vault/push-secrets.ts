import { keyFingerprint } from './master-key.ts';
import { keyFrom, openWith, sealWith } from './seal.ts';

/** The keys that browsers know this installation by, as they lie in the database. */
export interface SealedPushKeys {
  readonly [field: string]: string | number;
  v: 1;
  kid: string; // fingerprint of the master key
  ct: string; // base64
}

/** Seals and opens the keys that browsers know this installation by: the web process signs with them, so it can open them. Their key opens nothing else. */
export interface PushSecrets {
  seal(text: string): SealedPushKeys;
  /** Fails when they were sealed with another key. */
  open(sealed: Readonly<Record<string, unknown>>): string;
}

/** What seals and opens these keys in an installation. */
export function pushSecrets(masterKey: Buffer): PushSecrets {
  const secret = keyFrom(masterKey, 'push keys').toString('base64');
  const kid = keyFingerprint(masterKey);
  const place = JSON.stringify(['facts', 'push_keys']);
  return {
    seal: (text) => ({ v: 1, kid, ct: sealWith(secret, place, text).toString('base64') }),
    open: (sealed) => openWith(secret, place, Buffer.from(String(sealed['ct']), 'base64')),
  };
}
