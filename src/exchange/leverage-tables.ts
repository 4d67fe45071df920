import { hourMs } from '#engine/market/durations.ts';
import type { LeverageTier } from '#engine/market/instrument.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { type HistorySource, patiently } from './candle-history.ts';
import { toLeverageTiers } from './ccxt-mapping.ts';

const maxAgeMs = hourMs;

/** Exchanges that count the sizes of their tiers in contracts; ccxt passes them on as notional values. */
const inContracts: ReadonlySet<string> = new Set(['okx', 'mexc']);

/** The leverage tables of an exchange that publishes them without a key, each fetched once an hour at most. */
export class LeverageTables {
  readonly #source: HistorySource;
  readonly #tables = new Map<string, { at: number; tiers: Promise<LeverageTier[]> }>();

  constructor(source: HistorySource) {
    this.#source = source;
  }

  /**
   * The tiers of a perpetual; none where the exchange does not publish them to everybody.
   *
   * Fails: ExchangeError `temporary`
   */
  async of(symbol: string): Promise<readonly LeverageTier[]> {
    if (!this.#source.client.has['fetchMarketLeverageTiers']) return [];
    const known = this.#tables.get(symbol);
    if (known !== undefined && performance.now() - known.at < maxAgeMs) return await known.tiers;
    const table = { at: performance.now(), tiers: this.#fetch(symbol) };
    this.#tables.set(symbol, table);
    // One that failed is fetched again by the next caller.
    table.tiers.catch(() => this.#tables.delete(symbol));
    return await table.tiers;
  }

  async #fetch(symbol: string): Promise<LeverageTier[]> {
    try {
      return await patiently(this.#source, `leverage tiers of ${symbol}`, async () => {
        const rows = (await this.#source.client.fetchMarketLeverageTiers(symbol)) ?? [];
        return toLeverageTiers(rows, await this.#unitOf(symbol));
      });
    } catch (error) {
      // A key is required, or the symbol has no table.
      if (error instanceof ExchangeError && (error.kind === 'unauthorised' || error.kind === 'rejected')) return [];
      throw error;
    }
  }

  /** What one of the sizes in the table is worth in quote currency. */
  async #unitOf(symbol: string): Promise<number> {
    const { client, exchangeId } = this.#source;
    if (!inContracts.has(client.id)) return 1;
    const { last } = await client.fetchTicker(symbol);
    if (last === undefined || !(last > 0)) throw new ExchangeError('temporary', `${exchangeId} gave no price of ${symbol}.`);
    return last * (client.markets?.[symbol]?.contractSize ?? 1);
  }
}
