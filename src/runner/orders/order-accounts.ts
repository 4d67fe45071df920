import type { OrderState } from '#engine/account/order-life.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { Database } from '#storage/database.ts';
import { movesFor } from '#storage/differences/differences.ts';
import { existingKeys } from '#storage/exchange-accounts/api-keys.ts';
import type { Holder } from '#storage/bots/runners.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { every } from '../every.ts';
import { AccountCheck, looksUntilNoted } from './account-check.ts';
import { databaseRecords } from './account-records.ts';
import { firstTurn, secondTurn, takeTurns } from './check-turns.ts';
import { OrderRoom } from './order-room.ts';
import type { OrderStore, Permits } from './order-store.ts';
import { databaseOrders, databasePermits } from './order-store.ts';
import { timesAt } from './order-times.ts';

/** An account at an exchange: one key, one market. */
export interface AccountName {
  apiKeyId: string;
  exchangeId: string;
  marketType: MarketType;
}

/** Opens the trading side of an account. Fails: ExchangeError; Error when its key is gone or cannot be opened */
export type OpenTrading = (account: AccountName) => Promise<Trading>;

/** How often the orders of all accounts are gone through, in ms; what a bot decides is sent at once. */
const tickMs = 100;

/** How often those to be compared with the trades of their bots are looked for, in ms: many at once would take every connection from the orders. */
const checkRoundMs = 100;

/** From a look before a bot begins, which found a difference, to the next, in ms: its orders are asked about in between. */
const secondLookMs = 2 * secondMs;

/** An account that no bot has used for so long is closed, in ms: a bot that people have changed is back within moments. */
const unusedMs = minuteMs;

/** How often accounts that are no longer used are looked for, in ms. */
const tidyMs = 10 * secondMs;

interface Account {
  apiKeyId: string;
  name: string;
  trading: Trading;
  room: OrderRoom;
  check: AccountCheck;
  unusedSince: number | null; // in ms of `performance.now()`; null while a bot uses it
  checkAt: number; // when it is compared next, in ms of `performance.now()`
}

const nameOf = ({ apiKeyId, marketType }: AccountName): string => `${apiKeyId} ${marketType}`;

/** The order rooms of a runner, one for each account, opened when its first bot needs it and shared by all of its bots. */
export class OrderAccounts {
  readonly pace: number; // how many times as fast as the machine's the market's clock runs
  readonly reached = new Map<OrderState, number>(); // how many orders have come to each state since this runner began
  readonly #db: Database;
  readonly #checksDb: Database;
  readonly #permits: Permits;
  readonly #open: OpenTrading;
  readonly #now: () => number;
  readonly #log: (message: string, details: object) => void;
  readonly #rooms = new Map<string, Promise<Account>>();
  readonly #accounts = new Set<Account>(); // those that are open
  readonly #loops: { stop(): Promise<void> }[];
  #seenAt = -Infinity; // what the clock said last

