import type { AccountEvent } from './account-event.ts';
import type { AccountFill, AssetBalance, Happening, Order, OrderList } from './order.ts';
import type { Store, Table } from './store.ts';

/** What an account counts. */
export interface AccountState {
  tick: number; // the newest tick of the market its orders have met
  orders: number; // ids given so far
  fills: number;
  events: number;
  lists: number;
  incomes: number;
  paysFeesInBnb: boolean;
}

/** How many finished orders and fills of an account are remembered. */
const mostRemembered = 10_000;

/** The rows of one account on one market, spot or futures. Every write goes through here. */
export class AccountRows {
  readonly open: Table<Order>;
  readonly done: Table<Order>;
  readonly fills: Table<AccountFill>;
  readonly balances: Table<AssetBalance>;
  readonly lists: Table<OrderList>;
  readonly #state: Table<AccountState>;
  readonly #report: (event: AccountEvent) => void;

  constructor(store: Store, name: string, report: (event: AccountEvent) => void) {
    this.open = store.table(`open ${name}`);
    this.done = store.table(`done ${name}`);
    this.fills = store.table(`fills ${name}`);
    this.lists = store.table(`lists ${name}`);
    this.balances = store.table(`balances ${name}`);
    this.#state = store.table(`state ${name}`);
    this.#report = report;
  }

  /** Gives a new account its money. */
  openWith(balances: Readonly<Record<string, bigint>>, tick: number): void {
    if (this.#state.get('') !== undefined) return;
    this.#state.put('', { tick, orders: 0, fills: 0, events: 0, lists: 0, incomes: 0, paysFeesInBnb: false });
    for (const [asset, free] of Object.entries(balances)) this.balances.put(asset, { asset, free, locked: 0n });
  }

  get state(): AccountState {
    const state = this.#state.get('');
    if (state === undefined) throw new Error('The account has not been opened.');
    return state;
  }

  setState(change: Partial<AccountState>): void {
    this.#state.put('', { ...this.state, ...change });
  }

  /** Notes how far the market was followed. It goes to the disk with the next change: until then nothing has happened. */
  setTick(tick: number): void {
    this.#state.put('', { ...this.state, tick }, 'later');
  }

  /** The next number of its kind. */
  next(kind: 'orders' | 'fills' | 'events' | 'incomes' | 'lists'): number {
    const number = this.state[kind] + 1;
    this.setState({ [kind]: number });
    return number;
  }

  balance(asset: string): AssetBalance {
    return this.balances.get(asset) ?? { asset, free: 0n, locked: 0n };
  }

  /** Moves money: both may be negative. Fails: Error when less than nothing would be left, which no check may let happen */
  move(asset: string, free: bigint, locked = 0n): void {
    const before = this.balance(asset);
    const after = { asset, free: before.free + free, locked: before.locked + locked };
    if (after.free < 0n || after.locked < 0n) throw new Error(`The balance of ${asset} would be negative.`);
    this.balances.put(asset, after);
  }

  /** Writes an order: among the open ones, or among those that are done. */
  putOrder(order: Order): void {
    const isOpen = order.status === 'NEW' || order.status === 'PARTIALLY_FILLED';
    this.open.put(String(order.id), isOpen ? order : null);
    if (isOpen) return;
    this.done.put(String(order.id), order);
    forgetOldest(this.done, ({ id }) => id);
  }

  putFill(fill: AccountFill): void {
    this.fills.put(String(fill.id), fill);
    forgetOldest(this.fills, ({ id }) => id);
  }

  orderById(id: number): Order | undefined {
    return this.open.get(String(id)) ?? this.done.get(String(id));
  }

  /** The newest order of this client id. */
  orderByClientId(symbol: string, clientOrderId: string): Order | undefined {
    const isMeant = (order: Order) => order.symbol === symbol && order.clientOrderId === clientOrderId;
    return [...this.open.rows()].find(isMeant) ?? [...this.done.rows()].findLast(isMeant);
  }

  reportOrder(what: Happening, order: Order, fill: AccountFill | null, time: number): void {
    this.#report({ kind: 'order', what, order, fill, number: this.next('events'), time });
  }

  reportList(list: OrderList, time: number): void {
    this.#report({ kind: 'list', list, time });
  }

  reportBalances(assets: readonly string[], time: number): void {
    this.#report({ kind: 'balances', assets: [...new Set(assets)].map((asset) => this.balance(asset)), time });
  }
}

function forgetOldest<Row extends object>(table: Table<Row>, idOf: (row: Row) => number): void {
  if (table.size <= mostRemembered) return;
  const [oldest] = table.rows();
  if (oldest !== undefined) table.put(String(idOf(oldest)), null);
}
