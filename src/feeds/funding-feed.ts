import type { FundingEvent } from '#engine/account/funding.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '#engine/market/durations.ts';
import type { Markets } from './markets.ts';

/** What is known of the funding of one perpetual. */
interface Known {
  from: number; // every payment from here on is known
  until: number; // up to and including this time
  askedAt: number;
  events: readonly FundingEvent[]; // oldest first
}

const weekMs = 7 * dayMs;

/**
 * The payments of funding that have been made, shared by all bots of a runner: an exchange is asked for each perpetual
 * and payment once, not for each bot.
 */
export class FundingFeed {
  readonly #markets: Pick<Markets, 'market'>;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  readonly #requests = new Map<string, Promise<Known>>(); // under way

  constructor(markets: Pick<Markets, 'market'>, now: () => number) {
    this.#markets = markets;
    this.#now = now;
  }

  /**
   * The payments after a time and up to another, oldest first; asks only when a full hour up to then has passed since it last knew all of them.
   *
   * Fails: ExchangeError
   */
  async between(exchangeId: string, symbol: string, time: number, until: number): Promise<readonly FundingEvent[]> {
    const key = `${exchangeId} ${symbol}`;
    let known = this.#known.get(key);
    if (known === undefined || known.from > time || !this.#isFresh(known, until)) {
      // Trades begin at all times; in whole weeks most of them need the same payments.
      const from = Math.min(Math.floor(time / weekMs) * weekMs, known?.from ?? Infinity);
      const base = known !== undefined && known.from === from ? known : { from, until: from - 1, askedAt: 0, events: [] };
      const request = `${key} ${base.from} ${base.until}`;
      const answer = this.#requests.get(request) ?? this.#ask(exchangeId, symbol, base).finally(() => this.#requests.delete(request));
      this.#requests.set(request, answer);
      known = await answer;
      this.#known.set(key, known);
    }
    return known.events.filter((event) => event.time > time && event.time <= until);
  }

  /** Whether the payment of the newest hour up to a time is known, or its absence; an exchange may report it a little late. */
  #isFresh({ until, askedAt }: Known, wanted: number): boolean {
    const now = this.#now();
    if (until >= Math.floor(Math.min(wanted, now) / hourMs) * hourMs) return true;
    const hourNow = Math.floor(now / hourMs) * hourMs;
    // Most are reported within seconds, and strategies act just then: a closing trade must not miss a payment reported by now.
    const pause = now - hourNow < 2 * minuteMs ? 5 * secondMs : minuteMs;
    return askedAt >= hourNow && now - askedAt < pause;
  }

  async #ask(exchangeId: string, symbol: string, base: Known): Promise<Known> {
    const askedAt = this.#now();
    const market = await this.#markets.market(exchangeId, 'futures');
    const events = [...base.events, ...(await market.funding(symbol, base.until + 1, askedAt + 1))];
    return { from: base.from, until: certainUntil(askedAt, events), askedAt, events };
  }
}

/**
 * Up to when an answer of `askedAt` holds every payment. Exchanges pay on the full hour and may report it a little late:
 * what is not reported half an hour later was not paid.
 */
export function certainUntil(askedAt: number, events: readonly FundingEvent[]): number {
  const hourNow = Math.floor(askedAt / hourMs) * hourMs;
  const isReported = events.at(-1)?.time === hourNow;
  return isReported || askedAt - hourNow >= hourMs / 2 ? hourNow : hourNow - 1;
}
