import { currenciesOf } from '#engine/account/fill.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import type { Trading, VenueOrder } from '#engine/ports/trading.ts';
import type { EntryRefusal } from '#storage/orders/order-outbox.ts';
import type { LiveOrder } from './live-order.ts';
import type { ChangeDependencies } from './order-changes.ts';
import { kindOf, OrderChanges } from './order-changes.ts';

/** What following an order needs. */
export interface CourseDependencies extends ChangeDependencies {
  /** Sets leverage and margin mode of a symbol before an entry, unless that is not to be sent; then why not. Fails: ExchangeError */
  prepare: (order: LiveOrder) => Promise<EntryRefusal | null>;
  /** Whether an order is not to be sent yet, though it is time. */
  isHeld: (order: LiveOrder) => boolean;
}

const notHeld = 'Not sent: the account holds less than that for the trade. Decide about the difference.';

/**
 * The course of one order, from the intent on the disk to its end at the exchange.
 *
 * It is sent after that was written down, with an expiry; when no clear answer comes back, it is searched by its client id
 * until it is found or, after its expiry, certainly not there. Only then may the same order be sent again. Whatever happens to
 * this process in between, whoever takes over continues from the disk in the same way.
 */
export class OrderCourse {
  readonly #on: CourseDependencies;
  readonly #changes: OrderChanges;

  constructor(dependencies: CourseDependencies) {
    this.#on = dependencies;
    this.#changes = new OrderChanges(dependencies);
  }

  /** Does what is to be done now, and returns when there is nothing more until `dueAt`. Fails: what the store fails with */
  async follow(order: LiveOrder): Promise<void> {
    const { now, isHeld } = this.#on;
    while (!order.isDone || order.received.length > 0) {
      const received = order.received.shift();
      if (received !== undefined) await this.#changes.take(order, received);
      else if (now() >= order.dueAt && !isHeld(order)) await this.#try(order); // also one that has just become planned again
      else return;
    }
  }

