import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { MarketData } from '#engine/ports/market-data.ts';

/** An exchange the server offers. */
export interface OfferedExchange {
  id: string; // 'sandbox', 'binance'
  name: string; // 'Sandbox'
}

/**
 * The market data of all offered exchanges, opened when first asked for and shared by everybody in this process.
 */
export class Markets {
  readonly exchanges: readonly OfferedExchange[];
  readonly #open: (exchangeId: string, marketType: MarketType) => MarketData;
  readonly #opened = new Map<string, MarketData>();

  constructor(exchanges: readonly OfferedExchange[], open: (exchangeId: string, marketType: MarketType) => MarketData) {
    this.exchanges = exchanges;
    this.#open = open;
  }

  /** The exchange with this id or name, if it is offered. */
  find(idOrName: string): OfferedExchange | undefined {
    return this.exchanges.find(({ id, name }) => id === idOrName || name === idOrName);
  }

  /** The market data of an offered exchange. */
  market(exchangeId: string, marketType: MarketType): MarketData {
    const key = `${exchangeId} ${marketType}`;
    let market = this.#opened.get(key);
    if (market === undefined) {
      market = this.#open(exchangeId, marketType);
      this.#opened.set(key, market);
    }
    return market;
  }

  /** The instrument of a symbol, or null when the exchange has none of that name. */
  async instrument(exchangeId: string, marketType: MarketType, symbol: string): Promise<Instrument | null> {
    const instruments = await this.market(exchangeId, marketType).instruments();
    return instruments.find((instrument) => instrument.symbol === symbol) ?? null;
  }

  /** Ends all subscriptions and connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((market) => market.close()));
    this.#opened.clear();
  }
}
