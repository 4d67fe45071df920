/**
 * Stake currencies that count as dollars in sums over several bots. Amounts in others, such as BTC, cannot be added to them
 * without a price, so sums leave them out.
 */
export const dollarCurrencies: readonly string[] = ['USD', 'USDT', 'USDC', 'BUSD', 'FDUSD', 'TUSD', 'USDP', 'PYUSD', 'DAI', 'USDE'];

const dollars: ReadonlySet<string> = new Set(dollarCurrencies);

/** Whether a currency counts as dollars. */
export function isDollar(currency: string): boolean {
  return dollars.has(currency);
}
