import type { OrderReport } from '#engine/bot/event.ts';
import { isFinal } from '#engine/account/order-life.ts';
import { isOrderOf } from '#engine/bot/state.ts';
import { ExchangeError, NotListed } from '#engine/ports/exchange-error.ts';
import type { AccountReport, Clearance, Trading, VenueFill } from '#engine/ports/trading.ts';
import { fillOf, LiveOrder } from './live-order.ts';
import { SymbolMargins } from './margin-settings.ts';
import { OrderCourse } from './order-course.ts';
import { hasUnbooked } from './planned-orders.ts';
import { OrderSearch } from './order-search.ts';
import type { AccountRecords, SearchResult } from './unrecorded-orders.ts';
import { UnrecordedOrders } from './unrecorded-orders.ts';
import type { StoredOrder } from '#storage/orders/order-outbox.ts';
import type { OrderStore } from './order-store.ts';
import type { OrderTimes } from './order-times.ts';

type OrderNews = Extract<AccountReport, { kind: 'order' }>;

/** A bot whose orders a room follows. */
export interface RoomBot {
  readonly id: string;
  readonly claim: string; // the same as long as no other process has had the bot
  readonly store: OrderStore;
  /** Orders its trades wait for, or want cancelled, as its engine knows it. */
  waiting(): readonly { id: string; isCancelWanted: boolean }[];
  /** Orders of its trades that have ended for it, with how much of each it has, in base currency. */
  booked(): ReadonlyMap<string, number>;
  /** Something has become known of an order. It may be reported again. */
  onReport(orderId: string, report: OrderReport): void;
  /** The exchange knows orders of the bot up to this number, whether they are on record or not. It comes before any report. */
  onNumbersSeen(highest: number): void;
  /** The bot can no longer be followed: it is another runner's, or the store failed; or the account cannot be searched. */
  onFailure(error: unknown): void;
  /** The exchange refuses what is asked about one of its orders. It is asked again; what lasts comes from `failureOf`. */
  onRefused(error: ExchangeError): void;
}

/** What a room needs. */
export interface RoomDependencies {
  trading: Trading;
  records: AccountRecords;
  times: OrderTimes;
  now: () => number; // ms
  onError: (error: unknown) => void;
}

/**
 * The orders of one account at an exchange: sends what bots have decided, finds out what became of it, and reports it to them. What is
 * on the disk is where it begins, whoever was there before. It has no timer: `tick` does what is due.
 */
export class OrderRoom {
  readonly #dependencies: RoomDependencies;
  readonly #course: OrderCourse;
  readonly #bots = new Map<string, RoomBot>();
  readonly #orders = new Map<string, LiveOrder>(); // by client id; those that are not done
  readonly #late = new Map<OrderNews, { dueAt: number; until: number }>(); // news of others, whose rows are still to be read
  readonly #highest = new Map<string, number>(); // the number of each bot's newest order that the exchange has shown
  readonly #begun = new Set<string>(); // bots whose account was compared since a process took them up
  readonly #search: OrderSearch;
  readonly #endWatch: () => void;
  #isClosed = false;

