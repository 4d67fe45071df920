import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minus, plus, times, toDecimal, toNumber, zero } from '../market/decimal.ts';
import { anInstrument } from '../market/testing/an-instrument.ts';
import { anOrderRequest } from '../ports/testing/an-order-request.ts';
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

const request = (given: Partial<OrderRequest> = {}): OrderRequest =>
  anOrderRequest({ clientOrderId: 'x', symbol: spot.symbol, expiresAt: startTime, ...given });

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

const { symbol } = spot;
const future = perpetual.symbol;
/** A market of bid 99.9 and ask 100.1, for an account with 10,000 USDT and a coin. */
async function openVenue(instrument = spot, more: Partial<VenueSetUp> = {}): Promise<InMemoryVenue> {
  const venue = venueOf(instrument, { balances: { USDT: 10_000, ...(instrument.marketType === 'spot' ? { BTC: 1 } : {}) }, ...more });
  venue.setPrices(instrument.symbol, { bid: 99.9, ask: 100.1 });
  return venue;
}
const limit = (price: number, given: Partial<OrderRequest> = {}) => request({ type: 'limit', price, ...given });
const stop = (stopPrice: number, given: Partial<OrderRequest> = {}) => request({ type: 'stop', stopPrice, ...given });

describe('requests that are refused, each with its reason', () => {
  test.each([
    ['an unknown symbol', request({ symbol: 'NO/USDT' }), 'x: there is no NO/USDT.'],
    ['an amount off the step', request({ amount: 0.015 }), 'x: the amount is not a multiple of the step.'],
    ['no amount', request({ amount: 0 }), 'x: the amount is not a multiple of the step.'],
    ['an amount below the smallest', request({ amount: 0.01 }), 'x: the amount is too small.'],
    ['a limit order without a price', request({ type: 'limit' }), 'x: the price is not a multiple of the tick.'],
    ['a price off the tick', limit(99.005), 'x: the price is not a multiple of the tick.'],
    ['a price below 0', limit(-99), 'x: the price is not a multiple of the tick.'],
    ['a stop without a price', request({ type: 'stop' }), 'x: a stop needs its price.'],
    ['a stop at 0', stop(0), 'x: a stop needs its price.'],
    ['a stop to buy that is reached', stop(100.1), 'x: the stop would trigger at once.'],
    ['a stop to sell that is reached', stop(99.9, { side: 'sell' }), 'x: the stop would trigger at once.'],
    ['a value below the smallest at its price', limit(10, { amount: 0.49 }), 'x: the value is too small.'],
    ['a value below the smallest at the market', request({ amount: 0.04 }), 'x: the value is too small.'],
    ['a value below the smallest to sell at the bid', request({ amount: 0.05, side: 'sell' }), 'x: the value is too small.'],
    ['more money than there is', request({ amount: 99.91 }), 'x: not enough USDT is free.'],
    ['more coins than there are', request({ amount: 1.01, side: 'sell' }), 'x: not enough BTC is free.'],
  ])('%s', async (_, asked, reason) => {
    const venue = await openVenue({ ...spot, minAmount: 0.02 });
    await expect(venue.place(asked)).rejects.toThrow(reason);
    expect(await venue.ordersSince(symbol, 0)).toEqual([]);
  });

  test.each([
    ['the smallest amount', request({ amount: 0.05 })],
    ['the smallest value', limit(50, { amount: 0.1 })],
    ['all the money', limit(100, { amount: 100 })],
    ['all coins', request({ amount: 1, side: 'sell' })],
    ['a stop to buy above the ask', stop(100.11)],
    ['a stop to sell below the bid', stop(99.89, { side: 'sell' })],
  ])('but not %s', async (_, asked) => {
    const venue = await openVenue({ ...spot, minAmount: 0.05, minCost: 5 });
    expect(await venue.place(asked)).toMatchObject({ clientOrderId: 'x' });
  });

  test('before there is a price, and for an id that is in use', async () => {
    const venue = venueOf(spot);
    await expect(venue.place(request())).rejects.toThrow('x: BTC/USDT has no price yet.');
    venue.setPrices(symbol, { bid: 99.9, ask: 100.1 });
    await venue.place(limit(90));
    await expect(venue.place(limit(90))).rejects.toThrow('x: Duplicate order sent.');
    expect(() => venue.setPrices('NO/USDT', { bid: 1, ask: 2 })).toThrow('There is no NO/USDT.');
    await expect(venue.cancel(symbol, 'y')).rejects.toThrow('y: no such order is open.');
  });

  test('amounts of perpetuals are counted in contracts', async () => {
    const venue = await openVenue({ ...perpetual, amountStep: 1, contractSize: 0.1 });
    await expect(venue.place(request({ symbol: future, amount: 0.25 }))).rejects.toThrow('a multiple of the step');
    expect(await venue.place(request({ symbol: future, amount: 0.3 }))).toMatchObject({ filled: 0.3 });
  });
});

