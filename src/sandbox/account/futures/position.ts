import { product } from '../money.ts';

/** What an account holds of a perpetual, and how. Prices and money in units. */
export interface FuturesPosition {
  symbol: string;
  amount: bigint; // negative when short
  cost: bigint; // what was paid for it at its entries, always positive
  isolated: bigint; // margin of its own; 0 with cross margin
  leverage: number;
  marginType: 'isolated' | 'cross';
  updateTime: number; // ms; 0 when it never held anything
}

/** What a fill makes of a position. */
export interface PositionChange {
  position: FuturesPosition;
  realized: bigint; // profit of what was closed, without fees
}

/** A position after a fill: what is against it closes it at its average entry, the rest opens. */
export function afterFill(before: FuturesPosition, side: 'BUY' | 'SELL', price: bigint, amount: bigint, time: number): PositionChange {
  const held = absolute(before.amount);
  const isAgainst = before.amount !== 0n && before.amount > 0n === (side === 'SELL');
  const closed = isAgainst ? (amount < held ? amount : held) : 0n;
  const opened = amount - closed;
  const costClosed = closed === 0n ? 0n : (before.cost * closed) / held;
  const isolatedClosed = closed === 0n ? 0n : (before.isolated * closed) / held;
  const proceeds = product(price, closed);
  const realized = before.amount > 0n ? proceeds - costClosed : costClosed - proceeds;
  const costOpened = product(price, opened);
  const isolatedOpened = before.marginType === 'isolated' ? costOpened / BigInt(before.leverage) : 0n;
  return {
    realized: closed === 0n ? 0n : realized,
    position: {
      ...before,
      amount: before.amount + (side === 'BUY' ? amount : -amount),
      cost: before.cost - costClosed + costOpened,
      isolated: before.isolated - isolatedClosed + isolatedOpened,
      updateTime: time,
    },
  };
}

/** The profit that closing at a price would make. */
export function unrealized({ amount, cost }: FuturesPosition, mark: bigint): bigint {
  const value = product(mark, absolute(amount));
  return amount >= 0n ? value - cost : cost - value;
}

/** Without its sign. */
export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
