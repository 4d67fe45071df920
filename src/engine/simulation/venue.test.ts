import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minus, plus, times, toDecimal, toNumber, zero } from '../market/decimal.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import type { OrderRequest } from '../ports/trading.ts';
import type { TradingRig } from '../ports/trading.contract.ts';
import { tradingContract } from '../ports/trading.contract.ts';
import type { VenueSetUp } from './venue.ts';
import { InMemoryVenue } from './venue.ts';

const startTime = Date.UTC(2024, 0, 1);
const spot = anInstrument({ symbol: 'BTC/USDT', priceTick: 0.01, amountStep: 0.01, minAmount: 0.01, minCost: 5 });
const perpetual = anInstrument({ ...spot, symbol: 'BTC/USDT:USDT', marketType: 'futures', maxLeverage: 20 });

function venueOf(instrument: typeof spot, more: Partial<VenueSetUp> = {}): InMemoryVenue {
  const balances = { USDT: 10_000 };
  return new InMemoryVenue({
    accountId: 'a',
    instruments: [instrument],
    balances,
    time: startTime,
    remembersIds: 'while-open',
    feeCurrency: 'quote',
    ...more,
  });
}

function rigOf(instrument: typeof spot, more: Partial<VenueSetUp> = {}): TradingRig {
  const trading = venueOf(instrument, more);
  const { symbol, marketType } = instrument;
  return {
    trading,
    symbol,
    isFutures: marketType === 'futures',
    now: () => startTime,
    setPrices: async (bid, ask, depth) =>
      trading.setPrices(symbol, { bid, ask, ...(depth === undefined ? {} : { bidAmount: depth, askAmount: depth }) }),
  };
}

tradingContract('the in-memory spot market', async () => rigOf(spot));
tradingContract('the in-memory spot market whose buyers pay in what they receive', async () => rigOf(spot, { feeCurrency: 'received' }));
tradingContract('the in-memory market of perpetuals', async () => rigOf(perpetual));

const request = (given: Partial<OrderRequest> = {}): OrderRequest => ({
  clientOrderId: 'x',
  symbol: spot.symbol,
  side: 'buy',
  type: 'market',
  amount: 1,
  price: null,
  stopPrice: null,
  reduceOnly: false,
  expiresAt: startTime,
  ...given,
});

describe('what an in-memory market may be like', () => {
  test('the id of an order that has ended may be used again, or never', async () => {
    for (const remembersIds of ['while-open', 'always'] as const) {
      const venue = venueOf(spot, { remembersIds });
      venue.setPrices(spot.symbol, { bid: 99.9, ask: 100.1 });
      await venue.place(request());
      const again = venue.place(request());
      if (remembersIds === 'always') await expect(again).rejects.toMatchObject({ kind: 'rejected' });
      else await again;
      expect(await venue.ordersSince(spot.symbol, 0)).toHaveLength(remembersIds === 'always' ? 1 : 2);
    }
  });
  test('what one order takes at a price the next one does not get', async () => {
    const venue = venueOf(spot);
    venue.setPrices(spot.symbol, { bid: 99.9, ask: 100.1, askAmount: 1.5 });
    expect(await venue.place(request())).toMatchObject({ state: 'filled', filled: 1 });
    expect(await venue.place(request())).toMatchObject({ state: 'expired', filled: 0.5 });
    expect(await venue.place(request())).toMatchObject({ state: 'expired', filled: 0 });
  });
  test('time runs forwards only, and a request that arrives after its expiry is refused', async () => {
    const venue = venueOf(spot);
    venue.setPrices(spot.symbol, { bid: 99.9, ask: 100.1 });
    venue.setTime(startTime + 1);
    expect(() => venue.setTime(startTime)).toThrow(RangeError);
    await expect(venue.place(request())).rejects.toThrow('expired');
    expect(await venue.ordersSince(spot.symbol, 0)).toEqual([]);
  });
});