describe('how orders are filled', () => {
  test.each([
    ['a market buy at the ask', request(), 100.1, 'taker'],
    ['a market sell at the bid', request({ side: 'sell' }), 99.9, 'taker'],
    ['a limit buy across at the ask', limit(105), 100.1, 'taker'],
    ['a limit buy at the ask', limit(100.1), 100.1, 'taker'],
    ['a limit sell across at the bid', limit(95, { side: 'sell' }), 99.9, 'taker'],
    ['a limit sell at the bid', limit(99.9, { side: 'sell' }), 99.9, 'taker'],
  ] as const)('%s', async (_, asked, price, liquidity) => {
    const venue = await openVenue({ ...spot, makerFee: 0.0002 });
    expect(await venue.place(asked)).toMatchObject({ state: 'filled', filled: 1 });
    expect(await venue.fillsSince(symbol, null)).toMatchObject([
      { price, liquidity, amount: 1, time: startTime, feeInQuote: price / 1000 },
    ]);
  });

  test('a maker pays his own fee at his own price, to buy and to sell', async () => {
    const venue = await openVenue({ ...spot, makerFee: 0.0002 });
    await venue.place(limit(99));
    await venue.place(limit(101, { clientOrderId: 'y', side: 'sell' }));
    venue.setPrices(symbol, { bid: 100.99, ask: 101.2 });
    venue.setPrices(symbol, { bid: 101, ask: 101.2 });
    venue.setPrices(symbol, { bid: 98, ask: 98.5 });
    expect(await venue.fillsSince(symbol, null)).toMatchObject([
      { clientOrderId: 'y', price: 101, liquidity: 'maker', fee: 0.0202 },
      { clientOrderId: 'x', price: 99, liquidity: 'maker', fee: 0.0198 },
    ]);
  });

  test('a buyer who pays in what he receives has that much less, a seller pays in money', async () => {
    const venue = await openVenue(spot, { feeCurrency: 'received' });
    await venue.place(request());
    await venue.place(request({ side: 'sell', amount: 0.5 }));
    expect(await venue.fillsSince(symbol, null)).toMatchObject([
      { fee: 0.001, feeCurrency: 'BTC', feeInQuote: 0.1001 },
      { fee: 0.04995, feeCurrency: 'USDT' },
    ]);
    expect(await venue.balances()).toEqual([
      { currency: 'BTC', free: 1.499, locked: 0 },
      { currency: 'USDT', free: 10_000 - 100.1 + 49.95 - 0.04995, locked: 0 },
    ]);
  });

  test('fees are paid in a third currency while there is enough of it, then as ever', async () => {
    const balances = { USDT: 10_000, BNB: 0.00025 };
    const venue = await openVenue(spot, { feeCurrency: 'received', feeDiscount: { currency: 'BNB', price: 500 }, balances });
    await venue.place(request());
    await venue.place(request({ clientOrderId: 'y' }));
    expect(await venue.fillsSince(symbol, null)).toMatchObject([
      { fee: 0.0002002, feeCurrency: 'BNB', feeInQuote: null },
      { fee: 0.001, feeCurrency: 'BTC', feeInQuote: 0.1001 },
    ]);
    expect(await venue.balances()).toMatchObject([{ currency: 'BNB', free: 0.0000498 }, { free: 1.999 }, { free: 10_000 - 200.2 }]);
  });

  test('a stop waits for its price, and then takes the market whatever that is', async () => {
    const venue = await openVenue();
    await venue.place(stop(95, { side: 'sell' }));
    await venue.place(stop(105, { clientOrderId: 'y' }));
    venue.setPrices(symbol, { bid: 95.01, ask: 104.99 });
    expect(await venue.openOrders()).toHaveLength(2);
    venue.setPrices(symbol, { bid: 95, ask: 96 });
    venue.setPrices(symbol, { bid: 104, ask: 106 });
    expect(await venue.fillsSince(symbol, null)).toMatchObject([
      { clientOrderId: 'x', price: 95, liquidity: 'taker' },
      { clientOrderId: 'y', price: 106, liquidity: 'taker' },
    ]);
  });

  test('what is had at the bid and at the ask are two things, and the oldest order is the first', async () => {
    const venue = await openVenue();
    await venue.place(limit(99));
    await venue.place(limit(99, { clientOrderId: 'y' }));
    await venue.place(limit(98, { clientOrderId: 'z', side: 'buy' }));
    venue.setPrices(symbol, { bid: 98.8, ask: 99, askAmount: 1.5, bidAmount: 0.2 });
    expect((await venue.ordersSince(symbol, 0)).map(({ state, filled }) => [state, filled])).toEqual([
      ['filled', 1],
      ['open', 0.5],
      ['open', 0],
    ]);
    expect(await venue.place(request({ clientOrderId: 's', side: 'sell' }))).toMatchObject({ state: 'expired', filled: 0.2 });
    expect(await venue.place(request({ clientOrderId: 't', side: 'sell' }))).toMatchObject({ state: 'expired', filled: 0 });
    venue.setPrices(symbol, { bid: 98.8, ask: 99 });
    expect(await venue.order(symbol, 'y')).toMatchObject({ state: 'filled', filled: 1 });
  });

  test('prices of one symbol fill no order of another', async () => {
    const other = { ...spot, symbol: 'ETH/USDT', base: 'ETH' };
    const venue = await openVenue(spot, { instruments: [spot, other] });
    venue.setPrices(other.symbol, { bid: 99.9, ask: 100.1 });
    await venue.place(limit(99));
    await venue.place(limit(99, { symbol: other.symbol }));
    venue.setPrices(symbol, { bid: 98, ask: 98.5 });
    expect((await venue.openOrders()).map((each) => each.symbol)).toEqual(['ETH/USDT']);
    expect(await venue.openOrders(symbol)).toEqual([]);
    expect(await venue.fillsSince(other.symbol, null)).toEqual([]);
    expect(await venue.ordersSince(other.symbol, 0)).toHaveLength(1);
    expect(await venue.order(other.symbol, 'x')).toMatchObject({ state: 'open' });
    expect(await venue.cancel(other.symbol, 'x')).toMatchObject({ symbol: 'ETH/USDT', state: 'cancelled' });
  });
});

