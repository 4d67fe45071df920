import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarginSettings, Trading } from '#engine/ports/trading.ts';
import type { StoredOrder } from '#storage/orders/order-outbox.ts';

/** A symbol whose leverage or margin mode is another at the exchange than its bot needs, after it was set. */
export interface MarginDifference {
  botId: string;
  symbol: string;
  wanted: MarginSettings;
  actual: MarginSettings;
}

/** Leverage and margin mode of the symbols of an account: set before the first entry of each, and read back. */
export class SymbolMargins {
  readonly #trading: Trading;
  readonly #onDifference: (difference: MarginDifference) => Promise<void>;
  readonly #confirmed = new Map<string, string>(); // what the exchange has said, by symbol

  constructor(trading: Trading, onDifference: (difference: MarginDifference) => Promise<void>) {
    this.#trading = trading;
    this.#onDifference = onDifference;
  }

  /**
   * Sees to it that the symbol of an entry has the leverage and margin mode it was decided with.
   * Fails: ExchangeError, `rejected` when the exchange says that it has others
   */
  async prepare({ botId, symbol, purpose, leverage, marginMode }: StoredOrder): Promise<void> {
    if (purpose !== 'entry' || marginMode === null) return;
    const wanted = { leverage, marginMode };
    if (this.#confirmed.get(symbol) === words(wanted)) return;
    this.#confirmed.delete(symbol);
    await this.#trading.setMarginMode(symbol, marginMode);
    await this.#trading.setLeverage(symbol, leverage);
    const actual = await this.#trading.marginSettings(symbol);
    if (words(actual) !== words(wanted)) {
      await this.#onDifference({ botId, symbol, wanted, actual });
      throw new ExchangeError(
        'rejected',
        `No entry was sent: ${symbol} needs ${words(wanted)}, and the exchange says that it has ${words(actual)}.`,
      );
    }
    this.#confirmed.set(symbol, words(wanted));
  }
}

function words({ leverage, marginMode }: MarginSettings): string {
  return `leverage ${leverage} with ${marginMode} margin`;
}