  /** Does what is due. What comes to pass without a failure ends the one before. */
  async #try(order: LiveOrder): Promise<void> {
    const { failure } = order;
    await this.#act(order);
    if (order.failure === failure) order.failure = null;
  }

  async #act(order: LiveOrder): Promise<void> {
    switch (order.stored.state) {
      case 'planned':
        return await this.#send(order);
      case 'sent': // by a process that did not live to see the answer
        return await this.#lose(order);
      case 'unknown':
        return await this.#lookUp(order);
      case 'open':
        return await (order.isToCancel(this.#on.now()) ? this.#askToCancel(order) : this.#check(order));
      case 'cancel-pending':
        return await this.#cancel(order);
      case 'filled':
      case 'cancelled':
      case 'expired':
      case 'refused':
        return await this.#complete(order);
    }
  }

  async #send(order: LiveOrder): Promise<void> {
    const { times, now, trading, prepare } = this.#on;
    const { stored } = order;
    if (!this.#isWanted(order)) return await (stored.attempt > 0 ? this.#withdrawSent(order) : this.#withdraw(order));
    try {
      const against = await prepare(order);
      if (against !== null) return await this.#withdraw(order, reasonOf(against));
    } catch (error) {
      if (kindOf(error) === null) throw error;
      if (kindOf(error) === 'temporary' || kindOf(error) === 'unknown') return this.#changes.postpone(order, error);
      // Nothing was sent, but for its bot it is a refusal: the next try would be the same.
      return await this.#changes.write(order, ['sent', 'refused'], { refusal: errorText(error) });
    }
    const askedAt = now();
    const permit = await order.store.send(order.id, stored.purpose === 'entry', times.expiry);
    if (permit.kind === 'forbidden' || permit.kind === 'opposed') return await this.#withdraw(order, reasonOf(permit));
    if (permit.kind === 'not-held') return await this.#changes.write(order, ['sent', 'refused'], { refusal: notHeld });
    if (permit.kind === 'lease-too-short') return this.#changes.postpone(order);
    if (permit.kind === 'moved') return await this.#changes.reload(order);
    stored.state = 'sent';
    stored.attempt += 1;
    stored.expiresAt = Math.min(askedAt, now()) + permit.expiresInMs; // the clock may have been set back meanwhile
    order.lookUps = 0;
    let answer: VenueOrder;
    try {
      answer = await trading.place({ ...requestOf(order), expiresAt: stored.expiresAt });
    } catch (error) {
      return await this.#noAnswer(order, error);
    }
    await this.#changes.take(order, answer);
  }

  /** The exchange did not say yes. Only what it certainly has not done is over; for all else the order is searched. */
  async #noAnswer(order: LiveOrder, error: unknown): Promise<void> {
    const { trading, times, now } = this.#on;
    const kind = kindOf(error);
    // What was refused because it came too late was not refused for what it is.
    if (kind === 'temporary' || (kind === 'rejected' && now() >= (order.stored.expiresAt ?? 0))) {
      await this.#lose(order);
      if (order.stored.state === 'unknown') await this.#changes.write(order, ['planned'], {});
      return this.#changes.postpone(order, kind === 'temporary' ? error : new ExchangeError('temporary', errorText(error)));
    }
    if (kind === 'rejected' || kind === 'unauthorised') {
      // A refusal may speak of this very order: of an attempt before, or of one that a restored backup does not know.
      try {
        const found = await trading.order(order.stored.symbol, order.id);
        if (found !== null) return await this.#changes.take(order, found);
        if (isSaleOfCoins(order)) order.freeCoins = await this.#freeCoins(order);
        await this.#changes.write(order, ['refused'], { refusal: errorText(error) });
        return;
      } catch (failed) {
        if (kindOf(failed) === null) throw failed;
      }
    }
    await this.#lose(order);
    order.dueAt = now() + times.firstLook;
  }

  /** What the account has free of what an order sells: the refusal may be for want of coins. */
  async #freeCoins({ stored }: LiveOrder): Promise<number> {
    const { base } = currenciesOf(stored.symbol);
    return (await this.#on.trading.balances()).find(({ currency }) => currency === base)?.free ?? 0;
  }

  async #lose(order: LiveOrder): Promise<void> {
    await this.#changes.write(order, ['unknown'], {});
  }

  async #lookUp(order: LiveOrder): Promise<void> {
    const { trading, times, now } = this.#on;
    const { stored } = order;
    const askedAt = now();
    try {
      const isLast = order.lookUps + 1 >= times.lookUps;
      const found = (await trading.order(stored.symbol, order.id)) ?? (isLast ? await this.#searchLists(order) : null);
      if (found !== null) return await this.#changes.take(order, found);
    } catch (error) {
      return this.#changes.postpone(order, error);
    }
    const isOver = askedAt >= (stored.expiresAt ?? 0) + times.margin;
    if (isOver) order.lookUps += 1;
    if (order.lookUps < times.lookUps) {
      order.dueAt = isOver ? now() + times.lookUpEvery : Math.min(now() + times.lookUpEvery, (stored.expiresAt ?? 0) + times.margin);
      return;
    }
    order.lookUps = 0;
    if (this.#isWanted(order)) await this.#changes.write(order, ['planned'], {});
    else await this.#withdraw(order);
  }

  /** Before an order is given up for lost, or for ended: an exchange may list what it does not find by its id. */
  async #searchLists(order: LiveOrder): Promise<VenueOrder | null> {
    const { trading, times } = this.#on;
    const { stored } = order;
    const isIt = ({ clientOrderId }: VenueOrder): boolean => clientOrderId === order.id;
    const open = (await trading.openOrders(stored.symbol)).find(isIt);
    if (open !== undefined) return open;
    return (await trading.ordersSince(stored.symbol, stored.plannedAt - times.clockOff)).findLast(isIt) ?? null;
  }

  async #check(order: LiveOrder): Promise<void> {
    const { trading, times, now } = this.#on;
    const askedAt = now();
    order.dueAt = askedAt + times.checkOpen;
    try {
      const found = await order.asked(() => trading.order(order.stored.symbol, order.id));
      if (found !== null) await this.#changes.take(order, found);
      else await this.#vanished(order, askedAt);
    } catch (error) {
      if (kindOf(error) === null) throw error;
      this.#changes.postpone(order, error);
    }
  }

  async #askToCancel(order: LiveOrder): Promise<void> {
    await this.#changes.write(order, ['cancel-pending'], {});
    await this.#cancel(order);
  }

  /** Cancelling twice is cancelling once, so a lost answer is asked for again. */
  async #cancel(order: LiveOrder): Promise<void> {
    if (order.stored.state !== 'cancel-pending') return;
    const { trading, times, now } = this.#on;
    const { symbol } = order.stored;
    let notListed: NotListed | null = null;
    try {
      const answer = await trading.cancel(symbol, order.id);
      if (answer.state !== 'open') return await this.#changes.take(order, answer);
      order.confirm(now());
      return this.#changes.postpone(order);
    } catch (error) {
      if (kindOf(error) === null) throw error;
      if (kindOf(error) !== 'rejected') return this.#changes.postpone(order, error);
      if (error instanceof NotListed) notListed = error;
    }
    // It will not cancel: either it has ended, or it stands.
    const askedAt = now();
    try {
      const found = await trading.order(symbol, order.id);
      if (found === null) return await this.#vanished(order, askedAt);
      if (found.state !== 'open') return await this.#changes.take(order, found);
      order.confirm(now());
      await this.#changes.write(order, ['open'], {});
      if (notListed !== null) order.noCancelBefore = now() + times.checkOpen;
      this.#changes.postpone(order, notListed);
    } catch (error) {
      if (kindOf(error) === null) throw error;
      this.#changes.postpone(order, error);
    }
  }

  /**
   * The exchange does not find an order that it had: its lists may lag behind, and a young order is not in them yet. So nothing counts that
   * does not find it shortly after the exchange has said that it has it. When it stays so, and it lists it nowhere either, the exchange has forgotten it;
   * it has ended then, and its fills say how. Nobody looks for it after that.
   */
  async #vanished(order: LiveOrder, askedAt: number): Promise<void> {
    const { times, now } = this.#on;
    order.dueAt = now() + times.lookUpEvery;
    if (order.isJustConfirmed(Math.min(now(), askedAt), times.listsLag)) return; // the clock may have been set back meanwhile
    order.lookUps += 1;
    if (order.lookUps < times.lookUps) return;
    const listed = await nullUnlessListed(() => this.#searchLists(order));
    if (listed !== null) return await this.#changes.take(order, listed);
    await nullUnlessListed(() => this.#changes.fetchFills(order));
    if (order.received.length > 0) return; // the stream has spoken of it meanwhile
    const { amount, filled } = order.stored;
    const brought = Math.max(filled, sum(order.fills.values()));
    await this.#changes.write(order, [brought >= amount * (1 - 1e-12) ? 'filled' : 'cancelled'], { filled: brought });
    order.dueAt = now(); // for fills that are still missing
  }

  async #complete(order: LiveOrder): Promise<void> {
    const { now, times } = this.#on;
    const isLongOver = order.stored.endedAt !== null && now() - order.stored.endedAt >= times.fillsComeFor;
    try {
      if (order.lacksFills) await this.#changes.fetchFills(order);
    } catch (error) {
      if (!(error instanceof NotListed && isLongOver)) return this.#changes.postpone(order, error);
    }
    // Nobody lists them any more. What they have changed is a difference of the account, about which a person decides. Not sooner: a list
    // of instruments may lack one for a moment, and while fills may still come nobody looks for a difference.
    if (order.lacksFills && isLongOver) order.giveUpFills();
    this.#on.onNews(order);
    if (order.isDone) return;
    // Otherwise nobody is there to report to.
    const failure = order.lacksFills ? new ExchangeError('temporary', `The fills of the order ${order.id} are not listed yet.`) : null;
    this.#changes.postpone(order, failure);
  }

  /**
   * Gives up an order that was sent before. The exchange has said that it did nothing; if that was wrong, nobody would ever cancel it, so it is asked
   * for once more.
   */
  async #withdrawSent(order: LiveOrder): Promise<void> {
    try {
      const found = await this.#on.trading.order(order.stored.symbol, order.id);
      if (found !== null) return await this.#changes.take(order, found);
    } catch (error) {
      return this.#changes.postpone(order, error);
    }
    await this.#withdraw(order);
  }

  async #withdraw(order: LiveOrder, reason?: string): Promise<void> {
    if (order.received.length > 0) return; // the exchange has it after all, as its stream says just now
    await this.#changes.write(order, ['cancelled'], reason === undefined ? {} : { refusal: reason });
  }

  #isWanted({ isCancelWanted, stored }: LiveOrder): boolean {
    const { now, times } = this.#on;
    return !isCancelWanted && (stored.purpose !== 'entry' || now() - stored.plannedAt <= times.entryIsWanted);
  }
}

/** What is asked about an instrument; null where the exchange does not have it any more. */
async function nullUnlessListed<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof NotListed)) throw error;
    return null;
  }
}

function reasonOf(refusal: EntryRefusal): string {
  return refusal.kind === 'opposed' ? refusal.why : 'The kill switch forbids entries.';
}

function requestOf({ stored }: LiveOrder): Omit<Parameters<Trading['place']>[0], 'expiresAt'> {
  const { clientOrderId, symbol, side, type, amount, price, stopPrice, reduceOnly, timeInForce = 'GTC', purpose } = stored;
  return { clientOrderId, symbol, side, type, amount, price, stopPrice, reduceOnly, timeInForce, isEntry: purpose === 'entry' };
}

function isSaleOfCoins({ stored: { side, purpose, reduceOnly } }: LiveOrder): boolean {
  return side === 'sell' && purpose !== 'entry' && !reduceOnly;
}

function sum(fills: Iterable<{ amount: number }>): number {
  let total = 0;
  for (const { amount } of fills) total += amount;
  return total;
}
