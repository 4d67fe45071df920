import { expect, test } from 'vitest';
import { addressKey } from './limits.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002'],
  ['2001:db8:1:2::9', '2001:0db8:0001:0002'],
  ['2001:db8::1', '2001:0db8:0000:0000'],
  ['::1', '0000:0000:0000:0000'],
])('OP-22 %s is counted as %s: an IPv6 network of one household is one address, an IPv4 one is itself in any spelling', (address, key) => {
  expect(addressKey(address)).toBe(key);
});
