import { awaitsFunding, fundedUntil } from '#engine/account/refresh-funding.ts';
import type { Trade } from '#engine/account/trade.ts';
import { lastFillTime } from '#engine/account/trade.ts';
import type { BotEvent } from '#engine/bot/event.ts';
import { lateMs } from '#engine/bot/execution.ts';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { FundingFeed } from '#feeds/funding-feed.ts';

/** How long payments are waited for before a step: a stop must not wait for them. */
const defaultPatienceMs = 2 * secondMs;

/** Payments of funding, and why others could not be fetched: null when all were. */
export interface Payments {
  events: BotEvent[];
  failure: unknown;
}

/** Finds the payments of funding that the trades of a bot do not know of: what is held, and for a day what was held at a full hour. */
export class UnpaidFunding {
  readonly #feed: FundingFeed;
  readonly #exchangeId: string;
  readonly #now: () => number;
  readonly #patienceMs: number;
  #checkedPeriod = -1; // the newest half hour that was checked

  constructor(feed: FundingFeed, exchangeId: string, now: () => number, patienceMs = defaultPatienceMs) {
    this.#feed = feed;
    this.#exchangeId = exchangeId;
    this.#now = now;
    this.#patienceMs = patienceMs;
  }

  /** The payments, when it is time to check for them: at minutes 1 and 31 of each hour. After a failure it is still time. */
  async whenDue(trades: readonly Trade[]): Promise<Payments> {
    const period = Math.floor((this.#now() - minuteMs) / (30 * minuteMs));
    const before = this.#checkedPeriod;
    if (period === before) return { events: [], failure: null };
    this.#checkedPeriod = period; // no second check meanwhile
    const found = await this.#after(trades);
    if (found.failure !== null) this.#checkedPeriod = before;
    return found;
  }

  /** The payments, for a step that may close a trade: what becomes known after it corrects the trade. Those that take too long are left out. */
  async atOnce(trades: readonly Trade[]): Promise<Payments> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<BotEvent[]>((resolve) => (timer = setTimeout(resolve, this.#patienceMs, [])));
    return await this.#after(trades, late).finally(() => clearTimeout(timer));
  }

  /** Whether payments of a trade may be missing that are asked for. */
  isOwed(trade: Trade): boolean {
    if (trade.isOpen) return trade.marketType === 'futures' && trade.amount > 0;
    return awaitsFunding(trade) && this.#now() - (trade.closeTime ?? 0) < lateMs;
  }

  /** A payment that cannot be fetched for one trade keeps none of the others from paying. */
  async #after(trades: readonly Trade[], late?: Promise<BotEvent[]>): Promise<Payments> {
    const owed = trades.filter((trade) => this.isOwed(trade));
    const answers = await Promise.allSettled(
      owed.map((trade) => (late === undefined ? this.#ofTrade(trade) : Promise.race([this.#ofTrade(trade), late]))),
    );
    return {
      events: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
      failure: answers.find((answer) => answer.status === 'rejected')?.reason ?? null,
    };
  }

  async #ofTrade(trade: Trade): Promise<BotEvent[]> {
    const { symbol } = trade;
    const until = trade.isOpen ? this.#now() : lastFillTime(trade);
    const events = await this.#feed.between(this.#exchangeId, symbol, fundedUntil(trade), until);
    return events.map((event): BotEvent => ({ kind: 'funding', symbol, ...event }));
  }
}
