import { fundingMs } from '../../market/funding.ts';
import type { Pair } from '../../market/listings.ts';
import { type Market, tickMs } from '../../market/market.ts';
import { coin, priceUnits } from '../money.ts';
import { reaches } from '../taking.ts';
import type { Follower } from '../walk.ts';
import { afterPrice, type AlgoOrder, maySetOff } from './algo-order.ts';
import type { FuturesRows } from './futures-rows.ts';
import { marginBuffer } from './liquidation.ts';
import type { MarkOf } from './margin.ts';
import { absolute } from './position.ts';

const fundingTicks = fundingMs / tickMs;

/** Follows the prices for a USD-M account: which of them matter, and when something may happen. */
export class FuturesFollower implements Follower {
  readonly #rows: FuturesRows;
  readonly #market: Market;
  readonly #markOf: MarkOf;
  readonly #meet: (tick: number) => void;
  #pairs: readonly Pair[];
  #safe = new Map<string, { low: bigint; high: bigint }>(); // mark prices between which nothing is liquidated

  constructor(rows: FuturesRows, market: Market, markOf: MarkOf, meet: (tick: number) => void) {
    this.#rows = rows;
    this.#market = market;
    this.#markOf = markOf;
    this.#meet = meet;
    this.#pairs = this.#pairsNow();
    this.#measure();
  }

  pairs(): readonly Pair[] {
    return this.#pairs;
  }

  isDue(first: number, last: number): boolean {
    return this.#safe.size > 0 && Math.floor(last / fundingTicks) * fundingTicks >= first;
  }

  isReached(pair: Pair, low: number, high: number): boolean {
    const [lowest, highest] = [priceUnits(pair, low), priceUnits(pair, high)];
    const isOrder =
      pair.market === 'futures' &&
      [...this.#rows.open.rows()].some((order) => order.symbol === pair.id && (reaches(order, lowest) || reaches(order, highest)));
    const safe = this.#isIndex(pair) ? this.#safe.get(pair.id) : undefined;
    const isUnsafe = safe !== undefined && (lowest <= safe.low || highest >= safe.high);
    return isOrder || isUnsafe || this.#algosOf(pair).some((algo) => maySetOff(algo, lowest, highest));
  }

  passed(pair: Pair, low: number, high: number): void {
    for (const algo of this.#algosOf(pair)) {
      const after = afterPrice(algo, priceUnits(pair, algo.side === 'SELL' ? high : low));
      if (after !== algo) this.#rows.algos.put(String(algo.id), after, 'later');
    }
  }

  meet(tick: number): void {
    this.#meet(tick);
    this.#pairs = this.#pairsNow();
    this.#measure();
  }

  /** Positions with cross margin share one buffer: each may use its share of it before all are looked at again. */
  #measure(): void {
    const held = this.#rows.held();
    this.#safe = new Map(
      held.map((position) => {
        const { symbol, marginType } = position;
        const sharers = marginType === 'isolated' ? 1 : held.filter((other) => other.marginType === 'cross').length;
        const buffer = marginBuffer(this.#rows, position, symbol.endsWith('USDC') ? 'USDC' : 'USDT', this.#markOf);
        const share = buffer <= 0n ? 0n : buffer / BigInt(sharers);
        const mark = this.#markOf(symbol);
        const move = (share * coin) / absolute(position.amount);
        const careful = (move * 7n) / 10n; // the least margin grows with the value, by at most a quarter of it
        const [low, high] = position.amount > 0n ? [mark - careful, mark * 1000n] : [0n, mark + careful];
        return [symbol, { low, high }];
      }),
    );
  }

  #algosOf(pair: Pair): AlgoOrder[] {
    return [...this.#rows.algos.rows()].filter(
      ({ symbol, workingType }) => symbol === pair.id && (workingType === 'MARK_PRICE' ? this.#isIndex(pair) : pair.market === 'futures'),
    );
  }

  #isIndex(pair: Pair): boolean {
    return pair.market === 'spot' || this.#market.pair('spot', pair.id) === undefined;
  }

  #pairsNow(): Pair[] {
    const symbols = new Set([...this.#rows.open.rows(), ...this.#rows.algos.rows(), ...this.#rows.held()].map(({ symbol }) => symbol));
    return [...symbols].flatMap((symbol) => (['futures', 'spot'] as const).flatMap((market) => this.#market.pair(market, symbol) ?? []));
  }
}