describe('what waiting orders set aside', () => {
  const locked = async (venue: InMemoryVenue) =>
    Object.fromEntries((await venue.balances()).filter((each) => each.locked > 0).map((each) => [each.currency, each.locked]));
  test('is what they may spend, at their own price, and less with every fill', async () => {
    const venue = await openVenue();
    await venue.place(limit(90, { amount: 2 }));
    await venue.place(limit(120, { clientOrderId: 'y', side: 'sell', amount: 0.5 }));
    await venue.place(stop(110, { clientOrderId: 'z', amount: 1 }));
    expect(await locked(venue)).toEqual({ BTC: 0.5, USDT: 290 });
    venue.setPrices(symbol, { bid: 89, ask: 90, askAmount: 0.5 });
    expect(await locked(venue)).toEqual({ BTC: 0.5, USDT: 245 });
    for (const id of ['x', 'y', 'z']) await venue.cancel(symbol, id);
    expect(await locked(venue)).toEqual({});
  });
  test('is the margin for perpetuals, and nothing for an order that only reduces', async () => {
    const venue = await openVenue(perpetual);
    await venue.setLeverage(future, 10);
    await venue.place(request({ symbol: future }));
    await venue.place(limit(90, { symbol: future, clientOrderId: 'y' }));
    expect(await locked(venue)).toEqual({ USDT: 9 });
    await venue.place(limit(120, { symbol: future, clientOrderId: 'z', side: 'sell', reduceOnly: true }));
    expect(await locked(venue)).toEqual({ USDT: 9 });
  });
  test('on spot, also for one that would only reduce: it needs its coins', async () => {
    const venue = await openVenue();
    await venue.place(limit(120, { side: 'sell', reduceOnly: true }));
    expect(await locked(venue)).toEqual({ BTC: 1 });
    await expect(venue.place(limit(120, { clientOrderId: 'y', side: 'sell', reduceOnly: true }))).rejects.toThrow(
      'not enough BTC is free.',
    );
  });
});

