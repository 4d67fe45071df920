import { fundingRate } from '../../market/funding.ts';
import type { Market } from '../../market/market.ts';
import { coin } from '../money.ts';
import type { FuturesRows } from './futures-rows.ts';
import type { MarkOf } from './margin.ts';

/** Pays the funding of all positions at a funding time: at a positive rate longs pay and shorts receive. */
export function payFunding(rows: FuturesRows, market: Market, markOf: MarkOf, time: number): void {
  for (const position of rows.held()) {
    const pair = market.pair('futures', position.symbol);
    if (pair === undefined) continue;
    const rate = BigInt(Math.round(fundingRate(market.seed, pair, time) * Number(coin))); // it has eight decimals
    const amount = -((markOf(pair.id) * position.amount * rate) / (coin * coin)); // cut once, to the unit
    const after = position.marginType === 'isolated' ? { ...position, isolated: notBelowZero(position.isolated + amount) } : position;
    if (after !== position) rows.positions.put(pair.id, after);
    rows.pay({ symbol: pair.id, type: 'FUNDING_FEE', asset: pair.quote, amount, tradeId: 0, time });
    rows.reportAccount('FUNDING_FEE', [pair.quote], position.marginType === 'isolated' ? [after] : [], time);
  }
}

function notBelowZero(value: bigint): bigint {
  return value < 0n ? 0n : value;
}
