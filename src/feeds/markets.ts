import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { MarketData } from '#engine/ports/market-data.ts';

/** An exchange the server offers. */
export interface OfferedExchange {
  id: string; // 'sandbox', 'binance'
  name: string; // 'Sandbox'
}

/** Opens the market data of an exchange and market type. */
export type OpenMarket = (exchangeId: string, marketType: MarketType) => Promise<MarketData>;

/**
 * The market data of all offered exchanges, opened when first asked for and shared by everything in this process.
 */
export class Markets {
  readonly exchanges: readonly OfferedExchange[];
  readonly #open: OpenMarket;
  readonly #opened = new Map<string, Promise<MarketData>>();

  constructor(exchanges: readonly OfferedExchange[], open: OpenMarket) {
    this.exchanges = exchanges;
    this.#open = open;
  }

  /** The exchange with this id or name, if it is offered. */
  find(idOrName: string): OfferedExchange | undefined {
    return this.exchanges.find(({ id, name }) => id === idOrName || name === idOrName);
  }

  /** The market data of an offered exchange. */
  market(exchangeId: string, marketType: MarketType): Promise<MarketData> {
    const key = `${exchangeId} ${marketType}`;
    let market = this.#opened.get(key);
    if (market === undefined) {
      market = this.#open(exchangeId, marketType);
      this.#opened.set(key, market);
      // One that could not be opened is tried again by the next caller.
      market.catch(() => this.#opened.delete(key));
    }
    return market;
  }

  /** The instrument of a symbol with its leverage tiers, or null when the exchange has none of that name. */
  async instrument(exchangeId: string, marketType: MarketType, symbol: string): Promise<Instrument | null> {
    return await (await this.market(exchangeId, marketType)).instrument(symbol);
  }

  /** Ends all subscriptions and connections. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#opened.values()].map(async (market) => (await market).close()));
    this.#opened.clear();
  }
}
