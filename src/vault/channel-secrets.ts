import { keyFingerprint } from './master-key.ts';
import { keyFrom, openWith, sealWith } from './seal.ts';

/** Where a channel leads, as it lies in the database. */
export interface SealedTarget {
  readonly [field: string]: string | number;
  v: 1;
  kid: string; // fingerprint of the master key
  ct: string; // base64
}

/** The row of a channel: what is sealed is bound to it and to its owner. */
export interface ChannelRow {
  id: string;
  userId: string;
}

/**
 * Seals and opens where people's channels lead. The web process sends to them, also while no runner is alive, so it can open them; their
 * key is calculated from the master key for this alone, and opens no key of an exchange.
 */
export interface ChannelSecrets {
  seal(row: ChannelRow, text: string): SealedTarget;
  /** Fails when the target was sealed with another key, or for another channel or person. */
  open(row: ChannelRow, sealed: Readonly<Record<string, unknown>>): string;
}

/** What seals and opens the targets of channels in an installation. */
export function channelSecrets(masterKey: Buffer): ChannelSecrets {
  const secret = keyFrom(masterKey, 'channel targets').toString('base64');
  const kid = keyFingerprint(masterKey);
  const place = ({ id, userId }: ChannelRow): string => JSON.stringify(['channels', 'sealed', id, userId]);
  return {
    seal: (row, text) => ({ v: 1, kid, ct: sealWith(secret, place(row), text).toString('base64') }),
    open: (row, sealed) => openWith(secret, place(row), Buffer.from(String(sealed['ct']), 'base64')),
  };
}
