import { profitAt } from '#engine/account/profit.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import type { BotEvent, MarketView } from '#engine/bot/event.ts';
import type { BotContext, BotState } from '#engine/bot/state.ts';
import { step } from '#engine/bot/step.ts';
import type { Instrument, MarketType } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import type { Database } from '#storage/database.ts';
import type { PnlSnapshot } from '#storage/pnl-snapshots.ts';
import type { StoredBot, Vital } from '#storage/running-bots.ts';
import { writeStep } from '#storage/running-bots.ts';
import { settingsOf } from './bot-settings.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import type { DecisionLog } from './decision-log.ts';
import { freshView } from '#feeds/fresh-view.ts';
import type { FundingFeed } from '#feeds/funding-feed.ts';
import { pauseAfter } from '../pauses.ts';
import type { SignalFeed } from './signal-feed.ts';
import type { BotFacts, BotSums } from './step-writes.ts';
import { decisionRows, mustBeWritten, snapshotOf, stepWrites } from './step-writes.ts';
import { storedState } from './stored-state.ts';
import type { Payments } from './unpaid-funding.ts';
import { UnpaidFunding } from './unpaid-funding.ts';

/** What all bots of a runner share. */
export interface BotWorld {
  db: Database;
  runnerId: string;
  signals: SignalFeed;
  funding: FundingFeed;
  decisions: DecisionLog;
  market(exchangeId: string, marketType: MarketType): Promise<MarketData>;
  now: () => number;
  /** The bot cannot go on: it is another's, or changed, or what is in the database is not certain. It starts anew from there. */
  onEnd(bot: RunningBot, error: unknown): void;
  log(message: string, details: object): void;
}

const retryMs = 1_000;

/**
 * One bot on paper: hears candles and prices, takes steps, writes what comes of them before it goes on.
 *
 * Every step is taken on a draft of the state; the draft becomes the state when the database has it. So the process may
 * be killed at any moment: what is in the database is what the bot knows when it is started again.
 */
export class RunningBot {
  readonly id: string;
  readonly epoch: string;
  readonly changedAt: number;
  readonly #updatedAt: Date;
  readonly #world: BotWorld;
  readonly #facts: BotFacts;
  readonly #strategy: Strategy;
  #market: MarketData | null = null; // from the start on
  readonly #symbols: readonly string[];
  readonly #timeframe: Timeframe;
  readonly #exchangeId: string;
  readonly #marketType: MarketType;
  readonly #funding: UnpaidFunding | null; // of perpetuals only
  readonly #confidences: Map<number, number | null>; // of the open trades, by number
  readonly #context: BotContext & { instruments: Map<string, Instrument> };
  #state: BotState;
  #sums: BotSums;
  #events: BotEvent[] = []; // candles and changes, in the order they came
  #quotes = new Map<string, MarketView>(); // the newest prices nobody has looked at
  readonly #stale = new Set<string>(); // symbols whose source has fallen silent
  #isBusy = false;
  #work: Promise<void> = Promise.resolve(); // the step under way
  #isEnded = false;
  #isLeaving = false; // it is about to be ended: nothing new is begun
  #isUnsaved = false; // the state knows prices seen that the database does not
  #ends: (() => void)[] = [];
  #lastTickAt = 0;
  #lastError: string | null = null;

