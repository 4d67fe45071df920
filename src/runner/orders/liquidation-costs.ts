import type { Decimal } from '#engine/market/decimal.ts';
import { dividedBy, plus, times, toDecimal, zero } from '#engine/market/decimal.ts';
import { currenciesOf } from '#engine/account/fill.ts';
import { secondMs } from '#engine/market/durations.ts';
import type { Clearance, Trading, VenueFill } from '#engine/ports/trading.ts';
import type { FeeValues } from './fee-values.ts';

/** One liquidation of a position, or several that began in the same second: the times of what they were cleared with distinguish them no further. */
interface Liquidation {
  second: number; // in which it began, ms
  first: VenueFill;
  amount: Decimal; // of its fills, base currency
  cost: Decimal | null; // of what it was cleared with so far, quote currency; negative when the exchange paid; null while its value is not known
  isCleared: boolean; // the exchange has listed something
}

/** What the liquidations of an account have cost beside their fills, and which of them the exchange lists no clearance of yet. */
export class LiquidationCosts {
  /** Why the exchange did not say; undefined where it did, or was not asked. */
  readonly failure: unknown;
  readonly #ofFills: ReadonlyMap<string, Liquidation>;

  private constructor(ofFills: ReadonlyMap<string, Liquidation>, failure?: unknown) {
    this.#ofFills = ofFills;
    this.failure = failure;
  }

  /**
   * Asks what the liquidations among the fills of an account have cost: once, and only where a fill that is counted (`taken`) is of one. What was cleared since one began,
   * and before the next did, belongs to it. Where the exchange does not answer, what the fills say is known all the same.
   */
  static async ask(
    { trading, feeValues }: { trading: Pick<Trading, 'clearances'>; feeValues: Pick<FeeValues, 'valued'> },
    symbol: string,
    fills: readonly VenueFill[],
    taken: readonly VenueFill[],
  ): Promise<LiquidationCosts> {
    const ofFills = liquidationsOf(fills);
    const begun = taken.flatMap(({ id }) => ofFills.get(id)?.second ?? []);
    if (begun.length === 0) return new LiquidationCosts(ofFills);
    let clearances: Clearance[];
    try {
      clearances = await trading.clearances(symbol, Math.min(...begun));
    } catch (error) {
      return new LiquidationCosts(ofFills, error);
    }
    const inSequence = [...new Set(ofFills.values())].toSorted((a, b) => a.second - b.second);
    for (const clearance of clearances) {
      const liquidation = inSequence.findLast(({ second }) => second <= secondOf(clearance.time));
      if (liquidation === undefined) continue; // the exchange was asked for none of before
      const { feeInQuote } = await feeValues.valued({ ...liquidation.first, ...asFee(clearance, symbol) }, symbol);
      liquidation.isCleared = true;
      liquidation.cost = liquidation.cost === null || feeInQuote === null ? null : plus(liquidation.cost, toDecimal(feeInQuote));
    }
    return new LiquidationCosts(ofFills);
  }

  /** The share of an amount of a fill in what its liquidation has cost, in quote currency; null while its value is not known. */
  of({ id }: VenueFill, amount: Decimal): Decimal | null {
    const liquidation = this.#ofFills.get(id);
    if (liquidation === undefined) return zero;
    return liquidation.cost === null ? null : dividedBy(times(liquidation.cost, amount), liquidation.amount);
  }

  /** Whether a fill is of a liquidation of which the exchange has listed no clearance yet: its list may lag. */
  isAwaited({ id }: VenueFill): boolean {
    return this.#ofFills.get(id)?.isCleared === false;
  }
}

/** The liquidations among the fills of an account, oldest first, by the ids of the fills. */
function liquidationsOf(fills: readonly VenueFill[]): Map<string, Liquidation> {
  const beginnings = new Map<string, number>(); // by the client id
  const bySecond = new Map<number, Liquidation>();
  const ofFills = new Map<string, Liquidation>();
  for (const fill of fills.filter(({ isLiquidation }) => isLiquidation === true)) {
    const second = beginnings.get(fill.clientOrderId) ?? secondOf(fill.time);
    beginnings.set(fill.clientOrderId, second);
    const liquidation = bySecond.get(second) ?? { second, first: fill, amount: zero, cost: zero, isCleared: false };
    bySecond.set(second, liquidation);
    liquidation.amount = plus(liquidation.amount, toDecimal(fill.amount));
    ofFills.set(fill.id, liquidation);
  }
  return ofFills;
}

function secondOf(time: number): number {
  return Math.floor(time / secondMs) * secondMs;
}

/** What was cleared, as a fee: with the other sign, as fees are paid. */
function asFee({ amount, currency, time }: Clearance, symbol: string): Pick<VenueFill, 'fee' | 'feeCurrency' | 'feeInQuote' | 'time'> {
  const fee = amount === 0 ? 0 : -amount;
  return { fee, feeCurrency: currency, feeInQuote: currency === currenciesOf(symbol).quote ? fee : null, time };
}
