import { describe, expect, test } from 'vitest';
import type { Instrument } from '#engine/market/instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { OrderRequest, Trading, VenueFill, VenueOrder } from '#engine/ports/trading.ts';
import { cleanUp } from './clean-up.ts';
import { Probe } from './probe.ts';
import { tradeChecks } from './trade-checks.ts';

/** How an account of these tests behaves. */
interface Manner {
  market?: 'spot' | 'futures';
  lag?: number; // how often fills are asked for without showing a new one
  unlisted?: Side[]; // fills of these sides are never listed
  isDeaf?: boolean; // look-ups find no order
  isBlind?: boolean; // no order is in the list of open ones
  unheard?: Side[]; // the answers to orders of these sides are lost
  arrivesMs?: number | null; // after its answer was lost; null: never
  acknowledged?: Side[]; // the answers to orders of these sides say that they stand, whatever they have become
  lagMs?: number; // how long the check waits for what lags
}

type Side = 'buy' | 'sell';

/** An account whose owner has one ETH of their own, in the simplest words of an exchange. */
function accountOf({ market = 'spot', lag = 0, unlisted = [], unheard = [], arrivesMs = 0, acknowledged = [], ...manner }: Manner) {
  const has = { eth: 1 };
  const orders = new Map<string, VenueOrder>();
  const fills: { fill: VenueFill; hiddenFor: number }[] = [];
  const symbol = market === 'spot' ? 'ETH/USDT' : 'ETH/USDT:USDT';
  const fill = (order: VenueOrder): void => {
    const { clientOrderId, side, requested: amount } = order;
    has.eth += side === 'buy' ? amount : -amount;
    const id = String(fills.length + 1);
    const of = { clientOrderId, symbol, side, id, amount, price: 2000, fee: 0, feeCurrency: 'USDT', time: Date.now() };
    fills.push({ fill: of as unknown as VenueFill, hiddenFor: unlisted.includes(side) ? Infinity : lag });
    orders.set(clientOrderId, { ...order, state: 'filled', filled: amount });
  };
  const trading = {
    place: async (request: OrderRequest) => {
      const { clientOrderId, side, type, amount: requested, price, stopPrice } = request;
      const made = { clientOrderId, exchangeOrderId: clientOrderId, symbol, side, type, requested, price, stopPrice };
      const order: VenueOrder = { ...made, state: 'open', filled: 0, createdTime: Date.now() };
      const arrive = (): void => {
        orders.set(clientOrderId, order);
        if (type === 'market') fill(order);
      };
      if (unheard.includes(side)) {
        if (arrivesMs !== null) setTimeout(arrive, arrivesMs);
        throw new ExchangeError('unknown', 'the answer was lost');
      }
      arrive();
      return acknowledged.includes(side) ? order : (orders.get(clientOrderId) ?? order);
    },
    order: async (_: string, id: string) => (manner.isDeaf === true ? null : (orders.get(id) ?? null)),
    openOrders: async () => [...orders.values()].filter(({ state }) => state === 'open' && manner.isBlind !== true),
    cancel: async (_: string, id: string) => {
      const order = orders.get(id);
      if (order?.state !== 'open') throw new ExchangeError('rejected', 'Unknown order sent.');
      const cancelled: VenueOrder = { ...order, state: 'cancelled' };
      orders.set(id, cancelled);
      return cancelled;
    },
    fillsSince: async () => fills.filter((each) => each.hiddenFor-- <= 0).map((each) => each.fill),
    positions: async () => [],
  };
  const limits = { minAmount: 0.0001, minCost: 5, amountStep: 0.0001, priceTick: 0.01, contractSize: 1 };
  const instrument = { symbol, marketType: market, quote: 'USDT', ...limits } as unknown as Instrument;
  const quotes = { quote: async () => ({ bid: 2000, ask: 2000.1 }) } as unknown as Probe['market'];
  const probe = new Probe({
    trading: trading as unknown as Trading,
    market: quotes,
    instrument,
    exchangeId: 'slow',
    sandboxUrl: undefined,
    stop: { aborted: false },
    lagMs: manner.lagMs ?? 20_000,
  });
  return { probe, orders, has: () => has.eth.toFixed(4), reach: fill, unheard };
}

const buy = { type: 'market', side: 'buy', amount: 0.005 } as const;
const sell = { type: 'market', side: 'sell', amount: 0.005 } as const;

