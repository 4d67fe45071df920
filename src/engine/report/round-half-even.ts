/**
 * A number rounded to some decimals as the reference rounds figures: to the nearest, an exact middle to the even neighbour.
 *
 * A double lies exactly in the middle only when it is an odd number of halves of the last kept binary place: 6.625 is a
 * middle of two decimals, 2.675 (stored as 2.67499...) is not.
 *
 * Needs: `decimals` from 0 to 20
 */
export function roundHalfEven(value: number, decimals: number): number {
  const halves = value * 2 ** (decimals + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0) return Number(value.toFixed(decimals));
  const power = 10 ** decimals;
  const below = Math.floor(value * power);
  return (below % 2 === 0 ? below : below + 1) / power;
}
