import { measureClockOffset } from '#exchange/clock-offset.ts';
import { secondMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { VenueOrder } from '#engine/ports/trading.ts';
import { type Check, demand, eventually, Skipped } from './check.ts';
import type { Probe } from './probe.ts';

/** How far below the market an order rests that is not meant to be filled. */
const farBelow = 0.97;

/** The checks of the clock, and of an order that rests and is cancelled. */
export function orderChecks(): Check[] {
  let resting: VenueOrder | null = null;
  const restingOrder = (): VenueOrder => {
    if (resting === null) throw new Skipped('there is no resting order to try it with');
    return resting;
  };
  const placeFar = async (probe: Probe, clientOrderId?: string): Promise<VenueOrder> => {
    const quote = await probe.quote();
    const price = probe.priceAt(quote.bid, farBelow);
    const given = clientOrderId === undefined ? {} : { clientOrderId };
    return await probe.place({ type: 'limit', amount: probe.smallestAmount({ ...quote, bid: price }), price, ...given });
  };
  return [
    {
      assumption: 'The clock of the exchange is within a second of that of this machine',
      async run({ exchangeId, instrument: { marketType }, sandboxUrl }) {
        const offset = await measureClockOffset({ exchangeId, marketType, sandboxUrl });
        if (offset === null) throw new Skipped('the exchange does not publish its time');
        demand(Math.abs(offset) < secondMs, `it is ${Math.round(offset)} ms away`);
        return `${Math.round(offset)} ms`;
      },
    },
    {
      assumption: 'A limit order below the market rests, under our client id',
      async run(probe) {
        resting = await placeFar(probe);
        demand(resting.state === 'open' && resting.filled === 0, `it is ${resting.state} with ${resting.filled}`);
        return `${resting.requested} at ${resting.price}`;
      },
    },
    {
      assumption: 'An order is found by its client id, and is the same as in the answer',
      async run(probe) {
        const { clientOrderId, ...placed } = restingOrder();
        const found = await eventually('it is not found', () => probe.order(clientOrderId));
        const differing = Object.entries(placed).filter(([name, value]) => found[name as keyof VenueOrder] !== value);
        demand(differing.length === 0, `other than in the answer: ${differing.map(([name]) => name).join(', ')}`);
        return 'found';
      },
    },
    {
      assumption: 'An order that rests is in the list of open orders, of its symbol and of all',
      async run({ trading, symbol }) {
        const { clientOrderId } = restingOrder();
        const isIn = (orders: readonly VenueOrder[]) => orders.some((each) => each.clientOrderId === clientOrderId);
        await eventually('it is not in the list of its symbol', async () => isIn(await trading.openOrders(symbol)));
        await eventually('it is not in the list of all', async () => isIn(await trading.openOrders()));
        return 'listed in both';
      },
    },
    {
      assumption: 'An order is in the list of orders since a time',
      async run({ trading, symbol, startTime }) {
        const { clientOrderId } = restingOrder();
        const isListed = async () =>
          (await trading.ordersSince(symbol, startTime - 60 * secondMs)).some((each) => each.clientOrderId === clientOrderId);
        await eventually('it is not listed', isListed);
        return 'listed';
      },
    },
    {
      assumption: 'The user stream reports an order that was accepted',
      async run({ reports }) {
        const { clientOrderId } = restingOrder();
        await eventually('nothing was reported', () =>
          reports.some((each) => each.kind === 'order' && each.order.clientOrderId === clientOrderId && each.order.state === 'open'),
        );
        return 'reported';
      },
    },
    {
      assumption: 'A client id is refused while an order of it is open',
      async run(probe) {
        const { clientOrderId } = restingOrder();
        await demandRefusal(placeFar(probe, clientOrderId));
        const same = (await probe.trading.openOrders(probe.symbol)).filter((each) => each.clientOrderId === clientOrderId);
        demand(same.length === 1, `${same.length} orders of it are open`);
        return 'refused';
      },
    },
    {
      assumption: 'A request is not carried out after its window',
      async run(probe) {
        const price = probe.priceAt((await probe.quote()).bid, farBelow);
        const amount = probe.smallestAmount({ ...(await probe.quote()), bid: price });
        const [outcome] = await Promise.allSettled([probe.place({ type: 'limit', amount, price, expiresAt: Date.now() + 2 })]);
        if (outcome.status === 'fulfilled') throw new Skipped('the order arrived within 2 ms');
        const { kind } = outcome.reason as ExchangeError;
        demand(kind === 'temporary' || kind === 'rejected', `the failure is "${kind}"`);
        return kind === 'rejected' ? 'not sent' : 'refused for its time';
      },
    },
    {
      assumption: 'An order worth less than the smallest is refused',
      async run(probe) {
        const price = probe.priceAt((await probe.quote()).bid, farBelow);
        if (!(probe.step * price < probe.instrument.minCost)) throw new Skipped('one step is worth more than the smallest order');
        return await demandRefusal(probe.place({ type: 'limit', amount: probe.step, price }));
      },
    },
    {
      assumption: 'A cancelled order is cancelled, and found as such',
      async run(probe) {
        const { clientOrderId } = restingOrder();
        const cancelled = await probe.cancel(clientOrderId);
        demand(cancelled.state === 'cancelled', `it is ${cancelled.state}`);
        const isFound = async () => (await probe.order(clientOrderId))?.state === 'cancelled';
        await eventually('it is not found as cancelled', isFound);
        return 'cancelled';
      },
    },
    {
      assumption: 'The cancelling of an order that has ended is refused',
      run: ({ trading, symbol }) => demandRefusal(trading.cancel(symbol, restingOrder().clientOrderId)),
    },
    {
      assumption: 'The client id of an order that has ended may be used again (either answer will do)',
      async run(probe) {
        const { clientOrderId } = restingOrder();
        const [outcome] = await Promise.allSettled([placeFar(probe, clientOrderId)]);
        if (outcome.status === 'fulfilled') await probe.cancel(clientOrderId);
        else demand(isRefusal(outcome.reason), String(outcome.reason));
        return outcome.status === 'fulfilled' ? 'it may' : 'it may not';
      },
    },
  ];
}

/** What was refused in words. Fails: Error when it was carried out, or failed otherwise */
export async function demandRefusal(call: Promise<unknown>): Promise<string> {
  const [outcome] = await Promise.allSettled([call]);
  demand(outcome.status === 'rejected', 'it was carried out');
  const { reason } = outcome as PromiseRejectedResult;
  if (!isRefusal(reason)) throw reason;
  return 'refused';
}

/** Whether an exchange has said no. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ExchangeError && error.kind === 'rejected';
}
