/** A fraction as per cent: 0.5333 with one decimal is '53.3%'. */
export function formatRatio(fraction: number, decimals = 1): string {
  return `${(fraction * 100).toFixed(decimals)}%`;
}

/** A fraction as per cent, 'N/A' when there is none. */
export function formatOptionalRatio(fraction: number | null, decimals = 1): string {
  return fraction === null ? notAvailable : formatRatio(fraction, decimals);
}

/** Shown for a figure that does not exist. */
export const notAvailable = 'N/A';

/** A gain or loss as per cent, always with its sign: 0.041 is '+4.10%'; what is written as nothing is '0.00%', which goes with an amount of either sign. */
export function formatSignedRatio(fraction: number, decimals = 2): string {
  const text = formatRatio(Math.abs(fraction), decimals);
  const shown = Number((fraction * 100).toFixed(decimals));
  if (shown === 0) return text;
  return shown < 0 ? `-${text}` : `+${text}`;
}
