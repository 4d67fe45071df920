import { follows, isFinal } from '#engine/account/order-life.ts';
import { coinKeptBack } from '#engine/account/fill.ts';
import type { BotEvent, TradingState } from '#engine/bot/event.ts';
import type { ManualAction } from '#engine/bot/manual-action.ts';
import type { BotState } from '#engine/bot/state.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { EntryRefusal, OrderChange, SendPermit, StoredOrder } from '#storage/orders/order-outbox.ts';
import type { MarginDifference } from '../orders/margin-settings.ts';
import type { OrderStore } from '../orders/order-store.ts';
import type { AccountBot, AccountRecords, StandingOrder, UnrecordedOrder } from '../orders/unrecorded-orders.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** A write refused because a later process has the bot. */
export class FencedInMemory extends Error {}

/** What a person has decided, until the bot has booked it. */
export interface Wish {
  event: Extract<BotEvent, { kind: 'held-elsewhere' | 'holding-adopted' }>;
  decided: ReadonlyMap<string, number>; // on how much of which order without a record, by client id; base currency
}

const leaseMs = 10_000;
const leastExpiryMs = 500;

/** An order that was found without a record, as the disk has it. */
export interface NotedOrder extends UnrecordedOrder {
  settled: number; // of what it has bought or sold, what a person has decided about
  isSettled: boolean;
}

/**
 * The disk of one simulated bot, and the lease on it. What was committed stays, whoever dies, unless the disk loses its last commits.
 * A call takes its time to arrive and to be answered; a process that dies in between never learns whether it was done.
 */
export class MemoryDisk {
  rows: ReadonlyMap<string, StoredOrder> = new Map();
  noted: ReadonlyMap<string, NotedOrder> = new Map();
  passedAt = 0;
  tradingState: TradingState = 'active';
  actions: ReadonlyMap<string, ManualAction> = new Map(); // what a person has asked for by hand and is not done
  readonly wishes: Wish[] = []; // what a person has decided
  readonly faults: unknown[] = []; // of the program
  slowRatio = 0; // of what is asked of it, how much takes seconds
  forbidsEntries = false; // whether it heeds the kill switch when an entry is to be sent, as the database does
  lostAnswers = 0; // orders of which nobody knew for a while whether the exchange had taken them
  onDecided: () => void = () => undefined; // orders were decided on, and are on the disk
  state: BotState;
  readonly symbols: readonly string[];
  #commits: { at: number; before: Commit }[] = []; // that may still be lost
  epoch = 0;
  leaseEnd = 0;
  readonly #world: World;

  constructor(world: World, state: BotState, symbols: readonly string[]) {
    this.#world = world;
    this.state = state;
    this.symbols = symbols;
  }

  /** To be called before a commit changes anything. */
  commit(): void {
    const { rows, noted, passedAt, tradingState, state, actions } = this;
    const oldest = this.#world.now - mostLostMs;
    while ((this.#commits[0]?.at ?? Infinity) < oldest) this.#commits.shift();
    this.#commits.push({ at: this.#world.now, before: { rows, noted, passedAt, tradingState, state, actions } });
  }

  /** Loses the commits of the last moment, as a disk does that lies about what it has written. Returns whether there were any. */
  loseLast(ms: number): boolean {
    const lost = this.#commits.find(({ at }) => at >= this.#world.now - ms);
    this.#commits = [];
    if (lost !== undefined) Object.assign(this, lost.before);
    return lost !== undefined;
  }

  /** All commits so far stay. */
  flush(): void {
    this.#commits = [];
  }

  /** What orders without a record have bought, and nobody has decided about, in base currency; negative was sold. */
  get undecided(): number {
    return round([...this.noted.values()].reduce((sum, each) => sum + netOf(each) - each.settled, 0));
  }

  /** Whether an order without a record stands at the exchange. */
  isStanding(): boolean {
    return [...this.noted.values()].some(({ order }) => order.state === 'open');
  }

  /** Whether a wish is booked, or the trade that it was about is over. */
  isOver(wish: Wish): boolean {
    return this.#isBooked(wish) || this.#hasLostItsTrade(wish);
  }

  #isBooked({ event }: Wish): boolean {
    const { trades, formerTrades } = this.state;
    return [...trades, ...formerTrades].some(({ orders }) => orders.some(({ fills }) => fills.some(({ id }) => id === event.fillId)));
  }

  #hasLostItsTrade({ event }: Wish): boolean {
    return event.kind === 'held-elsewhere' && !this.state.trades.some(({ id }) => id === event.tradeId);
  }

