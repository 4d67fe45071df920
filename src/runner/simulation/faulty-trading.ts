import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type {
  AccountReport,
  Balance,
  Clearance,
  MarginSettings,
  OrderRequest,
  Position,
  Trading,
  VenueFill,
  VenueOrder,
} from '#engine/ports/trading.ts';
import type { InMemoryVenue } from '#engine/simulation/venue.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** The way between the processes and the exchange. */
export interface Network {
  isFaulty: boolean;
  clockSkewMs: number; // how far the exchange's clock is ahead of ours
  bannedUntil?: number; // ms; until then every request is refused, and the exchange says how long
  faults: number; // requests so far that failed, were late or lost their answer, and reports that were
}

const timeoutMs = 1_000;
const mostLagMs = 600; // of what the exchange lists behind what it knows

/**
 * An exchange behind a bad network, as one process sees it: requests that never arrive or arrive late, answers that get lost
 * or cannot be read, refusals for the moment, lists that lag behind, and a stream that drops, repeats and reorders.
 */
export class FaultyTrading implements Trading {
  readonly accountId = 'simulated';
  readonly #venue: InMemoryVenue;
  readonly #world: World;
  readonly #network: Network;
  readonly #process: SimProcess;

  constructor(venue: InMemoryVenue, world: World, network: Network, process: SimProcess) {
    this.#venue = venue;
    this.#world = world;
    this.#network = network;
    this.#process = process;
  }

  async place(request: OrderRequest): Promise<VenueOrder> {
    return await this.#write(() => this.#venue.place(request));
  }

  async cancel(symbol: string, clientOrderId: string): Promise<VenueOrder> {
    return await this.#write(() => this.#venue.cancel(symbol, clientOrderId));
  }

