import { currenciesOf } from '#engine/account/fill.ts';
import type { Trading } from '#engine/ports/trading.ts';
import type { MemoryDisk } from '../simulation/memory-disk.ts';

/** Measures how long something is held at the exchange without an order there that would sell it: a stop, or an exit. */
export class StopWatch {
  readonly #exchange: Pick<Trading, 'positions' | 'balances' | 'openOrders'>;
  readonly #disk: Pick<MemoryDisk, 'state'>;
  readonly #since = new Map<string, number>(); // by symbol; ms
  readonly #dust = new Map<string, number>(); // by symbol; what earlier trades have left, too little for an order
  #longestMs = 0;

  constructor(exchange: Pick<Trading, 'positions' | 'balances' | 'openOrders'>, disk: Pick<MemoryDisk, 'state'>) {
    this.#exchange = exchange;
    this.#disk = disk;
  }

  /** The longest time so far, in ms. */
  get longestMs(): number {
    return this.#longestMs;
  }

  /** Checks a symbol now. */
  async check(symbol: string, now: number): Promise<void> {
    const [held, orders] = await Promise.all([this.#held(symbol), this.#exchange.openOrders(symbol)]);
    if (orders.length === 0 && !this.#disk.state.trades.some((trade) => trade.symbol === symbol)) this.#dust.set(symbol, held);
    const isSelling = orders.some(({ side }) => side === (held > 0 ? 'sell' : 'buy'));
    if (isSelling || Math.abs(held - (this.#dust.get(symbol) ?? 0)) < 1e-12) {
      this.#since.delete(symbol);
      return;
    }
    const since = this.#since.get(symbol) ?? now;
    this.#since.set(symbol, since);
    this.#longestMs = Math.max(this.#longestMs, now - since);
  }

  async #held(symbol: string): Promise<number> {
    const position = (await this.#exchange.positions()).find((each) => each.symbol === symbol);
    if (position !== undefined) return position.direction === 'long' ? position.amount : -position.amount;
    const { base } = currenciesOf(symbol);
    const balance = (await this.#exchange.balances()).find(({ currency }) => currency === base);
    return balance === undefined ? 0 : balance.free + balance.locked;
  }
}
