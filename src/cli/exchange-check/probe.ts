import { secondMs } from '#engine/market/durations.ts';
import { minus, plus, times, toDecimal, toNumber, wholeSteps, zero } from '#engine/market/decimal.ts';
import type { Instrument } from '#engine/market/instrument.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { MarketData, Quote } from '#engine/ports/market-data.ts';
import type { AccountReport, OrderRequest, Trading, VenueFill, VenueOrder } from '#engine/ports/trading.ts';

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
  readonly reports: AccountReport[] = []; // of the user stream, since the beginning
  readonly placed = new Map<string, 'buy' | 'sell'>(); // client ids that were sent, answered or not
  readonly startTime: number; // ms
  lastFillBefore: string | null = null; // the newest fill when the check began
  doubtUntil = 0; // ms; until then an order whose answer was lost may still arrive
  readonly #prefix: string;

  constructor(of: Pick<Probe, 'trading' | 'market' | 'instrument' | 'exchangeId' | 'sandboxUrl' | 'stop'>) {
    this.trading = of.trading;
    this.market = of.market;
    this.instrument = of.instrument;
    this.exchangeId = of.exchangeId;
    this.sandboxUrl = of.sandboxUrl;
    this.stop = of.stop;
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
      return await this.trading.place(request);
    } catch (error) {
      if (error instanceof ExchangeError && error.kind === 'unknown') this.doubtUntil = request.expiresAt + secondMs;
      throw error;
    }
  }

  /** The fills of the orders of this check. */
  async fills(): Promise<VenueFill[]> {
    const all = await this.trading.fillsSince(this.symbol, this.lastFillBefore);
    return all.filter(({ clientOrderId }) => this.placed.has(clientOrderId));
  }

  /** What the orders of this check have bought and not sold again, after fees; negative when more was sold. */
  async held(): Promise<number> {
    const { base } = currenciesOf(this.symbol);
    let held = zero;
    for (const { clientOrderId, amount, fee, feeCurrency } of await this.fills()) {
      held = this.placed.get(clientOrderId) === 'sell' ? minus(held, toDecimal(amount)) : plus(held, toDecimal(amount));
      if (!this.isFutures && feeCurrency === base) held = minus(held, toDecimal(fee));
    }
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