  /** `checksDb` has the connections of searches and comparisons, which may be many: no order waits for them. */
  constructor(
    { db, checksDb = db }: { db: Database; checksDb?: Database },
    open: OpenTrading,
    now: () => number,
    log: (message: string, details: object) => void,
    pace = 1,
  ) {
    this.pace = pace;
    this.#db = db;
    this.#checksDb = checksDb;
    this.#permits = databasePermits(db);
    this.#open = open;
    this.#now = now;
    this.#log = log;
    this.#loops = [
      every(tickMs, () => this.#tick(), this.#onError),
      // Not waited for: a comparison that gets no answer must not hold up the others.
      every(checkRoundMs, async () => void this.compare(() => performance.now()), this.#onError),
      every(tidyMs, () => this.tidy(performance.now()), this.#onError),
    ];
  }

  /** The orders of a bot in the database, with the states they come to counted. */
  store(holder: Holder): OrderStore {
    return databaseOrders(this.#db, this.#permits, holder, { now: this.#now, pace: this.pace }, (state) =>
      this.reached.set(state, (this.reached.get(state) ?? 0) + 1),
    );
  }

  /** The order room of an account. Fails: as `OpenTrading`; the next caller tries again then */
  async room(wanted: AccountName): Promise<OrderRoom> {
    const name = nameOf(wanted);
    let opened = this.#rooms.get(name);
    if (opened === undefined) {
      opened = this.#start(wanted);
      this.#rooms.set(name, opened);
      opened.catch(() => this.#rooms.delete(name));
    }
    const account = await opened;
    account.unusedSince = null;
    return account.room;
  }

  /** Waits while a comparison would pass over what a bot holds: what was reported a moment ago may not be in the exchange's lists yet. */
  async untilStill(botId: string): Promise<void> {
    const ms = await movesFor(this.#checksDb, botId);
    if (ms > 0) await sleep(ms);
  }

  /**
   * Compares an account with the trades of its bots, before one of them begins: what differs is looked at again after a moment, and
   * noted when it still does. Fails: ExchangeError
   */
  async checkNow(account: AccountName): Promise<void> {
    const opened = await this.#rooms.get(nameOf(account));
    if (opened === undefined) return;
    for (let round = 1; round <= looksUntilNoted && (await opened.check.run()).length > 0; round++) await sleep(secondLookMs);
  }

  /**
   * Compares the accounts whose turn it is, a few at a time: all at once would take every connection of the database from the orders. One
   * that differs has its next turn sooner. `now` gives ms of `performance.now()`.
   */
  async compare(now: () => number): Promise<void> {
    const compareOne = async (account: Account): Promise<void> => {
      account.room.searchSoon();
      if ((await account.check.run(now)).length > 0) account.checkAt = Math.min(account.checkAt, secondTurn(now()));
    };
    await Promise.all(takeTurns(this.#accounts, now()).map((account) => compareOne(account).catch(this.#onError)));
  }

  /**
   * Closes the accounts that no bot has used for a minute, and those whose key people have deleted: their credentials and their user
   * streams go with them. `now` is in ms of `performance.now()`.
   */
  async tidy(now: number): Promise<void> {
    if (this.#accounts.size === 0) return;
    const open = [...this.#accounts]; // one that is opened while the keys are looked for was not looked for
    const keys = await existingKeys(
      this.#checksDb,
      open.map(({ apiKeyId }) => apiKeyId),
    );
    for (const account of open) {
      if (account.room.hasBots) account.unusedSince = null;
      else account.unusedSince ??= now;
      const isUnused = account.unusedSince !== null && now - account.unusedSince >= unusedMs;
      if (!isUnused && keys.has(account.apiKeyId)) continue;
      this.#accounts.delete(account);
      this.#rooms.delete(account.name);
      account.room.close();
      await account.trading.close();
    }
  }

  /** Follows no order any more. What is under way is continued from the disk by whoever comes next. */
  async close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    const all = await Promise.allSettled(this.#rooms.values());
    this.#rooms.clear();
    this.#accounts.clear();
    for (const each of all) {
      if (each.status === 'rejected') continue;
      each.value.room.close();
      await each.value.trading.close();
    }
  }

  async #start(account: AccountName): Promise<Account> {
    const trading = await this.#open(account);
    const room = new OrderRoom({
      trading,
      records: databaseRecords(this.#checksDb, account),
      times: timesAt(this.pace),
      now: this.#now,
      onError: this.#onError,
    });
    const opened: Account = {
      apiKeyId: account.apiKeyId,
      name: nameOf(account),
      unusedSince: null,
      trading,
      check: new AccountCheck(this.#checksDb, trading, account.marketType, room),
      room,
      checkAt: firstTurn(performance.now()),
    };
    this.#accounts.add(opened);
    return opened;
  }

  async #tick(): Promise<void> {
    const now = this.#now();
    if (now < this.#seenAt) for (const { room } of this.#accounts) room.setBack(this.#seenAt - now);
    this.#seenAt = now;
    // Not waited for: an account that does not answer must not hold up the others.
    for (const { room } of this.#accounts) if (room.dueAt <= now) room.tick().catch(this.#onError);
  }

  readonly #onError = (error: unknown): void => this.#log('an order could not be followed', { error: errorText(error) });
}
