import { OrderNotFound } from 'ccxt';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import type { Trading, VenueOrder } from '#engine/ports/trading.ts';
import type { AccountClient } from './account-client.ts';
import { type Row, rowOf } from './rows/answer-row.ts';

/** The answer to a look-up, or null when the exchange says that there is no such order. */
export async function foundOrNull(answer: Promise<unknown>): Promise<Row | null> {
  try {
    return rowOf(await answer);
  } catch (error) {
    if (error instanceof OrderNotFound) return null;
    throw error;
  }
}

/**
 * An order of an instrument that the exchange does not list any more, and which it cannot be asked about by its instrument: one that
 * stands all the same is among the open orders of the whole account.
 */
export async function unlistedOrder(trading: Trading, clientOrderId: string): Promise<VenueOrder | null> {
  return (await trading.openOrders()).find((order) => order.clientOrderId === clientOrderId) ?? null;
}

/** An order that is to be cancelled. */
export interface Cancelling {
  account: AccountClient;
  trading: Trading;
  symbol: string;
  clientOrderId: string;
}

/**
 * Has an order cancelled by the exchange's id of its instrument. Where that is not listed any more, the order itself says the id.
 *
 * Fails: as `cancel`; `NotListed` when the order of an instrument that is not listed does not stand, or the exchange refuses
 */
export async function cancelBy(
  { account, trading, symbol, clientOrderId }: Cancelling,
  cancel: (instrument: { id: string; symbol: string }) => Promise<VenueOrder>,
): Promise<VenueOrder> {
  const market = await account.listed(symbol);
  if (market !== null) return await cancel(market);
  const standing = await unlistedOrder(trading, clientOrderId);
  if (standing === null) throw new NotListed(`The order ${clientOrderId} of ${symbol}, which is not listed, is not open.`);
  try {
    return await cancel({ id: standing.symbol, symbol });
  } catch (error) {
    throw error instanceof ExchangeError && error.kind === 'rejected' ? new NotListed(error.message) : error;
  }
}
