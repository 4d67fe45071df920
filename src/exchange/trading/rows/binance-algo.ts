import { dayMs } from '#engine/market/durations.ts';
import { fromText, plus, toText, zero } from '#engine/market/decimal.ts';
import type { VenueOrder } from '#engine/ports/trading.ts';
import { numberOf, positiveOf, type Row, rowOf, textOf } from './answer-row.ts';
import { readSide, readState } from './binance-order.ts';

/** The states in which a conditional order waits, or is about to make its order. */
const waiting = ['NEW', 'TRIGGERING', 'TRIGGERED'];

/** Whether a conditional order has still to end. */
export function isAlgoOpen(algo: Row): boolean {
  return waiting.includes(textOf(algo, 'algoStatus'));
}

/** Whether it has ended without an order of its own. */
export function hasEndedUnmade(algo: Row): boolean {
  return ['CANCELED', 'EXPIRED', 'REJECTED'].includes(textOf(algo, 'algoStatus'));
}

/** The id of the order that it has made; null before. */
export function madeOrderId(algo: Row): string | null {
  const id = algo['actualOrderId'] ?? '';
  return id === '' || id === 0 || id === '0' ? null : textOf(algo, 'actualOrderId');
}

/**
 * So long at the least the exchange knows an order that has ended without a fill; one with fills, and a conditional one that has made its order, longer.
 *
 * Source: developers.binance.com, USD-M futures, query order
 */
const knownForMs = 3 * dayMs;

/** Whether the exchange may have forgotten the order that a conditional one has made. Before, one that is not found may only not be there yet. */
export function mayBeForgotten(algo: Row, now: number): boolean {
  const changedAt = Math.max(positiveOf(algo, 'triggerTime') ?? 0, positiveOf(algo, 'updateTime') ?? 0);
  return changedAt > 0 && now - changedAt > knownForMs;
}

/** The order that a conditional one has made, which the exchange has forgotten: what its fills say, and that it has ended. Fails: Error when a fill says no amount */
export function orderOfFills(algo: Row, fills: readonly Row[]): Row {
  const filled = toText(fills.reduce((sum, fill) => plus(sum, fromText(textOf(fill, 'qty'))), zero));
  const isWhole = fills.length > 0 && Number(filled) >= (positiveOf(algo, 'quantity') ?? 0);
  return { origQty: filled, executedQty: filled, status: isWhole ? 'FILLED' : 'EXPIRED' };
}

/**
 * A conditional order, with the order it has made where that is known. Its id is marked, because conditional and real orders are
 * counted apart and may have the same number.
 *
 * Fails: Error when a field is missing or says what cannot be
 */
export function readAlgo(answer: unknown, { symbol }: { symbol: string }, made: Row | null): VenueOrder {
  const algo = rowOf(answer);
  const requested = positiveOf(algo, 'quantity') ?? (made === null ? 0 : numberOf(made, 'origQty')); // 0 for one that closes what there is
  const filled = made === null ? 0 : numberOf(made, 'executedQty');
  if (filled > requested)
    throw new Error(`the order ${textOf(algo, 'clientAlgoId')} is reported to be filled with ${filled} of ${requested}`);
  return {
    clientOrderId: textOf(algo, 'clientAlgoId'),
    exchangeOrderId: `algo-${textOf(algo, 'algoId')}`,
    symbol,
    side: readSide(textOf(algo, 'side')),
    type: 'stop',
    state: made === null ? stateOf(algo) : readState(textOf(made, 'status')),
    requested,
    filled,
    price: positiveOf(algo, 'price'),
    stopPrice: positiveOf(algo, 'triggerPrice'),
    createdTime: numberOf(algo, 'createTime'),
  };
}

/** One that has made its order is open until that order was read. */
function stateOf(algo: Row): VenueOrder['state'] {
  const status = textOf(algo, 'algoStatus');
  return isAlgoOpen(algo) || status === 'FINISHED' ? 'open' : readState(status);
}
