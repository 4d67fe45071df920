import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance } from './advance.ts';
import type { BotEvent } from './event.ts';
import type { BotContext, BotState } from './state.ts';
import { step } from './step.ts';
import { context, eventOf, happening, minute, start, stateWith, symbols } from './testing/random-events.ts';

/** Whoever changes it gets an error. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) frozen(each);
  }
  return value;
}

describe('advance', () => {
  test.each([
    ['isolated', 'simulated'],
    ['cross', 'simulated'],
    ['isolated', 'exchange'],
    ['cross', 'exchange'],
    ['cross, then isolated', 'exchange'],
    ['cross, then isolated', 'simulated'],
    ['isolated, then cross', 'simulated'],
  ] as const)('leaves the state before as it is, and leads to the same as step (%s margin, orders %s)', (modes, execution) => {
    const [marginMode, later] = modes.split(', then ') as ['isolated' | 'cross', ('isolated' | 'cross')?];
    const how: BotContext = { ...context, execution };
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(fc.array(happening, { minLength: 60, maxLength: 200 }), (happenings) => {
        const changed = stateWith({ marginMode });
        let kept = frozen(stateWith({ marginMode }));
        for (const [i, each] of happenings.entries()) {
          if (i === 40) {
            changed.settings = { ...changed.settings, marginMode: later ?? marginMode };
            kept = frozen({ ...kept, settings: changed.settings });
          }
          const event = eventOf(each, i, changed);
          if (event === null || (event.kind === 'order-update' && execution === 'simulated')) continue;
          const next = advance(kept, event, how); // throws if it changes anything of what is frozen
          kept = frozen(next.state);
          expect(next.effects).toEqual(step(changed, event, how));
          for (const { kind } of next.effects) seen.set(kind, (seen.get(kind) ?? 0) + 1);
        }
        expect(kept).toEqual(changed);
      }),
      { numRuns: 100 },
    );
    expect(seen.get('trade-closed')).toBeGreaterThan(50);
    if (execution === 'exchange')
      for (const kind of ['cancel-requested', 'trade-cancelled', 'alarm']) expect(seen.get(kind)).toBeGreaterThan(5);
  });
});

describe('orders that wait for the order book', () => {
  const waits: BotContext = { ...context, waitsForBook: true };
  const [btc = ''] = symbols;
  const market = { orderTypes: { entry: 'market', exit: 'market', stoploss: 'market' } } as const;
  const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: 'up', exitTag: null, confidence: null };
  const quote = { symbol: btc, time: start, bid: 99.99, ask: 100.01, last: 100 };
  const candle: BotEvent = { kind: 'candle-closed', time: start, symbol: btc, candleTime: start - 5 * minute, row, view: quote };
  const orderOf = (state: BotState) => state.trades[0]?.orders[0];

  test('a new order is not tried on prices without a book, and fills on the book that comes for it', () => {
    const ordered = advance(stateWith({ ...market }), candle, waits);
    expect(orderOf(ordered.state)).toMatchObject({ state: 'open' });
    const view = { ...quote, time: start + 50, asks: [[100.5, 1000]] as const, bids: [[99, 1000]] as const };
    const other = advance(ordered.state, { kind: 'book', view, orderIds: ['fl-bot1-99'] }, waits);
    expect(orderOf(other.state)).toMatchObject({ state: 'open' });
    const filled = advance(ordered.state, { kind: 'book', view, orderIds: [orderOf(ordered.state)?.id ?? ''] }, waits);
    expect(orderOf(filled.state)).toMatchObject({ state: 'filled' });
    expect(filled.state.trades[0]?.openRate).toBe(100.5);
  });

  test('a book with its prices fills at once', () => {
    const view = { ...quote, asks: [[100.2, 1000]] as const, bids: [[99, 1000]] as const };
    expect(orderOf(advance(stateWith({ ...market }), { ...candle, view }, waits).state)).toMatchObject({ state: 'filled' });
  });

  test('an order book from before is not what a later candle finds: its order waits for the book of now', () => {
    const bookBefore = { ...quote, asks: [[100.2, 1000]] as const, bids: [[99, 1000]] as const };
    const seen = advance(stateWith({ ...market }), { kind: 'market', view: bookBefore }, waits);
    const silent: BotEvent = { kind: 'candle-closed', time: start + 5_000, symbol: btc, candleTime: start - 5 * minute, row };
    expect(orderOf(advance(seen.state, silent, waits).state)).toMatchObject({ state: 'open' });
  });
});
