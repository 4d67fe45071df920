import type { LargestStakeRule, LiquidationFormula } from './trading-settings.ts';

/** The formula of an exchange, by its id. */
export function liquidationFormulaOf(exchangeId: string): LiquidationFormula {
  if (exchangeId.startsWith('binance') || exchangeId === 'sandbox') return 'binance';
  if (exchangeId === 'bybit' || exchangeId === 'bitget' || exchangeId === 'hyperliquid') return exchangeId;
  return 'generic';
}

/** The rule of an exchange for the largest stake, by its id. OKX: no limit on spot counts, and on futures only the last tier. */
export function largestStakeRuleOf(exchangeId: string): LargestStakeRule {
  return exchangeId === 'okx' ? 'last-tier' : 'tier-of-leverage';
}
