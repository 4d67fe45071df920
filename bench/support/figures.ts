/** The value below which the given share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** One line of a table: what, the figure, and what was promised. */
export function row(what: string, figure: string, promise: string): void {
  process.stdout.write(`${what.padEnd(62)} ${figure.padStart(22)}   (${promise})\n`);
}
