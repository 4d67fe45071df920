import { minus, plus, shortValueWithFee, times, toDecimal, toNumber } from '../market/decimal.ts';
import type { Direction } from '../market/direction.ts';
import { signOf } from '../market/direction.ts';
import type { MarketType } from '../market/instrument.ts';
import { to8Decimals } from '../market/rounding.ts';
import type { InterestTerms } from './interest.ts';
import { interestOwed } from './interest.ts';

/** What the profit of a position depends on; a trade has it all. */
export interface ProfitTerms {
  direction: Direction;
  marketType: MarketType;
  leverage: number;
  amount: number;
  openRate: number; // rounded average
  openValue: number;
  openTime: number;
  feeClose: number;
  fundingFees: number;
  interest: InterestTerms | null;
}

/** What an entry is worth, fee included: a long pays the fee on top, a short receives less. */
export function valueAtEntry(direction: Direction, amount: number, rate: number, fee: number): number {
  return valueWithFee(amount, rate, fee, direction === 'short' ? -1 : 1);
}

/** What an exit is worth, with fee, funding (futures) and interest (margin). */
export function valueAtExit(terms: ProfitTerms, rate: number, amount: number, fee: number, fundingFees: number, time: number): number {
  const isShort = terms.direction === 'short';
  if (terms.marketType === 'margin' && terms.interest !== null) {
    const interest = toDecimal(interestOwed(terms.interest, { ...terms, amount }, time));
    if (!isShort) return toNumber(minus(withFee(amount, rate, fee, -1), interest));
    const bought = times(plus(toDecimal(amount), interest), toDecimal(rate));
    return toNumber(plus(bought, times(bought, toDecimal(fee))));
  }
  const value = valueWithFee(amount, rate, fee, isShort ? 1 : -1);
  if (terms.marketType !== 'futures') return value;
  return isShort ? value - fundingFees : value + fundingFees;
}

/** The value of what is held, sold (or bought back) at `rate`. */
export function closeValue(terms: ProfitTerms, rate: number, time: number): number {
  return valueAtExit(terms, rate, terms.amount, terms.feeClose, terms.fundingFees, time);
}

/**
 * Profit of what is held at `rate`, as a fraction of the stake, to 8 decimals. Every decision uses this figure.
 *
 * It is worked out in doubles; where those do not settle the eighth decimal, in decimals.
 */
export function profitRatio(terms: ProfitTerms, rate: number, time: number): number {
  if (terms.openValue === 0) return 0;
  if (terms.marketType !== 'margin') {
    const s = signOf(terms.direction);
    const funding = terms.marketType === 'futures' ? terms.fundingFees : 0;
    const value = terms.amount * rate * (1 - s * terms.feeClose) + s * funding;
    const scaled = s * (value / terms.openValue - 1) * terms.leverage * 1e8;
    const rest = Math.abs(scaled) - Math.floor(Math.abs(scaled));
    if (Math.abs(rest - 0.5) > 1e-3 && Math.abs(scaled) < 1e11) return Math.round(scaled) / 1e8;
  }
  const value = closeValue(terms, rate, time);
  const ratio = terms.direction === 'short' ? 1 - value / terms.openValue : value / terms.openValue - 1;
  return to8Decimals(ratio * terms.leverage);
}

/** Profit of what is held at `rate`, in quote currency, to 8 decimals. */
export function profitAt(terms: ProfitTerms, rate: number, time: number): number {
  const value = closeValue(terms, rate, time);
  return to8Decimals(terms.direction === 'short' ? terms.openValue - value : value - terms.openValue);
}

/** The price at which what is held has exactly this profit ratio; funding and interest included. */
export function rateForProfit(terms: ProfitTerms & { feeOpen: number }, ratio: number, time: number): number {
  const fixed = closeValue(terms, 0, time);
  const perUnit = closeValue(terms, 1, time) - fixed;
  // Not the noted value: after an exit of more than was held (oversizedExitIsSettledInFull) a further entry changes the rate alone.
  const openValue = valueAtEntry(terms.direction, terms.amount, terms.openRate, terms.feeOpen);
  return ((1 + (signOf(terms.direction) * ratio) / terms.leverage) * openValue - fixed) / perUnit;
}

/** As `rateForProfit`, in doubles only: for bounds that have a margin. Not for margin trading, where interest grows. */
export function roughRateForProfit(terms: ProfitTerms, ratio: number): number {
  const s = signOf(terms.direction);
  const funding = terms.marketType === 'futures' ? s * terms.fundingFees : 0;
  return ((1 + (s * ratio) / terms.leverage) * terms.openValue - funding) / (terms.amount * (1 - s * terms.feeClose));
}

/** In doubles where they are exact, else in decimals. */
function valueWithFee(amount: number, rate: number, fee: number, sign: 1 | -1): number {
  return shortValueWithFee(amount, rate, fee, sign) ?? toNumber(withFee(amount, rate, fee, sign));
}

function withFee(amount: number, rate: number, fee: number, sign: 1 | -1) {
  const value = times(toDecimal(amount), toDecimal(rate));
  const paid = times(value, toDecimal(fee));
  return sign === 1 ? plus(value, paid) : minus(value, paid);
}
