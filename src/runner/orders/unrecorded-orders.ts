import { currenciesOf } from '#engine/account/fill.ts';
import { isOrderOf, orderNumberOf } from '#engine/bot/state.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { Trading, VenueFill, VenueOrder } from '#engine/ports/trading.ts';
import type { MarginDifference } from './margin-settings.ts';
import type { OrderTimes } from './order-times.ts';

/** A bot of an account, as far as its orders are searched for. */
export interface AccountBot {
  id: string;
  symbols: readonly string[]; // that it may have orders in
  trades: readonly OwnTrade[]; // its open trades
  since: number; // ms; what is older is on record, and no order that is planned was sent before
  noted: readonly string[]; // client ids of its orders that were found without a record
  isRestored: boolean; // what is on record is older than the account: it was restored after the last search
}

/** An open trade of a bot, as far as its stops are concerned. */
export interface OwnTrade {
  symbol: string;
  direction: 'long' | 'short';
  isEntered: boolean; // anything is held, as far as is on record
}

/** An order at the exchange that the store has no record of, though a bot of the account has made it. */
export interface UnrecordedOrder {
  botId: string;
  order: VenueOrder;
  fills: readonly VenueFill[];
}

/** One that was noted and had not ended then. */
export interface StandingOrder {
  botId: string;
  clientOrderId: string;
  symbol: string;
  isSettled: boolean; // a person has decided what becomes of it, or nothing is left that it protects
}

/** What a store knows of the orders of an account. Each write is on the disk when its promise settles. */
export interface AccountRecords {
  bots(): Promise<AccountBot[]>;
  /** The claims under which processes may have the account's bots now, by bot; none of a bot that no process may have. */
  claims(): Promise<ReadonlyMap<string, string>>;
  /** Those of these client ids that are on record. */
  recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of these client ids that have ended for more than a minute, as far as is on record. */
  ended(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest fill of the account's bots in a symbol before a time, in ms; null when there is none. */
  fillBefore(symbol: string, time: number): Promise<string | null>;
  standing(): Promise<StandingOrder[]>;
  /**
   * Notes orders without a record, or what is new of them: what they have bought or sold is a difference until a person decides. Where nothing is left
   * of it, it is settled; unless some may not be known yet (not `areAll`).
   */
  note(orders: readonly UnrecordedOrder[], areAll: boolean): Promise<void>;
  /** Notes that the exchange does not know these orders any more, by client id, that had not ended. */
  vanished(ids: readonly string[]): Promise<void>;
  /**
   * Another text after each start of the store, which may have lost what was written last; empty while an order that was sent before may
   * still arrive.
   */
  start(): Promise<string>;
  /**
   * All that the bots have at the exchange was on record, or is noted, at this time in ms; where not `isWhole`, if it was before. Nothing is said by
   * a search that has begun at another start of the store, or so soon after it that `start` was empty.
   */
  passed(search: { time: number; isWhole: boolean; begunAt: string }): Promise<void>;
  /** An entry was not sent, because its symbol has another leverage or margin mode. */
  marginDiffers(difference: MarginDifference): Promise<void>;
}

/** What one search has found. */
export interface SearchResult {
  seen: readonly VenueOrder[]; // orders of the account's bots
  highest: ReadonlyMap<string, number>; // the number of each bot's newest order, whether on record or not
  kept: ReadonlySet<string>; // bots that do not begin now, and whose stops have stayed: they are searched for again before they do
  stuck: readonly StuckStop[]; // not known where a whole search is wanted
  isWholeWanted: boolean; // what was lost is not known before a whole search: no stop was cancelled, and nothing settled
  isOver: boolean; // none else stands that must not
  refusal: ExchangeError | null; // why one that must not stands still could not be cancelled; null: nobody has said
  lagging: readonly string[]; // reported orders that the exchange does not find yet
}

/** A stop of before that stands, though it must not beside another of its bot. */
export interface StuckStop {
  botId: string;
  symbol: string;
  isOwn: boolean; // it leaves a trade that its bot has on record
  wasTried: boolean; // to be cancelled
  refusal: ExchangeError | null; // null: nobody has said why it was not
}

/** The bots for which a process searches, each with the claim under which it had it then. */
export interface SearchedFor {
  begin: ReadonlyMap<string, string>; // those that begin with this search
  run: ReadonlyMap<string, string>; // those that have begun
}

/**
 * Searches an account for orders of its bots that the store has no record of, because it was restored or lost its last commits. Entries
 * and exits are cancelled. A stop that leaves a trade which its bot has on record is cancelled where that bot has begun, so that it has another, or is about to,
 * and no entry or exit stands that must not; where that is refused, the bot places no other. Any other stop is cancelled
 * when a person has decided. Until then it protects what was bought.
 *
 * A search of the open orders does not find what a lost entry has bought: before a whole one since the store was started, and where it finds an order that
 * nobody knew of, it cancels no stop, and settles nothing.
 *
 * An order is recorded before it is sent. So whatever is listed, and not on record when the store is asked afterwards, has lost its record. What stands
 * though it has ended on record for a while is cancelled.
 */
export class UnrecordedOrders {
  readonly #trading: Trading;
  readonly #records: AccountRecords;
  readonly #times: OrderTimes;
  readonly #now: () => number;
  readonly #claimOf: (botId: string) => string | null; // under which the process has a bot now
  #wholeAt = ''; // at which start of the store a whole search has noted all last

