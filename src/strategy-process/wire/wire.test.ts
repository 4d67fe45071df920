import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noSignals } from '#engine/strategy/strategy.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { swingingCandles } from '../testing/candles.ts';
import { candleBytes, candlesOfBytes, signalBytes, signalsOfBytes } from './column-bytes.ts';
import { encodeFrame, FrameReader } from './frames.ts';

const limits = { json: 10_000, body: 100_000 };

describe('messages', () => {
  test('arrive as they were sent, in whatever pieces', () => {
    const message = fc.record({ json: fc.jsonValue(), body: fc.uint8Array({ maxLength: 200 }) });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (messages, sizes) => {
        const bytes = Buffer.concat(messages.map(({ json, body }) => encodeFrame(json, body)));
        const reader = new FrameReader(limits);
        const found = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length];
          found.push(...reader.take(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(found.map(({ json }) => json)).toEqual(messages.map(({ json }) => JSON.parse(JSON.stringify(json)) as unknown));
        expect(found.map(({ body }) => [...body])).toEqual(messages.map(({ body }) => [...body]));
      }),
    );
  });

  test('one that announces too much is refused before it has come', () => {
    const header = (json: number, body: number): Uint8Array => new Uint8Array(new Uint32Array([json, body]).buffer);
    expect(() => new FrameReader(limits).take(header(10_001, 0))).toThrow('A message of 10001 bytes is too large.');
    expect(() => new FrameReader(limits).take(header(2, 100_001))).toThrow('too large');
    expect(new FrameReader(limits).take(header(10_000, 100_000))).toEqual([]);
  });

  test('what is not JSON is refused', () => {
    const bytes = encodeFrame({ a: 1 });
    bytes[8] = 0x7d;
    expect(() => new FrameReader(limits).take(bytes)).toThrow(SyntaxError);
  });
});

describe('columns', () => {
  test('candles arrive to the last bit, of views of larger columns too', () => {
    const candles = swingingCandles(50);
    candles.open[3] = -0;
    candles.close[4] = NaN;
    candles.high[5] = Infinity;
    const part = sliceColumns(candles, 3, 40);
    const found = candlesOfBytes(candleBytes(part));
    for (const name of ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const)
      expect([...found[name]].map((value) => [value, Object.is(value, -0)])).toEqual(
        [...part[name]].map((value) => [value, Object.is(value, -0)]),
      );
    expect(candlesOfBytes(new Uint8Array(0)).openTime.length).toBe(0);
    expect(() => candlesOfBytes(new Uint8Array(50))).toThrow('These bytes are not candles.');
  });

  test('signals arrive with every column they have, and with none they do not have', () => {
    const plain = noSignals(3, { average: new Float64Array([NaN, 1.5, 2]) });
    const full = {
      ...plain,
      enterLong: new Uint8Array([0, 1, 0]),
      exitShort: new Uint8Array([1, 0, 0]),
      tags: ['one', 'zwei ß'],
      enterTag: new Uint8Array([0, 2, 0]),
      exitTag: new Uint16Array([1, 0, 300]),
      confidence: new Float64Array([0.1, 0.2, NaN]),
      indicators: { average: new Float64Array([NaN, 1.5, 2]), line: new Float64Array([1, 2, 3]) },
    };
    for (const signals of [plain, full]) {
      const { head, body } = signalBytes(signals);
      const over = signalsOfBytes(JSON.parse(JSON.stringify(head)) as typeof head, Buffer.concat([new Uint8Array(1), body]).subarray(1));
      expect(over).toEqual(signals);
    }
    const { head, body } = signalBytes(full);
    expect(() => signalsOfBytes(head, body.subarray(1))).toThrow('There are fewer columns than were announced.');
  });
});
