import { Refusal } from '../refusal.ts';
import { largestAt } from './brackets.ts';
import type { FuturesRows } from './futures-rows.ts';
import type { FuturesPosition } from './position.ts';

/** Sets the leverage of a perpetual. Fails: Refusal -4028, or -2027 and -4161 when its position does not allow it */
export function setLeverage(rows: FuturesRows, symbol: string, leverage: number): FuturesPosition {
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > 125) throw new Refusal(-4028, `Leverage ${leverage} is not valid`);
  const before = rows.position(symbol);
  if (before.cost > largestAt(leverage)) throw new Refusal(-2027, 'Exceeded the maximum allowable position at current leverage.');
  if (before.isolated > 0n && leverage < before.leverage)
    throw new Refusal(-4161, 'Leverage reduction is not supported in Isolated Margin Mode with open positions.');
  const after = { ...before, leverage };
  rows.positions.put(symbol, after);
  return after;
}

/** Sets the margin mode of a perpetual. Fails: Refusal -4046 when it is so already, -4047 and -4048 when something is open */
export function setMarginType(rows: FuturesRows, symbol: string, marginType: FuturesPosition['marginType']): void {
  const before = rows.position(symbol);
  if (before.marginType === marginType) throw new Refusal(-4046, 'No need to change margin type.');
  const hasOrders = [...rows.open.rows(), ...rows.algos.rows()].some((order) => order.symbol === symbol);
  if (hasOrders) throw new Refusal(-4047, 'Margin type cannot be changed if there exists open orders.');
  if (before.amount !== 0n) throw new Refusal(-4048, 'Margin type cannot be changed if there exists position.');
  rows.positions.put(symbol, { ...before, marginType });
}