describe('perpetuals', () => {
  const bought = async () => {
    const venue = await openVenue(perpetual);
    await venue.place(request({ symbol: future, amount: 2 }));
    return venue;
  };
  test('an order that only reduces never turns a position, and ends with it', async () => {
    const venue = await bought();
    expect(await venue.place(request({ symbol: future, side: 'sell', amount: 3, reduceOnly: true }))).toMatchObject({
      state: 'expired',
      filled: 2,
    });
    expect(await venue.positions()).toEqual([]);
    expect(await venue.balances()).toEqual([{ currency: 'USDT', free: 10_000 - 0.4 - 0.2002 - 0.1998, locked: 0 }]);
  });
  test.each([
    ['sell', 'buy', 90, 100],
    ['buy', 'sell', 110, 100],
  ] as const)('one that waits to %s ends, once the position is in that direction itself', async (side, other, away, price) => {
    const venue = await openVenue(perpetual);
    const enter = async (id: string, of: 'buy' | 'sell', amount: number) =>
      await venue.place(request({ symbol: future, clientOrderId: id, side: of, amount }));
    await enter('first', other, 1);
    venue.setPrices(future, { bid: away, ask: away });
    const waits = { symbol: future, clientOrderId: 'waits', side, amount: 3, type: 'limit', price, reduceOnly: true } as const;
    await venue.place(request(waits));
    await enter('turned', side, 3);
    venue.setPrices(future, { bid: price, ask: price });
    expect(await venue.order(future, 'waits')).toMatchObject({ state: 'expired', filled: 0 });
    expect(await venue.positions()).toMatchObject([{ direction: side === 'buy' ? 'long' : 'short', amount: 2 }]);
  });
  test.each([
    ['to buy more', { side: 'buy' }],
    ['of what is not held', { side: 'sell' }],
  ] as const)('an order that only reduces is refused %s', async (_, { side }) => {
    const venue = side === 'buy' ? await bought() : await openVenue(perpetual);
    const asked = venue.place(request({ symbol: future, clientOrderId: 'y', side, reduceOnly: true }));
    await expect(asked).rejects.toThrow('y: nothing is held that it could reduce.');
  });
  test('an order that only reduces may be worth less than the smallest on perpetuals; on spot it may not', async () => {
    for (const [instrument, of] of [
      [perpetual, 'perpetuals'],
      [spot, 'spot'],
    ] as const) {
      const venue = venueOf(instrument, { balances: { USDT: 10_000, BTC: 1 } });
      const { symbol } = instrument;
      venue.setPrices(symbol, { bid: 100, ask: 100 });
      await venue.place(request({ symbol, amount: 1 }));
      const rest = venue.place(request({ symbol, clientOrderId: 'rest', side: 'sell', amount: 0.01, reduceOnly: true }));
      if (of === 'perpetuals') expect(await rest).toMatchObject({ state: 'filled', filled: 0.01 });
      else await expect(rest).rejects.toThrow('rest: the value is too small.');
    }
  });

  test('an order may turn a position', async () => {
    const venue = await bought();
    await venue.place(request({ symbol: future, side: 'sell', amount: 3 }));
    expect(await venue.positions()).toEqual([
      { symbol: future, direction: 'short', amount: 1, entryPrice: 99.9, leverage: 1, marginMode: 'cross' },
    ]);
  });
  test('funding is paid when it is time, once, for what is held then: by longs, to shorts, at a negative rate the other way', async () => {
    const { symbol } = perpetual;
    const funding = [10, 20, 30, 40].map((time, i) => ({ time, symbol, rate: i === 2 ? -0.002 : 0.001, mark: 150 }));
    const venue = venueOf({ ...perpetual, takerFee: 0 }, { balances: { USDT: 1_000 }, time: 0, funding });
    venue.setPrices(symbol, { bid: 100, ask: 100 });
    const order = { symbol, type: 'market', price: null, expiresAt: Infinity } as const;
    const moneyAt = async (time: number) => {
      venue.setTime(time);
      return (await venue.balances())[0]?.free;
    };
    expect(await moneyAt(10)).toBe(1_000);
    await venue.place(request({ ...order, clientOrderId: 'a', side: 'buy', amount: 2 }));
    expect(await moneyAt(19)).toBe(1_000);
    expect(await moneyAt(20)).toBe(999.7);
    expect(await moneyAt(29)).toBe(999.7);
    expect(await moneyAt(35)).toBe(1_000.3);
    await venue.place(request({ ...order, clientOrderId: 'b', side: 'sell', amount: 3 }));
    expect(await moneyAt(100)).toBe(1_000.45);
    expect(await moneyAt(200)).toBe(1_000.45);
  });

  test('leverage is from 1 to what the market allows', async () => {
    const venue = await openVenue(perpetual);
    for (const leverage of [1, 20]) await venue.setLeverage(future, leverage);
    for (const leverage of [0.99, 20.01, Number.NaN])
      await expect(venue.setLeverage(future, leverage)).rejects.toThrow(`${future} allows a leverage of 1 to 20.`);
    const onSpot = await openVenue();
    await expect(onSpot.setLeverage(symbol, 1)).rejects.toThrow('BTC/USDT has no leverage.');
    await expect(onSpot.setMarginMode(symbol, 'isolated')).rejects.toThrow('BTC/USDT has no margin mode.');
  });
  test('the margin mode stays while there is a position or an order; to set it as it is is a yes', async () => {
    const venue = await openVenue(perpetual);
    await venue.place(limit(90, { symbol: future }));
    await venue.setMarginMode(future, 'cross');
    const refused = `${future} has a position or open orders, and keeps its margin mode.`;
    await expect(venue.setMarginMode(future, 'isolated')).rejects.toThrow(refused);
    await venue.cancel(future, 'x');
    await venue.setMarginMode(future, 'isolated');
    await venue.place(request({ symbol: future }));
    await venue.setMarginMode(future, 'isolated');
    await expect(venue.setMarginMode(future, 'cross')).rejects.toThrow(refused);
  });
});

