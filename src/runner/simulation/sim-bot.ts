import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { advance } from '#engine/bot/advance.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import type { BotEvent, OrderReport } from '#engine/bot/event.ts';
import type { BotContext, BotState } from '#engine/bot/state.ts';
import { fromStored, toStoredMemory, toStoredTrade } from '#engine/bot/stored-state.ts';
import type { FundingEvent } from '#engine/account/funding.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { UnpaidFunding } from '../bots/unpaid-funding.ts';
import { mustBeWritten } from '../bots/step-writes.ts';
import { FeeValues } from '../orders/fee-values.ts';
import { OrderRoom } from '../orders/order-room.ts';
import type { OrderTimes } from '../orders/order-times.ts';
import type { TimesInForce } from '../orders/planned-orders.ts';
import { bookedOrders, plannedOrders, waitingOrders } from '../orders/planned-orders.ts';
import { ValuedReports } from '../orders/valued-reports.ts';
import { FaultyTrading } from './faulty-trading.ts';
import type { Network } from './faulty-trading.ts';
import { FencedInMemory } from './memory-disk.ts';
import type { MemoryConnection, MemoryDisk } from './memory-disk.ts';
import { noRecords } from './no-records.ts';
import { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';
import type { InMemoryVenue } from '#engine/simulation/venue.ts';

/** What all processes of a simulation share. */
export interface SimDependencies {
  world: World;
  disk: MemoryDisk;
  venue: InMemoryVenue;
  network: Network;
  context: BotContext;
  times: OrderTimes;
  timeInForce?: TimesInForce;
  onEffects?: (effects: readonly BotEffect[]) => void; // of each step that is on the disk
  funding?: (symbol: string, from: number, to: number) => Promise<FundingEvent[]>; // what the exchange has published by now
  candles?: MarketData['candles']; // of the exchange's spot market, for the price of a third currency
  findsNothing?: boolean; // a broken program that never searches for orders without a record
  paysOnlyWhileOpen?: boolean; // a broken program that asks for no funding of trades that are over
}

const tickMs = 400;
const renewMs = 2_000;
const searchMs = 10_000;
const fundingMs = 5_000;

/** One process that runs the bot: the engine, the order room, and what is between them. It begins with what is on the disk. */
export class SimBot {
  readonly process: SimProcess;
  readonly room: OrderRoom;
  readonly #dependencies: SimDependencies;
  readonly #connection: MemoryConnection;
  readonly #inbox: BotEvent[] = [];
  readonly #funding: UnpaidFunding | null;
  readonly #reports: ValuedReports;
  #state: BotState;
  #isBusy = false;
  #isReady = false;

  constructor(dependencies: SimDependencies) {
    const { world, disk, venue, network, times, funding, candles } = dependencies;
    this.#dependencies = dependencies;
    this.process = new SimProcess(world);
    this.#connection = disk.claim(this.process);
    this.#state = { ...restored(disk.state), tradingState: disk.tradingState };
    const trading = new FaultyTrading(venue, world, network, this.process);
    const onError = (error: unknown): void => this.#fail(error);
    const records = dependencies.findsNothing === true ? noRecords : this.#connection;
    this.room = new OrderRoom({ trading, records, times, now: () => world.now, onError });
    const market = async (): Promise<MarketData> => ({ funding, candles }) as MarketData;
    const now = (): number => world.now;
    this.#funding = funding === undefined ? null : new UnpaidFunding(new FundingFeed({ market }, now), 'simulated', now);
    this.#reports = new ValuedReports({
      feeValues: new FeeValues(market, () => undefined),
      symbolOf: (orderId) => this.#symbolOf(orderId),
      onReport: (orderId, report) => this.process.do(() => this.#receive(orderId, report)),
      onError,
    });
    void this.#start();
    this.#repeat(tickMs, () => void this.room.tick().catch(onError));
    this.#repeat(renewMs, () => this.#connection.renew());
  }

  /** Something happens outside: prices, a candle, a person. */
  receive(event: BotEvent): void {
    this.process.do(() => {
      if (this.#isReady) this.#take(event);
    });
  }

  /** Whether it has finished whatever is under way. */
  get isIdle(): boolean {
    return this.#isReady && !this.#isBusy && this.#reports.isSettled && this.room.isSettled(this.#state.botId);
  }

  async #start(): Promise<void> {
    try {
      await this.room.attach({
        id: this.#state.botId,
        claim: String(this.#dependencies.disk.epoch),
        store: this.#connection,
        waiting: () => waitingOrders(this.#state),
        booked: () => bookedOrders(this.#state),
        onReport: (orderId, report) => this.#reports.take(orderId, report),
        onNumbersSeen: (highest) => this.#take({ kind: 'order-numbers-seen', time: this.#dependencies.world.now, highest }),
        onFailure: (error) => (error instanceof ExchangeError ? undefined : this.#fail(error)),
        onRefused: () => undefined,
      });
      this.#repeat(tickMs, () => {
        const wasReady = this.#isReady;
        this.#isReady ||= !this.#isBusy && this.#reports.isSettled && this.room.isSettled(this.#state.botId);
        if (this.#isReady && !wasReady) this.room.begin(this.#state.botId);
        if (this.#isReady && !this.#isBusy) this.#heedPerson();
      });
      this.#repeat(searchMs, () => this.room.searchSoon());
      this.#repeat(fundingMs, () => void this.#checkFunding());
    } catch (error) {
      this.#fail(error);
    }
  }

  /** What a person has decided, and the kill switch. */
  #heedPerson(): void {
    const { disk, world } = this.#dependencies;
    const { tradingState, wishes } = disk;
    if (this.#state.tradingState !== tradingState) this.#state = { ...this.#state, tradingState };
    for (const action of disk.actions.values()) if (action.until > world.now) this.#take({ kind: 'manual-asked', time: world.now, action });
    for (const wish of wishes) if (!disk.isStanding() && !disk.isOver(wish)) this.#take({ ...wish.event, time: world.now });
  }

  async #checkFunding(): Promise<void> {
    const { trades, formerTrades } = this.#state;
    const over = this.#dependencies.paysOnlyWhileOpen === true ? [] : formerTrades;
    const paid = await this.#funding?.whenDue([...trades, ...over]);
    this.process.do(() => paid?.events.forEach((event) => this.#take(event)));
  }

  #symbolOf(orderId: string): string | undefined {
    const { trades, formerTrades } = this.#state;
    return [...trades, ...formerTrades].find(({ orders }) => orders.some(({ id }) => id === orderId))?.symbol;
  }

  #receive(orderId: string, report: OrderReport): void {
    this.#take({ kind: 'order-update', time: this.#dependencies.world.now, orderId, report });
  }

  #take(event: BotEvent): void {
    this.#inbox.push(event);
    if (!this.#isBusy) void this.#run().catch((error: unknown) => this.#fail(error));
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    const { world, context, timeInForce, onEffects } = this.#dependencies;
    for (let event = this.#inbox.shift(); event !== undefined; event = this.#inbox.shift()) {
      const { state, effects } = advance(this.#state, withTime(event, world.now), context);
      if (mustBeWritten(this.#state, effects)) {
        const created = plannedOrders(state, effects, timeInForce);
        const ended = effects.flatMap((effect) =>
          effect.kind === 'manual-ended' ? [{ actionId: effect.actionId, isDone: effect.refusal === null }] : [],
        );
        await this.#connection.step(state, created, ended);
        this.#state = state;
        this.room.decided(this.#state.botId, created);
      } else this.#state = state;
      onEffects?.(effects);
    }
    this.#isBusy = false;
  }

  /** Another process has the bot; anything else is a fault of the program. */
  #fail(error: unknown): void {
    if (!(error instanceof FencedInMemory)) this.#dependencies.disk.faults.push(error);
    this.process.kill();
    this.room.close();
  }

  #repeat(ms: number, what: () => void): void {
    this.process.after(ms, () => {
      what();
      this.#repeat(ms, what);
    });
  }
}

/** What a new process knows: what was stored, without the prices seen. */
function restored(state: BotState): BotState {
  const { botId, timeframe, settings, status, tradingState, closedProfit, consecutiveLosses, pairs } = state;
  const decidedCandleTimes = Object.fromEntries(
    Object.entries(pairs).map(([symbol, { decidedCandleTime }]) => [symbol, decidedCandleTime]),
  );
  const identity = { botId, timeframe, settings, status, tradingState, closedProfit, consecutiveLosses, decidedCandleTimes };
  const written = JSON.parse(JSON.stringify({ memory: toStoredMemory(state), trades: state.trades.map(toStoredTrade) }));
  return fromStored(identity, written.memory, written.trades);
}

/** Whatever happens happens to the bot when it takes its step; a payment of funding has its own time. */
function withTime(event: BotEvent, time: number): BotEvent {
  if (event.kind === 'funding') return event;
  if (event.kind === 'market' || event.kind === 'book') return { ...event, view: { ...event.view, time } };
  return { ...event, time };
}
