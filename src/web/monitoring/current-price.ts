import type { CallReply } from '#contract/client.ts';
import type { ProfitTerms } from '#engine/account/profit.ts';
import { profitAt, roughRateForProfit } from '#engine/account/profit.ts';

/** A price as an answer gave it. Times in ms. */
export interface KnownPrice {
  price: number;
  time: number | undefined; // when it was last known to be the price, by the server's clock
  ageMs: number; // how old it was when the answer was made; 0 while its source speaks
  receivedAt: number; // by the browser's clock
}

/** The price of now: that of the last PnL answer, replaced by the close of the newest candle at each later chart poll. */
export function currentPrice(pnl: KnownPrice | null, close: KnownPrice | null): KnownPrice | null {
  if (pnl === null || close === null) return close ?? pnl;
  if (pnl.time !== undefined && close.time !== undefined) return close.time >= pnl.time ? close : pnl;
  return close.receivedAt >= pnl.receivedAt ? close : pnl;
}

/** What the open position would bring at a price, after fees, by the engine's own rule; the server's figure where it sent no terms. */
export function unrealizedAt(pnl: Pick<CallReply<'pnlMetrics'>, 'unrealized_pnl' | 'profit_terms'>, price: KnownPrice | null): number {
  if (pnl.profit_terms === undefined || pnl.profit_terms === null || price === null) return pnl.unrealized_pnl;
  return profitAt(toProfitTerms(pnl.profit_terms), price.price, price.time ?? price.receivedAt);
}

/**
 * The price at which the open trade would bring nothing after fees and funding, with what was taken out of it; null where it is not known,
 * moves with interest, or where there is none because enough was taken out.
 */
export function breakEven({ profit_terms: terms }: Pick<CallReply<'pnlMetrics'>, 'profit_terms'>): number | null {
  if (terms === undefined || terms === null || terms.interest !== null) return null;
  const price = roughRateForProfit(toProfitTerms(terms), 0);
  return price > 0 ? price : null;
}

function toProfitTerms(terms: NonNullable<CallReply<'pnlMetrics'>['profit_terms']>): ProfitTerms {
  return {
    direction: terms.direction,
    marketType: terms.market_type,
    leverage: terms.leverage,
    amount: terms.amount,
    openRate: terms.open_rate,
    openValue: terms.open_value,
    openTime: terms.open_time,
    feeClose: terms.fee_close,
    fundingFees: terms.funding_fees,
    interest: terms.interest === null ? null : { scheme: terms.interest.scheme, ratePerPeriod: terms.interest.rate_per_period },
  };
}