  constructor(dependencies: RoomDependencies) {
    this.#dependencies = dependencies;
    const { trading, times, now } = dependencies;
    const margins = new SymbolMargins(trading, (difference) => dependencies.records.marginDiffers(difference));
    this.#course = new OrderCourse({
      trading,
      times,
      now,
      prepare: ({ stored, store }) => margins.prepare(stored, () => store.entryRefusal(stored.clientOrderId)),
      isHeld: (order) => this.#isHeld(order),
      onNews: (order) => this.#report(order),
      onRefused: ({ stored }, error) => this.#refused(stored.botId, error),
    });
    const claimOf = (botId: string): string | null => this.#bots.get(botId)?.claim ?? null;
    this.#search = new OrderSearch(new UnrecordedOrders(trading, dependencies.records, times, now, claimOf), times, now, {
      claimOf,
      onSearched: (bots, result) => this.#searched(bots, result),
      hasStop: (botId, symbol) =>
        [...this.#orders.values()].some(({ stored }) => {
          const isThere = stored.state === 'open' || stored.state === 'cancel-pending'; // one on its way may never have arrived
          return isThere && stored.botId === botId && stored.symbol === symbol && stored.purpose === 'stop';
        }),
      onStuck: (botId, refusal) => this.#refused(botId, refusal),
    });
    this.#endWatch = trading.watch((report) => this.#receive(report));
  }

  /**
   * Follows the orders of a bot from now on, in the place of an earlier one of the same id: those that have not ended on the
   * disk, those its engine waits for, and those of which the disk knows of more than it has. Where the bot was not this process's all the time, the
   * disk says what they are, and what the exchange had said of fills stays. Nothing is reported to the bot, and nothing planned is sent, before the account was searched for orders
   * without a record; and of what is planned nothing but stops before `begin`. Fails: what the store fails with
   */
  async attach(bot: RoomBot): Promise<void> {
    this.demandOpen();
    const booked = bot.booked();
    const followed = [...this.#orders.values()].filter(({ stored }) => stored.botId === bot.id).map(({ id }) => id);
    const stored = await bot.store.orders([...bot.waiting().map(({ id }) => id), ...booked.keys(), ...followed]);
    this.#bots.set(bot.id, bot);
    // Whoever had the bot meanwhile has done things with its orders of which this process knows nothing.
    const isNew = this.#search.want(bot);
    if (isNew) this.#begun.delete(bot.id);
    const forgotten = isNew ? this.#forgetOrders(bot.id) : new Map<string, LiveOrder>();
    // A bot that starts again in this process knows only what was written.
    if (this.#search.isDone(bot.id)) bot.onNumbersSeen(this.#highest.get(bot.id) ?? 0);
    for (const each of stored) {
      const before = forgotten.get(each.clientOrderId);
      if (before === undefined && booked.has(each.clientOrderId) && isFinal(each.state) && !hasUnbooked(each, booked)) continue;
      const known = this.#orders.get(each.clientOrderId);
      if (known === undefined) this.#orders.set(each.clientOrderId, this.#takeOver(each, bot.store, before));
      else {
        Object.assign(known, { store: bot.store, reported: '', failure: null });
        known.doubt(this.#dependencies.now()); // the process may have stood still
        this.#report(known); // not only when the exchange is asked next
      }
    }
    this.#heedCancels(bot);
  }

  /** The account was compared with the trades of a bot: what it had planned is sent now. */
  begin(botId: string): void {
    this.#begun.add(botId);
    this.tick().catch(this.#dependencies.onError);
  }

  /** Whether a bot has begun since this process has it. */
  hasBegun(botId: string): boolean {
    return this.#begun.has(botId);
  }

  /** Fails: Error when the room was closed: whoever waits for it would wait for ever */
  demandOpen(): void {
    if (this.#isClosed) throw new Error('The account was just closed; it is opened again.');
  }

  /** Whether any bot is attached. */
  get hasBots(): boolean {
    return this.#bots.size > 0;
  }

  /** Nothing is reported to the bot any more. Its orders are still followed, until they end or are another runner's. */
  detach(bot: RoomBot): void {
    if (this.#bots.get(bot.id) === bot) this.#bots.delete(bot.id);
  }

  /** A step of a bot is on the disk: takes up its new orders, and what it wants cancelled. */
  decided(botId: string, created: readonly StoredOrder[]): void {
    const bot = this.#bots.get(botId);
    if (bot === undefined) return;
    for (const stored of created)
      if (!this.#orders.has(stored.clientOrderId)) this.#orders.set(stored.clientOrderId, this.#newOrder(stored, bot.store));
    this.#heedCancels(bot);
    for (const { symbol, purpose, plannedAt } of created)
      if (this.#search.stuckAt(botId, symbol) !== null) this.#search.soonFor(botId, symbol, purpose === 'exit' ? plannedAt : null);
    this.tick().catch(this.#dependencies.onError);
  }

  /** Whether it is known of all orders of a bot what they are: none is on its way, lost, lacks fills or is still to be asked about. */
  isSettled(botId: string): boolean {
    if (!this.#search.isDone(botId)) return false;
    return [...this.#orders.values()].every((order) => order.stored.botId !== botId || isKnown(order) || this.#isHeldBack(order));
  }

  /** What was tried last for an order of a bot of which it is not known what it is, and failed; null when nothing has. */
  failureOf(botId: string): ExchangeError | null {
    for (const order of this.#orders.values())
      if (order.stored.botId === botId && order.failure !== null && !isKnown(order)) return order.failure.error;
    return null;
  }

  /** Has the exchange asked about all orders that stand in a symbol. */
  doubt(symbol: string): void {
    const { now, onError } = this.#dependencies;
    for (const order of this.#orders.values()) if (order.stored.symbol === symbol && order.stored.state === 'open') order.doubt(now());
    this.tick().catch(onError);
  }

  /** Whether these orders are followed here, and the exchange has been asked about each since that was last in doubt. */
  isCertainOf(clientOrderIds: readonly string[]): boolean {
    return clientOrderIds.every((id) => this.#orders.get(id)?.isDoubtful === false);
  }

  /** When something is to be done next, in ms; Infinity when nothing is. */
  get dueAt(): number {
    let due = this.#search.dueAt;
    for (const order of this.#orders.values()) if (!order.isBusy) due = Math.min(due, this.#dueAt(order));
    for (const { dueAt } of this.#late.values()) due = Math.min(due, dueAt);
    return due;
  }

  /** Does what is due now; settles when all of it is done. */
  async tick(): Promise<void> {
    if (this.#isClosed) return;
    const search = this.#search.run().catch((error: unknown) => this.#notSearched(error));
    const due = [...this.#late].filter(([, { dueAt }]) => dueAt <= this.#dependencies.now());
    const late = due.map(([report, { until }]) => this.#readLate(report, until));
    await Promise.all([search, ...late, ...[...this.#orders.values()].map((order) => this.#follow(order))]);
  }

  /** Searches the open orders of the account for some without a record, with the next tick. */
  searchSoon(): void {
    this.#search.soon();
  }

  /** The clock was set back by so many ms: nothing waits for it to come back to where it was. */
  setBack(ms: number): void {
    this.#search.setBack(ms);
    for (const order of this.#orders.values()) order.setBack(ms);
    for (const [report, { dueAt, until }] of this.#late) this.#late.set(report, { dueAt: dueAt - ms, until: until - ms });
  }

  /** Follows nothing any more. What is under way stays as it is on the disk. */
  close(): void {
    this.#isClosed = true;
    this.#endWatch();
    this.#bots.clear();
    this.#begun.clear();
    this.#orders.clear();
    this.#late.clear();
  }

  async #follow(order: LiveOrder): Promise<void> {
    const { now } = this.#dependencies;
    if (order.isBusy || this.#isClosed || now() < this.#dueAt(order)) return;
    order.isBusy = true;
    try {
      await this.#course.follow(order);
      if (order.isDone && this.#orders.get(order.id) === order) this.#orders.delete(order.id);
    } catch (error) {
      if (this.#orders.get(order.id) !== order) return; // of a time when another may have had its bot
      order.dueAt = now() + this.#dependencies.times.retry;
      const bot = this.#bots.get(order.stored.botId);
      if (bot === undefined || bot.store !== order.store) this.#orders.delete(order.id);
      bot?.onFailure(error);
    } finally {
      order.isBusy = false;
    }
  }

  #dueAt(order: LiveOrder): number {
    if (order.received.length > 0) return 0;
    return this.#isHeld(order) ? Infinity : order.dueAt;
  }

  /** What may have left without a record of it is not sent before it was searched for. */
  #isHeld(order: LiveOrder): boolean {
    const { state, botId } = order.stored;
    return (state === 'planned' && !this.#search.isDone(botId)) || this.#isHeldBack(order);
  }

  /**
   * Whether an order would leave a trade a second time: a stop of before stands until the exchange cancels it. A stop waits for that, unless one like it
   * stood beside that already; an exit waits until that was tried once more, and until it is known what an order without a record has left. An entry
   * would have no stop of its own; it is given up when its signal is old. Of a bot that has not begun it is not known yet whether the account holds what
   * its exits would sell.
   */
  #isHeldBack({ isCancelWanted, stored: { state, purpose, botId, symbol, side, plannedAt } }: LiveOrder): boolean {
    if (state !== 'planned' || isCancelWanted) return false;
    const { times } = this.#dependencies;
    const now = this.#dependencies.now();
    if (purpose !== 'stop' && !this.#begun.has(botId)) return true;
    if (purpose === 'entry') return this.#search.hasStuck(botId, symbol) && now <= plannedAt + times.entryIsWanted;
    if (this.#search.hasReported(botId, symbol, side)) return true;
    const stuck = this.#search.stuckAt(botId, symbol);
    if (stuck === null) return false;
    if (purpose === 'stop') return !stuck.isBesideOwn;
    return stuck.triedAt < plannedAt && now < (stuck.waitedSince ?? plannedAt) + times.cancelled;
  }

  /** Whether an order of a bot waits until it is known what one without a record has left. */
  #holdsBack(botId: string): boolean {
    return [...this.#orders.values()].some(({ stored, isCancelWanted }) => {
      const isPlanned = stored.botId === botId && stored.state === 'planned' && stored.purpose !== 'entry' && !isCancelWanted;
      return isPlanned && this.#search.hasReported(botId, stored.symbol, stored.side);
    });
  }

  #searched(botIds: readonly string[], { seen, highest }: SearchResult): void {
    for (const [id, number] of highest) {
      const before = this.#highest.get(id) ?? 0;
      this.#highest.set(id, Math.max(before, number));
      if (botIds.includes(id) || number > before) this.#bots.get(id)?.onNumbersSeen(number);
    }
    for (const reported of seen) {
      const order = this.#orders.get(reported.clientOrderId);
      if (order?.stored.state === 'planned') order.received.push(reported);
    }
    for (const order of this.#orders.values())
      if (botIds.includes(order.stored.botId) && order.stored.state !== 'planned') this.#report(order);
    this.tick().catch(this.#dependencies.onError);
  }

  /** The exchange refuses what is asked about an order of a bot, which may not be here. */
  #refused(botId: string, error: ExchangeError): void {
    const bot = this.#bots.get(botId);
    if (bot === undefined) this.#dependencies.onError(error);
    else bot.onRefused(error);
  }

  /** The bots that wait for a search say why they do not begin. */
  #notSearched(error: unknown): void {
    const waiting = [...this.#bots.values()].filter(({ id }) => !this.#search.isDone(id));
    for (const bot of waiting) bot.onFailure(error);
    // Nor those whose exits wait for it.
    for (const [id, bot] of this.#bots)
      if (error instanceof ExchangeError && this.#search.isDone(id) && this.#holdsBack(id)) bot.onRefused(error);
    const isTriedAgain = error instanceof ExchangeError && (error.kind === 'temporary' || error.kind === 'unknown');
    if (waiting.length === 0 && !isTriedAgain) this.#dependencies.onError(error);
  }

  /** What was planned in the future was planned by a clock that was set back since. */
  #newOrder(stored: StoredOrder, store: OrderStore): LiveOrder {
    return new LiveOrder({ ...stored, plannedAt: Math.min(stored.plannedAt, this.#dependencies.now()) }, store);
  }

  /** What is under way with them is not waited for: nothing can be written for it. Gives those that were followed, by id. */
  #forgetOrders(botId: string): Map<string, LiveOrder> {
    const forgotten = new Map([...this.#orders].filter(([, { stored }]) => stored.botId === botId));
    for (const id of forgotten.keys()) this.#orders.delete(id);
    return forgotten;
  }

  /** Follows an order from what is on the disk, and from what the exchange has said of it `before` and was perhaps not written. */
  #takeOver(stored: StoredOrder, store: OrderStore, before?: LiveOrder): LiveOrder {
    const order = this.#newOrder(stored, store);
    for (const [id, fill] of before?.fills ?? []) order.fills.set(id, fill);
    order.received.push(...(before?.received ?? []));
    const { now, times } = this.#dependencies;
    order.doubt(now());
    // Its newest attempt may be missing on a disk that has lost its last commits.
    if (!this.#search.isDone(stored.botId) && (stored.state === 'sent' || stored.state === 'unknown'))
      order.stored.expiresAt = now() + times.expiry;
    return order;
  }

  /** Fills of the account; see `Trading.fillsSince`. */
  async fillsSince(symbol: string, afterId: string | null): Promise<VenueFill[]> {
    return await this.#dependencies.trading.fillsSince(symbol, afterId);
  }

  /** What liquidations of the account were cleared with; see `Trading.clearances`. */
  async clearances(symbol: string, since: number): Promise<Clearance[]> {
    return await this.#dependencies.trading.clearances(symbol, since);
  }

  #heedCancels(bot: RoomBot): void {
    const { now } = this.#dependencies;
    for (const { id, isCancelWanted } of bot.waiting()) {
      const order = this.#orders.get(id);
      if (order === undefined || order.isCancelWanted === isCancelWanted) continue;
      order.isCancelWanted = isCancelWanted;
      if (!isFinal(order.stored.state) && order.stored.state !== 'unknown') order.dueAt = now();
    }
  }

  #report(order: LiveOrder): void {
    const { stored, fills, freeCoins, areFillsLost } = order;
    const bot = this.#bots.get(stored.botId);
    if (bot === undefined || this.#isClosed || order.reported === order.news || !this.#search.isDone(bot.id)) return;
    order.reported = order.news;
    const report = { state: stored.state, requested: stored.amount, filled: stored.filled, fills: [...fills.values()] };
    const more = { ...(freeCoins === null ? {} : { freeCoins }), ...(areFillsLost ? { isComplete: true as const } : {}) };
    bot.onReport(order.id, { ...report, ...more });
  }

  #receive(report: AccountReport): void {
    if (report.kind === 'balance') return;
    const { now, onError } = this.#dependencies;
    if (report.kind === 'gap') {
      for (const order of this.#orders.values())
        if (order.stored.state !== 'planned' && order.stored.state !== 'unknown') order.dueAt = now();
    } else {
      const order = this.#orders.get(report.order.clientOrderId);
      if (order === undefined) {
        this.#readLate(report, now() + this.#dependencies.times.fillsComeFor).catch(onError);
        return;
      }
      heed(order, report);
    }
    this.tick().catch(onError);
  }

  /**
   * Receives news of an order that is followed no longer. Where its row cannot be read it is tried again, as nobody reports it twice; where its bot
   * is not here by then, up to `until`.
   */
  async #readLate(report: OrderNews, until: number): Promise<void> {
    const { now, times, onError } = this.#dependencies;
    const isAgain = this.#late.has(report);
    this.#late.set(report, { dueAt: Infinity, until });
    try {
      const isReceived = await this.#receiveLate(report);
      // Its bot may be lost with the database, and come back.
      if (isReceived || !isAgain || now() >= until) this.#late.delete(report);
      else this.#late.set(report, { dueAt: now() + times.retry, until });
    } catch (error) {
      if (this.#isClosed) return;
      this.#late.set(report, { dueAt: now() + times.retry, until });
      onError(error);
    }
  }

  /** A fill that is reported after the end of its order counts all the same. What was reported before changes nothing. False when its bot is not here. */
  async #receiveLate(report: OrderNews): Promise<boolean> {
    const { order: reported } = report;
    const id = reported.clientOrderId;
    const bot = [...this.#bots.values()].find((each) => isOrderOf(each.id, id));
    if (bot === undefined) return false;
    // A person may have cancelled a stop of before, for which another waits.
    if (reported.filled === 0) {
      if (isFinal(reported.state) && this.#search.hasStuck(bot.id, reported.symbol)) this.#search.soon();
      return true;
    }
    const stored = (await bot.store.orders([id])).find(({ clientOrderId }) => clientOrderId === id);
    if (stored === undefined) {
      this.#search.soon(reported);
      return true;
    }
    const known = this.#orders.get(id); // of another fill that was reported meanwhile
    if (known === undefined && stored.filled >= reported.filled) return true;
    const order = known ?? this.#takeOver(stored, bot.store);
    heed(order, report);
    this.#orders.set(id, order);
    this.tick().catch(this.#dependencies.onError);
    return true;
  }
}

/** Keeps what the stream says of an order for the next tick. */
function heed(order: LiveOrder, { order: reported, fill }: OrderNews): void {
  if (fill !== null) order.fills.set(fill.id, fillOf(fill));
  order.received.push(reported);
}

/**
 * Whether it is known of an order what it is: it is not on its way, lost, without its fills or still to be asked about. The fills of one that stands
 * in an instrument which is not listed can be had by nobody: its bot waits for them as one does that has begun already.
 */
function isKnown({ stored, lacksFills, reported, isDoubtful, failure }: LiveOrder): boolean {
  const isUnlisted = failure?.error instanceof NotListed;
  return stored.state === 'open' && (!lacksFills || isUnlisted) && reported !== '' && !isDoubtful;
}
