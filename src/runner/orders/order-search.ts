import { isOrderOf } from '#engine/bot/state.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { VenueOrder } from '#engine/ports/trading.ts';
import type { OrderTimes } from './order-times.ts';
import type { SearchResult, StuckStop, UnrecordedOrders } from './unrecorded-orders.ts';

/** Where a stop of before stands for a bot, and the exchange does not cancel it. */
export interface StuckPlace {
  readonly isOwn: boolean; // it leaves a trade that the bot has on record
  readonly isBesideOwn: boolean; // one that the bot has decided on has stood there too
  since: number; // ms; when the first search began that tried to cancel it
  triedAt: number; // ms; the newest
  waitedSince: number | null; // ms; since when an exit waits for the next one, also where another has taken its place; null: none waits
}

/** An order without a record of which a fill was reported. */
interface Unfound {
  readonly order: VenueOrder;
  since: number; // ms; when it was reported
}

/** What a search needs of its room. */
export interface SearchRoom {
  /** The claim under which the process has a bot now; null where it has it not. */
  claimOf(botId: string): string | null;
  /** A search has ended; of these bots it was wanted. */
  onSearched(botIds: readonly string[], result: SearchResult): void;
  /** Whether a stop that a bot has decided on stands in a symbol. */
  hasStop(botId: string, symbol: string): boolean;
  /** The exchange does not cancel a stop of before of a bot. */
  onStuck(botId: string, refusal: ExchangeError): void;
}

/**
 * When an account is searched for orders without a record: as a whole for each bot that a process takes up, once whatever an earlier
 * process has sent can no longer arrive; its open orders whenever it is asked to. What fails is tried again.
 */
export class OrderSearch {
  readonly #orders: UnrecordedOrders;
  readonly #times: OrderTimes;
  readonly #now: () => number;
  readonly #room: SearchRoom;
  readonly #wanted = new Map<string, { claim: string; from: number }>(); // bots to be searched for, by id
  readonly #done = new Map<string, string>(); // the claim of each bot that was searched for
  #reported: VenueOrder[] = []; // by the user stream, without a record
  #unfound: readonly Unfound[] = []; // those among them of which it is not known what they have left
  #soonAt = Infinity;
  #notBefore = 0; // after a failure
  #isWholeWanted = false; // also where no bot is wanted
  #refusedSince: number | null = null; // from when on one that must not stand could not be cancelled
  #stuck: ReadonlyMap<string, StuckPlace> = new Map(); // by `placeOf`
  #isBusy = false;
  #startedAt = 0; // ms; when the newest search began

  constructor(orders: UnrecordedOrders, times: OrderTimes, now: () => number, room: SearchRoom) {
    this.#orders = orders;
    this.#times = times;
    this.#now = now;
    this.#room = room;
  }

  /** Searches for the orders of a bot, unless that was done since this process has it. False: it was, or is to be done already. */
  want({ id, claim }: { id: string; claim: string }): boolean {
    if (this.#done.get(id) === claim || this.#wanted.get(id)?.claim === claim) return false;
    this.#done.delete(id);
    this.#wanted.set(id, { claim, from: this.#now() + this.#times.expiry + this.#times.margin });
    return true;
  }

  /** Whether the orders of a bot were searched for. */
  isDone(botId: string): boolean {
    return this.#done.has(botId);
  }

  /** The stop of before that stands for a trade of a bot in a symbol; null when none does. */
  stuckAt(botId: string, symbol: string): StuckPlace | null {
    const place = this.#stuck.get(placeOf({ botId, symbol }));
    return place?.isOwn === true ? place : null;
  }

  /** Whether a stop of before stands for a bot in a symbol, whatever it leaves. */
  hasStuck(botId: string, symbol: string): boolean {
    return this.#stuck.has(placeOf({ botId, symbol }));
  }

  /** Whether orders of a bot without a record were filled in the last hour that are not found yet: they may have left its trade in a symbol already. */
  hasReported(botId: string, symbol: string, side: VenueOrder['side']): boolean {
    const longAgo = this.#now() - this.#times.fillsComeFor;
    return this.#unfound.some(
      ({ order, since }) => order.symbol === symbol && order.side === side && isOrderOf(botId, order.clientOrderId) && since > longAgo,
    );
  }