  constructor(world: BotWorld, stored: StoredBot, changedAt: number) {
    const { bot, strategy: terms } = stored;
    // Simulated orders must never pass for real ones.
    if (stored.mode !== 'paper') throw new Error('Real orders are not made by this version; the bot does nothing.');
    this.#world = world;
    this.id = bot.id;
    this.epoch = bot.epoch;
    this.changedAt = changedAt;
    this.#updatedAt = bot.updatedAt;
    this.#strategy = strategyOfClass(terms.className);
    this.#timeframe = (bot.timeframe ?? terms.defaultTimeframe) as Timeframe;
    this.#symbols = bot.symbols;
    this.#exchangeId = bot.exchangeId;
    this.#marketType = bot.marketType;
    const { state, sums, facts, confidences } = storedState(
      stored,
      settingsOf(bot, terms, this.#strategy, this.#timeframe),
      this.#timeframe,
    );
    this.#state = state;
    this.#sums = sums;
    this.#facts = facts;
    this.#confidences = confidences;
    this.#funding = bot.marketType === 'futures' ? new UnpaidFunding(world.funding, bot.exchangeId, world.now) : null;
    this.#context = { instruments: new Map(), callbacks: this.#strategy.callbacks ?? {}, execution: 'simulated' };
  }

  /**
   * Begins to listen to candles and prices. A stopped bot lets go of what it holds; one that holds nothing does nothing.
   *
   * Fails: when the exchange cannot be asked; the bot can be started again then
   */
  async start(): Promise<void> {
    const isStopped = this.#state.status === 'stopped';
    if (isStopped && this.#state.trades.length === 0) return;
    const market = await this.#world.market(this.#exchangeId, this.#marketType);
    this.#market = market;
    for (const instrument of await market.instruments()) this.#context.instruments.set(instrument.symbol, instrument);
    const watched = new Set([...this.#symbols, ...this.#state.trades.map(({ symbol }) => symbol)]);
    for (const paid of await this.#unpaidFunding()) this.#hear(paid); // while nobody ran the bot; it comes before all else
    if (this.#isEnded) return;
    for (const symbol of watched) {
      if (!this.#context.instruments.has(symbol)) {
        this.#lastError = `${this.#exchangeId} does not have ${symbol}`;
        continue;
      }
      const end = market.watch(
        { symbol, timeframes: [], quotes: true },
        {
          onQuote: (quote) => this.#hearQuote(quote),
          onStale: (isStale) => void (isStale ? this.#stale.add(symbol) : this.#stale.delete(symbol)),
        },
      );
      this.#ends.push(end);
    }
    if (isStopped) {
      this.#hear({ kind: 'status-changed', time: this.#world.now(), status: 'stopped' });
      return;
    }
    await Promise.all(this.#symbols.filter((symbol) => this.#context.instruments.has(symbol)).map((symbol) => this.#listen(symbol, 0)));
  }

  /** Listens to the strategy on a symbol. One that cannot be asked for is tried again by itself; the others go on. */
  async #listen(symbol: string, failures: number): Promise<void> {
    const series = { exchangeId: this.#exchangeId, marketType: this.#marketType, symbol, timeframe: this.#timeframe };
    try {
      // Its leverage tiers may have to be asked for; without them an entry would have no liquidation price.
      const instrument = await this.#market?.instrument(symbol);
      if (instrument) this.#context.instruments.set(symbol, instrument);
      const end = await this.#world.signals.listen(this.#strategy, series, (candle, row) => {
        // Prices that have not moved for a while are the prices still, as long as the source speaks.
        const time = this.#world.now();
        const known = this.#quotes.get(symbol) ?? this.#state.pairs[symbol]?.view ?? null;
        const view = known === null || this.#stale.has(symbol) ? {} : { view: { ...known, time } };
        this.#hear({ kind: 'candle-closed', time, symbol, candleTime: candle.openTime, row, ...view });
      });
      if (this.#isEnded) end();
      else this.#ends.push(end);
    } catch (error) {
      if (this.#isEnded) return;
      this.#tell(new Error(`${symbol}: ${error instanceof Error ? error.message : String(error)}`, { cause: error }));
      const again = setTimeout(() => void this.#listen(symbol, failures + 1), pauseAfter(failures + 1));
      this.#ends.push(() => clearTimeout(again));
    }
  }

  /** Looks for payments of funding when it is time to; called every few seconds. */
  async checkFunding(): Promise<void> {
    if (this.#isEnded || this.#market === null) return;
    for (const paid of this.#told(await this.#funding?.whenDue(this.#state.trades))) this.#hear(paid);
  }

  /** Payments of funding that the trades do not know of, as far as the exchange tells them. */
  async #unpaidFunding(): Promise<BotEvent[]> {
    return this.#told(await this.#funding?.atOnce(this.#state.trades));
  }

  #told(found: Payments | undefined): BotEvent[] {
    if (found === undefined) return [];
    if (found.failure !== null) this.#tell(found.failure);
    return found.events;
  }

  /** Stops listening. What has been decided is written already; nothing more is. */
  end(): void {
    this.#isEnded = true;
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  /** Settles when no step is under way; one that waits to be tried again is given up. */
  async settle(): Promise<void> {
    this.#isLeaving = true;
    while (this.#isBusy) await this.#work;
  }

  /** What the runner tells of this bot; null before the first tick. */
  vital(): Vital | null {
    if (this.#lastTickAt === 0) return null;
    return {
      botId: this.id,
      lastTickAt: new Date(this.#lastTickAt),
      openTrades: this.#state.trades.length,
      unrealizedPnl: unrealizedPnl(this.#state, this.#lastTickAt),
      lastError: this.#lastError,
    };
  }

  /** The balance now, for the hourly snapshot of an active bot; null for others. */
  hourlySnapshot(time: number): PnlSnapshot | null {
    return this.#state.status === 'active' && this.#lastTickAt !== 0
      ? snapshotOf(this.#facts, this.#sums, unrealizedPnl(this.#state, time), time)
      : null;
  }

  #hearQuote({ symbol, bid, ask, last, time }: Quote): void {
    this.#lastTickAt = this.#world.now();
    this.#quotes.set(symbol, { symbol, bid, ask, last, time });
    if (!this.#isBusy) this.#goOn();
  }

  #hear(event: BotEvent): void {
    this.#events.push(event);
    if (!this.#isBusy) this.#goOn();
  }

  /** Works off what has been heard; steps that need no waiting are taken at once. */
  #goOn(): void {
    while (!this.#isEnded && !this.#isLeaving && !this.#isBusy) {
      const event = this.#next();
      if (event === null) return;
      if (this.#tryAtOnce(event) === 'done') continue;
      this.#isBusy = true;
      this.#work = this.#takeStep(event).finally(() => {
        this.#isBusy = false;
        this.#goOn();
      });
    }
  }

  #next(): BotEvent | null {
    const event = this.#events.shift();
    if (event !== undefined) return event;
    for (const [symbol, view] of this.#quotes) {
      this.#quotes.delete(symbol);
      if (this.#mattersTo(view)) return { kind: 'market', view };
      const memory = this.#state.pairs[symbol];
      if (memory !== undefined) memory.view = view; // remembered; nobody would act on it
    }
    return null;
  }

  /** Whether new prices of a symbol can lead to anything: a trade to look after, a candle to decide, an entry to make. */
  #mattersTo({ symbol }: MarketView): boolean {
    const memory = this.#state.pairs[symbol];
    if (memory === undefined || memory.view === null) return true;
    if (this.#state.trades.some((trade) => trade.symbol === symbol)) return true;
    const { signal } = memory;
    if (signal === null) return false;
    return signal.candleTime > memory.decidedCandleTime || ((signal.enterLong || signal.enterShort) && this.#state.status === 'active');
  }

  /** Takes a step that changes nothing but memory; others need the order book or the database, and time. */
  #tryAtOnce(event: BotEvent): 'done' | 'needs time' {
    if (event.kind === 'status-changed' || event.kind === 'settings-changed') return 'needs time';
    try {
      return this.#stepAtOnce(event);
    } catch (error) {
      this.#tell(error); // what cannot be dealt with must not keep the bot from what comes next
      if (event.kind === 'candle-closed') this.#hearWithoutPrices(event);
      return 'done';
    }
  }

  #stepAtOnce(event: BotEvent): 'done' | 'needs time' {
    const symbol = event.kind === 'market' ? event.view.symbol : 'symbol' in event ? event.symbol : '';
    const isQuiet =
      event.kind === 'candle-closed' &&
      !event.row.enterLong &&
      !event.row.enterShort &&
      !this.#state.trades.some((trade) => trade.symbol === symbol);
    // A candle without an entry signal and without a trade can only leave a decision: no draft is needed.
    const draft = isQuiet ? this.#state : structuredClone(this.#state);
    const effects = step(draft, event, this.#context);
    if (effects.some((effect) => effect.kind === 'order-created') || mustBeWritten(this.#state, effects)) return 'needs time';
    this.#state = draft;
    this.#isUnsaved ||= effects.some((effect) => effect.kind === 'trade-updated');
    this.#record(effects);
    return 'done';
  }

  /** Takes a step with the order book in hand, and writes it. */
  async #takeStep(event: BotEvent): Promise<void> {
    while (!this.#isEnded && !this.#isLeaving) {
      try {
        const sentAt = performance.now();
        const [paid, { heard, latencyMs }] = await Promise.all([
          event.kind === 'funding' ? [] : this.#unpaidFunding(),
          this.#withBooks(event, this.#state).then((each) => ({ heard: each, latencyMs: performance.now() - sentAt })),
        ]);
        if (this.#isEnded) return;
        const draft = structuredClone(this.#state);
        const effects = [...paid, ...heard].flatMap((each) => step(draft, each, this.#context));
        if (!(await this.#tryWrite(draft, effects, latencyMs))) return;
        if (event.kind !== 'status-changed' || event.status !== 'stopped' || draft.trades.length === 0) {
          this.#lastError = null;
          return;
        }
      } catch (error) {
        this.#tell(error);
        if (event.kind === 'market') return; // newer prices will come
        if (event.kind === 'candle-closed') {
          this.#hearWithoutPrices(event);
          return;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }

  /** Remembers a candle while its symbol cannot be traded: it is decided with the first prices that come. */
  #hearWithoutPrices({ view: _view, ...event }: Extract<BotEvent, { kind: 'candle-closed' }>): void {
    const known = this.#state.pairs[event.symbol];
    const view = known?.view ?? null;
    if (known !== undefined) known.view = null; // nothing is decided on prices that cannot be traded at
    this.#record(step(this.#state, event, this.#context));
    if (known !== undefined) known.view = view;
  }

  #tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== this.#lastError) this.#world.log('a step was not taken', { bot: this.id, error: message });
    this.#lastError = message;
  }

  /**
   * The event with the newest order book; on stopping, with that of every symbol that is held and has one: a symbol that
   * cannot be asked for must not keep the others from being left.
   */
  async #withBooks(event: BotEvent, state: BotState): Promise<BotEvent[]> {
    if (event.kind === 'market') return [{ kind: 'market', view: await this.#view(event.view.symbol, event.view.last) }];
    if (event.kind === 'candle-closed') {
      const last = state.pairs[event.symbol]?.view?.last;
      return [{ ...event, time: this.#world.now(), view: await this.#view(event.symbol, last) }];
    }
    if (event.kind === 'status-changed' && event.status === 'stopped') {
      const views = await Promise.allSettled(state.trades.map(({ symbol }) => this.#view(symbol, state.pairs[symbol]?.view?.last)));
      const heard: BotEvent[] = [];
      for (const view of views) {
        if (view.status === 'fulfilled') heard.push({ kind: 'market', view: view.value });
        else this.#tell(view.reason);
      }
      return [...heard, { ...event, time: this.#world.now() }];
    }
    return [event];
  }

  async #view(symbol: string, last: number | undefined): Promise<MarketView> {
    if (this.#market === null) throw new Error('The bot has not been started');
    return await freshView(this.#market, symbol, last, this.#world.now);
  }

  async #write(draft: BotState, effects: readonly BotEffect[], latencyMs: number | null): Promise<void> {
    for (const effect of effects) {
      if (effect.kind === 'trade-opened')
        this.#confidences.set(effect.trade.id, draft.pairs[effect.trade.symbol]?.signal?.confidence ?? null);
    }
    const now = this.#world.now();
    const { writes, sums } = stepWrites(this.#facts, draft, effects, this.#sums, {
      confidenceOf: ({ id }) => this.#confidences.get(id) ?? null,
      unrealizedPnl: unrealizedPnl(draft, now),
      latencyMs,
      now,
    });
    const holder = { id: this.id, epoch: this.epoch, runnerId: this.#world.runnerId, updatedAt: this.#updatedAt };
    await writeStep(this.#world.db, holder, this.#facts.mode, writes);
    this.#state = draft;
    this.#sums = sums;
  }

  /** Writes prices seen since the last step, such as the highest one; called every few seconds. */
  async save(): Promise<void> {
    if (!this.#isUnsaved || this.#isBusy || this.#isEnded) return;
    this.#isBusy = true;
    this.#work = this.#writePrices().finally(() => {
      this.#isBusy = false;
      this.#goOn();
    });
    await this.#work;
  }

  async #writePrices(): Promise<void> {
    const effects = this.#state.trades.map((trade): BotEffect => ({ kind: 'trade-updated', time: this.#lastTickAt, trade }));
    if (await this.#tryWrite(this.#state, effects, null)) this.#isUnsaved = false;
  }

  /**
   * Writes, or ends the bot: after a failure nobody here knows what is in the database, and a trade counted twice is
   * worse than a bot that starts anew from there.
   */
  async #tryWrite(draft: BotState, effects: readonly BotEffect[], latencyMs: number | null): Promise<boolean> {
    try {
      await this.#write(draft, effects, latencyMs);
      return true;
    } catch (error) {
      this.#tell(error);
      this.end();
      this.#world.onEnd(this, error);
      return false;
    }
  }

  /** Decisions that nothing came of are written soon, with those of other bots. */
  #record(effects: readonly BotEffect[]): void {
    for (const row of decisionRows(this.#facts, effects)) this.#world.decisions.add(row);
  }
}

/** What all open trades of a bot would bring at the newest prices. */
function unrealizedPnl(state: BotState, time: number): number {
  return state.trades.reduce((sum, trade) => {
    const price = state.pairs[trade.symbol]?.view?.last;
    return price === undefined || trade.amount === 0 ? sum : sum + profitAt(trade, price, time);
  }, 0);
}
