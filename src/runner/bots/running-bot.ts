import { openOrder } from '#engine/account/trade.ts';
import type { BotEvent, Missing, TradingState } from '#engine/bot/event.ts';
import type { BotContext } from '#engine/bot/state.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { WaitingHolding } from '#storage/differences/adopted-holdings.ts';
import { isToAdopt } from '#storage/differences/adopted-holdings.ts';
import type { HeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { takeOutsideSales } from '#storage/differences/outside-sales.ts';
import type { MissingAmount } from '#storage/differences/missing-amounts.ts';
import { missingAmounts } from '#storage/differences/missing-amounts.ts';
import type { PnlSnapshot } from '#storage/bots/pnl-snapshots.ts';
import type { StoredBot, Vital } from '#storage/bots/running-bots.ts';
import type { WaitingAction } from '#storage/trades/manual-actions.ts';
import type { StopWish } from '#storage/trades/stop-asked.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import { Asker } from '#strategy-process/asker.ts';
import { isDeepStrictEqual } from 'node:util';
import type { BotDependencies } from './bot-dependencies.ts';
import { AccountOfBot } from './account-of-bot.ts';
import { BotFeed } from './bot-feed.ts';
import { BotInbox } from './bot-inbox.ts';
import { settingsOf, timeframeOf, valuesOf } from './bot-settings.ts';
import { BotSteps, StepNotWritten } from './bot-steps.ts';
import type { AccountName } from '../orders/order-accounts.ts';
import { BotOrders } from '../orders/bot-orders.ts';
import { FeeValues } from '../orders/fee-values.ts';
import { LoopStart } from './loop-start.ts';
import { strategyOfBot } from './strategy-of-bot.ts';
import { toAction } from './manual-actions.ts';
import { storedState } from './stored-state.ts';
import { tradeIdOf } from './trade-rows.ts';

const stopRetryMs = 1_000;

/**
 * One bot: what its feed and its exchange report goes into its inbox, and its steps are taken from there, one after the other. On
 * paper its orders are simulated; else the order room of its account sends them.
 */
export class RunningBot {
  readonly id: string;
  readonly epoch: string;
  readonly changedAt: string;
  readonly tradingState: TradingState;
  readonly #dependencies: BotDependencies;
  readonly #mode: TradeMode;
  readonly #symbols: readonly string[];
  readonly #inbox: BotInbox;
  readonly #feed: BotFeed;
  readonly #steps: BotSteps;
  readonly #loopStart: LoopStart;
  readonly #asker: Asker; // a new one whenever it starts: then a strategy that rests for it is tried again
  readonly #orders: BotOrders | null; // at the exchange; null on paper
  #work: Promise<void> | null = null; // what is being written
  #isEnded = false;
  #isLeaving = false; // it is about to be ended: nothing new is begun
  #stopRetry: NodeJS.Timeout | null = null;
  #lastError: string | null = null;

  /** Fails: Error with one sentence when this version cannot run the bot */
  constructor(dependencies: BotDependencies, stored: StoredBot, changedAt: string) {
    const { bot, strategy: terms } = stored;
    const { steps, decisions, now } = dependencies;
    const holder = { id: bot.id, epoch: bot.epoch, runnerId: dependencies.runnerId() };
    this.#dependencies = dependencies;
    this.id = bot.id;
    this.epoch = bot.epoch;
    this.changedAt = changedAt;
    this.tradingState = stored.tradingState;
    this.#mode = stored.mode;
    this.#symbols = bot.symbols;
    const account = new AccountOfBot(dependencies.db, { botId: bot.id, mode: stored.mode });
    this.#asker = new Asker(bot.id);
    const strategy = strategyOfBot(
      stored,
      timeframeOf(bot, terms),
      dependencies.processes,
      this.#asker,
      (error) => this.#report(error),
      () => account.now(this.#steps.state, this.#steps.closedTrades),
    );
    const values = valuesOf(bot, terms, strategy);
    this.#inbox = new BotInbox((dropped) => dependencies.log('a bot is too late for a candle', { bot: bot.id, ...dropped }));
    const { timeframe, parameters, orderTimeInForce: timeInForce } = values;
    const traded = {
      listener: { owner: bot.userId, asker: this.#asker },
      exchangeId: bot.exchangeId,
      marketType: bot.marketType,
      symbols: bot.symbols,
      timeframe,
      signals: strategy.signals,
      parameters,
      signalsFrom: signalsFromOf(stored),
    };
    this.#feed = new BotFeed(dependencies, traded, {
      onEvent: (event) => this.#receive(event),
      onError: (error) => this.#report(error),
    });
    this.#loopStart = new LoopStart(strategy.loop, (error) => this.#report(error));
    this.#steps = new BotSteps(storedState(stored, settingsOf(bot, values, strategy), timeframe, timeInForce), {
      steps,
      holder: { ...holder, updatedAt: bot.updatedAt },
      decisions,
      feed: this.#feed,
      context: { instruments: this.#feed.instruments, callbacks: strategy.callbacks, ...executionOf(stored) },
      outside: strategy.outside,
      now,
      onEffects: dependencies.onEffects,
      onWritten: (state, effects) => this.#orders?.decided(state, effects),
    });
    this.#orders =
      stored.mode === 'paper'
        ? null
        : new BotOrders(dependencies.accounts, accountOf(bot), {
            id: bot.id,
            timeInForce,
            feeValues: new FeeValues(
              () => dependencies.market(bot.exchangeId, 'spot'),
              (error) => this.#report(error),
            ),
            claim: `${holder.runnerId} ${holder.epoch}`,
            store: dependencies.accounts.store(holder),
            state: () => this.#steps.state,
            onReport: (orderId, report) => this.#receive({ kind: 'order-update', time: now(), orderId, report }),
            onNumbersSeen: (highest) => this.#receive({ kind: 'order-numbers-seen', time: now(), highest }),
            onError: (error) => this.#report(error),
            onFenced: (error) => this.#giveUp(error),
          });
  }

  /**
   * Begins to receive prices and, once there is the history for them, candles. A stopped bot closes what it holds; one that holds nothing
   * only waits for payments of funding that may be published still. `onTrading` is called when it receives prices.
   *
   * Fails: ExchangeError when the exchange cannot be reached; the bot can be started again then
   */
  async start(onTrading = (): void => {}): Promise<void> {
    const { status, trades, formerTrades } = this.#steps.state;
    const isOver = status === 'stopped' && trades.length === 0 && !(await this.#hasToDo());
    if (isOver && !this.#feed.awaitsFunding(formerTrades)) return;
    await this.#feed.open();
    // Before anything is decided it is known what became of what was decided before.
    if (!isOver) await this.#orders?.open();
    if (this.#isEnded) return;
    // Before any price: what the account does not hold for a trade is never sold.
    if (this.#orders !== null) this.seeMissing(await missingAmounts(this.#dependencies.db, { botId: this.id }));
    // What was paid while nobody ran the bot comes before all else.
    for (const paid of await this.#feed.unpaidFunding([...trades, ...formerTrades])) this.#receive(paid);
    if (this.#isEnded || isOver) return;
    this.#feed.watchPrices(new Set([...this.#symbols, ...trades.map(({ symbol }) => symbol)]));
    onTrading();
    if (status === 'stopped') this.#receive({ kind: 'status-changed', time: this.#dependencies.now(), status });
    else await this.#feed.watchSignals();
  }

  /** Whether a bot without trades has something to do at its exchange all the same. */
  async #hasToDo(): Promise<boolean> {
    return this.#orders !== null && ((await this.#orders.isNeeded()) || (await isToAdopt(this.#dependencies.db, this.id)));
  }

  /** Checks for payments of funding when it is time to; called every few seconds. */
  async checkFunding(): Promise<void> {
    const { trades, formerTrades } = this.#steps.state;
    if (!this.#isEnded) await this.#feed.checkFunding([...trades, ...formerTrades]);
  }

  /**
   * Closes these trades of the bot at market, as people have asked; called with every scan until they are closed. What is under
   * way for one is left alone.
   */
  closeTrades(ids: readonly string[]): void {
    if (this.#work !== null) return;
    for (const trade of this.#steps.state.trades) {
      const isWanted = ids.includes(tradeIdOf(this.id, this.#mode, trade.id));
      if (isWanted && openOrder(trade, 'exit')?.type !== 'market')
        this.#receive({ kind: 'close-asked', time: this.#dependencies.now(), tradeId: trade.id });
    }
  }

  /** Has stops tried without the pause after failed ones, as people have asked; called with every scan until others have been tried. */
  tryStops(wishes: readonly StopWish[]): void {
    if (this.#work !== null) return;
    for (const { tradeId, orderId } of wishes) {
      const trade = this.#steps.state.trades.find(({ id }) => tradeIdOf(this.id, this.#mode, id) === tradeId);
      const isWaiting = trade?.stopFailures?.orderId === orderId && trade.stopFailures.isNextWanted !== true;
      if (trade !== undefined && isWaiting)
        this.#receive({ kind: 'stop-asked', time: this.#dependencies.now(), tradeId: trade.id, orderId });
    }
  }

  /** Has done by hand what people want; called with every scan until it is done or refused. */
  doByHand(waiting: readonly WaitingAction[]): void {
    if (this.#work !== null) return;
    const { now, accounts } = this.#dependencies;
    const { state } = this.#steps;
    const isKnown = (id: string): boolean => state.endedActions.includes(id) || state.actions.some((action) => action.id === id);
    for (const each of waiting) {
      const action = isKnown(each.id) ? null : toAction(each, now() + each.leftMs * accounts.pace, (id) => this.#tradeNumber(id));
      if (action !== null) this.#receive({ kind: 'manual-asked', time: now(), action });
    }
  }

  /** The engine's number of an open trade; 0 when it is not open. */
  #tradeNumber(tradeId: string): number {
    return this.#steps.state.trades.find(({ id }) => tradeIdOf(this.id, this.#mode, id) === tradeId)?.id ?? 0;
  }

  /** Takes in what the account of the bot lacks of its trades; called with every scan. What has not changed is not an event. */
  seeMissing(lacking: readonly Omit<MissingAmount, 'botId'>[]): void {
    if (this.#work !== null) return;
    const missing: Record<number, Missing> = {};
    for (const trade of this.#steps.state.trades) {
      const found = lacking.find(({ tradeId }) => tradeIdOf(this.id, this.#mode, trade.id) === tradeId);
      if (found === undefined) continue;
      const isBooked = trade.orders.some(({ fills }) => fills.some(({ id }) => id === found.fillId));
      const amount = found.missing + (isBooked ? 0 : found.heldElsewhere);
      if (amount > 0) missing[trade.id] = { amount, waits: found.waits };
    }
    if (!isDeepStrictEqual(missing, this.#steps.state.missing))
      this.#receive({ kind: 'account-differs', time: this.#dependencies.now(), missing });
  }

  /**
   * Corrects trades of the bot to what their account holds, as people have decided; called with every scan until it is booked. The account is asked
   * first what it was paid. On paper there is none.
   */
  correctTrades(wishes: readonly Omit<HeldElsewhere, 'botId'>[]): void {
    if (this.#work !== null) return;
    for (const { tradeId, amount, fillId, decidedAt } of wishes) {
      const trade = this.#steps.state.trades.find(({ id }) => tradeIdOf(this.id, this.#mode, id) === tradeId);
      if (trade === undefined) continue;
      const wish = { tradeId, wish: fillId, amount };
      const paid = this.#orders?.paidOutside(`${tradeId} ${fillId}`, trade, decidedAt, (fills) =>
        takeOutsideSales(this.#dependencies.db, wish, fills),
      );
      if (paid === undefined) continue;
      const time = this.#dependencies.now();
      const isPriceless = this.#feed.isPriceless(trade.symbol);
      const known = paid === null ? {} : { paid };
      this.#receive({ kind: 'held-elsewhere', time, tradeId: trade.id, amount, fillId, isPriceless, ...known });
    }
  }

  /**
   * Has the bot take over what orders without a record have bought, as people have decided; called with every scan until it is booked.
   * What stands in the way at the exchange is cancelled first.
   */
  adoptHoldings(wishes: readonly Pick<WaitingHolding, 'symbol' | 'holding' | 'fillId' | 'isBlocked'>[]): void {
    if (this.#work !== null) return;
    this.#feed.watchPrices(wishes.map(({ symbol }) => symbol)); // of a pair that is none of the bot's, too
    for (const { symbol, holding, fillId, isBlocked } of wishes)
      if (isBlocked) this.#orders?.searchSoon();
      else this.#receive({ kind: 'holding-adopted', time: this.#dependencies.now(), symbol, holding, fillId });
  }

  /** Ends the bot. What has been decided is written already; nothing more is. */
  end(): void {
    this.#isEnded = true;
    if (this.#stopRetry !== null) clearTimeout(this.#stopRetry);
    this.#orders?.end();
    this.#feed.end();
  }

  /** Whether a step is under way. */
  get isBusy(): boolean {
    return this.#work !== null;
  }

  /** Settles when no step is under way; none is begun any more. */
  async settle(): Promise<void> {
    this.#isLeaving = true;
    while (this.#work !== null) await this.#work;
  }

  /** What the runner reports of this bot; null before there is anything to report. */
  vital(): Vital | null {
    const { lastPriceAt } = this.#feed;
    if (lastPriceAt === 0 && this.#lastError === null) return null;
    return {
      botId: this.id,
      lastTickAt: new Date(lastPriceAt),
      openTrades: this.#steps.state.trades.length,
      unrealizedPnl: this.#steps.unrealizedPnl(lastPriceAt),
      closedTrades: this.#steps.closedTrades,
      lastError: this.#lastError,
      strategyRest: this.#asker.rest,
    };
  }

  /** The balance at a full hour, for the snapshot of an active bot; null for others. */
  hourlySnapshot(time: number): PnlSnapshot | null {
    return this.#steps.state.status === 'active' && this.#feed.lastPriceAt !== 0 ? this.#steps.snapshot(time) : null;
  }

  /** Writes prices seen since the last step, such as the highest one; called every few seconds. */
  async save(): Promise<void> {
    if (this.#work !== null || this.#isEnded) return;
    await this.#workOn(this.#steps.savePrices().catch((error: unknown) => this.#giveUp(error)));
  }

  #receive(event: BotEvent): void {
    this.#inbox.add(event);
    this.#run();
  }

  /** Takes step after step until one has to be written, or nothing waits. */
  #run(): void {
    while (!this.#isEnded && !this.#isLeaving && this.#work === null) {
      const event = this.#inbox.next();
      if (event === null) return;
      this.#loopStart.before(event, this.#dependencies.now());
      if (event.kind === 'market' && !this.#steps.matters(event.view)) continue;
      try {
        const writing = this.#steps.take(event);
        if (writing !== null) void this.#workOn(this.#finish(writing, event));
      } catch (error) {
        this.#notTaken(event, error);
      }
    }
  }

  #workOn(work: Promise<void>): Promise<void> {
    this.#work = work.finally(() => {
      this.#work = null;
      this.#run();
    });
    return this.#work;
  }

  async #finish(writing: Promise<void>, event: BotEvent): Promise<void> {
    try {
      await writing;
      this.#lastError = null;
    } catch (error) {
      if (error instanceof StepNotWritten) this.#giveUp(error);
      else this.#notTaken(event, error);
    }
    const isUnfinished = event.kind === 'status-changed' && event.status === 'stopped' && this.#steps.state.trades.length > 0;
    if (isUnfinished && !this.#isEnded) this.#stopRetry = setTimeout(() => this.#receive(event), stopRetryMs);
  }

  /** What failed must not keep the bot from what comes next: newer prices follow, and a candle is decided with them. */
  #notTaken(event: BotEvent, error: unknown): void {
    this.#report(error);
    if (event.kind === 'candle-closed') this.#steps.rememberCandle(event);
  }

  /** Nobody here knows what is in the database, and a trade counted twice is worse than a bot that starts again from there. */
  #giveUp(error: unknown): void {
    const cause = error instanceof StepNotWritten ? error.cause : error;
    this.#lastError = errorText(cause); // the end is logged with it, once
    this.end();
    this.#dependencies.onEnd(this, cause);
  }

  #report(error: unknown): void {
    const message = errorText(error);
    if (message !== this.#lastError) this.#dependencies.log('a step was not taken', { bot: this.id, error: message });
    this.#lastError = message;
  }
}

/** The opening time after which candles count: of the bot's own last change of its signals, and of its strategy's timeframe where it has that. */
function signalsFromOf({ bot, strategy }: StoredBot): number {
  const inherited = bot.ownSettings.timeframe === undefined ? strategy.signalsFrom : null;
  return Math.max(bot.signalsFrom?.getTime() ?? -Infinity, inherited?.getTime() ?? -Infinity);
}

/** Simulated orders must never pass for real ones, nor real ones for simulated. */
function executionOf({ mode }: StoredBot): Pick<BotContext, 'execution' | 'waitsForBook' | 'stopsAtExchange'> {
  return mode === 'paper' ? { execution: 'simulated', waitsForBook: true } : { execution: 'exchange', stopsAtExchange: true };
}

/** The account a live bot trades with. Fails: Error when it has no key */
function accountOf({ apiKeyId, exchangeId, marketType }: StoredBot['bot']): AccountName {
  if (apiKeyId === null) throw new Error('The bot is live and has no API key; it does nothing.');
  return { apiKeyId, exchangeId, marketType };
}
