import { currenciesOf, feeInQuote } from '#engine/account/fill.ts';
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
  isNoFeeLeftOut?: boolean; // a fill that has cost nothing has neither fee nor currency
}

/** The names in a list of fills, whose orders are listed elsewhere. */
export interface ListedFillNames extends FillNames {
  isBuyer: string;
}

/** The names in `myTrades` of spot. */
export const spotFillNames: ListedFillNames = {
  id: 'id',
  price: 'price',
  amount: 'qty',
  fee: 'commission',
  feeCurrency: 'commissionAsset',
  isMaker: 'isMaker',
  time: 'time',
  isBuyer: 'isBuyer',
};

/** The names in `userTrades` of USD-M. */
export const futuresFillNames: ListedFillNames = { ...spotFillNames, isMaker: 'maker', isBuyer: 'buyer' };

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

/**
 * The names in messages of the user stream of USD-M.
 *
 * Source: developers.binance.com, USD-M futures, order update: commission and its asset are not pushed if there is no commission
 */
export const futuresStreamFillNames: FillNames = { ...streamFillNames, isNoFeeLeftOut: true };

/** A fill out of a row. Fails: Error when a field is missing */
export function readFill(row: Row, names: FillNames, of: Pick<VenueFill, 'symbol' | 'clientOrderId' | 'side'>): VenueFill {
  const paid = { price: numberOf(row, names.price), ...feeOf(row, names, of.symbol) };
  const isMaker = truthOf(row, names.isMaker);
  return {
    ...paid,
    id: textOf(row, names.id),
    clientOrderId: of.clientOrderId,
    symbol: of.symbol,
    side: of.side,
    amount: numberOf(row, names.amount),
    feeInQuote: feeInQuote(paid, of.symbol),
    liquidity: isMaker ? 'maker' : 'taker',
    time: numberOf(row, names.time),
    ...(isLiquidationId(of.clientOrderId) ? { isLiquidation: true } : {}),
  };
}

/**
 * Whether an order is one by which the exchange liquidates. Those by which it reduces a position for somebody else's (`adl_autoclose`), or settles it
 * (`settlement_autoclose-`), have other ids.
 *
 * Source: developers.binance.com, USD-M futures, order update
 */
function isLiquidationId(clientOrderId: string): boolean {
  return clientOrderId.startsWith('autoclose-');
}

/** A fill out of a row of a list. Fails: Error when a field is missing */
export function readListedFill(row: Row, names: ListedFillNames, of: Pick<VenueFill, 'symbol' | 'clientOrderId'>): VenueFill {
  return readFill(row, names, { ...of, side: truthOf(row, names.isBuyer) ? 'buy' : 'sell' });
}

function truthOf(row: Row, name: string): boolean {
  const value = row[name];
  if (typeof value !== 'boolean') throw new Error(`the field ${name} is missing in a fill`);
  return value;
}

function feeOf(row: Row, names: FillNames, symbol: string): Pick<VenueFill, 'fee' | 'feeCurrency'> {
  const [fee, currency] = [row[names.fee] ?? '0', row[names.feeCurrency] ?? ''];
  if (names.isNoFeeLeftOut === true && currency === '' && Number(fee) === 0) return { fee: 0, feeCurrency: currenciesOf(symbol).quote };
  return { fee: numberOf(row, names.fee), feeCurrency: textOf(row, names.feeCurrency) };
}
