import type { Order } from '#engine/account/order.ts';
import type { Fill } from '#engine/account/fill.ts';
import { minuteMs } from '#engine/market/durations.ts';

/** In which some accounts of a simulation pay their fees. */
export const thirdCurrency = 'BNB';
/** What the fills of orders cost at the market, and where the value of a fee is not known. */
export const takerFee = 0.0005;

/** What the third currency costs at the end of a minute. */
export function thirdPrice(minute: number): number {
  return 600 + ((minute / minuteMs) % 7);
}

/** What the bot takes the fee of a fill for, in quote currency; null where it does not know. */
export class BookedFees {
  readonly #values: ReadonlyMap<string, number | null>;

  /** `orders`: as they are on the disk. */
  constructor(orders: readonly Order[]) {
    this.#values = new Map(orders.flatMap(({ id, fills }) => fills.map((fill) => [`${id} ${fill.id}`, fill.feeInQuote])));
  }

  /** What the fills of one order cost in quote currency; one whose value is not known makes all of them cost what is usual. */
  of(orderId: string, fills: readonly Fill[], base: string): number {
    let [fees, amount, value] = [0, 0, 0];
    let isKnown = true;
    for (const fill of fills) {
      const booked = this.#valueOf(orderId, fill);
      if (booked === null) isKnown = false;
      else if (fill.feeCurrency !== base) fees += booked;
      amount += fill.amount;
      value += fill.price * fill.amount;
    }
    const kept = fills.reduce((sum, { fee, feeCurrency }) => sum + (feeCurrency === base ? fee : 0), 0);
    // What was received is what the usual fee is paid for; the coins that were kept are no longer a fee then.
    return isKnown ? fees : (value / amount) * (amount - kept) * (1 + takerFee) - value;
  }

  /** What is wrong with the value of a fee: not that of the minute in which it was paid, nor of the one before. */
  faultOf(orderId: string, fill: Fill): string | null {
    const booked = this.#valueOf(orderId, fill);
    if (fill.feeCurrency !== thirdCurrency || booked === null) return null;
    const minute = Math.floor(fill.time / minuteMs) * minuteMs;
    const isRight = [minute, minute - minuteMs].some((time) => Math.abs(fill.fee * thirdPrice(time) - booked) < 1e-9);
    return isRight ? null : `the fee of fill ${fill.id} of ${orderId} is ${fill.fee} ${fill.feeCurrency} and was taken for ${booked}`;
  }

  #valueOf(orderId: string, { id, feeInQuote }: Fill): number | null {
    const booked = this.#values.get(`${orderId} ${id}`);
    return booked === undefined ? feeInQuote : booked;
  }
}
