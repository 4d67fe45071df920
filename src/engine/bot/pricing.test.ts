import { describe, expect, test } from 'vitest';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { MarketView } from './event.ts';
import { currentRate, withinDistance } from './pricing.ts';
import { aMarketView as view } from './testing/a-market-view.ts';

describe('prices', () => {
  const base = { stakeAmount: 1, maxOpenTrades: 1, stoploss: -0.1 };
  test.each([
    ['entry', 'long', 'same', 99],
    ['entry', 'long', 'other', 101],
    ['entry', 'short', 'same', 101],
    ['entry', 'short', 'other', 99],
    ['exit', 'long', 'same', 101],
    ['exit', 'long', 'other', 99],
    ['exit', 'short', 'same', 99],
    ['exit', 'short', 'other', 101],
    ['entry', 'long', 'ask', 101],
    ['entry', 'long', 'bid', 99],
    ['entry', 'short', 'ask', 101],
    ['entry', 'short', 'bid', 99],
    ['exit', 'long', 'ask', 101],
    ['exit', 'long', 'bid', 99],
    ['exit', 'short', 'ask', 101],
    ['exit', 'short', 'bid', 99],
  ] as const)('%s of a %s on the %s side', (purpose, direction, side, price) => {
    const settings = requireSettings({ ...base, entryPricing: { side }, exitPricing: { side } });
    expect(currentRate(purpose, direction, 'limit', view, settings)).toBe(price);
  });
  test('a market order takes its price from the other side, whatever is set', () => {
    const bid = requireSettings({ ...base, entryPricing: { side: 'bid' }, exitPricing: { side: 'ask' } });
    for (const settings of [requireSettings(base), bid]) {
      const rate = (purpose: 'entry' | 'exit', direction: 'long' | 'short') => currentRate(purpose, direction, 'market', view, settings);
      expect([rate('entry', 'long'), rate('entry', 'short'), rate('exit', 'long'), rate('exit', 'short')]).toEqual([101, 99, 99, 101]);
    }
  });
  test('a level of the book', () => {
    const settings = requireSettings({ ...base, entryPricing: { side: 'other', useOrderBook: true, orderBookTop: 2 } });
    expect(currentRate('entry', 'long', 'limit', view, settings)).toBe(102);
  });
  test('an unfavourable price is moved towards the last', () => {
    const pricing = { side: 'other', priceLastBalance: 0.25 } as const;
    const settings = requireSettings({ ...base, entryPricing: pricing, exitPricing: pricing });
    expect(currentRate('entry', 'long', 'limit', view, settings)).toBe(100.75);
    expect(currentRate('exit', 'long', 'limit', view, settings)).toBe(99.25);
  });
  test('a wished price stays within a distance', () => {
    expect(withinDistance(50, 100, 0.02)).toBe(98);
    expect(withinDistance(150, 100, 0.02)).toBe(102);
    expect(withinDistance(101, 100, 0.02)).toBe(101);
  });

  const rate =
    (purpose: 'entry' | 'exit', given: Partial<SettingsInput>, at: Partial<MarketView> = {}) =>
    () =>
      currentRate(purpose, 'long', 'limit', { ...view, ...at }, requireSettings({ ...base, ...given }));
  const book = (orderBookTop: number, side: 'same' | 'other' = 'other') => ({ useOrderBook: true, orderBookTop, side });
  const balanced = { side: 'other', priceLastBalance: 0.25 } as const;
  test.each<[string, () => number, number]>([
    ['an entry by its own settings', rate('entry', { exitPricing: book(2) }), 99],
    ['an exit by its own settings', rate('exit', { entryPricing: book(2) }), 101],
    ['the level of the bids', rate('entry', { entryPricing: book(2, 'same') }), 98],
    ['the best level', rate('entry', { entryPricing: book(1) }, { asks: [[101.5, 1]] }), 101.5],
    ['the last level of a book that has fewer', rate('entry', { entryPricing: book(9) }), 110],
    ['the best price where there is no level', rate('entry', { entryPricing: book(2) }, { asks: [] }), 101],
    ['the best price without a book', rate('entry', { entryPricing: { side: 'other', orderBookTop: 2 } }), 101],
    ['a level is not moved towards the last', rate('entry', { entryPricing: { ...book(2), priceLastBalance: 0.5 } }), 102],
    ['a favourable entry is not moved', rate('entry', { entryPricing: { ...balanced, side: 'same' } }), 99],
    ['a favourable exit is not moved', rate('exit', { exitPricing: { ...balanced, side: 'same' } }), 101],
    ['nothing is moved by a balance of 0', rate('entry', { entryPricing: { side: 'other', priceLastBalance: 0 } }), 101],
    ['all the way with a balance of 1', rate('entry', { entryPricing: { side: 'other', priceLastBalance: 1 } }), 100],
  ])('%s', (_, found, expected) => {
    expect(found()).toBe(expected);
  });
  test('without a book its settings change nothing', () => {
    const { bids: _bids, asks: _asks, ...bare } = view;
    expect(currentRate('exit', 'long', 'limit', bare, requireSettings({ ...base, exitPricing: book(2) }))).toBe(99);
  });
});
