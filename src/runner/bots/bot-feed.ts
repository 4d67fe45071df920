import type { Trade } from '#engine/account/trade.ts';
import type { BotEvent, MarketView } from '#engine/bot/event.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import { minuteMs } from '#engine/market/durations.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { ParameterValues } from '#engine/strategy/strategy.ts';
import { freshView } from '#feeds/fresh-view.ts';
import { pauseAfter } from './failures.ts';
import type { BotDependencies } from './bot-dependencies.ts';
import type { SignalSource } from './runnable-strategy.ts';
import type { RowListener } from './signal-feed.ts';
import type { Payments } from './unpaid-funding.ts';
import { UnpaidFunding } from './unpaid-funding.ts';

/** What a bot trades, and where. */
export interface BotMarket {
  listener: RowListener; // the bot
  exchangeId: string;
  marketType: MarketType;
  symbols: readonly string[];
  timeframe: Timeframe;
  signals: SignalSource;
  parameters: ParameterValues; // what it is computed with
  signalsFrom: number; // opening time in ms after which candles count; those of before were decided with others
}

/** A symbol that has had no price for so long since it is watched has none, in ms: an exchange that is merely slow has answered by then. */
const pricelessMs = 5 * minuteMs;

/** Between two looks whether what the exchange does not list is listed by now, in ms. The list itself is loaded again once an hour. */
const usualRelistMs = minuteMs;

/** How often the steps, limits and leverage of what is listed are taken over, in ms: exchanges change them while bots run. */
const refreshMs = 30 * minuteMs;

/** Receives what a feed reports. */
export interface FeedListener {
  onEvent(event: BotEvent): void;
  onError(error: unknown): void;
}

/** Everything a bot receives from its exchange: closed candles with their signals, prices, order books, payments of funding. */
export class BotFeed {
  readonly instruments = new Map<string, Instrument>();
  readonly #dependencies: Pick<BotDependencies, 'market' | 'signals' | 'now'>;
  readonly #traded: BotMarket;
  readonly #listener: FeedListener;
  readonly #funding: UnpaidFunding;
  readonly #prices = new Map<string, MarketView>(); // the newest of each symbol
  readonly #watchedSince = new Map<string, number>(); // symbols whose prices are watched, with the time they are, in ms
  readonly #stale = new Set<string>(); // symbols whose source has fallen silent
  readonly #relistMs: number;
  // What the exchange does not list, with what ends watching for its return.
  readonly #unpriced = new Map<string, () => void>(); // symbols whose prices were to be watched
  readonly #unread = new Map<string, () => void>(); // those that the strategy reads besides
  #market: MarketData | null = null; // once it is open
  #relist: NodeJS.Timeout | null = null; // while anything is missing from the list
  #givesSignals = false; // whether signals are reported
  #lastPriceAt = 0;
  #isEnded = false;
  readonly #retries = new Set<NodeJS.Timeout>(); // that wait; a symbol may be tried for as long as the bot runs
  #ends: (() => void)[] = [];

  constructor(
    dependencies: Pick<BotDependencies, 'market' | 'signals' | 'funding' | 'fundingPatienceMs' | 'now'>,
    traded: BotMarket,
    listener: FeedListener,
    { relistMs = usualRelistMs } = {},
  ) {
    this.#relistMs = relistMs;
    this.#dependencies = dependencies;
    this.#traded = traded;
    this.#listener = listener;
    this.#funding = new UnpaidFunding(dependencies.funding, traded.exchangeId, dependencies.now, dependencies.fundingPatienceMs);
  }

