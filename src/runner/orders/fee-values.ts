import type { Fill } from '#engine/account/fill.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { times, toDecimal, toNumber } from '#engine/market/decimal.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { MarketData } from '#engine/ports/market-data.ts';

/** What fees in a third currency, such as BNB, are worth: at the price of the minute in which they were paid. */
export class FeeValues {
  readonly #market: () => Promise<Pick<MarketData, 'candles'>>; // the spot market of the exchange
  readonly #onError: (error: unknown) => void;
  readonly #known = new Map<string, Promise<number | null>>(); // prices by currency, quote and minute

  constructor(market: () => Promise<Pick<MarketData, 'candles'>>, onError: (error: unknown) => void) {
    this.#market = market;
    this.#onError = onError;
  }

  /** The fill with the value of its fee, where that can be found out; else as it is. */
  async valued(fill: Fill, symbol: string): Promise<Fill> {
    if (fill.feeInQuote !== null) return fill;
    const price = await this.#price(fill.feeCurrency, currenciesOf(symbol).quote, Math.floor(fill.time / minuteMs) * minuteMs);
    return price === null ? fill : { ...fill, feeInQuote: toNumber(times(toDecimal(fill.fee), toDecimal(price))) };
  }

  #price(currency: string, quote: string, minute: number): Promise<number | null> {
    const name = `${currency} ${quote} ${minute}`;
    let price = this.#known.get(name);
    if (price === undefined) {
      if (this.#known.size > 500) this.#known.clear();
      const asked = this.#ask(`${currency}/${quote}`, minute).catch((error: unknown) => {
        this.#onError(error);
        return null;
      });
      // What cannot be had now is asked for again at the next fee.
      price = asked.then((found) => {
        if (found === null) this.#known.delete(name);
        return found;
      });
      this.#known.set(name, price);
    }
    return price;
  }

  /** The close of the minute, or of the one before while it is not over. */
  async #ask(symbol: string, minute: number): Promise<number | null> {
    const candles = await (await this.#market()).candles(symbol, '1m', minute - minuteMs, minute + minuteMs);
    return candles.at(-1)?.close ?? null;
  }
}
