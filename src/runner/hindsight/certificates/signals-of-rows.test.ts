import { expect, test } from 'vitest';
import { failedRow, signalRowAt } from '#engine/bot/signal-row.ts';
import { signalsOfRows } from './signals-of-rows.ts';

const { failure: _failure, ...none } = failedRow('');

test('what is said on single candles is said on them alone, with its tags', () => {
  const rows = [
    { ...none, enterLong: true, enterTag: 'above' },
    { ...none, exitLong: true, exitTag: 'below' },
    { ...none, enterShort: true, enterTag: 'above', exitShort: true, exitTag: 'above' },
  ];
  const openTime = Float64Array.of(0, 1, 2, 3, 4);
  const signals = signalsOfRows(openTime, new Map([1, 2, 4].map((time, i) => [time, rows[i]])));
  expect([0, 1, 2, 3, 4].map((at) => signalRowAt(signals, at))).toEqual([none, rows[0], rows[1], none, rows[2]]);
  expect(signals.tags).toEqual(['above', 'below']);
});
