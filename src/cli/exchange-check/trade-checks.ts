import { setTimeout as sleep } from 'node:timers/promises';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { VenueFill, VenueOrder } from '#engine/ports/trading.ts';
import { type Check, demand, eventually, Skipped } from './check.ts';
import { demandRefusal, isRefusal } from './order-checks.ts';
import { multiple, type Probe } from './probe.ts';

/** How long a stop next to the price is waited for. */
const stopPatienceMs = minuteMs;

/** How far below the bid, in steps of the price, such a stop is at most. */
const mostTicks = 64;

/** The checks of a trade: bought at market, protected by a stop, sold again. */
export function tradeChecks(): Check[] {
  let bought: VenueOrder | null = null;
  const sellable = async (probe: Probe): Promise<number> => {
    if (bought === null) throw new Skipped('nothing was bought');
    await demandSettled(probe);
    const amount = multiple(await probe.held(), probe.step, 'down');
    if (amount <= 0) throw new Skipped('nothing is held any more');
    return amount;
  };
  return [
    {
      assumption: 'An order at market is filled at once',
      async run(probe) {
        bought = await probe.place({ type: 'market', amount: probe.smallestAmount(await probe.quote()) });
        demand(bought.state === 'filled', `it is ${bought.state} with ${bought.filled} of ${bought.requested}`);
        return `${bought.filled} bought`;
      },
    },
    {
      assumption: 'Its fills are listed under our client id, and add up to the order',
      async run(probe) {
        if (bought === null) throw new Skipped('nothing was bought');
        const order = bought;
        const isWhole = (fills: readonly VenueFill[]) =>
          Math.abs(fills.reduce((sum, { amount }) => sum + amount, 0) - order.filled) < probe.step / 2;
        const fills = await eventually('they do not add up', async () => {
          const listed = await probe.fills();
          return isWhole(listed) ? listed : null;
        });
        const last = fills.at(-1);
        const later = await probe.trading.fillsSince(probe.symbol, last?.id ?? null);
        demand(later.length === 0, `${later.length} are listed after the last one`);
        return `${fills.length}, fee ${last?.fee} ${last?.feeCurrency}`;
      },
    },
    {
      assumption: 'The user stream reports each fill with the id of the list',
      async run(probe) {
        if (bought === null) throw new Skipped('nothing was bought');
        const fills = await probe.fills();
        await eventually('some were not reported', () => {
          const reported = new Set(probe.reports.flatMap((each) => (each.kind === 'order' ? [each.fill?.id] : [])));
          return fills.every(({ id }) => reported.has(id));
        });
        return `${fills.length} reported`;
      },
    },
    {
      assumption: 'The user stream reports what has become of the balances',
      async run({ reports }) {
        if (bought === null) throw new Skipped('nothing was bought');
        await eventually('nothing was reported', () => reports.some(({ kind }) => kind === 'balance'));
        return 'reported';
      },
    },
    {
      assumption: 'A position has its leverage and margin mode, and setting them to what they are is accepted',
      async run(probe) {
        if (!probe.isFutures) throw new Skipped('spot has no positions');
        await sellable(probe);
        const position = (await probe.trading.positions()).find(({ symbol }) => symbol === probe.symbol);
        if (position === undefined || position.direction !== 'long') throw new Error('there is no long position');
        await probe.trading.setLeverage(probe.symbol, position.leverage);
        await probe.trading.setMarginMode(probe.symbol, position.marginMode);
        return `${position.amount} at ${position.entryPrice}, ${position.leverage}x, ${position.marginMode}`;
      },
    },
    {
      assumption: 'A stop that would trigger at once is refused',
      async run(probe) {
        const amount = await sellable(probe);
        const stopPrice = probe.priceAt((await probe.quote()).ask, 1.01);
        return await demandRefusal(probe.place({ ...stopOf(amount), stopPrice }));
      },
    },
    {
      assumption: 'A stop waits, is found and listed, and can be cancelled',
      async run(probe) {
        const stopPrice = probe.priceAt((await probe.quote()).bid, 0.97);
        const placed = await probe.place({ ...stopOf(await sellable(probe)), stopPrice });
        demand(placed.state === 'open' && placed.stopPrice === stopPrice, `it is ${placed.state} at ${placed.stopPrice}`);
        const id = placed.clientOrderId;
        await eventually('it is not found', () => probe.order(id));
        await eventually('it is not listed', async () =>
          (await probe.trading.openOrders(probe.symbol)).some((each) => each.clientOrderId === id),
        );
        const { state } = await probe.cancel(id);
        demand(state === 'cancelled', `after the cancelling it is ${state}`);
        return `at ${stopPrice}${placed.price === null ? ', at market' : `, with a limit of ${placed.price}`}`;
      },
    },
    {
      assumption: 'A stop that the price reaches sells, under our client id',
      async run(probe) {
        const amount = await sellable(probe);
        const { id, stopPrice } = await placeNearStop(probe, amount);
        for (const until = Date.now() + stopPatienceMs; Date.now() < until && !probe.stop.aborted; await sleep(secondMs)) {
          const order = await probe.order(id);
          if (order === null || order.state === 'open') continue;
          demand(order.filled === amount, `it is ${order.state} with ${order.filled} of ${amount}`);
          const isListed = async () => (await probe.fills()).some(({ clientOrderId }) => clientOrderId === id);
          await eventually('its fills are not listed under its client id', isListed);
          return `sold at a stop of ${stopPrice}`;
        }
        await probe.cancel(id).catch((error: unknown) => {
          if (!isRefusal(error)) throw error; // it may have been reached in this moment
        });
        throw new Skipped('the price did not come there in time');
      },
    },
    {
      assumption: 'An order that may only reduce a position is refused when there is none',
      async run(probe) {
        if (!probe.isFutures) throw new Skipped('spot has no positions');
        await demandSettled(probe);
        const held = await probe.held();
        const amount = held > 0 ? held : probe.smallestAmount(await probe.quote());
        if (held > 0) await probe.place({ type: 'market', side: 'sell', amount, reduceOnly: true });
        await eventually('the position is still there', async () => !(await isHeld(probe)));
        return await demandRefusal(probe.place({ type: 'market', side: 'sell', amount, reduceOnly: true }));
      },
    },
    {
      assumption: 'What was bought can be sold at market',
      async run(probe) {
        const amount = await sellable(probe);
        const order = await probe.place({ type: 'market', side: 'sell', amount, reduceOnly: true });
        demand(order.state === 'filled', `it is ${order.state} with ${order.filled} of ${amount}`);
        return `${order.filled} sold`;
      },
    },
  ];
}

/**
 * A stop a little below the bid. The price may have fallen past it before it arrives, and it is refused: then another one is placed, further
 * off. Fails: ExchangeError of the last try
 */
async function placeNearStop(probe: Probe, amount: number): Promise<{ id: string; stopPrice: number }> {
  const { priceTick } = probe.instrument;
  for (let ticks = 2; ; ticks *= 2) {
    const stopPrice = multiple((await probe.quote()).bid - ticks * priceTick, priceTick, 'down');
    try {
      return { id: (await probe.place({ ...stopOf(amount), stopPrice })).clientOrderId, stopPrice };
    } catch (error) {
      if (!isRefusal(error) || ticks >= mostTicks) throw error;
    }
  }
}

/** Whatever sells counts all that was sold before. Fails: Error while that is not known */
async function demandSettled(probe: Probe): Promise<void> {
  const doubt = await probe.unsettled();
  if (doubt !== null) throw new Error(doubt);
}

async function isHeld({ trading, symbol }: Probe): Promise<boolean> {
  return (await trading.positions()).some((position) => position.symbol === symbol);
}

function stopOf(amount: number) {
  return { type: 'stop', side: 'sell', amount, reduceOnly: true } as const;
}
