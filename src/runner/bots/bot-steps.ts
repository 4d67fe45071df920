import type { Trade } from '#engine/account/trade.ts';
import { openOrder } from '#engine/account/trade.ts';
import { openProfitAt } from '#engine/account/open-profit.ts';
import { adoptedTag } from '#engine/bot/adopt-holding.ts';
import { advance } from '#engine/bot/advance.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import type { BotEvent, MarketView } from '#engine/bot/event.ts';
import { manualTag } from '#engine/bot/manual-action.ts';
import type { BotContext, BotState } from '#engine/bot/state.ts';
import type { PnlSnapshot } from '#storage/bots/pnl-snapshots.ts';
import type { LimitFacts } from '#engine/risk/limit.ts';
import { EntryRefused, LimitReached } from '#storage/limits/limits.ts';
import type { BotFeed } from './bot-feed.ts';
import type { OutsideCallbacks } from './runnable-strategy.ts';
import type { DecisionLog } from './decision-log.ts';
import { decisionRows, mustBeWritten, snapshotOf, stepWrites } from './step-writes.ts';
import type { StepWriter } from './step-writer.ts';
import type { StoredState } from './stored-state.ts';

/** A state that nobody has adopted yet, what came of the steps that led to it, and the time of the newest of them. */
interface Draft {
  state: BotState;
  effects: BotEffect[];
  time: number;
  events: readonly BotEvent[]; // that led to it, without the order books asked for on the way
}

/** What the steps of a bot need besides its state. */
export interface StepDependencies {
  steps: StepWriter;
  holder: { id: string; epoch: string; runnerId: string; updatedAt: Date };
  decisions: DecisionLog;
  feed: Pick<BotFeed, 'lastPrice' | 'lastPriceAt' | 'unpaidFunding' | 'book'>;
  context: BotContext;
  outside?: OutsideCallbacks | null; // where its strategy runs in a process of its own
  now: () => number;
  onEffects?: ((effects: readonly BotEffect[]) => void) | undefined; // of steps that hold, to be counted
  /** A step is on the disk, and has decided on orders for the exchange. */
  onWritten?: ((state: BotState, effects: readonly BotEffect[]) => void) | undefined;
}

/** Nobody knows whether a step is in the database: the bot must start again from there. The failure is its cause. */
export class StepNotWritten extends Error {
  constructor(cause: unknown) {
    super('A step could not be written', { cause });
    this.name = 'StepNotWritten';
  }
}

/**
 * The steps of a bot, one at a time: each is calculated once, on a draft of the state; what must not be lost is written;
 * only then is the draft adopted. So the process may be killed at any moment: what is in the database is what the bot
 * knows when it is started again.
 */
export class BotSteps {
  readonly #dependencies: StepDependencies;
  #known: StoredState;
  #time = 0; // of the newest step that counts, in ms
  #isUnsaved = false; // the state knows prices seen that the database does not

  constructor(stored: StoredState, dependencies: StepDependencies) {
    this.#known = stored;
    this.#dependencies = dependencies;
  }

  /** What the bot knows. */
  get state(): Readonly<BotState> {
    return this.#known.state;
  }

  /** How many trades it has closed in its mode. */
  get closedTrades(): number {
    return this.#known.sums.trades;
  }

  /** Whether new prices of a symbol can lead to anything: a trade to manage, a candle to decide, an entry to make. */
  matters({ symbol }: MarketView): boolean {
    const { state } = this.#known;
    const memory = state.pairs[symbol];
    if (memory === undefined || memory.view === null) return true;
    if (state.actions.length > 0) return true;
    if (state.trades.some((trade) => trade.symbol === symbol)) return true;
    const { signal } = memory;
    if (signal === null) return false;
    return (
      signal.candleTime > memory.decidedCandleTime ||
      ((signal.enterLong || signal.enterShort) && state.status === 'active' && state.tradingState === 'active')
    );
  }

