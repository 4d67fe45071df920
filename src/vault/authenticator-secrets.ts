import { keyFingerprint } from './master-key.ts';
import { keyFrom, openWith, sealWith } from './seal.ts';

/** The secret that is shared with an authenticator app, as it lies in the database. */
export interface SealedAuthenticator {
  readonly [field: string]: string | number;
  v: 1;
  kid: string; // fingerprint of the master key
  ct: string; // base64
}

/** The row of an app: what is sealed is bound to it and to its owner. */
export interface AuthenticatorRow {
  id: string;
  userId: string;
}

/**
 * Seals and opens the secrets of authenticator apps. The web process compares codes, so it can open them; their key is calculated from the
 * master key for this alone, and opens no key of an exchange.
 */
export interface AuthenticatorSecrets {
  seal(row: AuthenticatorRow, secret: Buffer): SealedAuthenticator;
  /** Fails when the secret was sealed with another key, or for another app or person. */
  open(row: AuthenticatorRow, sealed: Readonly<Record<string, unknown>>): Buffer;
}

/** What seals and opens the secrets of authenticator apps in an installation. */
export function authenticatorSecrets(masterKey: Buffer): AuthenticatorSecrets {
  const secret = keyFrom(masterKey, 'authenticator apps').toString('base64');
  const kid = keyFingerprint(masterKey);
  const place = ({ id, userId }: AuthenticatorRow): string => JSON.stringify(['authenticators', 'sealed', id, userId]);
  return {
    seal: (row, shared) => ({ v: 1, kid, ct: sealWith(secret, place(row), shared.toString('base64')).toString('base64') }),
    open: (row, sealed) => Buffer.from(openWith(secret, place(row), Buffer.from(String(sealed['ct']), 'base64')), 'base64'),
  };
}
