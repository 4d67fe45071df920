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
