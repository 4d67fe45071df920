import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CandleColumns } from '#engine/market/candle.ts';
import { copyColumns, sliceColumns } from '#engine/market/candle.ts';
import { swingingCandles } from '../testing/candles.ts';
import { candlesSize } from './column-bytes.ts';
import { HeldCandles } from './held-candles.ts';
import type { CandlesHeads } from './questions.ts';
import type { CandlesOfQuestion } from './sent-candles.ts';
import { SentCandles } from './sent-candles.ts';

const history = swingingCandles(400);

/** A window of the history, with one candle that the exchange has corrected since. */
function window(from: number, to: number, corrected: number | null = null): CandleColumns {
  const candles = copyColumns(sliceColumns(history, from, to));
  if (corrected !== null && corrected < candles.close.length) candles.close[corrected] = 7;
  return candles;
}

/** Both ends; gives what the strategy would see, and the heads and bytes that went over. */
function ends(most?: number): (asked: CandlesOfQuestion) => ReturnType<HeldCandles['take']> & { heads: CandlesHeads; bytes: number } {
  const [sent, held] = [new SentCandles(most), new HeldCandles()];
  return (asked) => {
    const { heads, body } = sent.next(asked);
    const over = JSON.parse(JSON.stringify(heads)) as CandlesHeads;
    return { ...held.take(over, body), heads: over, bytes: body.length };
  };
}

describe('candles go over once', () => {
  test('what arrives is what was asked about, whatever came before', () => {
    const series = fc.constantFrom(undefined, 'a', 'b', 'c', 'd');
    const part = fc
      .record({ series, from: fc.nat(60), count: fc.nat(60), corrected: fc.option(fc.nat(70)) })
      .map(({ series: name, from, count, corrected }) => ({
        candles: window(from, from + count, corrected),
        ...(name === undefined ? {} : { series: name }),
      }));
    const question = fc.record({ own: part, others: fc.dictionary(fc.constantFrom('BTC/USDT', '{base}/BTC'), part) });
    fc.assert(
      fc.property(fc.array(question, { maxLength: 30 }), fc.integer({ min: 1, max: 150 }), (questions, most) => {
        const ask = ends(most);
        for (const asked of questions) {
          const { own, others } = ask(asked);
          expect(own).toEqual(asked.own.candles);
          expect(others).toEqual(Object.fromEntries(Object.entries(asked.others).map(([name, { candles }]) => [name, candles])));
          own.close.fill(-1); // a strategy that changes what it is shown changes a copy
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a window that has moved on by a candle brings that candle, and one that is the same brings none', () => {
    const ask = ends();
    expect(ask({ own: { candles: window(0, 300), series: 'a' } }).bytes).toBe(candlesSize(300));
    expect(ask({ own: { candles: window(0, 300), series: 'a' } }).bytes).toBe(0);
    const moved = ask({ own: { candles: window(1, 301), series: 'a' }, others: { x: { candles: window(0, 10), series: 'x' } } });
    expect(moved.heads.own).toEqual({ series: 'a', dropped: 1, kept: 299, added: 1 });
    expect(moved.bytes).toBe(candlesSize(1 + 10));
  });

  test('a corrected candle is sent again with all that follow it, and a window that begins earlier is sent whole', () => {
    const ask = ends();
    ask({ own: { candles: window(50, 350), series: 'a' } });
    expect(ask({ own: { candles: window(51, 351, 290), series: 'a' } }).heads.own).toMatchObject({ dropped: 1, kept: 290, added: 10 });
    expect(ask({ own: { candles: window(40, 351), series: 'a' } }).heads.own).toMatchObject({ kept: 0, added: 311 });
    expect(ask({ own: { candles: window(360, 390), series: 'a' } }).heads.own).toMatchObject({ kept: 0, added: 30 }); // after an outage
  });

  test('two series of one question that have the same name follow each other', () => {
    const ask = ends();
    const { own, others } = ask({
      own: { candles: window(0, 100), series: 'a' },
      others: { 'BTC/USDT': { candles: window(0, 99), series: 'a' } },
    });
    expect([own.close.length, others['BTC/USDT']?.close.length]).toEqual([100, 99]);
  });

  test('no more is kept than may be: the series that was asked for longest ago goes, and comes whole the next time', () => {
    const ask = ends(250);
    for (const series of ['a', 'b', 'a', 'c']) ask({ own: { candles: window(0, 100), series } });
    expect(ask({ own: { candles: window(0, 100), series: 'a' } }).bytes).toBe(0);
    expect(ask({ own: { candles: window(0, 100), series: 'b' } }).bytes).toBe(candlesSize(100));
  });

  test('ends that do not agree any more are found', () => {
    const sent = new SentCandles();
    sent.next({ own: { candles: window(0, 100), series: 'a' } });
    const { heads, body } = sent.next({ own: { candles: window(1, 101), series: 'a' } });
    expect(() => new HeldCandles().take(heads, body)).toThrow('The candles do not follow those that were sent before.');
    const whole = new SentCandles().next({ own: { candles: window(0, 10), series: 'a' } });
    expect(() => new HeldCandles().take(whole.heads, whole.body.subarray(1))).toThrow('The candles do not follow');
    expect(() => new HeldCandles().take(whole.heads, Buffer.concat([whole.body, whole.body]))).toThrow('The candles do not follow');
    expect(() => new HeldCandles().take({ ...whole.heads, forgotten: ['b'] }, whole.body)).toThrow('The candles do not follow');
  });
});
