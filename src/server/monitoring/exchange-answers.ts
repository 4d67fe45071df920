import { secondMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { Markets } from '#feeds/markets.ts';

/** For so long an answer counts, in ms: anybody may look, and looking must not become work. */
const freshMs = 10 * secondMs;

/** Whether exchanges answer now, by a price: the list of instruments is kept for an hour and says nothing of it. */
export class ExchangeAnswers {
  readonly #markets: Markets;
  readonly #asked = new Map<string, { at: number; answers: Promise<boolean> }>();

  constructor(markets: Markets) {
    this.#markets = markets;
  }

  /** Whether an exchange has answered in the last ten seconds, or does now. */
  answers(exchangeId: string, marketType: MarketType, now: number): Promise<boolean> {
    const key = `${exchangeId} ${marketType}`;
    const known = this.#asked.get(key);
    // By its distance: an answer of later is one of a clock that was ahead.
    if (known !== undefined && Math.abs(now - known.at) < freshMs) return known.answers;
    const answers = this.#ask(exchangeId, marketType);
    this.#asked.set(key, { at: now, answers });
    return answers;
  }

  async #ask(exchangeId: string, marketType: MarketType): Promise<boolean> {
    try {
      const market = await this.#markets.market(exchangeId, marketType);
      const [instrument] = await market.instruments();
      if (instrument !== undefined) await market.quote(instrument.symbol);
      return true;
    } catch (error) {
      return error instanceof ExchangeError && error.kind === 'rejected'; // a refusal is an answer
    }
  }
}
