import type { Unprotected } from './use-differences.ts';
import { useDifferences } from './use-differences.ts';

/** The open trades of a bot without a stop that the exchange has confirmed, as far as the viewer may see them. */
export function useUnprotected(botId: string): readonly Unprotected[] {
  return (useDifferences().found?.unprotected ?? []).filter((trade) => trade.bot_id === botId);
}

/** What is known of an open trade that has no stop that the exchange has confirmed; null when it has one, or is not open. */
export function useUnprotectedTrade(tradeId: string | undefined): Unprotected | null {
  return useDifferences().found?.unprotected.find((trade) => trade.trade_id === tradeId) ?? null;
}
