import type { KeyObject } from 'node:crypto';
import { createPrivateKey } from 'node:crypto';

/** An account of Google that belongs to this server: what the file says that Google gives for it. Its key prints as nothing. */
export interface ServiceAccount {
  email: string; // spreadsheets are shared with it
  keyId: string | null;
  key: KeyObject; // RSA, private
  tokenUrl: URL;
}

/** Where Google gives tokens; an older file names the second. */
const tokenHosts: readonly string[] = ['oauth2.googleapis.com', 'accounts.google.com', 'www.googleapis.com'];

const emailAddress = /^[a-z0-9._-]{1,64}@[a-z0-9.-]{1,190}\.[a-z]{2,24}$/iu;

/**
 * The service account in the text of its file.
 *
 * Fails: with a sentence on what is wrong, without anything the text holds
 */
export function parseServiceAccount(text: string): ServiceAccount {
  const { type, client_email: email, private_key: key, private_key_id: keyId, token_uri: tokenUri } = tableIn(text);
  if (type !== 'service_account') throw new Error('it is not the key file of a service account (its "type" is not "service_account")');
  const missing = Object.entries({ client_email: email, private_key: key, token_uri: tokenUri }).find(
    ([, value]) => typeof value !== 'string' || value === '',
  );
  if (missing !== undefined) throw new Error(`it has no "${missing[0]}"`);
  if (!emailAddress.test(String(email))) throw new Error('its "client_email" is not an e-mail address');
  return {
    email: String(email),
    keyId: typeof keyId === 'string' && keyId !== '' ? keyId : null,
    key: keyIn(String(key)),
    tokenUrl: tokenUrlIn(String(tokenUri)),
  };
}

function tableIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The message of the parser would repeat a piece of the text, which may be the key.
  }
  throw new Error('it does not hold JSON');
}

function keyIn(text: string): KeyObject {
  let key: KeyObject | null = null;
  try {
    key = createPrivateKey(text);
  } catch {
    // What the library says of a wrong key is of no use to people.
  }
  if (key?.asymmetricKeyType !== 'rsa') throw new Error('its "private_key" is not an RSA key');
  return key;
}

function tokenUrlIn(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || !tokenHosts.includes(url.hostname))
    throw new Error(`its "token_uri" is not an address of Google (https://${tokenHosts[0]}/token)`);
  return url;
}
