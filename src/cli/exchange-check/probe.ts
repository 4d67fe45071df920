import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs } from '#engine/market/durations.ts';
import { minus, plus, times, toDecimal, toNumber, wholeSteps, zero } from '#engine/market/decimal.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import type { AccountReport, OrderRequest, Trading, VenueFill, VenueOrder } from '#engine/ports/trading.ts';
import { lagMs, pauseMs } from './lag.ts';
import { amountOf, OrderNews } from './order-news.ts';

/** How long an order may be on its way. */
const expiryMs = 5 * secondMs;

/** What the checks share: the account, the market, and what they have done so far. */
export class Probe {
  readonly trading: Trading;
  readonly market: MarketData;
  readonly instrument: Instrument;
  readonly exchangeId: string;
  readonly sandboxUrl: string | undefined;
  readonly stop: { readonly aborted: boolean }; // somebody wants it to end
  readonly lagMs: number; // how long lists and look-ups may lag behind an answer
  readonly news = new OrderNews();
  readonly reports: AccountReport[] = []; // of the user stream, since the beginning
  readonly placed = new Map<string, 'buy' | 'sell'>(); // client ids that were sent, answered or not
  readonly startTime: number; // ms
  lastFillBefore: string | null = null; // the newest fill when the check began
  doubtUntil = 0; // ms; until then an order whose answer was lost may still arrive
  readonly #prefix: string;

  constructor(of: Pick<Probe, 'trading' | 'market' | 'instrument' | 'exchangeId' | 'sandboxUrl' | 'stop'> & { lagMs?: number }) {
    this.trading = of.trading;
    this.market = of.market;
    this.instrument = of.instrument;
    this.exchangeId = of.exchangeId;
    this.sandboxUrl = of.sandboxUrl;
    this.stop = of.stop;
    this.lagMs = of.lagMs ?? lagMs;
    this.startTime = Date.now();
    this.#prefix = `fc-${this.startTime.toString(36)}`;
  }

  get symbol(): string {
    return this.instrument.symbol;
  }

  get isFutures(): boolean {
    return this.instrument.marketType === 'futures';
  }

  /** The base currency in one step of an amount. */
  get step(): number {
    return toNumber(times(toDecimal(this.instrument.amountStep), toDecimal(this.instrument.contractSize)));
  }

  quote(): Promise<Quote> {
    return this.market.quote(this.symbol);
  }

  /** The smallest amount that may be bought, and sold again after fees. */
  smallestAmount({ bid }: Quote): number {
    const { minAmount, minCost } = this.instrument;
    return multiple(Math.max(minAmount, (minCost * (this.isFutures ? 1.2 : 2.2)) / bid), this.step, 'up');
  }

  /** A price so far from the market, as a ratio, that the exchange still takes it. */
  priceAt(price: number, ratio: number): number {
    return multiple(price * ratio, this.instrument.priceTick, 'down');
  }

  /** Sends an order with a new client id, or with the given one. */
  async place(given: Partial<OrderRequest> & Pick<OrderRequest, 'type' | 'amount'>): Promise<VenueOrder> {
    const request: OrderRequest = {
      clientOrderId: `${this.#prefix}-${this.placed.size + 1}`,
      symbol: this.symbol,
      side: 'buy',
      price: null,
      stopPrice: null,
      reduceOnly: false,
      expiresAt: Date.now() + expiryMs,
      ...given,
    };
    this.placed.set(request.clientOrderId, request.side);
    try {
      const answer = await this.trading.place(request);
      this.news.begin(answer);
      return answer;
    } catch (error) {
      if (error instanceof ExchangeError && error.kind === 'unknown') {
        this.doubtUntil = request.expiresAt + secondMs;
        this.news.lose(request.clientOrderId);
      }
      throw error;
    }
  }

  /** Cancels an order of this check. */
  async cancel(clientOrderId: string): Promise<VenueOrder> {
    const order = await this.trading.cancel(this.symbol, clientOrderId);
    this.news.note(order);
    return order;
  }

  /** Looks an order of this check up. */
  async order(clientOrderId: string): Promise<VenueOrder | null> {
    const order = await this.trading.order(this.symbol, clientOrderId);
    if (order !== null) this.news.note(order);
    return order;
  }

  /** Notes what the user stream reports. */
  receive(report: AccountReport): void {
    this.reports.push(report);
    if (report.kind === 'order' && this.placed.has(report.order.clientOrderId)) this.news.note(report.order);
  }

  /** Waits until the listed fills of each order add up to what was said of it; null, or a sentence when they never do. */
  async unsettled(): Promise<string | null> {
    for (; ; await sleep(pauseMs)) {
      for (const id of this.news.uncertain()) await this.order(id);
      const isLate = Date.now() > Math.max(this.news.notedAt, this.doubtUntil) + this.lagMs;
      if (isLate) this.news.forgetLost();
      const doubt = this.news.doubt(await this.fills(), this.step);
      if (doubt === null || isLate) return doubt;
    }
  }

  /** The fills of the orders of this check. */
  async fills(): Promise<VenueFill[]> {
    const all = await this.trading.fillsSince(this.symbol, this.lastFillBefore);
    return all.filter(({ clientOrderId }) => this.placed.has(clientOrderId));
  }

  /** What the orders of this check have bought and not sold again, after fees; negative when more was sold. Never more than is certain. */
  async held(): Promise<number> {
    const { base } = currenciesOf(this.symbol);
    const fills = await this.fills();
    let held = zero;
    for (const [id, side] of this.placed) {
      const listed = amountOf(fills, id);
      held = side === 'sell' ? minus(held, toDecimal(Math.max(listed, this.news.mostFilled(id)))) : plus(held, toDecimal(listed));
    }
    for (const { fee, feeCurrency } of fills) if (!this.isFutures && feeCurrency === base) held = minus(held, toDecimal(fee));
    return toNumber(held);
  }
}

/** The multiple of a step next to a value. */
export function multiple(value: number, step: number, direction: 'up' | 'down'): number {
  const unit = toDecimal(step);
  const steps = wholeSteps(toDecimal(value), unit);
  const down = toNumber(times({ digits: steps, scale: 0 }, unit));
  return direction === 'down' || down >= value ? down : toNumber(times({ digits: steps + 1n, scale: 0 }, unit));
}
