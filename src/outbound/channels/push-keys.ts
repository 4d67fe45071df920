import { SignJWT } from 'jose';
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';

/** By what push services know this installation: browsers subscribe with the public key, and take messages that the private one has signed for. */
export interface PushKeys {
  publicKey: string; // a point on P-256, uncompressed, base64url
  privateKey: string; // PKCS #8, PEM
}

/** Who sends to browsers. */
export interface PushSender {
  keys: PushKeys;
  contact: string; // https: or mailto:, for whoever runs a push service
}

/** A new pair of keys. */
export function newPushKeys(): PushKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** How long a push service may take a signature for ours; it may not be longer than a day. */
const signedForS = 12 * 3_600;

/**
 * The header by which a push service knows who sends to one of its addresses.
 *
 * Source: RFC 8292 (VAPID)
 */
export async function pushAuthorization({ keys, contact }: PushSender, address: URL, at: Date): Promise<string> {
  const token = await new SignJWT()
    .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
    .setAudience(address.origin)
    .setSubject(contact)
    .setExpirationTime(Math.floor(at.getTime() / 1_000) + signedForS)
    .sign(createPrivateKey(keys.privateKey));
  return `vapid t=${token}, k=${keys.publicKey}`;
}
