import { feeInQuote } from '#engine/account/fill.ts';
import type { VenueFill } from '#engine/ports/trading.ts';
import { numberOf, type Row, textOf } from './answer-row.ts';

/** Where a kind of message keeps the fields of a fill. */
export interface FillNames {
  id: string;
  price: string;
  amount: string;
  fee: string;
  feeCurrency: string;
  isMaker: string;
  time: string;
}

/** The names in `myTrades` of spot. */
export const spotFillNames: FillNames = {
  id: 'id',
  price: 'price',
  amount: 'qty',
  fee: 'commission',
  feeCurrency: 'commissionAsset',
  isMaker: 'isMaker',
  time: 'time',
};

/** The names in `userTrades` of USD-M. */
export const futuresFillNames: FillNames = { ...spotFillNames, isMaker: 'maker' };

/** The names in messages of user streams. */
export const streamFillNames: FillNames = {
  id: 't',
  price: 'L',
  amount: 'l',
  fee: 'n',
  feeCurrency: 'N',
  isMaker: 'm',
  time: 'T',
};

/** A fill out of a row. Fails: Error when a field is missing */
export function readFill(row: Row, names: FillNames, of: { symbol: string; clientOrderId: string }): VenueFill {
  const paid = { price: numberOf(row, names.price), fee: numberOf(row, names.fee), feeCurrency: textOf(row, names.feeCurrency) };
  const isMaker = row[names.isMaker];
  if (typeof isMaker !== 'boolean') throw new Error(`the field ${names.isMaker} is missing in a fill`);
  return {
    ...paid,
    id: textOf(row, names.id),
    clientOrderId: of.clientOrderId,
    symbol: of.symbol,
    amount: numberOf(row, names.amount),
    feeInQuote: feeInQuote(paid, of.symbol),
    liquidity: isMaker ? 'maker' : 'taker',
    time: numberOf(row, names.time),
  };
}
