import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { newSubscription } from '../../../test/support/test-browser-subscription.ts';
import { areSubscriptionKeys, encryptForBrowser, longestPush } from './push-encryption.ts';

test('the example of RFC 8291 comes out byte by byte', () => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url');
  const message = encryptForBrowser(
    'When I grow up, I want to be a watermelon',
    {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    { salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'), sender },
  );
  expect(message.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('a message of the longest text has the bytes that every push service takes, and twice the same text is never the same message', () => {
  const { keys, read } = newSubscription();
  const text = 'x'.repeat(longestPush);
  const [one, other] = [encryptForBrowser(text, keys), encryptForBrowser(text, keys)];
  expect(one).toHaveLength(4_096);
  expect(read(one)).toBe(text);
  expect(one.subarray(0, 86).equals(other.subarray(0, 86))).toBe(false);
});

const { keys } = newSubscription();
const offTheCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString('base64url');
test.each([
  ['as a browser gives them', keys, true],
  ['a point that is not on the curve', { ...keys, p256dh: offTheCurve }, false],
  ['a compressed point', { ...keys, p256dh: Buffer.alloc(33, 2).toString('base64url') }, false],
  ['another form of 65 bytes', { ...keys, p256dh: Buffer.alloc(65, 6).toString('base64url') }, false],
  ['a short secret', { ...keys, auth: Buffer.alloc(15).toString('base64url') }, false],
  ['signs of another alphabet', { ...keys, auth: '+/+/+/+/+/+/+/+/+/+/+w' }, false],
  ['nothing', { p256dh: '', auth: '' }, false],
])('keys of a subscription: %s', (_, given, are) => {
  expect(areSubscriptionKeys(given)).toBe(are);
});