  /**
   * Takes the step of an event. Null: it is done, nothing had to be written. Else it is done when the promise settles.
   *
   * Fails: `StepNotWritten`; ExchangeError and whatever a strategy throws, after which the state is as it was
   */
  take(event: BotEvent): Promise<void> | null {
    if (this.#mustPrepare(event)) return this.#prepareAndTake(event);
    const draft = this.#advance(this.#start(), [event]);
    return draft instanceof Promise ? draft.then((taken) => this.#finish(taken) ?? undefined) : this.#finish(draft);
  }

  /** Remembers a candle whose symbol cannot be traded now: it is decided with the first prices that come. */
  rememberCandle({ view: _view, ...event }: Extract<BotEvent, { kind: 'candle-closed' }>): void {
    const { state } = this.#known;
    const memory = state.pairs[event.symbol];
    if (memory === undefined) {
      this.#adopt(this.#advanceNow(this.#start(), [event]));
      return;
    }
    // Nothing is decided on prices that cannot be traded at.
    const priceless = { ...state, pairs: { ...state.pairs, [event.symbol]: { ...memory, view: null } } };
    const draft = this.#advanceNow({ ...this.#start(), state: priceless }, [event]);
    const after = draft.state.pairs[event.symbol];
    if (after !== undefined) after.view = memory.view;
    this.#adopt(draft);
  }

  /** Writes prices seen since the last step, such as the highest one; called every few seconds. Fails: `StepNotWritten` */
  async savePrices(): Promise<void> {
    if (!this.#isUnsaved) return;
    const { state } = this.#known;
    const time = this.#dependencies.feed.lastPriceAt;
    const effects = state.trades.map((trade): BotEffect => ({ kind: 'trade-updated', time, trade }));
    await this.#write({ ...this.#start(), effects }, null);
  }

  /** What all open trades would bring at the newest prices, with what was taken out of them. */
  unrealizedPnl(time: number, state: BotState = this.#known.state): number {
    return state.trades.reduce((sum, trade) => {
      const price = this.#dependencies.feed.lastPrice(trade.symbol) ?? state.pairs[trade.symbol]?.view?.last;
      return price === undefined ? sum : sum + openProfitAt(trade, price, time);
    }, 0);
  }

  /** The balance at a full hour. */
  snapshot(time: number): PnlSnapshot {
    return snapshotOf(this.#known.facts, this.#known.sums, this.unrealizedPnl(time), time);
  }

  /** Stopping and closing a trade need the order books first; funding is best known before an exit fills, or it corrects the trade later. */
  #mustPrepare(event: BotEvent): boolean {
    if (event.kind === 'status-changed') return event.status === 'stopped';
    if (event.kind === 'close-asked' || event.kind === 'held-elsewhere' || event.kind === 'manual-asked') return true;
    if (event.kind === 'order-update') return this.#brings(event);
    const symbol = event.kind === 'market' ? event.view.symbol : event.kind === 'candle-closed' ? event.symbol : null;
    return this.#known.state.trades.some(
      (trade) => trade.symbol === symbol && trade.marketType === 'futures' && openOrder(trade, 'exit') !== null,
    );
  }

  /** Whether an update has a fill of a perpetual that the bot does not know. */
  #brings({ orderId, report }: Extract<BotEvent, { kind: 'order-update' }>): boolean {
    const trade = this.#known.state.trades.find(({ orders }) => orders.some(({ id }) => id === orderId));
    if (trade?.marketType !== 'futures' || !(trade.amount > 0)) return false;
    const order = trade.orders.find(({ id }) => id === orderId);
    return report.fills.some(({ id }) => order?.fills.every((known) => known.id !== id));
  }

  async #prepareAndTake(event: BotEvent): Promise<void> {
    const { feed, now, context } = this.#dependencies;
    const { trades } = this.#known.state;
    const symbols = symbolsTouched(event, trades, context.instruments);
    const [paid, books] = await Promise.all([
      feed.unpaidFunding(trades),
      // A symbol whose book cannot be had must not keep the others from being closed.
      Promise.allSettled(symbols.map((symbol) => feed.book(symbol))),
    ]);
    const views = books.flatMap((book): BotEvent[] => (book.status === 'fulfilled' ? [{ kind: 'market', view: book.value }] : []));
    const events = [...paid, ...views, symbols.length > 0 ? { ...event, time: now() } : event];
    await this.#finish(await this.#advance(this.#start(), events));
    const failed = books.find((book) => book.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #finish(draft: Draft): Promise<void> | null {
    const isOrdered = draft.effects.some(({ kind }) => kind === 'order-created');
    if (isOrdered || mustBeWritten(this.#known.state, draft.effects)) return this.#fillAndWrite(draft);
    this.#adopt(draft);
    return null;
  }

  /** New orders are tried against the order book as it is now; then all is written. */
  async #fillAndWrite(decided: Draft): Promise<void> {
    let draft = decided;
    let latencyMs: number | null = null;
    const waiting = this.#dependencies.context.execution === 'simulated' ? ordersWithoutBook(draft) : new Map<string, string[]>();
    if (waiting.size > 0) {
      const { feed } = this.#dependencies;
      const sentAt = performance.now();
      const books = [...waiting].map(async ([symbol, orderIds]): Promise<BotEvent> => {
        const view = await feed.book(symbol);
        latencyMs = performance.now() - sentAt;
        return { kind: 'book', view, orderIds };
      });
      const [paid, ...filling] = await Promise.all([feed.unpaidFunding(draft.state.trades), ...books]);
      draft = await this.#advance(draft, [...paid, ...filling]);
    }
    try {
      await this.#write(draft, latencyMs);
    } catch (error) {
      if (!(error instanceof EntryRefused)) throw error;
      // The same events once more, without the entry: an exit among them is never held back by a limit.
      await this.#finish(await this.#advance(this.#start(), [...refusals(decided, error, this.#time), ...decided.events]));
    }
  }

  #start(): Draft {
    return { state: this.#known.state, effects: [], time: this.#time, events: [] };
  }

  /** Takes events one after the other; a strategy that runs elsewhere is asked on the way. */
  #advance(start: Draft, events: readonly BotEvent[]): Draft | Promise<Draft> {
    const { outside } = this.#dependencies;
    const step = (): Draft => this.#advanceNow(start, events);
    return outside === undefined || outside === null ? step() : outside.memo.take(step, (needed) => outside.ask(needed));
  }

  #advanceNow(start: Draft, events: readonly BotEvent[]): Draft {
    let draft = start;
    for (const each of events) {
      const event = notBefore(each, draft.time);
      const next = advance(draft.state, event, this.#dependencies.context);
      draft = {
        state: next.state,
        effects: [...draft.effects, ...next.effects],
        time: Math.max(draft.time, timeOf(event)),
        events: each.kind === 'book' ? draft.events : [...draft.events, each],
      };
    }
    return draft;
  }

  async #write({ state, effects, time: stepTime }: Draft, latencyMs: number | null): Promise<void> {
    const { steps, holder, now } = this.#dependencies;
    const { facts, sums } = this.#known;
    const confidences = new Map(this.#known.confidences);
    for (const effect of effects) if (effect.kind === 'trade-opened') confidences.set(effect.trade.id, confidenceOf(effect.trade, state));
    const time = now();
    const { writes, sums: after } = stepWrites(facts, state, effects, sums, {
      confidenceOf: ({ id }) => confidences.get(id) ?? null,
      unrealizedPnl: this.unrealizedPnl(time, state),
      latencyMs,
      now: time,
    });
    try {
      await steps.write({ holder, mode: facts.mode, writes });
    } catch (error) {
      throw error instanceof EntryRefused ? error : new StepNotWritten(error);
    }
    const open = new Set(state.trades.map(({ id }) => id));
    this.#known = { facts, state, sums: after, confidences: new Map([...confidences].filter(([id]) => open.has(id))) };
    this.#time = stepTime;
    this.#isUnsaved = false;
    this.#dependencies.onEffects?.(effects);
    this.#dependencies.onWritten?.(state, effects);
  }

  /** Nothing of the draft has to be written at once. Decisions are written soon, with those of other bots. */
  #adopt({ state, effects, time }: Draft): void {
    this.#known = { ...this.#known, state };
    this.#time = time;
    this.#isUnsaved ||= effects.some(({ kind }) => kind === 'trade-updated');
    for (const row of decisionRows(this.#known.facts, effects)) this.#dependencies.decisions.add(row);
    this.#dependencies.onEffects?.(effects);
  }
}

/** The symbols whose order books an event needs: of what people close, do by hand, or have decided that its account does not hold. */
function symbolsTouched(event: BotEvent, trades: readonly Trade[], instruments: BotContext['instruments']): string[] {
  const of = (tradeId: number): string[] => trades.flatMap(({ id, symbol }) => (id === tradeId ? [symbol] : []));
  if (event.kind === 'status-changed') return trades.map(({ symbol }) => symbol);
  if (event.kind === 'close-asked') return of(event.tradeId);
  // Prices that nobody sends may still be asked for; what its exchange does not have is asked of nobody.
  if (event.kind === 'held-elsewhere')
    return event.isPriceless === true ? of(event.tradeId).filter((symbol) => instruments.has(symbol)) : [];
  if (event.kind !== 'manual-asked') return [];
  return event.action.kind === 'enter' ? [event.action.symbol] : of(event.action.tradeId);
}

/** What the engine is to know of the entries of a draft that a limit has refused. Fails: `StepNotWritten` when it knows that already */
function refusals({ effects, events }: Draft, refused: EntryRefused, time: number): BotEvent[] {
  if (events.some(({ kind }) => kind === 'entry-refused' || kind === 'manual-refused')) throw new StepNotWritten(refused);
  const byHand = new Map(effects.flatMap((effect) => (effect.kind === 'manual-ended' ? [[effect.orderId, effect.actionId]] : [])));
  return effects.flatMap((effect): BotEvent[] =>
    effect.kind === 'order-created' && effect.order.purpose === 'entry'
      ? [refusalOf(effect, byHand.get(effect.order.id), refused, time)]
      : [],
  );
}

function refusalOf(
  { symbol, order }: Extract<BotEffect, { kind: 'order-created' }>,
  actionId: string | undefined,
  refused: EntryRefused,
  time: number,
): BotEvent {
  if (actionId !== undefined) return { kind: 'manual-refused', time, actionId, refusal: refused.gate };
  const entry: BotEvent = { kind: 'entry-refused', time, symbol, candleTime: order.candleTime, gate: refused.gate };
  return refused instanceof LimitReached ? { ...entry, limit: factsOf(refused.limit) } : entry;
}

/** What the record keeps of a limit. */
function factsOf({ level, use, value }: LimitReached['limit']): LimitFacts {
  return { level, use: Number(use ?? 0), value: Number(value) };
}

/** When an event happens to the bot; a payment of funding has its own time, which may be long ago. */
function timeOf(event: BotEvent): number {
  if (event.kind === 'funding') return 0;
  return event.kind === 'market' || event.kind === 'book' ? event.view.time : event.time;
}

/**
 * An event at a time not before `time`. What came while a step was under way is older than that step's order book; if it
 * kept its time, the next trade could open before the last one has closed.
 */
function notBefore(event: BotEvent, time: number): BotEvent {
  if (event.kind === 'funding' || timeOf(event) >= time) return event;
  if (event.kind === 'market' || event.kind === 'book') return { ...event, view: { ...event.view, time } };
  return { ...event, time };
}

/** The new orders nobody has tried yet, because their prices came without an order book: ids by symbol. */
function ordersWithoutBook({ state, effects }: Draft): Map<string, string[]> {
  const waiting = new Map<string, string[]>();
  for (const effect of effects) {
    if (effect.kind !== 'order-created') continue;
    const { symbol, order } = effect;
    const isOpen = state.trades.some(({ orders }) => orders.some(({ id, state: status }) => id === order.id && status === 'open'));
    if (isOpen) waiting.set(symbol, [...(waiting.get(symbol) ?? []), order.id]);
  }
  return waiting;
}

/** How sure the strategy was of a trade it has opened; of one that a person has opened or adopted it said nothing. */
function confidenceOf({ symbol, enterTag }: Trade, state: BotState): number | null {
  return enterTag === manualTag || enterTag === adoptedTag ? null : (state.pairs[symbol]?.signal?.confidence ?? null);
}
