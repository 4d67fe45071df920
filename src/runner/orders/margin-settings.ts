import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { plainRefusal } from '#engine/ports/plain-refusal.ts';
import type { MarginSettings, Trading } from '#engine/ports/trading.ts';
import type { EntryRefusal, StoredOrder } from '#storage/orders/order-outbox.ts';

/** A symbol whose leverage or margin mode is another at the exchange than its bot needs, after it was set. */
export interface MarginDifference {
  botId: string;
  symbol: string;
  wanted: MarginSettings;
  actual: MarginSettings;
  refusal: string; // what the exchange says against setting it, as while something is held; empty when nothing
}

/** Leverage and margin mode of the symbols of an account: asked for before each entry, and set where they are others. */
export class SymbolMargins {
  readonly #trading: Trading;
  readonly #onDifference: (difference: MarginDifference) => Promise<void>;

  constructor(trading: Trading, onDifference: (difference: MarginDifference) => Promise<void>) {
    this.#trading = trading;
    this.#onDifference = onDifference;
  }

  /**
   * Sees to it that the symbol of an entry has the leverage and margin mode it was decided with. Nothing is set for one that may not be sent:
   * another bot of the account may hold something there by now, and its liquidation price would change. Gives what stands against it then.
   * Fails: ExchangeError, `rejected` when the exchange says that it has others after they were set
   */
  async prepare(
    { botId, symbol, purpose, leverage, marginMode }: StoredOrder,
    refusalOf: () => Promise<EntryRefusal | null>,
  ): Promise<EntryRefusal | null> {
    if (purpose !== 'entry' || marginMode === null) return null;
    const wanted = { leverage: Math.floor(leverage), marginMode }; // exchanges take whole numbers; less risk, as freqtrade does it
    // What was set for the entry before may have been changed since: the owner of an account does that at the exchange.
    if (words(await this.#trading.marginSettings(symbol)) === words(wanted)) return null;
    const against = await refusalOf();
    if (against !== null) return against;
    const refusal = await this.#set(symbol, wanted);
    const actual = await this.#trading.marginSettings(symbol);
    if (words(actual) === words(wanted)) return null;
    await this.#onDifference({ botId, symbol, wanted, actual, refusal });
    throw new ExchangeError(
      'rejected',
      `No entry was sent: ${symbol} needs ${words(wanted)}, and the exchange says that it has ${words(actual)}.${refusal === '' ? '' : ` It does not change that now: ${refusal}`}`,
    );
  }

  /** Sets both. What the exchange refuses, as it does while something is held, is what it says; empty when it refuses nothing. */
  async #set(symbol: string, { leverage, marginMode }: MarginSettings): Promise<string> {
    try {
      await this.#trading.setMarginMode(symbol, marginMode);
      await this.#trading.setLeverage(symbol, leverage);
      return '';
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.kind !== 'rejected') throw error;
      return plainRefusal(error.message);
    }
  }
}

function words({ leverage, marginMode }: MarginSettings): string {
  return `leverage ${leverage} with ${marginMode} margin`;
}