  /**
   * What was decided on for a trade that was already sold, without the disk knowing it yet, is to be decided on again: on perpetuals the
   * comparison of accounts finds it.
   */
  reopenUnbooked(): void {
    const unbooked = this.wishes.filter((wish) => this.#hasLostItsTrade(wish) && !this.#isBooked(wish));
    if (unbooked.length === 0) return;
    this.flush();
    for (const wish of unbooked) {
      this.wishes.splice(this.wishes.indexOf(wish), 1);
      for (const [id, amount] of wish.decided) {
        const order = this.noted.get(id);
        if (order !== undefined) this.noted = new Map(this.noted).set(id, { ...order, settled: round(order.settled - amount) });
      }
    }
    if (this.undecided !== 0 && this.tradingState === 'active') this.tradingState = 'reducing';
  }

  /** Whether an order has ended for more than a minute. */
  hasLongEnded(id: string): boolean {
    const endedAt = this.rows.get(id)?.endedAt ?? null;
    return endedAt !== null && this.#world.now - endedAt > minuteMs;
  }

  /** Whether a holding of a symbol waits to be adopted. */
  isToBeAdopted(symbol: string): boolean {
    return this.wishes.some((wish) => wish.event.kind === 'holding-adopted' && wish.event.symbol === symbol && !this.isOver(wish));
  }

  /** A person has decided about what orders without a record have left. */
  settle(): void {
    this.noted = new Map([...this.noted].map(([id, each]) => [id, { ...each, settled: netOf(each), isSettled: true }]));
  }

  /** Takes the lease for a new process, whose connection to this disk is returned. */
  claim(process: SimProcess): MemoryConnection {
    this.epoch += 1;
    this.leaseEnd = this.#world.now + leaseMs;
    return new MemoryConnection(this, this.#world, this.epoch, process);
  }
}

interface Commit {
  rows: ReadonlyMap<string, StoredOrder>;
  noted: ReadonlyMap<string, NotedOrder>;
  passedAt: number;
  tradingState: TradingState;
  state: BotState;
  actions: ReadonlyMap<string, ManualAction>;
}

const mostLostMs = 1_000;

/** What the fills of an order have brought in base currency, less the fees that were taken of it. */
export function netOf({ order: { side, symbol }, fills }: UnrecordedOrder): number {
  const coin = coinKeptBack(symbol);
  return fills.reduce(
    (sum, { amount, fee, feeCurrency }) => sum + (side === 'buy' ? amount : -amount) - (feeCurrency === coin ? fee : 0),
    0,
  );
}

function round(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** What one process sees of the disk. */
export class MemoryConnection implements OrderStore, AccountRecords {
  readonly #disk: MemoryDisk;
  readonly #world: World;
  readonly #epoch: number;
  readonly #process: SimProcess;

  constructor(disk: MemoryDisk, world: World, epoch: number, process: SimProcess) {
    this.#disk = disk;
    this.#world = world;
    this.#epoch = epoch;
    this.#process = process;
  }

  /** Holds the lease for another while. */
  renew(): void {
    if (this.#disk.epoch === this.#epoch) this.#disk.leaseEnd = this.#world.now + leaseMs;
  }

  async orders(ids: readonly string[]): Promise<StoredOrder[]> {
    return await this.#commit(() => {
      const found = [...this.#disk.rows.values()].filter((row) => !isFinal(row.state) || ids.includes(row.clientOrderId));
      return found.map((row) => ({ ...row }));
    });
  }

  async send(id: string, isEntry: boolean, expiryMs: number): Promise<SendPermit> {
    return await this.#commit((): SendPermit => {
      const row = this.#row(id);
      if (isEntry && this.#disk.forbidsEntries && this.#disk.tradingState !== 'active') return { kind: 'forbidden' };
      if (row.state !== 'planned') return { kind: 'moved' };
      const expiresInMs = Math.min(expiryMs, this.#disk.leaseEnd - this.#world.now);
      if (expiresInMs < leastExpiryMs) return { kind: 'lease-too-short' };
      this.#write({ ...row, state: 'sent', attempt: row.attempt + 1, expiresAt: this.#world.now + expiresInMs });
      return { kind: 'sent', expiresInMs };
    });
  }

  async entryRefusal(): Promise<EntryRefusal | null> {
    return await this.#commit(() => (this.#disk.forbidsEntries && this.#disk.tradingState !== 'active' ? { kind: 'forbidden' } : null));
  }

  async change(id: string, { path, from, filled }: OrderChange): Promise<boolean> {
    return await this.#commit(() => {
      const row = this.#row(id);
      if (row.state !== from) return false;
      let { state } = row;
      for (const next of path) {
        if (!follows(state, next)) throw new Error(`Order ${id} cannot go from ${state} to ${next}`);
        state = next;
        if (next === 'unknown') this.#disk.lostAnswers += 1;
      }
      const endedAt = row.endedAt ?? (isFinal(state) ? this.#world.now : null);
      this.#write({ ...row, state, filled: Math.max(row.filled, filled ?? 0), endedAt });
      return true;
    });
  }

  async fillBefore(): Promise<string | null> {
    return await this.#commit(() => null);
  }

  /** Writes a step of the bot: its state, the orders it has decided on, and what it has done or refused by hand; what is not wanted any more is not done. */
  async step(state: BotState, created: readonly StoredOrder[], ended: readonly { actionId: string; isDone: boolean }[]): Promise<void> {
    await this.#commit(() => {
      const { actions } = this.#disk;
      if (ended.some(({ actionId, isDone }) => isDone && !actions.has(actionId))) throw new FencedInMemory();
      this.#disk.commit();
      this.#disk.actions = new Map([...actions].filter(([id]) => ended.every(({ actionId }) => actionId !== id)));
      this.#disk.state = state;
      this.#disk.rows = new Map([...this.#disk.rows, ...created.map((order) => [order.clientOrderId, { ...order }] as const)]);
      if (created.length > 0) this.#disk.onDecided();
    });
  }

