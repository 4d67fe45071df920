import { fundedUntil } from '#engine/account/refresh-funding.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { BotEvent } from '#engine/bot/event.ts';
import type { FundingFeed } from './funding-feed.ts';

const minute = 60_000;

/** How long payments are waited for before a step: a stop must not wait for them. */
const patienceMs = 2_000;

/** Finds the payments of funding that the open trades of a bot do not know of. */
export class UnpaidFunding {
  readonly #feed: FundingFeed;
  readonly #exchangeId: string;
  readonly #now: () => number;
  #look = -1; // the half hour in which it was looked last

  constructor(feed: FundingFeed, exchangeId: string, now: () => number) {
    this.#feed = feed;
    this.#exchangeId = exchangeId;
    this.#now = now;
  }

  /** The payments, when it is time to look for them: at minutes 1 and 31 of each hour. Fails: ExchangeError; then it is time still. */
  async whenDue(trades: readonly Trade[]): Promise<BotEvent[]> {
    const look = Math.floor((this.#now() - minute) / (30 * minute));
    const before = this.#look;
    if (look === before) return [];
    this.#look = look; // nobody else looks meanwhile
    try {
      return await this.#after(trades);
    } catch (error) {
      this.#look = before;
      throw error;
    }
  }

  /** The payments, for a step that may close a trade: after that none can be added to it. Those that take too long are left out. */
  async atOnce(trades: readonly Trade[]): Promise<BotEvent[]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<BotEvent[]>((resolve) => (timer = setTimeout(resolve, patienceMs, [])));
    return await Promise.race([this.#after(trades), late]).finally(() => clearTimeout(timer));
  }

  async #after(trades: readonly Trade[]): Promise<BotEvent[]> {
    const held = trades.filter(({ marketType, amount }) => marketType === 'futures' && amount > 0);
    const payments = held.map(async (trade) => {
      const { symbol } = trade;
      const events = await this.#feed.after(this.#exchangeId, symbol, fundedUntil(trade));
      return events.map((event): BotEvent => ({ kind: 'funding', symbol, ...event }));
    });
    return (await Promise.all(payments)).flat();
  }
}
