import { expect, test } from 'vitest';
import { deviceMark, isDeviceMark } from './device.ts';

const pepper = Buffer.alloc(32, 7);

test('OP-22 the mark of a device is that of one person with one password on one installation', () => {
  const one = { id: 'one', passwordHash: 'of the first password' };
  const mark = deviceMark(pepper, one);
  expect(isDeviceMark(pepper, one, mark)).toBe(true);
  expect(isDeviceMark(pepper, { ...one, id: 'two' }, mark)).toBe(false);
  expect(isDeviceMark(pepper, { ...one, passwordHash: 'of the second password' }, mark)).toBe(false);
  expect(isDeviceMark(Buffer.alloc(32, 8), one, mark)).toBe(false);
  for (const other of [null, '', mark.slice(1), `${mark}x`]) expect(isDeviceMark(pepper, one, other)).toBe(false);
});
