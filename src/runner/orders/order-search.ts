import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { VenueOrder } from '#engine/ports/trading.ts';
import type { OrderTimes } from './order-times.ts';
import type { SearchResult, UnrecordedOrders } from './unrecorded-orders.ts';

/** For so many pauses of a retry it is tried to cancel what must not stand; then the bots that wait for it fail with the reason. */
const patience = 10;

/** A bot to be searched for. */
interface WantedBot {
  claim: string;
  from: number; // ms
  isFound: boolean; // all that it has at the exchange is noted, and nothing stands that must not but its stops
}

/**
 * When an account is searched for orders without a record: as a whole for each bot that a process takes up, once whatever an earlier
 * process has sent can no longer arrive; its open orders whenever it is asked to. What fails is tried again.
 */
export class OrderSearch {
  readonly #orders: UnrecordedOrders;
  readonly #times: OrderTimes;
  readonly #now: () => number;
  readonly #onSearched: (botIds: readonly string[], result: SearchResult) => void; // of bots that it was wanted for
  readonly #onStuck: (botId: string, refusal: ExchangeError) => void; // one does not begin, because its stop of before cannot be cancelled
  readonly #wanted = new Map<string, WantedBot>(); // by id
  readonly #done = new Map<string, string>(); // the claim of each bot that was searched for
  #reported: VenueOrder[] = []; // by the user stream, without a record
  #soonAt = Infinity;
  #notBefore = 0; // after a failure
  #refusedSince: number | null = null; // from when on one that must not stand could not be cancelled
  #stuckSince = new Map<string, number>(); // and a stop of a bot, by its id
  #isBusy = false;

  constructor(
    orders: UnrecordedOrders,
    times: OrderTimes,
    now: () => number,
    onSearched: (botIds: readonly string[], result: SearchResult) => void,
    onStuck: (botId: string, refusal: ExchangeError) => void,
  ) {
    this.#orders = orders;
    this.#times = times;
    this.#now = now;
    this.#onSearched = onSearched;
    this.#onStuck = onStuck;
  }

  /** Searches for the orders of a bot, unless that was done since this process has it. False: it was, or is to be done already. */
  want({ id, claim }: { id: string; claim: string }): boolean {
    const wanted = this.#wanted.get(id);
    if (this.#done.get(id) === claim || (wanted?.claim === claim && !wanted.isFound)) return false;
    this.#done.delete(id);
    this.#wanted.set(id, { claim, from: this.#now() + this.#times.expiry + this.#times.margin, isFound: false });
    return true;
  }

  /** Whether the orders of a bot were searched for. */
  isDone(botId: string): boolean {
    return this.#done.has(botId);
  }

  /** Searches the open orders soon, and this one. */
  soon(reported?: VenueOrder): void {
    if (reported !== undefined) this.#reported.push(reported);
    this.#soonAt = Math.min(this.#soonAt, this.#now());
  }

  /** The clock was set back by so many ms: what is due stays as far away as it was. */
  setBack(ms: number): void {
    this.#soonAt -= ms;
    this.#notBefore -= ms;
    if (this.#refusedSince !== null) this.#refusedSince -= ms;
    for (const [id, since] of this.#stuckSince) this.#stuckSince.set(id, since - ms);
    for (const bot of this.#wanted.values()) bot.from -= ms;
  }

  /** When the next search is due, in ms; Infinity when none is. */
  get dueAt(): number {
    if (this.#isBusy) return Infinity;
    // A whole search that is still to come finds what a smaller one would, and the smaller one must not pass for it.
    let due = [...this.#wanted.values()].every(({ isFound }) => isFound) ? this.#soonAt : Infinity;
    for (const { from } of this.#wanted.values()) due = Math.min(due, from);
    return Math.max(due, this.#notBefore);
  }

  /** Searches if it is due. Fails: what the search fails with */
  async run(): Promise<void> {
    const { retry, checkOpen } = this.#times;
    if (this.#now() < this.dueAt) return;
    this.#isBusy = true;
    const startedAt = this.#now();
    const due = [...this.#wanted].filter(([, { from }]) => from <= startedAt);
    const reported = this.#reported;
    this.#reported = [];
    this.#soonAt = Infinity;
    let result: SearchResult;
    try {
      const isWhole = due.some(([, { isFound }]) => !isFound);
      result = await this.#orders.search(isWhole, reported, new Set([...due.map(([id]) => id), ...this.#done.keys()]));
    } catch (error) {
      this.#isBusy = false;
      this.#again(reported, this.#pauseAfter(error));
      throw error;
    }
    this.#isBusy = false;
    if (!result.isOver) {
      this.#refusedSince ??= startedAt;
      const isHopeless = result.refusal !== null && startedAt - this.#refusedSince >= patience * retry;
      this.#again(reported, isHopeless ? checkOpen : retry);
      // Bots do not wait in silence for what the exchange does not cancel.
      if (isHopeless) throw result.refusal;
      return;
    }
    this.#refusedSince = null;
    // For one that another process has had meanwhile it does not count: that one may have sent something since.
    const mine = due.filter(([id, bot]) => this.#wanted.get(id) === bot);
    const ended = mine.filter(([id]) => !result.stuck.has(id));
    for (const [id] of ended) this.#wanted.delete(id);
    for (const id of result.kept) this.#done.delete(id); // its next start begins with a search
    const searched = ended.filter(([id]) => !result.kept.has(id));
    for (const [id, { claim }] of searched) this.#done.set(id, claim);
    this.#notBegun(new Map(mine), startedAt, result.stuck); // first: what follows may search again
    this.#onSearched(
      searched.map(([id]) => id),
      result,
    );
  }

  /** Those whose stops stand are tried again; nobody else waits for it. */
  #notBegun(due: ReadonlyMap<string, WantedBot>, startedAt: number, stuck: SearchResult['stuck']): void {
    const { retry, checkOpen } = this.#times;
    this.#stuckSince = new Map([...stuck.keys()].map((id) => [id, this.#stuckSince.get(id) ?? startedAt]));
    for (const [id, refusal] of stuck) {
      const isHopeless = refusal !== null && startedAt - (this.#stuckSince.get(id) ?? startedAt) >= patience * retry;
      const from = this.#now() + (isHopeless ? checkOpen : retry);
      const bot = due.get(id);
      if (bot === undefined) this.#soonAt = Math.min(this.#soonAt, from);
      else Object.assign(bot, { from, isFound: true });
      // As with all that must not stand: not in silence.
      if (bot !== undefined && isHopeless) this.#onStuck(id, refusal);
    }
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
