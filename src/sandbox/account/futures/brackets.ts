import { coin } from '../money.ts';

/** How much leverage a position of some value may have, and what margin must remain. */
export interface Bracket {
  floor: bigint; // value of the position, in units
  cap: bigint;
  leverage: number;
  ratio: bigint; // of maintenance margin, in units of a ratio
  deduction: bigint; // so that the margin has no step at the floor
}

const rows: readonly (readonly [cap: number, leverage: number, ratioInTenthsOfPerCent: number])[] = [
  [50_000, 125, 4],
  [250_000, 100, 5],
  [3_000_000, 50, 10],
  [20_000_000, 20, 25],
  [40_000_000, 10, 50],
  [100_000_000, 5, 100],
  [200_000_000, 4, 125],
  [500_000_000, 2, 250],
];

/** The brackets of every perpetual of the sandbox. */
export const brackets: readonly Bracket[] = rows.reduce<Bracket[]>((all, [cap, leverage, tenths]) => {
  const before = all.at(-1);
  const floor = before?.cap ?? 0n;
  const ratio = (BigInt(tenths) * coin) / 1000n;
  const deduction = before === undefined ? 0n : before.deduction + (floor * (ratio - before.ratio)) / coin;
  return [...all, { floor, cap: BigInt(cap) * coin, leverage, ratio, deduction }];
}, []);

/** The bracket of a position's value. */
export function bracketOf(value: bigint): Bracket {
  const found = brackets.find(({ cap }) => value < cap) ?? brackets.at(-1);
  if (found === undefined) throw new Error('There are brackets.');
  return found;
}

/** The margin that must remain for a position of this value. */
export function maintenanceOf(value: bigint): bigint {
  const { ratio, deduction } = bracketOf(value);
  return (value * ratio) / coin - deduction;
}

/** The largest value of a position at a leverage. */
export function largestAt(leverage: number): bigint {
  return brackets.findLast((bracket) => bracket.leverage >= leverage)?.cap ?? 0n;
}
