import type { Fill } from '#engine/account/fill.ts';
import { isFinal } from '#engine/account/order-life.ts';
import { dividedBy, plus, times, toDecimal, toNumber, zero } from '#engine/market/decimal.ts';
import type { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { VenueFill, VenueOrder } from '#engine/ports/trading.ts';
import type { StoredOrder } from '#storage/orders/order-outbox.ts';
import type { OrderStore } from './order-store.ts';

/** An order at an exchange while its course is followed. */
export class LiveOrder {
  readonly stored: StoredOrder; // state, attempt, expiry and filled follow what is on the disk; filled not where fills are lost
  store: OrderStore; // of the process that follows it now
  readonly fills = new Map<string, Fill>(); // by the exchange's id
  readonly received: VenueOrder[] = []; // what the user stream has reported and was not processed yet
  isCancelWanted = false;
  noCancelBefore = 0; // ms; the exchange cannot cancel it for now
  dueAt = 0; // ms; when something is to be done next
  lookUps = 0; // that found nothing: of an attempt that has expired, or of an order that was there before
  isBusy = false;
  failure: { error: ExchangeError } | null = null; // of what was tried last
  reported = ''; // what was reported to its bot last
  freeCoins: number | null = null; // what the account had free when it refused a sale on spot
  areFillsLost = false; // those that are not known are listed nowhere any more
  fillCursor: string | null | undefined = undefined; // the fill after which its own begin; undefined before it was asked for

  #confirmedAt: number | null = null; // ms; when the exchange said last that it has the order; null: not to this process
  #doubts = 0; // how often it had to be asked about
  #answered = 0; // how many of these the newest answer has settled

  constructor(stored: StoredOrder, store: OrderStore) {
    this.stored = stored;
    this.store = store;
  }

  get id(): string {
    return this.stored.clientOrderId;
  }

  /** Whether the exchange must be asked about it before what is known of it counts. */
  get isDoubtful(): boolean {
    return this.#doubts > this.#answered;
  }

  /** The exchange is asked about it as soon as possible: it may have ended without a word. */
  doubt(now: number): void {
    this.#doubts += 1;
    this.dueAt = Math.min(this.dueAt, now);
  }

  /** The exchange has just said that it has the order: that it was not found before says nothing. */
  confirm(now: number): void {
    this.lookUps = 0;
    this.#confirmedAt = now;
  }

  /**
   * Whether the exchange has said less than so many ms before a question that it has the order. When it has said so to an earlier process is not on the
   * disk, but until when the order could arrive.
   */
  isJustConfirmed(askedAt: number, ms: number): boolean {
    this.#confirmedAt ??= Math.min(this.stored.expiresAt ?? 0, askedAt); // the clock may have been set back since
    return askedAt - this.#confirmedAt < ms;
  }

  /** The clock was set back by so many ms: what is to come stays as far away as it was, and what was as long ago. */
  setBack(ms: number): void {
    const { stored } = this;
    this.dueAt -= ms;
    this.noCancelBefore -= ms;
    if (this.#confirmedAt !== null) this.#confirmedAt -= ms;
    stored.plannedAt -= ms;
    if (stored.expiresAt !== null) stored.expiresAt -= ms;
    if (stored.endedAt !== null) stored.endedAt -= ms;
  }

  /** Asks the exchange. An answer settles the doubts of before the question. */
  async asked(ask: () => Promise<VenueOrder | null>): Promise<VenueOrder | null> {
    const doubts = this.#doubts;
    const found = await ask();
    if (found !== null) this.#answered = Math.max(this.#answered, doubts);
    return found;
  }

  /** What there is to report to its bot, in one word. */
  get news(): string {
    return `${this.stored.state} ${this.stored.filled} ${this.fills.size}`;
  }

  /** Whether nothing is left to do: it has ended, all of its fills are known, and its bot has the report. */
  get isDone(): boolean {
    return isFinal(this.stored.state) && !this.lacksFills && this.reported === this.news;
  }

  /** Whether the exchange is to be asked to cancel it now. */
  isToCancel(now: number): boolean {
    return this.isCancelWanted && now >= this.noCancelBefore;
  }

  /** Whether it only stands at the exchange: nobody waits for its end, and nothing is known of it that would have to be read. */
  get isQuiet(): boolean {
    return this.stored.state === 'open' && !this.isCancelWanted && !this.lacksFills && this.lookUps === 0;
  }

  /** Whether the exchange has said that more is filled than the known fills add up to. */
  get lacksFills(): boolean {
    return this.lacks(this.stored.filled);
  }

  /** Whether the known fills add up to less than an amount. */
  lacks(amount: number): boolean {
    return sumOf(this.fills.values()) < amount * (1 - 1e-12);
  }

  /** What is known of its fills is all that will ever be. */
  giveUpFills(): void {
    this.areFillsLost = true;
    this.stored.filled = sumOf(this.fills.values());
  }

  /** The average price of the known fills; null before the first. */
  averagePrice(): number | null {
    if (this.fills.size === 0) return null;
    let [value, amount] = [zero, zero];
    for (const fill of this.fills.values()) {
      value = plus(value, times(toDecimal(fill.price), toDecimal(fill.amount)));
      amount = plus(amount, toDecimal(fill.amount));
    }
    return toNumber(dividedBy(value, amount));
  }
}

/** What a fill is for its order, which knows its own id and symbol. */
export function fillOf({ id, price, amount, fee, feeCurrency, feeInQuote, liquidity, time }: VenueFill): Fill {
  return { id, price, amount, fee, feeCurrency, feeInQuote, liquidity, time };
}

function sumOf(fills: Iterable<Fill>): number {
  let sum = zero;
  for (const { amount } of fills) sum = plus(sum, toDecimal(amount));
  return toNumber(sum);
}