describe('reports of the account', () => {
  test('name every order as it changes, with its fill, and then all balances, until the listener ends', async () => {
    const venue = await openVenue();
    const seen: unknown[] = [];
    const end = venue.watch((report) =>
      seen.push(
        report.kind === 'order'
          ? [report.order.state, report.fill?.amount ?? null]
          : report.kind === 'balance'
            ? report.balance.currency
            : report.kind,
      ),
    );
    await venue.place(limit(90));
    await venue.cancel(symbol, 'x');
    expect(seen).toEqual([
      ['open', null],
      ['cancelled', null],
    ]);
    await venue.place(request({ clientOrderId: 'y' }));
    expect(seen.slice(2)).toEqual([['open', null], ['filled', 1], 'BTC', 'USDT']);
    end();
    await venue.place(request({ clientOrderId: 'z' }));
    expect(seen).toHaveLength(6);
    venue.watch((report) => seen.push(report));
    await venue.close();
    await venue.place(request({ clientOrderId: 'w' }));
    expect(seen).toHaveLength(6);
  });
  test('what was handed out changes no more', async () => {
    const venue = await openVenue();
    const reports: { order: unknown; fill: unknown }[] = [];
    venue.watch((report) => void (report.kind === 'order' && reports.push(report)));
    const placed = await venue.place(limit(90));
    const [listed] = await venue.openOrders();
    const [since] = await venue.ordersSince(symbol, startTime);
    const asked = await venue.order(symbol, 'x');
    expect(await venue.ordersSince(symbol, startTime + 1)).toEqual([]);
    venue.setPrices(symbol, { bid: 89, ask: 90 });
    for (const each of [placed, listed, since, asked, reports[0]?.order]) expect(each).toMatchObject({ state: 'open', filled: 0 });
    const [fill] = await venue.fillsSince(symbol, null);
    Object.assign(fill ?? {}, { amount: 77 });
    Object.assign(reports[1]?.fill ?? {}, { amount: 77 });
    expect(await venue.fillsSince(symbol, null)).toMatchObject([{ amount: 1 }]);
    const cancelled = await venue.place(limit(80, { clientOrderId: 'y' })).then(() => venue.cancel(symbol, 'y'));
    Object.assign(cancelled, { state: 'open' });
    expect(await venue.order(symbol, 'y')).toMatchObject({ state: 'cancelled' });
  });
  test('time may stand still', async () => {
    const venue = await openVenue();
    venue.setTime(startTime);
    venue.setTime(startTime + 5);
    expect(await venue.place(request({ expiresAt: startTime + 5 }))).toMatchObject({ createdTime: startTime + 5 });
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