  async bots(): Promise<AccountBot[]> {
    return await this.#commit(() => {
      const { state, rows, noted, passedAt, symbols } = this.#disk;
      const times = (among: readonly StoredOrder[]): number[] => among.map(({ plannedAt }) => plannedAt);
      const all = [...rows.values()];
      const since = Math.min(Math.max(passedAt, ...times(all)), ...times(all.filter((row) => row.state === 'planned')));
      return [
        {
          id: state.botId,
          symbols,
          trades: state.trades.map(({ symbol, direction, amount }) => ({ symbol, direction, isEntered: amount > 0 })),
          since,
          noted: [...noted.keys()],
          isRestored: false,
        },
      ];
    });
  }

  async claims(): Promise<ReadonlyMap<string, string>> {
    return new Map([[this.#disk.state.botId, String(this.#disk.epoch)]]);
  }

  async recorded(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return await this.#commit(() => new Set(ids.filter((id) => this.#disk.rows.has(id))));
  }

  async ended(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return await this.#commit(() => new Set(ids.filter((id) => this.#disk.hasLongEnded(id))));
  }

  async standing(): Promise<StandingOrder[]> {
    return await this.#commit(() =>
      [...this.#disk.noted.values()].flatMap(({ botId, order: { clientOrderId, symbol, state }, isSettled }) =>
        state === 'open' ? [{ botId, clientOrderId, symbol, isSettled: isSettled || this.#disk.isToBeAdopted(symbol) }] : [],
      ),
    );
  }

  async note(orders: readonly UnrecordedOrder[], areAll: boolean): Promise<void> {
    if (orders.length === 0) return;
    await this.#commit(() => {
      const disk = this.#disk;
      disk.commit();
      const noted = new Map(disk.noted);
      for (const each of orders) {
        const before = noted.get(each.order.clientOrderId);
        noted.set(each.order.clientOrderId, { settled: 0, ...before, ...each, isSettled: before?.isSettled ?? false });
      }
      disk.noted = noted;
      if (disk.undecided !== 0) disk.tradingState = 'reducing';
      else if (areAll) disk.settle();
    });
  }

  async vanished(ids: readonly string[]): Promise<void> {
    await this.#commit(() => {
      this.#disk.commit();
      const noted = new Map(this.#disk.noted);
      for (const id of ids) {
        const known = noted.get(id);
        if (known?.order.state === 'open') noted.set(id, { ...known, order: { ...known.order, state: 'cancelled' } });
      }
      this.#disk.noted = noted;
    });
  }

  async start(): Promise<string> {
    return 'the only one'; // no process outlives it
  }

  async passed({ time }: { time: number }): Promise<void> {
    await this.#commit(() => {
      this.#disk.commit();
      this.#disk.passedAt = Math.max(this.#disk.passedAt, time);
    });
  }

  async marginDiffers(difference: MarginDifference): Promise<void> {
    this.#disk.faults.push(difference);
  }

  #write(row: StoredOrder): void {
    this.#disk.commit();
    this.#disk.rows = new Map(this.#disk.rows).set(row.clientOrderId, row);
  }

  #row(id: string): StoredOrder {
    const row = this.#disk.rows.get(id);
    if (row === undefined) throw new Error(`There is no order ${id} on the disk`);
    return row;
  }

  /** What is asked of the disk while its process lives is done, and answered if the process still lives then. */
  async #commit<T>(what: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (!this.#process.isAlive) return await promise;
    this.#world.after(this.#delay(), () => {
      let answer: () => void;
      try {
        if (this.#disk.epoch !== this.#epoch) throw new FencedInMemory();
        const result = what();
        answer = () => resolve(result);
      } catch (error) {
        answer = () => reject(error);
      }
      this.#process.after(this.#delay(), answer);
    });
    return await promise;
  }

  #delay(): number {
    const { slowRatio } = this.#disk;
    return slowRatio > 0 && this.#world.happens(slowRatio) ? this.#world.between(500, 4_000) : this.#world.between(0, 5);
  }
}
