import type { Fill } from '#engine/account/fill.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { times, toDecimal, toNumber } from '#engine/market/decimal.ts';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { MarketData } from '#engine/ports/market-data.ts';

/** A fill does not wait longer for the value of its fee, in ms: until it is booked its position has no stop. */
const defaultPatienceMs = 2 * secondMs;

/** What fees in a third currency, such as BNB, are worth: at the price of the minute in which they were paid. */
export class FeeValues {
  readonly #market: () => Promise<Pick<MarketData, 'candles'>>; // the spot market of the exchange
  readonly #onError: (error: unknown) => void;
  readonly #patienceMs: number;
  readonly #known = new Map<string, Promise<number | null>>(); // prices by currency, quote and minute

  constructor(market: () => Promise<Pick<MarketData, 'candles'>>, onError: (error: unknown) => void, patienceMs = defaultPatienceMs) {
    this.#patienceMs = patienceMs;
    this.#market = market;
    this.#onError = onError;
  }

  /** The fill with the value of its fee, where that can be found out soon; else as it is. */
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
      price = this.#inTime(asked);
      this.#known.set(name, price);
      // What cannot be had is asked for again at the next fee; what comes late is known then.
      void asked.then((found) => (found === null ? this.#known.delete(name) : this.#known.set(name, asked)));
    }
    return price;
  }

  /** The price, or null where it does not come in time. */
  async #inTime(asked: Promise<number | null>): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, this.#patienceMs, null)));
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }

  /** The close of the minute, or of the one before while it is not over; null where there is none. */
  async #ask(symbol: string, minute: number): Promise<number | null> {
    const candles = await (await this.#market()).candles(symbol, '1m', minute - minuteMs, minute + minuteMs);
    const close = candles.at(-1)?.close ?? 0;
    return close > 0 && Number.isFinite(close) ? close : null; // an odd close must not keep the fill back
  }
}
