import type { FundingEvent } from '#engine/account/funding.ts';
import type { Markets } from './markets.ts';

/** What is known of the funding of one perpetual. */
interface Known {
  from: number; // every payment from here on is known
  until: number; // up to and including this time
  askedAt: number;
  events: readonly FundingEvent[]; // oldest first
}

const minute = 60_000;
const hour = 60 * minute;
const week = 168 * hour;

/**
 * The payments of funding that have been made, shared by all bots of a runner: an exchange is asked for each perpetual
 * and payment once, not for each bot.
 */
export class FundingFeed {
  readonly #markets: Pick<Markets, 'market'>;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  readonly #asked = new Map<string, Promise<Known>>();

  constructor(markets: Pick<Markets, 'market'>, now: () => number) {
    this.#markets = markets;
    this.#now = now;
  }

  /**
   * The payments after a time, oldest first; asks only when a full hour has passed since it last knew all of them.
   *
   * Fails: ExchangeError
   */
  async after(exchangeId: string, symbol: string, time: number): Promise<readonly FundingEvent[]> {
    const key = `${exchangeId} ${symbol}`;
    let known = this.#known.get(key);
    if (known === undefined || known.from > time || !this.#isFresh(known)) {
      // Trades begin at all times; asking by the week, most of them ask for the same.
      const from = Math.min(Math.floor(time / week) * week, known?.from ?? Infinity);
      const base = known !== undefined && known.from === from ? known : { from, until: from - 1, askedAt: 0, events: [] };
      const question = `${key} ${base.from} ${base.until}`;
      const answer = this.#asked.get(question) ?? this.#ask(exchangeId, symbol, base).finally(() => this.#asked.delete(question));
      this.#asked.set(question, answer);
      known = await answer;
      this.#known.set(key, known);
    }
    return known.events.filter((event) => event.time > time);
  }

  /** Whether the payment of this hour is known, or its absence; an exchange may tell it a little late. */
  #isFresh({ until, askedAt }: Known): boolean {
    const now = this.#now();
    const hourNow = Math.floor(now / hour) * hour;
    // Most are told within seconds, and strategies act just then: who leaves must not miss what is told by now.
    const pause = now - hourNow < 2 * minute ? 5_000 : minute;
    return until >= hourNow || (askedAt >= hourNow && now - askedAt < pause);
  }

  async #ask(exchangeId: string, symbol: string, base: Known): Promise<Known> {
    const askedAt = this.#now();
    const market = await this.#markets.market(exchangeId, 'futures');
    const events = [...base.events, ...(await market.funding(symbol, base.until + 1, askedAt + 1))];
    return { from: base.from, until: certainUntil(askedAt, events), askedAt, events };
  }
}

/**
 * Up to when an answer of `askedAt` holds every payment. Exchanges pay on the full hour and may tell it a little late:
 * what is not told half an hour later was not paid.
 */
export function certainUntil(askedAt: number, events: readonly FundingEvent[]): number {
  const hourNow = Math.floor(askedAt / hour) * hour;
  const isTold = events.at(-1)?.time === hourNow;
  return isTold || askedAt - hourNow >= hour / 2 ? hourNow : hourNow - 1;
}
