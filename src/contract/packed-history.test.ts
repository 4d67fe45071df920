import { expect, test } from 'vitest';
import { candleColumns } from '#engine/market/candle.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { packHistory, unpackHistory } from './packed-history.ts';

function aHistory(count: number) {
  const candles = candleColumns(count);
  for (const column of Object.values(candles) as Float64Array[])
    for (let i = 0; i < count; i++) column[i] = Math.sin(i + column.length) * 1e5;
  return { instrument: anInstrument(), from: 10, to: 20, candles, funding: null };
}

test('a history is the same after it was packed', () => {
  const history = aHistory(7);
  expect(unpackHistory(packHistory(history).buffer)).toEqual(history);
  const funding = { time: Float64Array.of(1, 2), rate: Float64Array.of(0.1, -0.1), mark: Float64Array.of(3, 4) };
  expect(unpackHistory(packHistory({ ...history, funding }).buffer)).toEqual({ ...history, funding });
  expect(unpackHistory(packHistory(aHistory(0)).buffer)).toEqual(aHistory(0));
});

test('an amount without an end survives', () => {
  const history = { ...aHistory(1), instrument: { ...anInstrument(), maxAmount: Infinity } };
  expect(unpackHistory(packHistory(history).buffer).instrument.maxAmount).toBe(Infinity);
});

test('a name that is not ASCII survives', () => {
  const history = { ...aHistory(1), instrument: anInstrument({ symbol: '币安人生/USDT', base: '🚢é' }) };
  expect(unpackHistory(packHistory(history).buffer)).toEqual(history);
});

test('bytes that are no history are refused', () => {
  expect(() => unpackHistory(new ArrayBuffer(3))).toThrow('not the candles of a market');
  expect(() => unpackHistory(packHistory(aHistory(5)).buffer.slice(0, -8))).toThrow('bytes, not');
});
