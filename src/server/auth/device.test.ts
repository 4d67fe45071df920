import { expect, test } from 'vitest';
import { deviceMark, isDeviceMark } from './device.ts';

const pepper = Buffer.alloc(32, 7);

test('OP-22 the mark of a device is that of one person on one installation', () => {
  const mark = deviceMark(pepper, 'one');
  expect(isDeviceMark(pepper, 'one', mark)).toBe(true);
  expect(isDeviceMark(pepper, 'two', mark)).toBe(false);
  expect(isDeviceMark(Buffer.alloc(32, 8), 'one', mark)).toBe(false);
  for (const other of [null, '', mark.slice(1), `${mark}x`]) expect(isDeviceMark(pepper, 'one', other)).toBe(false);
});