  async order(symbol: string, clientOrderId: string): Promise<VenueOrder | null> {
    return await this.#read(async (seenAt) => {
      const found = await this.#venue.order(symbol, clientOrderId);
      return found !== null && found.createdTime > seenAt ? null : found;
    });
  }

  async openOrders(symbol?: string): Promise<VenueOrder[]> {
    return await this.#read(async (seenAt) => (await this.#venue.openOrders(symbol)).filter(({ createdTime }) => createdTime <= seenAt));
  }

  async ordersSince(symbol: string, since: number): Promise<VenueOrder[]> {
    return await this.#read(async (seenAt) =>
      (await this.#venue.ordersSince(symbol, since)).filter(({ createdTime }) => createdTime <= seenAt),
    );
  }

  async fillsSince(symbol: string, afterId: string | null): Promise<VenueFill[]> {
    return await this.#read(async (seenAt) => (await this.#venue.fillsSince(symbol, afterId)).filter(({ time }) => time <= seenAt));
  }

  async clearances(): Promise<Clearance[]> {
    return await this.#read(() => this.#venue.clearances());
  }

  async balances(): Promise<Balance[]> {
    return await this.#read(() => this.#venue.balances());
  }

  async positions(): Promise<Position[]> {
    return await this.#read(() => this.#venue.positions());
  }

  async setLeverage(symbol: string, leverage: number): Promise<void> {
    await this.#write(() => this.#venue.setLeverage(symbol, leverage));
  }

  async setMarginMode(symbol: string, mode: Position['marginMode']): Promise<void> {
    await this.#write(() => this.#venue.setMarginMode(symbol, mode));
  }

  async marginSettings(symbol: string): Promise<MarginSettings> {
    return await this.#read(() => this.#venue.marginSettings(symbol));
  }

  patiently<Result>(questions: () => Promise<Result>): Promise<Result> {
    return questions();
  }

  watch(listener: (report: AccountReport) => void): () => void {
    return this.#venue.watch((report) => {
      if (this.#network.isFaulty && this.#world.happens(0.15)) {
        this.#network.faults += 1;
        this.#world.after(this.#world.between(500, 5_000), () => this.#deliver(listener, { kind: 'gap' }));
        return;
      }
      this.#world.after(this.#delay(), () => this.#deliver(listener, report));
      if (this.#network.isFaulty && this.#world.happens(0.1)) this.#world.after(this.#delay() * 3, () => this.#deliver(listener, report));
    });
  }

  async close(): Promise<void> {}

  #deliver(listener: (report: AccountReport) => void, report: AccountReport): void {
    this.#process.do(() => listener(report));
  }

  #delay(): number {
    return this.#world.happens(0.06) ? this.#world.between(20, 500) : this.#world.between(1, 20);
  }

  async #write<T>(what: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = this.#answer<T>();
    const { isFaulty } = this.#network;
    if (this.#isBanned(reject)) return await promise;
    const fault = isFaulty ? this.#world.random() : 1;
    if (fault < 0.22) this.#network.faults += 1;
    if (fault < 0.04) {
      this.#world.after(this.#delay(), () => reject(new ExchangeError('temporary', 'too many requests')));
      return await promise;
    }
    const isLate = fault >= 0.04 && fault < 0.1;
    const isLostAfter = fault >= 0.1 && fault < 0.16;
    const never = fault >= 0.16 && fault < 0.2;
    const isUnreadable = isFaulty && fault >= 0.2 && fault < 0.22;
    const arrives = isLate ? this.#world.between(500, 6_000) : this.#delay();
    this.#world.after(timeoutMs, () => reject(new ExchangeError('unknown', 'no answer')));
    if (!never) {
      this.#world.after(arrives, () => {
        this.#tellTime();
        if (isUnreadable) {
          const unreadable = (): void => reject(new ExchangeError('unknown', 'an answer that cannot be read'));
          void what().then(
            () => this.#world.after(this.#delay(), unreadable),
            () => this.#world.after(this.#delay(), unreadable),
          );
          return;
        }
        void what().then(
          (result) => (isLostAfter ? undefined : this.#world.after(this.#delay(), () => resolve(result))),
          (error: unknown) => (isLostAfter ? undefined : this.#world.after(this.#delay(), () => reject(error))),
        );
      });
    }
    return await promise;
  }

  async #read<T>(what: (seenAt: number) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = this.#answer<T>();
    const { isFaulty } = this.#network;
    if (this.#isBanned(reject)) return await promise;
    if (isFaulty && this.#world.happens(0.1)) {
      this.#network.faults += 1;
      this.#world.after(this.#world.happens(0.5) ? timeoutMs : this.#delay(), () => reject(new ExchangeError('temporary', 'no answer')));
      return await promise;
    }
    this.#world.after(this.#delay(), () => {
      this.#tellTime();
      const lag = isFaulty && this.#world.happens(0.2) ? this.#world.between(0, mostLagMs) : 0;
      const seenAt = this.#world.now + this.#network.clockSkewMs - lag;
      void what(lag === 0 ? Infinity : seenAt).then(
        (result) => this.#world.after(this.#delay(), () => resolve(result)),
        (error: unknown) => this.#world.after(this.#delay(), () => reject(error)),
      );
    });
    return await promise;
  }

  /** Refuses a request while the exchange wants none. */
  #isBanned(reject: (error: unknown) => void): boolean {
    const { bannedUntil = 0 } = this.#network;
    const retryAfterMs = bannedUntil - this.#world.now;
    if (retryAfterMs <= 0) return false;
    this.#network.faults += 1;
    this.#world.after(this.#delay(), () => reject(new ExchangeError('temporary', 'banned for a while', { retryAfterMs })));
    return true;
  }

  /** An answer that a process which has died never gets. */
  #answer<T>(): PromiseWithResolvers<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    return {
      promise,
      resolve: (value) => this.#process.do(() => resolve(value)),
      reject: (error) => this.#process.do(() => reject(error as Error)),
    };
  }

  #tellTime(): void {
    this.#venue.setTime(this.#world.now + this.#network.clockSkewMs);
  }
}
