import { expect, test } from 'vitest';
import { keyFrom, openWith, sealWith } from './seal.ts';

const text = 'a secret with ünicode 🚀';

test('what was sealed opens with the same secret and purpose, and with no other', () => {
  const sealed = sealWith('secret', 'purpose', text);
  expect(openWith('secret', 'purpose', sealed)).toBe(text);
  expect(sealed.includes(Buffer.from('a secret'))).toBe(false);
  expect(() => openWith('Secret', 'purpose', sealed)).toThrow();
  expect(() => openWith('secret', 'another purpose', sealed)).toThrow();
});

test('a changed bit anywhere is refused, and so is a part of it', () => {
  const sealed = sealWith('secret', 'purpose', text);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(() => openWith('secret', 'purpose', changed), `bit ${bit}`).toThrow();
  }
  for (let length = 0; length < sealed.length; length++)
    expect(() => openWith('secret', 'purpose', sealed.subarray(0, length)), `${length} bytes`).toThrow();
});

test('the same text is never sealed alike, and each purpose has a key of its own', () => {
  expect(sealWith('secret', 'purpose', text).equals(sealWith('secret', 'purpose', text))).toBe(false);
  expect(keyFrom('secret', 'one')).toHaveLength(32);
  expect(keyFrom('secret', 'one').equals(keyFrom('secret', 'two'))).toBe(false);
  expect(keyFrom('secret', 'one').equals(keyFrom('secret', 'one'))).toBe(true);
});