  constructor(trading: Trading, records: AccountRecords, times: OrderTimes, now: () => number, claimOf: (botId: string) => string | null) {
    this.#claimOf = claimOf;
    this.#trading = trading;
    this.#records = records;
    this.#times = times;
    this.#now = now;
  }

  /**
   * Searches the open orders, and with `isWhole` also those that have ended since what is on record. `reported` are orders of the user stream, of which
   * the exchange may not find those of `mayLag` yet.
   * Fails: ExchangeError; what the store fails with
   */
  async search(
    isWhole: boolean,
    { begin, run }: SearchedFor,
    reported: readonly VenueOrder[] = [],
    mayLag: ReadonlySet<string> = new Set(),
  ): Promise<SearchResult> {
    const startedAt = this.#now();
    const begunAt = await this.#records.start();
    const bots = await this.#records.bots();
    const standing = await this.#records.standing();
    if (bots.length === 0)
      return { seen: [], highest: new Map(), kept: new Set(), stuck: [], isWholeWanted: false, isOver: true, refusal: null, lagging: [] };
    const ownerOf = (id: string): AccountBot | undefined => bots.find((bot) => isOrderOf(bot.id, id));
    const all = isWhole ? await this.#trading.patiently(() => this.#listed(bots, true)) : await this.#listed(bots, false);
    const listed = all.filter(({ clientOrderId }) => ownerOf(clientOrderId) !== undefined);
    const newest = new Map(listed.map((order) => [order.clientOrderId, order]));
    // What was reported may be older than what is listed, and what has ended is not listed.
    const gone: string[] = [];
    for (const { clientOrderId, symbol } of [...standing, ...reported]) {
      const order = newest.get(clientOrderId) ?? (await this.#trading.order(symbol, clientOrderId));
      if (order === null) gone.push(clientOrderId);
      else newest.set(clientOrderId, order);
    }
    const recorded = await this.#records.recorded([...newest.keys()]);
    await this.#cancelEnded([...newest.values()].filter(({ clientOrderId, state }) => state === 'open' && recorded.has(clientOrderId)));
    const missing = [...newest.values()].filter(({ clientOrderId }) => !recorded.has(clientOrderId));
    const found = await this.#withFills(missing, ownerOf);
    const claims = found.length === 0 ? new Map<string, string>() : await this.#records.claims();
    // A process that another has replaced since, or that was away, does not have a bot for which it has searched.
    const isHeld = (id: string, under: ReadonlyMap<string, string>): boolean =>
      claims.has(id) && claims.get(id) === under.get(id) && claims.get(id) === this.#claimOf(id);
    // What has lost its record since the lists were read may not be in them, and its stop would protect nothing.
    if (found.length > 0 && (await this.#records.start()) !== begunAt)
      throw new ExchangeError('temporary', 'The database was started again during a search.');
    const known = new Set([...standing.map((each) => each.clientOrderId), ...bots.flatMap(({ noted }) => noted)]);
    const isWholeWanted =
      !isWhole &&
      (begunAt === '' || begunAt !== this.#wholeAt || gone.length > 0 || missing.some(({ clientOrderId }) => !known.has(clientOrderId)));
    await this.#records.note(found, !isWholeWanted);
    if (isWhole && gone.length > 0) await this.#records.vanished(gone);
    if (isWhole) this.#wholeAt = begunAt;
    const settled = new Set((await this.#records.standing()).flatMap(({ clientOrderId, isSettled }) => (isSettled ? [clientOrderId] : [])));
    const kept = new Set<string>();
    const stuck: StuckStop[] = [];
    let isOver = true;
    let refusal: ExchangeError | null = null;
    const ownTrade = ({ order }: UnrecordedOrder): OwnTrade | undefined =>
      order.type === 'stop' ? ownerOf(order.clientOrderId)?.trades.find((trade) => isStopOf(trade, order)) : undefined;
    // Stops come last: while something else stands that must not, no bot begins, and nobody places another.
    for (const each of found.toSorted((a, b) => Number(a.order.type === 'stop') - Number(b.order.type === 'stop'))) {
      const { botId, order } = each;
      const isStop = order.type === 'stop';
      if (order.state !== 'open' || (isStop && isWholeWanted)) continue;
      const trade = ownTrade(each);
      // Of a trade that holds nothing, as far as is on record, it may protect what a lost entry has bought.
      if (isStop && trade?.isEntered !== true && !settled.has(order.clientOrderId)) continue;
      const [begins, runs] = [isHeld(botId, begin), isHeld(botId, run)];
      if (trade !== undefined && !begins && !runs) kept.add(botId);
      if (trade !== undefined && !runs && (!begins || !isOver)) {
        stuck.push({ botId, symbol: order.symbol, isOwn: true, wasTried: false, refusal: null });
        continue;
      }
      const { after, refusedBy } = await this.#cancel(order);
      const isGone = after !== null && after.state !== 'open';
      if (isGone) await this.#records.note(await this.#withFills([after], ownerOf), !isWholeWanted);
      else if (isStop) stuck.push({ botId, symbol: order.symbol, isOwn: trade !== undefined, wasTried: true, refusal: refusedBy });
      else [isOver, refusal] = [false, refusedBy ?? refusal];
    }
    const lagging = gone.filter((id) => mayLag.has(id));
    if (isOver && !isWholeWanted && lagging.length === 0) await this.#records.passed({ time: startedAt, isWhole, begunAt });
    const highest = new Map(bots.map(({ id, noted }) => [id, highestNumber(id, [...noted, ...newest.keys()])]));
    return { seen: listed, highest, kept, stuck, isWholeWanted, isOver, refusal, lagging };
  }

  async #listed(bots: readonly AccountBot[], isWhole: boolean): Promise<VenueOrder[]> {
    const sinces = new Map<string, number>();
    for (const { symbols, since } of bots)
      for (const symbol of symbols) sinces.set(symbol, Math.min(since, sinces.get(symbol) ?? Infinity));
    const orders: VenueOrder[] = [];
    // Those that have ended come first: one that ends meanwhile is then listed as open, and asked for again.
    const { expiry, clockOff } = this.#times; // what is on record has the times of this machine, what is listed those of the exchange
    const ended = async (symbol: string, since: number): Promise<VenueOrder[]> =>
      await listed(this.#trading.ordersSince(symbol, since - expiry - clockOff));
    if (isWhole) for (const [symbol, since] of sinces) orders.push(...(await ended(symbol, since)));
    if (isWhole || sinces.size > fewSymbols) orders.push(...(await this.#trading.openOrders()));
    else for (const symbol of sinces.keys()) orders.push(...(await listed(this.#trading.openOrders(symbol))));
    if (!isWhole) return orders;
    // A backup may be older than a pair of a bot: what stands there was made for something, and what is held may have been bought by it.
    const others = new Set<string>();
    for (const { id } of bots) for (const order of orders) if (isOrderOf(id, order.clientOrderId)) others.add(order.symbol);
    const restored = bots.filter(({ isRestored }) => isRestored);
    if (restored.length > 0) for (const symbol of await this.#held(restored)) others.add(symbol);
    const since = Math.min(...bots.map((bot) => bot.since));
    for (const symbol of others) if (!sinces.has(symbol)) orders.push(...(await ended(symbol, since)));
    return orders;
  }

  /** The pairs in which bots of the account may hold what it has: all positions, and each of its coins against each currency that they trade in. */
  async #held(bots: readonly AccountBot[]): Promise<string[]> {
    const positions = (await this.#trading.positions()).map(({ symbol }) => symbol);
    const currencies = (await this.#trading.balances()).filter(({ free, locked }) => free + locked > 0).map(({ currency }) => currency);
    const spot = bots.flatMap(({ symbols }) => symbols).filter((symbol) => !symbol.includes(':'));
    const quotes = new Set(spot.map((symbol) => currenciesOf(symbol).quote));
    return [...positions, ...[...quotes].flatMap((quote) => currencies.filter((each) => each !== quote).map((each) => `${each}/${quote}`))];
  }

  /** Fails: ExchangeError `temporary` while fewer fills are listed than an order is said to have */
  async #withFills(orders: readonly VenueOrder[], ownerOf: (id: string) => AccountBot | undefined): Promise<UnrecordedOrder[]> {
    const found: UnrecordedOrder[] = [];
    for (const order of orders) {
      const bot = ownerOf(order.clientOrderId);
      if (bot !== undefined) found.push({ botId: bot.id, order, fills: order.filled > 0 ? await this.#fillsOf(order) : [] });
    }
    return found;
  }

  async #fillsOf({ symbol, clientOrderId, createdTime, filled }: VenueOrder): Promise<VenueFill[]> {
    const cursor = await this.#records.fillBefore(symbol, createdTime - this.#times.margin);
    const fills = (await this.#trading.fillsSince(symbol, cursor)).filter((fill) => fill.clientOrderId === clientOrderId);
    const sum = fills.reduce((total, { amount }) => total + amount, 0);
    if (sum < filled * (1 - 1e-12)) throw new ExchangeError('temporary', `The fills of the order ${clientOrderId} are not listed yet.`);
    return fills;
  }

  /**
   * Cancels what stands though it has ended on record: its bot has placed another in its place, or is done with the trade. The exchange did not find
   * it for a while, or has refused it and taken it all the same. What it has bought or sold since is a difference. One that cannot be cancelled is tried
   * again by the next search.
   */
  async #cancelEnded(standing: readonly VenueOrder[]): Promise<void> {
    if (standing.length === 0) return;
    const ended = await this.#records.ended(standing.map(({ clientOrderId }) => clientOrderId));
    for (const order of standing) if (ended.has(order.clientOrderId)) await this.#cancel(order);
  }

  /** What became of an order that must not stand, null when nobody knows yet, and why it could not be cancelled. */
  async #cancel({ symbol, clientOrderId }: VenueOrder): Promise<{ after: VenueOrder | null; refusedBy: ExchangeError | null }> {
    try {
      return { after: await this.#trading.cancel(symbol, clientOrderId), refusedBy: null };
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.kind !== 'rejected') throw error;
      return { after: await this.#trading.order(symbol, clientOrderId), refusedBy: error };
    }
  }
}

/** Whether a stop leaves a trade, by its side. */
function isStopOf({ symbol, direction }: OwnTrade, order: VenueOrder): boolean {
  return symbol === order.symbol && (direction === 'long') === (order.side === 'sell');
}

/** Open orders of more symbols than this are asked for at once. */
const fewSymbols = 12;

/** The orders of a symbol; none where the exchange does not list the symbol any more. */
async function listed(orders: Promise<VenueOrder[]>): Promise<VenueOrder[]> {
  try {
    return await orders;
  } catch (error) {
    if (error instanceof ExchangeError && error.kind === 'rejected') return [];
    throw error;
  }
}

/** The number of a bot's newest order among these; 0 when there is none. */
function highestNumber(botId: string, ids: readonly string[]): number {
  let highest = 0;
  for (const id of ids) highest = Math.max(highest, orderNumberOf(botId, id) ?? 0);
  return highest;
}
