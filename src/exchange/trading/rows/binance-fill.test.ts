import { expect, test } from 'vitest';
import { futuresFillNames, readListedFill } from './binance-fill.ts';

test('a fill says whether it is of a liquidation, and not merely of an order that the exchange has made', () => {
  const row = { id: 7, price: '90', qty: '0.5', commission: '0.01', commissionAsset: 'USDT', maker: false, buyer: false, time: 6 };
  const isLiquidation = (clientOrderId: string) =>
    readListedFill(row, futuresFillNames, { symbol: 'BTC/USDT:USDT', clientOrderId }).isLiquidation;
  const ids = ['autoclose-1796066978000', 'adl_autoclose', 'settlement_autoclose-1796066978000', 'web_1', ''];
  expect(ids.map(isLiquidation)).toEqual([true, undefined, undefined, undefined, undefined]);
});