  /** Opens the market and learns its instruments. Fails: ExchangeError */
  async open(): Promise<void> {
    const { exchangeId, marketType } = this.#traded;
    const market = await this.#dependencies.market(exchangeId, marketType);
    this.#market = market;
    for (const instrument of await market.instruments()) this.instruments.set(instrument.symbol, instrument);
    if (this.#isEnded) return; // while it was asked
    const refreshing = setInterval(() => void this.#refresh(), refreshMs);
    this.#ends.push(() => clearInterval(refreshing));
  }

  /** Takes over what the exchange says of its instruments now. Leverage tiers that were asked for one by one stay. */
  async #refresh(): Promise<void> {
    try {
      const listed = (await this.#market?.instruments()) ?? [];
      if (this.#isEnded) return;
      for (const instrument of listed) {
        const known = this.instruments.get(instrument.symbol);
        if (known === undefined) continue; // what is new is followed by whoever looks for it
        const leverageTiers = instrument.leverageTiers.length > 0 ? instrument.leverageTiers : known.leverageTiers;
        this.instruments.set(instrument.symbol, { ...instrument, leverageTiers });
      }
    } catch (error) {
      if (!this.#isEnded) this.#listener.onError(error);
    }
  }

  /** Reports the prices of symbols from now on; of what is watched already nothing changes. */
  watchPrices(symbols: Iterable<string>): void {
    for (const symbol of symbols) {
      if (this.#market === null || this.#isEnded) return;
      if (this.#watchedSince.has(symbol) || this.#unpriced.has(symbol)) continue;
      if (!this.instruments.has(symbol)) {
        this.#listener.onError(new Error(`${this.#traded.exchangeId} does not have ${symbol}`));
        this.#lookFor(symbol, this.#unpriced);
        continue;
      }
      const end = this.#market.watch(
        { symbol, timeframes: [], quotes: true },
        {
          onQuote: ({ bid, ask, last, time }) => {
            this.#lastPriceAt = this.#dependencies.now();
            const view = { symbol, bid, ask, last, time };
            this.#prices.set(symbol, view);
            this.#listener.onEvent({ kind: 'market', view });
          },
          onStale: (isStale) => void (isStale ? this.#stale.add(symbol) : this.#stale.delete(symbol)),
        },
      );
      this.#ends.push(end);
      this.#watchedSince.set(symbol, this.#dependencies.now());
    }
  }

  /** Reports the strategy's signals on each symbol that is traded, from the newest closed candle on. */
  async watchSignals(): Promise<void> {
    this.#givesSignals = true;
    const known = this.#traded.symbols.filter((symbol) => this.instruments.has(symbol));
    await Promise.all(known.map((symbol) => this.#watchSignalsOf(symbol, 0)));
  }

  /** One symbol that fails is tried again by itself; the others continue. */
  async #watchSignalsOf(symbol: string, failures: number): Promise<void> {
    const { listener, exchangeId, marketType, timeframe, signals, parameters, signalsFrom } = this.#traded;
    try {
      // Its leverage tiers may have to be fetched; without them an entry would have no liquidation price.
      const instrument = await this.#market?.instrument(symbol);
      if (instrument) this.instruments.set(symbol, instrument);
      const series = { exchangeId, marketType, symbol, timeframe };
      const unknown = (await signals.reads(series)).find(
        ({ series: other }) => other.marketType === marketType && !this.instruments.has(other.symbol),
      );
      if (unknown !== undefined) {
        this.#lookFor(unknown.series.symbol, this.#unread);
        throw new Error(`The strategy reads ${unknown.series.symbol}, which ${exchangeId} does not have`);
      }
      const end = await this.#dependencies.signals.listen(listener, signals, parameters, series, (candle, row) => {
        if (candle.openTime <= signalsFrom) return;
        // Prices that have not moved for a while are the prices still, as long as the source sends something.
        const time = this.#dependencies.now();
        const prices = this.#stale.has(symbol) ? undefined : this.#prices.get(symbol);
        const view = prices === undefined ? {} : { view: { ...prices, time }, pricedAt: prices.time };
        this.#listener.onEvent({ kind: 'candle-closed', time, symbol, candleTime: candle.openTime, row, ...view });
      });
      if (this.#isEnded) end();
      else this.#ends.push(end);
    } catch (error) {
      if (this.#isEnded) return;
      this.#listener.onError(new Error(`${symbol}: ${errorText(error)}`, { cause: error }));
      const retry = setTimeout(
        () => {
          this.#retries.delete(retry);
          void this.#watchSignalsOf(symbol, failures + 1);
        },
        pauseAfter(failures + 1),
      );
      this.#retries.add(retry);
    }
  }

  /** As long as somebody watches what is not listed, the list is loaded again before it is old: it may lack a symbol by mistake. */
  #lookFor(symbol: string, among: Map<string, () => void>): void {
    if (this.#market === null || this.#isEnded) return;
    if (!among.has(symbol)) among.set(symbol, this.#market.watch({ symbol, timeframes: [], quotes: false }, {}));
    this.#lookLater();
  }

  #lookLater(): void {
    if (!this.#isEnded) this.#relist ??= setTimeout(() => void this.#followList(), this.#relistMs);
  }

  /** A symbol may come (back) to its exchange while the bot runs. */
  async #followList(): Promise<void> {
    try {
      const listed = (await this.#market?.instruments()) ?? [];
      if (this.#isEnded) return;
      for (const instrument of listed) {
        const { symbol } = instrument;
        const ends = [this.#unpriced.get(symbol), this.#unread.get(symbol)];
        const isTraded = this.#unpriced.delete(symbol);
        if (!this.#unread.delete(symbol) && !isTraded) continue;
        this.instruments.set(symbol, instrument);
        if (isTraded) this.watchPrices([symbol]); // whoever reads it tries again by himself
        if (isTraded && this.#givesSignals && this.#traded.symbols.includes(symbol)) void this.#watchSignalsOf(symbol, 0);
        for (const end of ends) end?.();
      }
    } catch (error) {
      if (!this.#isEnded) this.#listener.onError(error);
    } finally {
      this.#relist = null;
      if (this.#unpriced.size + this.#unread.size > 0) this.#lookLater();
    }
  }

  /** The newest price of a symbol's last execution, if any was seen. */
  lastPrice(symbol: string): number | undefined {
    return this.#prices.get(symbol)?.last;
  }

  /** Whether no price of a symbol is to be had: its exchange does not have it, or has sent none for minutes since it is watched. */
  isPriceless(symbol: string): boolean {
    if (this.#market === null || this.#prices.has(symbol)) return false;
    const since = this.#watchedSince.get(symbol) ?? Infinity;
    return !this.instruments.has(symbol) || this.#dependencies.now() - since >= pricelessMs;
  }

  /** When the newest price came, in ms; 0 before the first. */
  get lastPriceAt(): number {
    return this.#lastPriceAt;
  }

  /** The order book of a symbol, fetched now. Fails: ExchangeError; Error when it is empty */
  async book(symbol: string): Promise<MarketView> {
    if (this.#market === null) throw new Error('The market of the bot is not open');
    return await freshView(this.#market, symbol, this.lastPrice(symbol), this.#dependencies.now);
  }

  /** Whether payments of funding may be missing of any of these trades. */
  awaitsFunding(trades: readonly Trade[]): boolean {
    return trades.some((trade) => this.#funding.isOwed(trade));
  }

  /** Payments of funding that the trades have not accounted for, as far as the exchange has reported them. */
  async unpaidFunding(trades: readonly Trade[]): Promise<BotEvent[]> {
    return this.#eventsOf(await this.#funding.atOnce(trades));
  }

  /** Reports unpaid funding when it is time to check; called every few seconds. */
  async checkFunding(trades: readonly Trade[]): Promise<void> {
    if (this.#market === null) return;
    for (const paid of this.#eventsOf(await this.#funding.whenDue(trades))) this.#listener.onEvent(paid);
  }

  #eventsOf({ events, failure }: Payments): BotEvent[] {
    if (failure !== null) this.#listener.onError(failure);
    return events;
  }

  /** Reports nothing any more. */
  end(): void {
    this.#isEnded = true;
    if (this.#relist !== null) clearTimeout(this.#relist);
    for (const retry of this.#retries) clearTimeout(retry);
    for (const end of [...this.#ends, ...this.#unpriced.values(), ...this.#unread.values()]) end();
    this.#ends = [];
  }
}
