import type { BotEffect } from '#engine/bot/effect.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { OrderReport, PaidOutside } from '#engine/bot/event.ts';
import type { BotState } from '#engine/bot/state.ts';
import { secondMs } from '#engine/market/durations.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { Fenced } from '#storage/bots/runners.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountName, OrderAccounts } from './order-accounts.ts';
import type { OrderRoom, RoomBot } from './order-room.ts';
import type { OrderStore } from './order-store.ts';
import type { TimesInForce } from './planned-orders.ts';
import type { FeeValues } from './fee-values.ts';
import { bookedOrders, hasUnbooked, plannedOrders, waitingOrders } from './planned-orders.ts';
import type { OutsideSources } from './paid-outside.ts';
import { OutsideAnswers, paidOutside } from './paid-outside.ts';
import { ValuedReports } from './valued-reports.ts';

/** The bot whose orders these are. */
export interface OrdersOwner {
  id: string;
  claim: string; // the same as long as no other runner has had the bot
  store: OrderStore;
  timeInForce: TimesInForce;
  feeValues: FeeValues;
  state: () => Readonly<BotState>;
  onReport: (orderId: string, report: OrderReport) => void;
  onNumbersSeen: (highest: number) => void;
  onError: (error: unknown) => void;
  onFenced: (error: unknown) => void; // the bot is another runner's
}

const settledCheckMs = 50;

/** So long after a first failure a bot that has not begun gives up. */
const hopelessMs = 15 * secondMs;

interface Failure {
  error: unknown;
  since: number; // in ms of `performance.now()`
}

/** The orders of one live bot, in the order room of its account. */
export class BotOrders {
  readonly #accounts: OrderAccounts;
  readonly #account: AccountName;
  readonly #owner: OrdersOwner;
  readonly #bot: RoomBot;
  readonly #reports: ValuedReports;
  readonly #outside: OutsideAnswers;
  #room: OrderRoom | null = null; // once it is open
  #isOpening = false;
  #failure: Failure | null = null; // the first since the bot began
  #unknown: Failure | null = null; // what keeps one of its orders from being known, without a pause
  #isEnded = false;

  constructor(accounts: OrderAccounts, account: AccountName, owner: OrdersOwner) {
    this.#accounts = accounts;
    this.#account = account;
    this.#owner = owner;
    const { feeValues, onReport, onError } = owner;
    this.#outside = new OutsideAnswers(onError);
    this.#reports = new ValuedReports({ feeValues, symbolOf: (orderId) => this.#symbolOf(orderId), onReport, onError });
    this.#bot = {
      id: owner.id,
      claim: owner.claim,
      store: owner.store,
      waiting: () => waitingOrders(owner.state()),
      booked: () => bookedOrders(owner.state()),
      onReport: (orderId, report) => this.#reports.take(orderId, report),
      onNumbersSeen: (highest) => owner.onNumbersSeen(highest),
      onFailure: (error) => {
        this.#failure ??= { error, since: performance.now() };
        return error instanceof Fenced ? owner.onFenced(error) : owner.onError(error);
      },
      onRefused: (error) => owner.onError(error),
    };
  }

  /** Whether the bot waits for any order, or lacks a fill of one that the disk knows of. Fails: what the store fails with */
  async isNeeded(): Promise<boolean> {
    if (this.#bot.waiting().length > 0) return true;
    const booked = this.#bot.booked();
    return booked.size > 0 && (await this.#bot.store.orders([...booked.keys()])).some((order) => hasUnbooked(order, booked));
  }

  /**
   * Takes up what earlier processes have left, and settles when it is known of each order what became of it, the bot has the report, and
   * the account was compared with its trades: only then is sent what earlier processes had planned. Fails: ExchangeError when the account cannot be opened; what the store fails with
   */
  async open(): Promise<void> {
    this.#isOpening = true;
    try {
      this.#room = await this.#accounts.room(this.#account);
    } finally {
      this.#isOpening = false;
    }
    if (this.#isEnded) return;
    await this.#room.attach(this.#bot);
    if (this.#isEnded) this.#room.detach(this.#bot);
    while (!this.#isEnded && !this.#room.isSettled(this.#owner.id)) {
      this.#room.demandOpen();
      this.#failWhenHopeless(this.#room);
      await sleep(settledCheckMs);
    }
    if (this.#isEnded) return;
    await this.#reports.settled();
    if (!this.#room.hasBegun(this.#owner.id)) await this.#accounts.untilStill(this.#owner.id);
    await this.#accounts.checkNow(this.#account);
    if (!this.#isEnded) this.#room.begin(this.#owner.id);
  }

  /** A key that is refused, and an exchange that does not answer for long: whoever runs the bot is to decide again. */
  #failWhenHopeless(room: OrderRoom): void {
    const error = room.failureOf(this.#owner.id);
    this.#unknown = error === null ? null : { error, since: this.#unknown?.since ?? performance.now() };
    for (const failure of [this.#failure, this.#unknown]) if (failure !== null && isHopeless(failure)) throw failure.error;
  }

  /** Has the account searched for orders without a record, so that those decided about are cancelled. */
  searchSoon(): void {
    this.#room?.searchSoon();
  }

  /**
   * What the account was paid for what a person says was sold by somebody else, by the id of that wish and its time. Undefined until it is known: call it again;
   * null where nobody can say, also where the account could not be opened.
   */
  paidOutside(wish: string, trade: Trade, decidedAt: number, take: OutsideSources['take']): PaidOutside | null | undefined {
    const room = this.#room;
    if (room === null) return this.#isOpening ? undefined : null;
    const { id: botId, feeValues, store } = this.#owner;
    const recorded = async (ids: readonly string[]) => new Set((await store.orders(ids)).map(({ clientOrderId }) => clientOrderId));
    return this.#outside.of(wish, async () => await paidOutside({ botId, trading: room, feeValues, recorded, take }, trade, decidedAt));
  }

  /** A step of the bot is on the disk. */
  decided(state: BotState, effects: readonly BotEffect[]): void {
    this.#room?.decided(this.#owner.id, plannedOrders(state, effects, this.#owner.timeInForce));
  }

  #symbolOf(orderId: string): string | undefined {
    const { trades, formerTrades } = this.#owner.state();
    return [...trades, ...formerTrades].find(({ orders }) => orders.some(({ id }) => id === orderId))?.symbol;
  }

  /** Nothing is reported to the bot any more. */
  end(): void {
    this.#isEnded = true;
    this.#reports.end();
    this.#room?.detach(this.#bot);
  }
}

function isHopeless({ error, since }: Failure): boolean {
  const isRefused = error instanceof ExchangeError && error.kind === 'unauthorised';
  return isRefused || performance.now() - since > hopelessMs;
}
