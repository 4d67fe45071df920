import { texts } from '#contract/errors.ts';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addressKey, isWithin, refund, refuseWhenUsedUp, spend } from './limits.ts';

const { db } = await freshDatabase();

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002'],
  ['2001:db8:1:2::9', '2001:0db8:0001:0002'],
  ['2001:db8::1', '2001:0db8:0000:0000'],
  ['::1', '0000:0000:0000:0000'],
  ['1::', '0001:0000:0000:0000'],
  ['::3:4:5:6:7:8', '0000:0000:0003:0004'],
  ['1:2::5:6:7:8', '0001:0002:0000:0000'],
  ['1::4:5:6:7:8', '0001:0000:0000:0004'],
])('OP-22 %s is counted as %s: an IPv6 network of one household is one address, an IPv4 one is itself in any spelling', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

describe('OP-22 a limit of two in ten seconds', () => {
  const limit = { name: 'test', most: 2, windowMs: 10_000 };
  const start = new Date('2026-03-01T12:00:00Z');
  const after = (ms: number) => new Date(start.getTime() + ms);
  const outcome = (call: Promise<void>): Promise<unknown> =>
    call.then(
      () => null,
      (error: unknown) => error,
    );

  test('lets two through, refuses the third with the time to wait, and begins again after the window', async () => {
    const use = (ms: number, text?: string) => outcome(spend(db, limit, 'spent', after(ms), text));
    expect([await use(0), await use(1)]).toEqual([null, null]);
    expect(await use(1_500)).toMatchObject({ status: 429, message: texts.tooManyAttempts, retryAfterSeconds: 9 });
    expect(await use(9_999, 'another sentence')).toMatchObject({ message: 'another sentence', retryAfterSeconds: 1 });
    expect(await use(10_000)).toBeNull();
  });

  test('is counted for each key and each limit apart', async () => {
    for (let i = 0; i < 3; i++) await isWithin(db, limit, 'one', start);
    expect(await isWithin(db, limit, 'one', start)).toBe(false);
    expect(await isWithin(db, limit, 'two', start)).toBe(true);
    expect(await isWithin(db, { ...limit, name: 'other' }, 'one', start)).toBe(true);
  });

  test('holds the second within and the third not', async () => {
    const within = [];
    for (let i = 0; i < 3; i++) within.push(await isWithin(db, limit, 'within', start));
    expect(within).toEqual([true, true, false]);
  });

  test('refuses when it is used up, without counting: a refusal does not prolong itself', async () => {
    const refuse = (ms: number) => outcome(refuseWhenUsedUp(db, limit, 'used', after(ms)));
    await isWithin(db, limit, 'used', start);
    expect(await refuse(0)).toBeNull();
    expect(await refuse(0)).toBeNull();
    await isWithin(db, limit, 'used', start);
    expect(await refuse(4_000)).toMatchObject({ status: 429, message: texts.tooManyAttempts, retryAfterSeconds: 6 });
    expect(await refuse(10_000)).toBeNull();
  });

  test('counts one again that was refunded', async () => {
    for (let i = 0; i < 2; i++) await isWithin(db, limit, 'back', start);
    await refund(db, limit, 'back', start);
    expect([await isWithin(db, limit, 'back', start), await isWithin(db, limit, 'back', start)]).toEqual([true, false]);
  });
});