  /** Tries soon to cancel the stop of before of a bot; an exit may wait for that since a time in ms. */
  soonFor(botId: string, symbol: string, exitWaitsSince: number | null): void {
    const place = this.#stuck.get(placeOf({ botId, symbol }));
    if (place !== undefined) place.waitedSince ??= exitWaitsSince;
    this.soon();
  }

  /** Searches the open orders soon, and this one. */
  soon(reported?: VenueOrder): void {
    if (reported !== undefined) {
      this.#reported.push(reported);
      this.#unfound = [...this.#unfound, { order: reported, since: this.#now() }];
    }
    this.#soonAt = Math.min(this.#soonAt, this.#now());
  }

  /** The clock was set back by so many ms: what is due stays as far away as it was. */
  setBack(ms: number): void {
    this.#soonAt -= ms;
    this.#notBefore -= ms;
    this.#startedAt -= ms;
    for (const each of this.#unfound) each.since -= ms;
    if (this.#refusedSince !== null) this.#refusedSince -= ms;
    for (const place of this.#stuck.values()) {
      place.since -= ms;
      place.triedAt -= ms;
      if (place.waitedSince !== null) place.waitedSince -= ms;
    }
    for (const bot of this.#wanted.values()) bot.from -= ms;
  }

  /** When the next search is due, in ms; Infinity when none is. */
  get dueAt(): number {
    if (this.#isBusy) return Infinity;
    // A whole search that is still to come finds what a smaller one would, and the smaller one must not pass for it.
    let due = this.#wanted.size > 0 ? Infinity : this.#soonAt;
    for (const { from } of this.#wanted.values()) due = Math.min(due, from);
    return Math.max(due, this.#notBefore);
  }

  /** Searches if it is due. Fails: what the search fails with */
  async run(): Promise<void> {
    const { retry, checkOpen, cancelled, lookUps, lookUpEvery } = this.#times;
    if (this.#now() < this.dueAt) return;
    this.#isBusy = true;
    this.#startedAt = this.#now();
    const due = [...this.#wanted].filter(([, { from }]) => from <= this.#startedAt);
    const run = new Map(this.#done);
    const isWhole = due.length > 0 || this.#isWholeWanted;
    const reported = this.#reported;
    const unfound = this.#unfound;
    this.#reported = [];
    this.#soonAt = Infinity;
    const lagsSince = this.#startedAt - lookUps * lookUpEvery;
    const mayLag = new Set(unfound.flatMap(({ order, since }) => (since > lagsSince ? [order.clientOrderId] : [])));
    let result: SearchResult;
    try {
      const begin = new Map(due.map(([id, { claim }]) => [id, claim]));
      result = await this.#orders.search(isWhole, { begin, run }, reported, mayLag);
    } catch (error) {
      this.#isBusy = false;
      this.#again(reported, this.#pauseAfter(error));
      throw error;
    }
    this.#isBusy = false;
    // What the exchange does not find yet is looked for again, for as long as its lists may lag behind.
    const lagging = unfound.filter(({ order }) => result.lagging.includes(order.clientOrderId));
    if (!result.isWholeWanted) this.#unfound = this.#unfound.filter((each) => !unfound.includes(each) || lagging.includes(each));
    this.#isWholeWanted = result.isWholeWanted;
    this.#keep(result.kept, run);
    if (!result.isWholeWanted) this.#retryStuck(result.stuck);
    if (!result.isOver) {
      this.#refusedSince ??= this.#startedAt;
      const isHopeless = result.refusal !== null && this.#startedAt - this.#refusedSince >= cancelled;
      this.#again(reported, isHopeless ? checkOpen : retry);
      // Bots do not wait in silence for what the exchange does not cancel.
      if (isHopeless) throw result.refusal;
      return;
    }
    this.#refusedSince = null;
    if (lagging.length > 0 && !result.isWholeWanted) this.#isWholeWanted = true;
    if (lagging.length > 0)
      this.#again(
        lagging.map(({ order }) => order),
        lookUpEvery,
      );
    else if (result.isWholeWanted) this.#again([], retry);
    // For one that another process has had meanwhile it does not count: that one may have sent something since.
    const ended = due.filter(([id, bot]) => this.#wanted.get(id) === bot);
    for (const [id] of ended) this.#wanted.delete(id);
    const searched = ended.filter(([id]) => !result.kept.has(id));
    for (const [id, { claim }] of searched) this.#done.set(id, claim);
    for (const id of result.kept) this.#wantAgain(id);
    this.#room.onSearched(
      searched.map(([id]) => id),
      result,
    );
  }

  /** Bots whose stops have stayed begin with a search of their own: nobody has cancelled them for their start. */
  #keep(kept: ReadonlySet<string>, run: ReadonlyMap<string, string>): void {
    for (const id of kept) {
      const claim = this.#room.claimOf(id);
      // One that is back by now under the same claim has begun: the next search cancels its stop.
      if (claim !== null && claim === run.get(id)) this.#soonAt = Math.min(this.#soonAt, this.#now() + this.#times.retry);
      else this.#done.delete(id);
    }
  }

  #wantAgain(id: string): void {
    const claim = this.#room.claimOf(id);
    if (claim !== null) this.want({ id, claim }); // who has come meanwhile
  }

  /** A stop that could not be cancelled is tried again; nobody else waits for it. */
  #retryStuck(stuck: readonly StuckStop[]): void {
    const { retry, checkOpen, cancelled } = this.#times;
    const before = this.#stuck;
    const startedAt = this.#startedAt;
    const places = new Map<string, StuckPlace>();
    for (const each of stuck) {
      const { botId, symbol, isOwn, wasTried } = each;
      const known = places.get(placeOf(each)) ?? before.get(placeOf(each));
      if (!wasTried) {
        if (known !== undefined) places.set(placeOf(each), known); // while its bot is away nobody tries
        continue;
      }
      const since = known?.since ?? startedAt;
      const isBesideOwn = known?.isBesideOwn === true || this.#room.hasStop(botId, symbol);
      const owns = isOwn || places.get(placeOf(each))?.isOwn === true;
      places.set(placeOf(each), { isOwn: owns, isBesideOwn, since, triedAt: startedAt, waitedSince: null });
      const isHopeless = startedAt - since >= cancelled;
      this.#soonAt = Math.min(this.#soonAt, this.#now() + (isHopeless ? checkOpen : retry));
      // As with all that must not stand: not in silence.
      if (isHopeless && each.refusal !== null) this.#room.onStuck(each.botId, each.refusal);
    }
    this.#stuck = places;
  }

  /** A key that is refused is not tried again at once. */
  #pauseAfter(error: unknown): number {
    const { retry, checkOpen } = this.#times;
    if (!(error instanceof ExchangeError)) return retry;
    const isTriedSoon = error.kind === 'temporary' || error.kind === 'unknown';
    return Math.max(isTriedSoon ? retry : checkOpen, error.retryAfterMs ?? 0);
  }

  #again(reported: readonly VenueOrder[], ms: number): void {
    this.#reported.push(...reported);
    this.#notBefore = this.#now() + ms;
    this.#soonAt = Math.min(this.#soonAt, this.#notBefore);
  }
}

const placeOf = ({ botId, symbol }: Pick<StuckStop, 'botId' | 'symbol'>): string => `${botId} ${symbol}`;
