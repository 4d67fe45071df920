import type { BotEvent } from '#engine/bot/event.ts';
import { expect, test } from 'vitest';
import { LoopStart } from './loop-start.ts';

const closed = (candleTime: number, symbol = 'BTC/USDT') => ({ kind: 'candle-closed', symbol, candleTime }) as BotEvent;
const price = { kind: 'market', view: { symbol: 'BTC/USDT' } } as BotEvent;

function calls(fails = false) {
  const times: number[] = [];
  const errors: unknown[] = [];
  const callbacks = {
    loopStart(time: number) {
      times.push(time);
      if (fails) throw new Error('it fails');
    },
  };
  return { times, errors, loop: new LoopStart(callbacks, (error) => errors.push(error)) };
}

test('loopStart is called once for a closed candle, however many symbols close', () => {
  const { loop, times } = calls();
  loop.before(closed(0), 60_000);
  loop.before(closed(0, 'ETH/USDT'), 60_001);
  loop.before(closed(60_000), 120_000);
  loop.before(closed(60_000, 'ETH/USDT'), 120_500);
  loop.before(closed(120_000), 120_600); // a candle that closes soon after is a loop of its own
  expect(times).toEqual([60_000, 120_000, 120_600]);
});

test('loopStart is called every five seconds between candles, as long as prices come', () => {
  const { loop, times } = calls();
  loop.before(price, 1_000);
  loop.before(price, 5_999);
  loop.before(price, 6_000);
  loop.before(closed(0), 8_000);
  loop.before(price, 12_999);
  loop.before(price, 13_000);
  expect(times).toEqual([1_000, 6_000, 8_000, 13_000]);
});

test('nothing else begins a loop', () => {
  const { loop, times } = calls();
  loop.before({ kind: 'status-changed', time: 1, status: 'paused' }, 1);
  expect(times).toEqual([]);
});

test('a loopStart that fails is reported, and called again at the next loop', () => {
  const { loop, times, errors } = calls(true);
  loop.before(price, 0);
  loop.before(price, 5_000);
  expect(times).toEqual([0, 5_000]);
  expect(errors.map(String)).toEqual(['Error: it fails', 'Error: it fails']);
});

test('a strategy without loopStart has no loops', () => {
  expect(() => new LoopStart({}, () => expect.fail('nothing can fail')).before(price, 0)).not.toThrow();
});
