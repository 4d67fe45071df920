import type { BotEvent } from '#engine/bot/event.ts';
import { describe, expect, test } from 'vitest';
import { BotInbox } from './bot-inbox.ts';

const row = { enterLong: false, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
const candle = (symbol: string, candleTime: number, time = candleTime): BotEvent => ({
  kind: 'candle-closed',
  time,
  symbol,
  candleTime,
  row,
});
const prices = (symbol: string, last: number): BotEvent => ({ kind: 'market', view: { symbol, time: last, bid: last, ask: last, last } });
const funding = (symbol: string, time: number): BotEvent => ({ kind: 'funding', time, symbol, rate: 0.0001, mark: 100 });
const all = (inbox: BotInbox): BotEvent[] => {
  const events: BotEvent[] = [];
  for (let event = inbox.next(); event !== null; event = inbox.next()) events.push(event);
  return events;
};

describe('BotInbox', () => {
  test('candles, payments and changes come in the sequence they were added, prices after them', () => {
    const inbox = new BotInbox();
    const stop: BotEvent = { kind: 'status-changed', time: 3, status: 'stopped' };
    for (const event of [prices('A', 1), candle('A', 1), funding('A', 2), stop, candle('B', 4)]) inbox.add(event);
    expect(all(inbox)).toEqual([candle('A', 1), funding('A', 2), stop, candle('B', 4), prices('A', 1)]);
    expect(inbox.next()).toBeNull();
  });

  test('of prices only the newest of each symbol waits', () => {
    const inbox = new BotInbox();
    for (let last = 1; last <= 1_000; last++) {
      inbox.add(prices('A', last));
      inbox.add(prices('B', last + 0.5));
    }
    expect(all(inbox)).toEqual([prices('A', 1_000), prices('B', 1_000.5)]);
  });

  test('the same candle, the same payment and an older change are replaced where they wait', () => {
    const inbox = new BotInbox();
    inbox.add({ kind: 'status-changed', time: 1, status: 'paused' });
    inbox.add(candle('A', 60, 61));
    inbox.add(candle('B', 60, 61));
    inbox.add(funding('A', 3_600));
    inbox.add(candle('A', 60, 75));
    inbox.add(funding('A', 3_600));
    inbox.add(funding('A', 7_200));
    inbox.add({ kind: 'status-changed', time: 9, status: 'stopped' });
    expect(all(inbox)).toEqual([
      { kind: 'status-changed', time: 9, status: 'stopped' },
      candle('A', 60, 75),
      candle('B', 60, 61),
      funding('A', 3_600),
      funding('A', 7_200),
    ]);
  });

  test('what a person wants of a trade waits once, however often it is reported; of two trades both wait', () => {
    const inbox = new BotInbox();
    const wish = (tradeId: number, time: number): BotEvent => ({ kind: 'stop-asked', time, tradeId, orderId: 'fl-1' });
    for (const event of [wish(1, 1), wish(2, 2), wish(1, 3)]) inbox.add(event);
    expect(all(inbox)).toEqual([wish(1, 3), wish(2, 2)]);
  });

  test('a candle and a payment of one moment are both kept, and so are the payments of two symbols', () => {
    const inbox = new BotInbox();
    const events = [candle('A', 3_600), funding('A', 3_600), funding('B', 3_600)];
    for (const event of events) inbox.add(event);
    expect(all(inbox)).toEqual(events);
  });

  test('payments do not count among the candles that may wait', () => {
    const dropped: BotEvent[] = [];
    const inbox = new BotInbox((event) => dropped.push(event));
    for (let hour = 1; hour <= 20; hour++) {
      inbox.add(funding('A', hour));
      inbox.add(candle('A', hour));
    }
    expect([dropped, all(inbox).length]).toEqual([[], 40]);
  });

  test('reports of an order are all kept: each may hold another fill', () => {
    const inbox = new BotInbox();
    const report = { state: 'open', requested: 2, filled: 0, fills: [] } as const;
    const update = { kind: 'order-update', time: 1, orderId: 'o', report } as const;
    inbox.add(update);
    inbox.add(update);
    expect(all(inbox)).toHaveLength(2);
  });

  test('of one symbol at most twenty candles wait; the oldest is dropped and reported, those of others stay', () => {
    const dropped: BotEvent[] = [];
    const inbox = new BotInbox((event) => dropped.push(event));
    inbox.add(candle('B', 0));
    for (let i = 1; i <= 1_000; i++) inbox.add(candle('A', i));
    expect(dropped).toEqual(Array.from({ length: 980 }, (_, i) => candle('A', i + 1)));
    expect(all(inbox)).toEqual([candle('B', 0), ...Array.from({ length: 20 }, (_, i) => candle('A', 981 + i))]);
  });
});
