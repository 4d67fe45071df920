import { minus, plus, toDecimal, toNumber } from '#engine/market/decimal.ts';
import type { ExpectedHolding } from '#storage/differences/differences.ts';

const sum = (a: number, b: number): number => toNumber(plus(toDecimal(a), toDecimal(b)));
const difference = (a: number, b: number): number => toNumber(minus(toDecimal(a), toDecimal(b)));

/**
 * What counts as held of each symbol of one coin on spot, whose balance is theirs together: no coin counts twice. What is beyond the trades
 * is its owner's, but for what orders without a record have bought; and what they have sold is missing of their own symbol, whatever else lies there.
 *
 * The trades come first, then what was bought without a record. What is missing is of one symbol as long as that holds so much: of those that
 * lack something already, then in the sequence of their names. So it stays where it is from one comparison to the next.
 *
 * Unit: base currency
 */
export function sharesOfCoin(
  holdings: readonly ExpectedHolding[],
  balance: number,
  lacking: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const firstServed = holdings.toSorted(
    (a, b) => Number(lacking.has(a.symbol)) - Number(lacking.has(b.symbol)) || (a.symbol < b.symbol ? 1 : -1),
  );
  const shares = new Map<string, number>();
  let left = balance;
  for (const what of ['trades', 'all'] as const)
    for (const { symbol, expected, unrecorded, ignored } of firstServed) {
      const counted = Math.max(0, sum(expected, what === 'trades' ? Math.min(0, unrecorded) : unrecorded));
      // What is ignored is not there, and nobody misses it.
      const wanted = Math.max(0, sum(counted, ignored));
      const before = shares.get(symbol) ?? 0;
      const share = Math.max(0, Math.min(difference(wanted, before), left));
      shares.set(symbol, sum(before, share));
      left = difference(left, share);
    }
  return new Map(
    holdings.map(({ symbol, expected, unrecorded, ignored }) => {
      const counted = Math.max(0, sum(expected, unrecorded));
      return [symbol, Math.min(counted, difference(shares.get(symbol) ?? 0, ignored))];
    }),
  );
}