const moves = fc.array(
  fc.record({
    cents: fc.integer({ min: 9000, max: 11_000 }),
    depth: fc.integer({ min: 1, max: 300 }),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    type: fc.constantFrom('market' as const, 'limit' as const),
    steps: fc.integer({ min: 1, max: 400 }),
    offset: fc.integer({ min: -300, max: 300 }),
    cancels: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

test('money is conserved to the last digit: balances are what the fills make of the first ones, whatever is ordered', async () => {
  let filled = 0;
  await fc.assert(
    fc.asyncProperty(
      moves,
      fc.constantFrom(spot, perpetual),
      fc.constantFrom('quote' as const, 'received' as const),
      async (all, instrument, feeCurrency) => {
        const { symbol, marketType } = instrument;
        const run = async (): Promise<InMemoryVenue> => {
          const venue = venueOf(instrument, { feeCurrency, balances: { USDT: 2000, BTC: marketType === 'futures' ? 0 : 5 } });
          for (const [i, { cents, depth, side, type, steps, offset, cancels }] of all.entries()) {
            venue.setTime(startTime + i);
            venue.setPrices(symbol, { bid: cents / 100, ask: (cents + 2) / 100, bidAmount: depth / 100, askAmount: depth / 100 });
            const price = type === 'limit' ? (cents + offset) / 100 : null;
            await venue
              .place(request({ clientOrderId: `${i}`, symbol, side, type, amount: steps / 100, price, expiresAt: startTime + i }))
              .catch(() => null);
            const [first] = await venue.openOrders();
            if (cancels && first !== undefined) await venue.cancel(symbol, first.clientOrderId);
          }
          for (const each of await venue.openOrders()) await venue.cancel(symbol, each.clientOrderId);
          return venue;
        };
        const venue = await run();
        const fills = await venue.fillsSince(symbol, null);
        filled += fills.length;
        const orders = new Map((await venue.ordersSince(symbol, 0)).map((each) => [each.clientOrderId, each]));
        let [base, quote] = [zero, zero];
        for (const { price, amount, fee, feeCurrency: currency, clientOrderId } of fills) {
          const value = times(toDecimal(price), toDecimal(amount));
          const isBuy = orders.get(clientOrderId)?.side === 'buy';
          base = isBuy ? plus(base, toDecimal(amount)) : minus(base, toDecimal(amount));
          quote = isBuy ? minus(quote, value) : plus(quote, value);
          if (currency === 'BTC') base = minus(base, toDecimal(fee));
          else quote = minus(quote, toDecimal(fee));
        }
        const balances = new Map((await venue.balances()).map((each) => [each.currency, each]));
        for (const { locked } of balances.values()) expect(locked).toBe(0);
        if (marketType === 'spot') {
          expect(balances.get('USDT')?.free ?? 0).toBe(toNumber(plus(toDecimal(2000), quote)));
          expect(balances.get('BTC')?.free ?? 0).toBe(toNumber(plus(toDecimal(5), base)));
        } else {
          const [position] = await venue.positions();
          const held = position === undefined ? 0 : position.direction === 'long' ? position.amount : -position.amount;
          expect(held).toBe(toNumber(base));
          // Cash is what the fills made of it, with the position at its entry price; only that average is rounded.
          expect(balances.get('USDT')?.free ?? 0).toBeCloseTo(2000 + toNumber(quote) + held * (position?.entryPrice ?? 0), 8);
        }
        for (const { requested, filled: sum, clientOrderId, state } of orders.values()) {
          const own = fills
            .filter((fill) => fill.clientOrderId === clientOrderId)
            .reduce((total, { amount }) => plus(total, toDecimal(amount)), zero);
          expect(sum).toBe(toNumber(own));
          expect(sum).toBeLessThanOrEqual(requested);
          expect(state === 'filled').toBe(sum === requested);
        }
        const again = await run();
        expect(await again.fillsSince(symbol, null)).toEqual(fills); // the same calls, the same fills
      },
    ),
    { numRuns: 200 },
  );
  expect(filled).toBeGreaterThan(300);
});
