import type { VenueOrder } from '#engine/ports/trading.ts';

/** What is remembered of an order. Fills name their order by the exchange's id alone, and some answers leave out when it was made. */
export type KnownOrder = Pick<VenueOrder, 'clientOrderId' | 'createdTime'>;

/** So many orders are remembered; what is forgotten is asked for again. */
const most = 20_000;

/** The orders of an account that were seen lately, by symbol and the exchange's id. */
export class OrderMemory {
  readonly #orders = new Map<string, KnownOrder>();
  readonly #clientIds = new Map<string, string>(); // the key of the order, by symbol and client id

  note(symbol: string, orderId: string, { clientOrderId, createdTime }: KnownOrder): void {
    const key = `${symbol} ${orderId}`;
    this.#orders.delete(key);
    this.#orders.set(key, { clientOrderId, createdTime });
    this.#clientIds.set(`${symbol} ${clientOrderId}`, key);
    if (this.#orders.size > most) this.#forget(this.#orders.keys().next().value ?? '');
  }

  of(symbol: string, orderId: string): KnownOrder | null {
    return this.#orders.get(`${symbol} ${orderId}`) ?? null;
  }

  /** Whether an order of this client id was seen. */
  hasClientId(symbol: string, clientOrderId: string): boolean {
    return this.#clientIds.has(`${symbol} ${clientOrderId}`);
  }

  #forget(key: string): void {
    const [symbol = ''] = key.split(' ');
    const clientId = `${symbol} ${this.#orders.get(key)?.clientOrderId}`;
    this.#orders.delete(key);
    if (this.#clientIds.get(clientId) === key) this.#clientIds.delete(clientId);
  }
}
