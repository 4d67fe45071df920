import { coin } from '../money.ts';
import type { TimeInForce } from '../order.ts';

/** A conditional order of USD-M: it waits for a price, and then makes an order. Prices and amounts in units. */
export interface AlgoOrder {
  id: number;
  clientAlgoId: string;
  symbol: string;
  side: 'BUY' | 'SELL';
  type: 'STOP_MARKET' | 'TAKE_PROFIT_MARKET' | 'TRAILING_STOP_MARKET' | 'STOP' | 'TAKE_PROFIT';
  timeInForce: TimeInForce;
  amount: bigint; // 0 when it closes the whole position
  price: bigint; // of the order it makes; 0 at market
  triggerPrice: bigint; // of a trailing one the price that activates it, 0 for at once
  callback: bigint; // of a trailing one, in units of a ratio; else 0
  extreme: bigint; // the best price since a trailing one became active; 0 before
  closePosition: boolean;
  reduceOnly: boolean;
  workingType: 'CONTRACT_PRICE' | 'MARK_PRICE';
  status: 'NEW' | 'TRIGGERED' | 'FINISHED' | 'CANCELED' | 'EXPIRED';
  actualOrderId: number; // the order it has made; 0 before
  reason: string; // why it expired
  time: number; // ms
  updateTime: number;
  triggerTime: number; // 0 before
}

/** Whether a price sets it off. */
export function isSetOff(algo: AlgoOrder, price: bigint): boolean {
  const isSale = algo.side === 'SELL';
  if (algo.type !== 'TRAILING_STOP_MARKET') {
    const isProfit = algo.type.startsWith('TAKE_PROFIT');
    return isSale === isProfit ? price >= algo.triggerPrice : price <= algo.triggerPrice;
  }
  if (algo.extreme === 0n) return false;
  const distance = (algo.extreme * algo.callback) / coin;
  return isSale ? price <= algo.extreme - distance : price >= algo.extreme + distance;
}

/** It after a price, which moves a trailing one. */
export function afterPrice(algo: AlgoOrder, price: bigint): AlgoOrder {
  if (algo.type !== 'TRAILING_STOP_MARKET') return algo;
  const isSale = algo.side === 'SELL';
  const isActive = algo.extreme !== 0n || algo.triggerPrice === 0n || (isSale ? price >= algo.triggerPrice : price <= algo.triggerPrice);
  if (!isActive) return algo;
  const isBetter = algo.extreme === 0n || (isSale ? price > algo.extreme : price < algo.extreme);
  return isBetter ? { ...algo, extreme: price } : algo;
}

/** Whether something may set it off while the price is between these, whatever the sequence. */
export function maySetOff(algo: AlgoOrder, low: bigint, high: bigint): boolean {
  const [best, worst] = algo.side === 'SELL' ? [high, low] : [low, high];
  if (algo.type !== 'TRAILING_STOP_MARKET') return isSetOff(algo, low) || isSetOff(algo, high);
  return isSetOff(afterPrice(algo, best), worst);
}
