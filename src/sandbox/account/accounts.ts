import type { SandboxClock } from '../market/clock.ts';
import type { SandboxMarket } from '../market/listings.ts';
import { type Market, tickNumber } from '../market/market.ts';
import type { AccountEvent } from './account-event.ts';
import { AccountRows } from './account-rows.ts';
import { FuturesAccount } from './futures/futures-account.ts';
import { FuturesRows } from './futures/futures-rows.ts';
import { Liquidity } from './liquidity.ts';
import { coin } from './money.ts';
import { type AccountRules, SpotAccount } from './spot-account.ts';
import type { Store, Table } from './store.ts';

/** What a new account holds. */
const startMoney: Record<SandboxMarket, Record<string, bigint>> = {
  spot: { USDT: 10_000n * coin, USDC: 10_000n * coin, BNB: 10n * coin },
  futures: { USDT: 10_000n * coin, USDC: 10_000n * coin },
};

type Listener = (event: AccountEvent) => void;

/** The accounts of all keys. An account begins with the first request of its key. */
export class Accounts {
  readonly rules: AccountRules = { remembersIds: 'while-open', readDelayMs: 0, madeOrderIds: 'same' };
  readonly #market: Market;
  readonly #clock: SandboxClock;
  readonly #store: Store;
  readonly #spot = new Map<string, SpotAccount>();
  readonly #futures = new Map<string, FuturesAccount>();
  readonly #listeners = new Map<string, { market: SandboxMarket; apiKey: string; listeners: Set<Listener> }>();
  readonly #times: Table<{ time: number }>;
  #pending: { key: string; event: AccountEvent }[] = []; // of the transaction that is under way

  constructor(market: Market, clock: SandboxClock, store: Store) {
    this.#market = market;
    this.#clock = clock;
    this.#store = store;
    this.#times = store.table('time');
    // Started again on its books, the market never runs before what they hold, whatever time it was started with.
    const behind = (this.#times.get('')?.time ?? 0) - clock.now();
    if (behind > 0) clock.advance(behind);
  }

  /**
   * Does something with the spot account of a key, after its orders have met all prices up to now. It is on the disk when
   * this returns; when it throws, it has not happened.
   */
  onSpot<Result>(apiKey: string, work: (account: SpotAccount, now: number) => Result): Result {
    const make = () => new SpotAccount(this.#open('spot', apiKey, AccountRows), this.#market, new Liquidity(this.#market), this.rules);
    return this.#on(known(this.#spot, apiKey, make), work);
  }

  /** The same with its USD-M account. */
  onFutures<Result>(apiKey: string, work: (account: FuturesAccount, now: number) => Result): Result {
    const make = () =>
      new FuturesAccount(this.#open('futures', apiKey, FuturesRows), this.#market, new Liquidity(this.#market), this.rules);
    return this.#on(known(this.#futures, apiKey, make), work);
  }

  /** Listens to what happens on an account of a key. */
  watch(market: SandboxMarket, apiKey: string, listener: Listener): () => void {
    const key = `${market} ${apiKey}`;
    const entry = this.#listeners.get(key) ?? { market, apiKey, listeners: new Set() };
    entry.listeners.add(listener);
    this.#listeners.set(key, entry);
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0) this.#listeners.delete(key);
    };
  }

  /** How many accounts are watched. */
  get watched(): number {
    return this.#listeners.size;
  }

  /** Follows the market on the accounts that are watched; the others follow when they are asked. */
  follow(): void {
    for (const { market, apiKey } of this.#listeners.values())
      if (market === 'spot') this.onSpot(apiKey, () => undefined);
      else this.onFutures(apiKey, () => undefined);
  }

  #on<Account extends { advance(tick: number): void }, Result>(account: Account, work: (account: Account, now: number) => Result): Result {
    const now = this.#clock.now();
    this.#times.put('', { time: now }, 'later');
    this.#finally(() => account.advance(tickNumber(now)));
    return this.#finally(() => work(account, now));
  }

  #open<Rows extends AccountRows>(
    market: SandboxMarket,
    apiKey: string,
    kind: new (store: Store, name: string, report: Listener) => Rows,
  ): Rows {
    const key = `${market} ${apiKey}`;
    const rows = new kind(this.#store, key, (event) => this.#pending.push({ key, event }));
    this.#finally(() => rows.openWith(startMoney[market], tickNumber(this.#clock.now())));
    return rows;
  }

  /** One transaction: on the disk before it is reported, or not at all. */
  #finally<Result>(work: () => Result): Result {
    try {
      const result = work();
      this.#store.commit();
      const events = this.#pending.splice(0);
      for (const { key, event } of events) for (const listener of this.#listeners.get(key)?.listeners ?? []) listener(event);
      return result;
    } catch (error) {
      this.#store.rollback();
      this.#pending = [];
      throw error;
    }
  }
}

function known<Account>(accounts: Map<string, Account>, apiKey: string, make: () => Account): Account {
  const account = accounts.get(apiKey) ?? make();
  accounts.set(apiKey, account);
  return account;
}
