import type { Pair } from '../../market/listings.ts';
import type { Execution } from '../../market/market.ts';
import type { Liquidity } from '../liquidity.ts';
import { product } from '../money.ts';
import type { Order } from '../order.ts';
import { endFutures, takeFutures } from './futures-orders.ts';
import type { FuturesRows } from './futures-rows.ts';
import { maintenanceMargin, marginSummary, type MarkOf } from './margin.ts';
import { absolute, type FuturesPosition, unrealized } from './position.ts';

/** What a liquidation costs of its value, in units of a ratio: 1.25 %. */
const liquidationFee = 1_250_000n;

/** How much the margin of a position is above the least one; the positions with cross margin of an asset share theirs. */
export function marginBuffer(rows: FuturesRows, position: FuturesPosition, asset: string, markOf: MarkOf): bigint {
  if (position.marginType === 'isolated') {
    const mark = markOf(position.symbol);
    return position.isolated + unrealized(position, mark) - maintenanceMargin(position, mark);
  }
  const { crossWallet, crossUnrealized, crossMaintenance } = marginSummary(rows, asset, markOf);
  return crossWallet + crossUnrealized - crossMaintenance;
}

/** Closes a position by force: its orders end, it is sold for what the book gives, and the exchange takes its fee of what is left. */
export function liquidate(rows: FuturesRows, liquidity: Liquidity, pair: Pair, execution: Execution, time: number): void {
  for (const order of [...rows.open.rows()].filter(({ symbol }) => symbol === pair.id)) endFutures(rows, order, 'EXPIRED', time);
  const position = rows.position(pair.id);
  const before = rows.balance(pair.quote).free;
  const order: Order = {
    id: rows.next('orders'),
    clientOrderId: `autoclose-${time}`,
    listId: -1,
    symbol: pair.id,
    side: position.amount > 0n ? 'SELL' : 'BUY',
    type: 'MARKET',
    timeInForce: 'IOC',
    price: 0n,
    stopPrice: 0n,
    amount: absolute(position.amount),
    quoteAmount: 0n,
    filled: 0n,
    filledQuote: 0n,
    reserved: 0n,
    status: 'NEW',
    isWorking: true,
    reduceOnly: true,
    time,
    updateTime: time,
  };
  rows.putOrder(order);
  rows.reportOrder('NEW', order, null, time);
  const { filledQuote } = takeFutures(rows, liquidity, pair, order, execution, time);
  const result = rows.balance(pair.quote).free - before; // with its fees
  const left = position.marginType === 'isolated' ? position.isolated + result : rows.balance(pair.quote).free;
  const fee = product(filledQuote, liquidationFee);
  const amount = left < 0n ? -left : -(left < fee ? left : fee);
  rows.pay({ symbol: pair.id, type: 'INSURANCE_CLEAR', asset: pair.quote, amount, tradeId: 0, time });
  rows.reportAccount('INSURANCE_CLEAR', [pair.quote], [], time);
}
