/** Measures of the page in points: A4, upright. */
export const sheet = { width: 595.28, height: 841.89, margin: 40, inner: 515.28 } as const;

/** Colours for white paper. Money has up and down; live and paper have their own. */
export const inks = {
  text: '#131722',
  dim: '#565d70',
  line: '#c9ced9',
  up: '#00796b',
  down: '#c62828',
  live: '#b26a00',
  paper: '#646b7d',
  testnet: '#1f52e0',
} as const;

/** The colour of a profit, as it is written. */
export function inkOf(profit: number): string {
  const rounded = Number(profit.toFixed(2));
  if (rounded === 0) return inks.text;
  return rounded > 0 ? inks.up : inks.down;
}
