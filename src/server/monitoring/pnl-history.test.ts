import { aTrade } from '#engine/account/testing/a-trade.ts';
import { aFill, anOrder } from '#engine/account/testing/an-order.ts';
import { closeTrade, countFill, settleTrade } from '#engine/account/trade.ts';
import { toStoredTrade } from '#engine/bot/stored-state.ts';
import type { Trade as StoredTrade } from '#storage/trades/trades.ts';
import { expect, test } from 'vitest';
import { pnlHistory, profitTermsOf, unrealizedPnl } from './pnl-history.ts';

const minute = 60_000;

/** A long of 1 at 100 of which half was taken out at 150, as it is stored; `isClosed`: and the rest at 90. */
function halfOut(isClosed = false): StoredTrade {
  const trade = aTrade({ feeOpen: 0, feeClose: 0 });
  const fill = (purpose: 'entry' | 'exit', amount: number, price: number, time: number): void => {
    const order = anOrder({ id: String(time), purpose, amount, price });
    trade.orders.push(order);
    countFill(trade, order, aFill({ id: String(time), amount, price, time, fee: 0 }), null);
    settleTrade(trade);
  };
  fill('entry', 1, 100, 10 * minute);
  fill('exit', 0.5, 150, 50 * minute);
  if (isClosed) {
    fill('exit', 0.5, 90, 80 * minute);
    closeTrade(trade, 90, 80 * minute);
  }
  return {
    status: isClosed ? 'closed' : 'open',
    openedAt: new Date(10 * minute),
    closedAt: isClosed ? new Date(80 * minute) : null,
    amount: String(trade.amount),
    leverage: '1',
    entryPrice: '100',
    liquidationPrice: null,
    profit: trade.profit === null ? null : String(trade.profit),
    engineState: { ...toStoredTrade(trade) },
  };
}

/** The line over 99 minutes, a point each; the price is 150 throughout. */
function lineOf(trade: StoredTrade): number[] {
  const candles = Array.from({ length: 100 }, (_, i) => ({ openTime: i * minute, open: 150, high: 150, low: 150, close: 150, volume: 1 }));
  return pnlHistory({ from: 0, to: 99 * minute, profitBefore: 7, trades: [trade], candles, price: 150 }).map(({ pnl }) => pnl);
}

test('OP-51, OP-70 to take a part out moves no point of the line: what it has earned stays in it, before the trade is closed and after', () => {
  const open = lineOf(halfOut());
  expect([open[9], open[10], open[49], open[50], open[99]]).toEqual([7, 57, 57, 57, 57]);
  const closed = lineOf(halfOut(true));
  expect([closed[9], closed[10], closed[49], closed[50], closed[79], closed[80], closed[99]]).toEqual([7, 57, 57, 57, 57, 27, 27]);
});

test('OP-70 what an open trade would bring has what was taken out in it, and so have the terms that screens work it out from', () => {
  const trade = halfOut();
  expect(unrealizedPnl(trade, 90, 60 * minute)).toBe(20);
  expect(profitTermsOf(trade)).toMatchObject({ amount: 0.5, open_value: 25, taken_out: 25, funding_fees: 0, all_funding: 0 });
  expect(profitTermsOf({ ...trade, entryPrice: null })).toBeNull();
});
