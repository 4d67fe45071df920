import { plus, toDecimal, toNumber, zero } from '#engine/market/decimal.ts';
import type { VenueFill, VenueOrder } from '#engine/ports/trading.ts';

/**
 * What answers, look-ups and reports have said of the orders of a check. It is known before the list of fills shows it: by the list alone
 * what was sold a moment ago would be sold once more, out of what the owner of the account has.
 */
export class OrderNews {
  readonly #orders = new Map<string, VenueOrder>(); // by client id, the furthest that was said
  readonly #lost = new Set<string>(); // client ids of which an answer was lost, and nothing was said since
  notedAt = 0; // ms; when something new was said

  /** The answer to an order that was placed, also under a client id that was used before. */
  begin(order: VenueOrder): void {
    this.#orders.set(order.clientOrderId, order);
    this.notedAt = Date.now();
  }

  /** The answer was lost. */
  lose(clientOrderId: string): void {
    this.#lost.add(clientOrderId);
  }

  /** What was said later; an older word may come after a newer one. */
  note(order: VenueOrder): void {
    this.#lost.delete(order.clientOrderId);
    const known = this.#orders.get(order.clientOrderId);
    const isNews = known === undefined || order.filled > known.filled || (order.state !== 'open' && known.state === 'open');
    if (isNews) this.begin(order);
  }

  /** The client ids of orders that stand, as far as anybody has said. */
  standing(): string[] {
    return [...this.#orders.values()].flatMap(({ state, clientOrderId }) => (state === 'open' ? [clientOrderId] : []));
  }

  /** The client ids of orders that a look-up may say more of. */
  uncertain(): string[] {
    return [...this.#lost, ...this.standing()];
  }

  /** What was lost and is not found by now has never arrived. */
  forgetLost(): void {
    this.#lost.clear();
  }

  /** How much of an order may be filled, so that no more than what is left is sold. */
  mostFilled(clientOrderId: string): number {
    const order = this.#orders.get(clientOrderId);
    if (order === undefined) return 0;
    return order.state === 'open' ? order.requested : order.filled;
  }

  /** A sentence about an order that the listed fills do not add up to, or that may still be filled; null without one. */
  doubt(fills: readonly VenueFill[], step: number): string | null {
    for (const { clientOrderId: id, side, type, state, filled } of this.#orders.values()) {
      const listed = amountOf(fills, id);
      if (listed + step / 2 < filled)
        return `The fills of the order ${id} are not all listed: ${filled} ${side === 'buy' ? 'bought' : 'sold'}, and ${listed} in the list`;
      if (state === 'open' && type !== 'limit') return `Nobody says that the order ${id} has ended`; // one with a limit may rest
    }
    const [lost] = this.#lost;
    return lost === undefined ? null : `Nobody says what has become of the order ${lost}`;
  }
}

/** What the listed fills of an order add up to. */
export function amountOf(fills: readonly VenueFill[], clientOrderId: string): number {
  const own = fills.filter((fill) => fill.clientOrderId === clientOrderId);
  return toNumber(own.reduce((sum, { amount }) => plus(sum, toDecimal(amount)), zero));
}
