import type { Decimal } from '../market/decimal.ts';
import { compare, dividedBy, minus, plus, times, toDecimal, toNumber, zero } from '../market/decimal.ts';
import type { Side } from '../market/direction.ts';
import type { Balance, Position } from '../ports/trading.ts';

/** What an account owns and holds, in exact decimals. */
export class Ledger {
  readonly #owned = new Map<string, Decimal>();
  readonly #locked = new Map<string, Map<string, Decimal>>(); // by currency, then by order
  readonly #held = new Map<string, { amount: Decimal; entry: Decimal }>(); // by symbol; negative amounts are short

  constructor(balances: Readonly<Record<string, number>>) {
    for (const [currency, amount] of Object.entries(balances)) this.#owned.set(currency, toDecimal(amount));
  }

  /** What may be spent of a currency. */
  free(currency: string): Decimal {
    return minus(this.#owned.get(currency) ?? zero, this.#lockedOf(currency));
  }

  /** Sets aside what an order may spend, in place of what it had set aside before; nothing with zero. */
  lock(orderId: string, currency: string, amount: Decimal): void {
    const locks = this.#locked.get(currency) ?? new Map<string, Decimal>();
    this.#locked.set(currency, locks);
    if (compare(amount, zero) > 0) locks.set(orderId, amount);
    else locks.delete(orderId);
  }

  /** Adds to what is owned of a currency; negative amounts are spent. */
  add(currency: string, amount: Decimal): void {
    this.#owned.set(currency, plus(this.#owned.get(currency) ?? zero, amount));
  }

  /** All balances by currency, those of nothing left out. */
  balances(): Balance[] {
    return [...this.#owned.keys()].sort().flatMap((currency) => {
      const [free, locked] = [toNumber(this.free(currency)), toNumber(this.#lockedOf(currency))];
      return free === 0 && locked === 0 ? [] : [{ currency, free, locked }];
    });
  }

  /** What is held of a perpetual: positive is long. */
  held(symbol: string): Decimal {
    return this.#held.get(symbol)?.amount ?? zero;
  }

  /** Moves a position by a fill and returns the profit of what it has closed. */
  move(symbol: string, side: Side, amount: Decimal, price: Decimal): Decimal {
    const before = this.#held.get(symbol) ?? { amount: zero, entry: zero };
    const change = side === 'buy' ? amount : minus(zero, amount);
    const after = plus(before.amount, change);
    const closes = signOf(before.amount) * signOf(change) < 0;
    if (!closes) {
      const value = plus(times(before.amount, before.entry), times(change, price));
      this.#held.set(symbol, { amount: after, entry: dividedBy(value, after) });
      return zero;
    }
    const hasTurned = signOf(after) * signOf(before.amount) < 0;
    const closed = hasTurned ? minus(zero, before.amount) : change; // against the position
    this.#held.set(symbol, { amount: after, entry: hasTurned ? price : before.entry });
    return times(minus(before.entry, price), closed);
  }

  /** The positions that are not flat; leverage and margin mode are not its matter. */
  positions(): Pick<Position, 'symbol' | 'direction' | 'amount' | 'entryPrice'>[] {
    return [...this.#held].flatMap(([symbol, { amount, entry }]) => {
      const held = toNumber(amount);
      if (held === 0) return [];
      return [
        { symbol, direction: held > 0 ? ('long' as const) : ('short' as const), amount: Math.abs(held), entryPrice: toNumber(entry) },
      ];
    });
  }

  #lockedOf(currency: string): Decimal {
    let sum = zero;
    for (const amount of this.#locked.get(currency)?.values() ?? []) sum = plus(sum, amount);
    return sum;
  }
}

function signOf(value: Decimal): number {
  return compare(value, zero);
}