describe.concurrent('an exchange whose list of fills lags', () => {
  test('what was sold as the last thing is not sold again, out of what its owner has', async () => {
    const { probe, has } = accountOf({ lag: 8 });
    await probe.place(buy);
    await probe.unsettled();
    await probe.place(sell);
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    expect(has()).toBe('1.0000');
  });

  test('what was bought as the last thing is sold', async () => {
    const { probe, has } = accountOf({ lag: 8 });
    await probe.place(buy);
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    expect(has()).toBe('1.0000');
  });

  test('where a sale is never listed, nothing is sold a second time, and it is said', async () => {
    const { probe, has } = accountOf({ unlisted: ['sell'], lagMs: 100 });
    await probe.place(buy);
    expect(await cleanUp(probe)).toMatchObject({
      result: 'failed',
      seen: expect.stringMatching(
        /^The fills of the order fc-\w+-2 are not all listed: 0\.005 sold, and 0 in the list\. Look at the account/u,
      ),
    });
    expect(has()).toBe('1.0000');
  });

  test('where a purchase is never listed, it is said that it may be there', async () => {
    const { probe, has } = accountOf({ unlisted: ['buy'], lagMs: 100 });
    await probe.place(buy);
    expect(await cleanUp(probe)).toMatchObject({ result: 'failed', seen: expect.stringContaining('0.005 bought, and 0 in the list') });
    expect(has()).toBe('1.0050');
  });

  test('an order whose answer says only that it was taken is looked up before anything is sold', async () => {
    const { probe, has } = accountOf({ lag: 8, acknowledged: ['buy', 'sell'] });
    await probe.place(buy);
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    expect(has()).toBe('1.0000');
  });

  test('a sale of which nobody says what has become of it counts as sold, and the check has failed', async () => {
    const { probe, has } = accountOf({ isDeaf: true, acknowledged: ['sell'], unlisted: ['sell'], lagMs: 100 });
    await probe.place(buy);
    const seen = expect.stringMatching(/^Nobody says that the order fc-\w+-2 has ended\. Look at the account/u);
    expect(await cleanUp(probe)).toMatchObject({ result: 'failed', seen });
    expect(has()).toBe('1.0000');
  });

  test('what the user stream reports counts like an answer', async () => {
    const { probe, orders, has } = accountOf({ isDeaf: true, acknowledged: ['buy'], lag: 1, lagMs: 2_000 });
    const { clientOrderId } = await probe.place(buy);
    const order = orders.get(clientOrderId);
    if (order !== undefined) probe.receive({ kind: 'order', order, fill: null });
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    expect(has()).toBe('1.0000');
  });

  test('an order that the list of open ones does not show yet is cancelled', async () => {
    const { probe, orders } = accountOf({ isBlind: true });
    const { clientOrderId } = await probe.place({ type: 'limit', side: 'buy', amount: 0.005, price: 1900 });
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    expect(orders.get(clientOrderId)?.state).toBe('cancelled');
  });

  test('what a check sells is what is left after a stop that was reached and is not listed yet', async () => {
    const { probe, has, reach } = accountOf({ lag: 8 });
    await probe.place(buy);
    await probe.unsettled();
    reach(await probe.place({ type: 'stop', side: 'sell', amount: 0.005, stopPrice: 1990, reduceOnly: true }));
    const checks = tradeChecks();
    const named = (start: string) => checks.find(({ assumption }) => assumption.startsWith(start));
    await named('An order at market')?.run(probe);
    await expect(named('What was bought can be sold')?.run(probe)).resolves.toBe('0.0055 sold');
    expect(has()).toBe('1.0000');
  });

  test('a check sells nothing while it is not known what was sold before', async () => {
    const { probe, has } = accountOf({ unlisted: ['sell'], lagMs: 100 });
    await probe.place({ ...buy, amount: 0.01 });
    await probe.place(sell);
    const checks = tradeChecks();
    await checks[0]?.run(probe);
    await expect(checks.at(-1)?.run(probe)).rejects.toThrow('are not all listed');
    expect(has()).toBe('1.0105');
  });
});

describe.concurrent('an order whose answer was lost', () => {
  test('is looked up, and what it has bought is sold', async () => {
    const { probe, has } = accountOf({ lag: 8, unheard: ['buy'], arrivesMs: 200 });
    await expect(probe.place({ ...buy, expiresAt: Date.now() - 500 })).rejects.toThrow('lost');
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    expect(has()).toBe('1.0000');
  });

  test('has not arrived when nobody knows it in the end', async () => {
    const { probe, has } = accountOf({ unheard: ['buy'], arrivesMs: null, lagMs: 100 });
    await expect(probe.place({ ...buy, expiresAt: Date.now() - 1_000 })).rejects.toThrow('lost');
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    expect(has()).toBe('1.0000');
  });

  test('is waited for as long as it may arrive, also under the client id of one that has ended', async () => {
    const { probe, orders, unheard } = accountOf({ arrivesMs: 700 });
    const limit = { type: 'limit', side: 'buy', amount: 0.005, price: 1900 } as const;
    const { clientOrderId } = await probe.place(limit);
    await probe.cancel(clientOrderId);
    unheard.push('buy');
    await expect(probe.place({ ...limit, amount: 0.006, clientOrderId, expiresAt: Date.now() })).rejects.toThrow('lost');
    expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
    await expect.poll(() => orders.get(clientOrderId)).toMatchObject({ state: 'cancelled', requested: 0.006 });
  });
});

test('a short is bought back where an exchange does not keep to what only reduces', async () => {
  const { probe, has } = accountOf({ market: 'futures', lag: 1 });
  await probe.place({ ...sell, reduceOnly: true });
  expect(await cleanUp(probe)).toMatchObject({ result: 'passed' });
  expect(has()).toBe('1.0000');
});

test('where a purchase is not listed, what looks like a short is not bought back', async () => {
  const { probe, has } = accountOf({ market: 'futures', unlisted: ['buy'], lagMs: 100 });
  await probe.place(buy);
  await probe.place({ ...sell, reduceOnly: true });
  expect(await cleanUp(probe)).toMatchObject({ result: 'failed' });
  expect(has()).toBe('1.0000');
});
