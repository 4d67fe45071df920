import type { PushSender } from '#outbound/channels/push-keys.ts';
import { newPushKeys } from '#outbound/channels/push-keys.ts';
import { createDecipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';

/** Who sends to browsers in tests. */
export const testPushSender: PushSender = { keys: newPushKeys(), contact: 'mailto:desk@harbour.example' };

/** The subscription of a browser, and how that browser reads what arrives. */
export interface TestSubscription {
  keys: { p256dh: string; auth: string };
  read: (message: Buffer) => string;
}

/** A new subscription. It reads a message step by step as RFC 8291 describes it for the receiver, with nothing of what encrypts. */
export function newSubscription(): TestSubscription {
  const receiver = createECDH('prime256v1');
  receiver.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh: receiver.getPublicKey('base64url'), auth: auth.toString('base64url') },
    read(message) {
      const salt = message.subarray(0, 16);
      const end = 21 + message.readUInt8(20);
      const sender = message.subarray(21, end);
      const hmac = (key: Buffer, ...data: Buffer[]) => createHmac('sha256', key).update(Buffer.concat(data)).digest();
      const one = Buffer.from([1]);
      const keyOfBoth = hmac(auth, receiver.computeSecret(sender));
      const input = hmac(keyOfBoth, Buffer.from('WebPush: info\0'), receiver.getPublicKey(), sender, one);
      const random = hmac(salt, input);
      const key = hmac(random, Buffer.from('Content-Encoding: aes128gcm\0'), one).subarray(0, 16);
      const nonce = hmac(random, Buffer.from('Content-Encoding: nonce\0'), one).subarray(0, 12);
      const decipher = createDecipheriv('aes-128-gcm', key, nonce);
      decipher.setAuthTag(message.subarray(-16));
      const padded = Buffer.concat([decipher.update(message.subarray(end, -16)), decipher.final()]);
      const mark = padded.lastIndexOf(2); // the last record ends with it, and zeros
      if (mark < 0 || padded.subarray(mark + 1).some((byte) => byte !== 0)) throw new Error('The record does not end');
      return padded.subarray(0, mark).toString('utf8');
    },
  };
}
