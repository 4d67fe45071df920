import type { ECDH } from 'node:crypto';
import { createCipheriv, createECDH, ECDH as Ecdh, hkdfSync, randomBytes } from 'node:crypto';

/** What a browser gives for messages to it: only it can read what is encrypted with these. Both in base64url. */
export interface SubscriptionKeys {
  p256dh: string; // its public key on P-256, uncompressed
  auth: string; // a secret of 16 bytes
}

/** What is new for each message. */
export interface OfOneMessage {
  salt: Buffer; // 16 bytes
  sender: ECDH; // a pair of keys on P-256
}

/** How many bytes of text fit into a message: a push service takes 4,096 with the header (86), the end mark (1) and the tag (16). */
export const longestPush = 4_096 - 86 - 1 - 16;

/**
 * Encrypts a text of at most `longestPush` bytes for the browser that has given the keys.
 *
 * Source: RFC 8291 (keys), RFC 8188 (aes128gcm, in a single record)
 */
export function encryptForBrowser(text: string, { p256dh, auth }: SubscriptionKeys, { salt, sender }: OfOneMessage = newMessage()): Buffer {
  const receiverKey = Buffer.from(p256dh, 'base64url');
  const senderKey = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey]);
  const shared = derive(sender.computeSecret(receiverKey), Buffer.from(auth, 'base64url'), info, 32);
  const key = derive(shared, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(shared, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const lastRecord = Buffer.from([2]);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.update(lastRecord), cipher.final(), cipher.getAuthTag()]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(4_096, 0); // size of a record
  header.writeUInt8(senderKey.length, 4);
  return Buffer.concat([salt, header, senderKey, encrypted]);
}

/** Whether these are keys of a subscription: a point on P-256, and 16 bytes. */
export function areSubscriptionKeys({ p256dh, auth }: SubscriptionKeys): boolean {
  if (!/^[\w-]{87}$/u.test(p256dh) || !/^[\w-]{22}$/u.test(auth)) return false;
  const point = Buffer.from(p256dh, 'base64url');
  try {
    return point[0] === 4 && Ecdh.convertKey(point, 'prime256v1').length === point.length;
  } catch {
    return false; // not on the curve
  }
}

function newMessage(): OfOneMessage {
  const sender = createECDH('prime256v1');
  sender.generateKeys();
  return { salt: randomBytes(16), sender };
}

function derive(secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
