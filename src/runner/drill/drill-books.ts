import { isFinal } from '#engine/account/order-life.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import type { VenueOrder } from '#engine/ports/trading.ts';
import type { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { MemoryDisk } from '../simulation/memory-disk.ts';
import type { DrillPair } from './drill-plan.ts';

/** Amounts that differ by less are the same: both are sums of the same fills. */
const least = 1e-9;

/** The books of a drill at its end. */
export interface DrillBooks {
  disk: MemoryDisk;
  venue: InMemoryVenue;
  pairs: readonly DrillPair[];
  startingBalances: Readonly<Record<string, number>>;
  bids: ReadonlyMap<string, number>; // by symbol
}

/** All orders that the exchange has taken, pair by pair. */
export async function drillOrders(venue: InMemoryVenue, pairs: readonly DrillPair[]): Promise<VenueOrder[]> {
  return (await Promise.all(pairs.map(({ instrument }) => venue.ordersSince(instrument.symbol, 0)))).flat();
}

/** What differs between the bot's books and the exchange's once everything is closed, a sentence each. */
export async function drillDifferences(books: DrillBooks): Promise<string[]> {
  const { disk, venue, pairs } = books;
  const differences = disk.faults.map((error) => `The program failed: ${error instanceof Error ? error.message : String(error)}.`);
  const taken = new Map<string, VenueOrder[]>();
  for (const order of await drillOrders(venue, pairs)) taken.set(order.clientOrderId, [...(taken.get(order.clientOrderId) ?? []), order]);
  for (const [id, orders] of taken) {
    const row = disk.rows.get(id);
    const [order] = orders;
    if (order === undefined) continue;
    if (orders.length > 1) differences.push(`Order ${id} was placed ${orders.length} times.`);
    if (row === undefined) differences.push(`Order ${id} is not in the books.`);
    else if (row.state !== order.state) differences.push(`Order ${id} is ${order.state} at the exchange and ${row.state} in the books.`);
    else if (Math.abs(row.filled - order.filled) > least)
      differences.push(`Order ${id} is filled by ${order.filled} at the exchange and by ${row.filled} in the books.`);
    if (!isFinal(order.state)) differences.push(`Order ${id} still stands at the end.`);
  }
  for (const { clientOrderId, state } of disk.rows.values())
    if (!taken.has(clientOrderId) && state !== 'cancelled' && state !== 'refused')
      differences.push(`Order ${clientOrderId} is ${state} in the books and was never placed.`);
  for (const { symbol } of disk.state.trades) differences.push(`A trade of ${symbol} was not closed.`);
  return [...differences, ...(await heldAtTheEnd(books))];
}

/** Coins that are left in the account because they are less than an order can be for, a sentence each. */
export async function drillLeftovers({ venue, pairs, startingBalances, bids }: DrillBooks): Promise<string[]> {
  const balances = new Map((await venue.balances()).map(({ currency, free, locked }) => [currency, free + locked]));
  return pairs.flatMap(({ instrument: { symbol, base, quote, marketType }, price }) => {
    const left = (balances.get(base) ?? 0) - (startingBalances[base] ?? 0);
    if (marketType === 'futures' || left <= least) return [];
    return [`${short(left)} ${base} are left, worth ${short(left * (bids.get(symbol) ?? price))} ${quote}: less than the smallest order.`];
  });
}

const short = (value: number): number => Number(value.toPrecision(4));

async function heldAtTheEnd({ disk, venue, pairs, startingBalances }: DrillBooks): Promise<string[]> {
  const differences = (await venue.positions()).map(({ symbol, amount }) => `A position of ${amount} ${symbol} is left.`);
  const gained = new Map<string, number>();
  for (const { currency, free, locked } of await venue.balances()) gained.set(currency, free + locked - (startingBalances[currency] ?? 0));
  let isDustLeft = false;
  for (const { instrument } of pairs) {
    if (instrument.marketType === 'futures') continue;
    const left = gained.get(instrument.base) ?? 0;
    if (left < -least) differences.push(`${-left} ${instrument.base} are missing.`);
    isDustLeft ||= left > least; // less than the exchange takes an order for, or bought with a fee in coins
  }
  const { quote } = currenciesOf(pairs[0]?.instrument.symbol ?? '');
  const profit = gained.get(quote) ?? 0;
  const { closedProfit, nextTradeId } = disk.state;
  // What is left as dust was paid for, and is not a profit yet.
  if (!isDustLeft && Math.abs(profit - closedProfit) > 1e-6 * nextTradeId)
    differences.push(`The account has gained ${profit} ${quote}, and the books say ${closedProfit}.`);
  return differences;
}
