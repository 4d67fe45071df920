/**
 * The books of an account once more, slowly: everything is worked out from the beginning, from the list of its fills and of what else was
 * paid, in fractions that lose nothing. Money is cut off after eight decimals where the exchange books it, and nowhere else.
 */

/** An exact number. */
export interface Exact {
  n: bigint;
  d: bigint; // positive
}

const fraction = (n: bigint, d: bigint): Exact => (d < 0n ? { n: -n, d: -d } : { n, d });

/** The exact value of a decimal text or of a whole number. */
export function exact(value: string | number): Exact {
  const [whole = '0', decimals = ''] = String(value).split('.');
  return { n: BigInt(`${whole}${decimals}`), d: 10n ** BigInt(decimals.length) };
}
/** The exact value of a whole number of hundred-millionths. */
export const ofUnits = (units: bigint): Exact => ({ n: units, d: 100_000_000n });
const zero = exact(0);
const add = (a: Exact, b: Exact): Exact => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
const negated = ({ n, d }: Exact): Exact => ({ n: -n, d });
const subtract = (a: Exact, b: Exact): Exact => add(a, negated(b));
const multiply = (a: Exact, b: Exact): Exact => fraction(a.n * b.n, a.d * b.d);
const divide = (a: Exact, b: Exact): Exact => fraction(a.n * b.d, a.d * b.n);
const sign = ({ n }: Exact): number => (n > 0n ? 1 : n < 0n ? -1 : 0);
const magnitude = ({ n, d }: Exact): Exact => ({ n: n < 0n ? -n : n, d });
const larger = (a: Exact, b: Exact): Exact => (sign(subtract(a, b)) >= 0 ? a : b);
const smaller = (a: Exact, b: Exact): Exact => (sign(subtract(a, b)) <= 0 ? a : b);
const total = (all: readonly Exact[]): Exact => all.reduce(add, zero);

/** Money as it is booked: what is finer than eight decimals is cut off. */
const booked = ({ n, d }: Exact): Exact => ({ n: (n * 100_000_000n) / d, d: 100_000_000n });

/** Booked money in hundred-millionths. */
export const inUnits = (value: Exact): bigint => (value.n * 100_000_000n) / value.d;

/** A fill as both accounts list it. */
export interface ListedFill {
  symbol: string; // e.g. 'ETHUSDT'
  side: 'BUY' | 'SELL';
  price: Exact;
  amount: Exact;
  isMaker: boolean;
  time: number;
}

/** An order that stands. */
export interface Standing {
  symbol: string;
  side: 'BUY' | 'SELL';
  price: Exact;
  rest: Exact;
  reduceOnly: boolean;
}

const baseOf = (symbol: string): string => symbol.slice(0, -4);
const quoteOf = (symbol: string): string => symbol.slice(-4);

/** What a spot account holds: all of it, and what of it lies in orders. */
export interface NaiveSpot {
  totals: Map<string, Exact>;
  locked: Map<string, Exact>;
  fees: { asset: string; fee: Exact }[]; // of each fill
}

/** The balances of a spot account. `bnbPrice` is the price of BNB in a currency at a time, for accounts that pay their fees in it. */
export function naiveSpot(
  start: Readonly<Record<string, number>>,
  fills: readonly ListedFill[],
  standing: readonly Standing[],
  bnbPrice: ((currency: string, time: number) => Exact) | null,
): NaiveSpot {
  const totals = new Map(Object.entries(start).map(([asset, amount]) => [asset, exact(amount)]));
  const change = (asset: string, by: Exact): void => void totals.set(asset, add(totals.get(asset) ?? zero, by));
  const fees: NaiveSpot['fees'] = [];
  for (const { symbol, side, price, amount, time } of fills) {
    const [base, quote] = [baseOf(symbol), quoteOf(symbol)];
    const value = booked(multiply(price, amount));
    const [received, spent] = side === 'BUY' ? [amount, value] : [value, amount];
    change(side === 'BUY' ? base : quote, received);
    change(side === 'BUY' ? quote : base, negated(spent));
    let paid = { asset: side === 'BUY' ? base : quote, fee: booked(multiply(received, exact('0.001'))) };
    if (bnbPrice !== null && base !== 'BNB') {
      const discounted = booked(multiply(booked(multiply(value, exact('0.001'))), exact('0.75')));
      const inBnb = booked(divide(discounted, bnbPrice(quote, time)));
      if (sign(subtract(totals.get('BNB') ?? zero, inBnb)) >= 0) paid = { asset: 'BNB', fee: inBnb };
    }
    change(paid.asset, negated(paid.fee));
    fees.push(paid);
  }
  const locked = new Map<string, Exact>();
  for (const { symbol, side, price, rest } of standing) {
    const [asset, amount] = side === 'BUY' ? [quoteOf(symbol), booked(multiply(price, rest))] : [baseOf(symbol), rest];
    locked.set(asset, add(locked.get(asset) ?? zero, amount));
  }
  return { totals, locked, fees };
}

/** How a perpetual is traded. */
export interface NaiveTerms {
  leverage: number;
  isIsolated: boolean;
}

/** A payment of funding: what rate was paid at which mark price. */
export interface NaiveFunding {
  symbol: string;
  rate: Exact;
  mark: Exact;
  time: number;
}

/** What is held of a perpetual. */
export interface NaivePosition {
  amount: Exact; // negative is short
  cost: Exact;
  isolated: Exact;
}

/** What a USD-M account holds and could still use, all in one currency. */
export interface NaiveFutures {
  wallet: Exact;
  positions: Map<string, NaivePosition>;
  realized: Exact[]; // of each fill
  fees: Exact[]; // of each fill
  paid: Exact[]; // of each payment of funding
  unrealized: Exact;
  initial: Exact;
  maintenance: Exact;
  orders: Exact; // margin of what may be opened
  available: Exact;
}

/** The least margin of a position of some value, by the table of the exchange: value up to, and the share of it in thousandths. */
const maintenanceTable = [
  [50_000, 4],
  [250_000, 5],
  [3_000_000, 10],
  [20_000_000, 25],
] as const;

/** Each part of the value needs the share of its own bracket. */
function maintenanceOf(value: Exact): Exact {
  let [needed, floor] = [zero, zero];
  for (const [cap, thousandths] of maintenanceTable) {
    const part = subtract(smaller(value, exact(cap)), floor);
    if (sign(part) <= 0) break;
    needed = add(needed, divide(multiply(part, exact(thousandths)), exact(1000)));
    floor = exact(cap);
  }
  return needed;
}

/** The books of a USD-M account. `insured` is what the insurance of the exchange has paid or taken. */
export function naiveFutures(
  start: number,
  events: { fills: readonly ListedFill[]; fundings: readonly NaiveFunding[]; insured: readonly Exact[] },
  standing: readonly Standing[],
  termsOf: (symbol: string) => NaiveTerms,
  markOf: (symbol: string) => Exact,
): NaiveFutures {
  const positions = new Map<string, NaivePosition>();
  const [realized, fees, paid]: Exact[][] = [[], [], []];
  const held = (symbol: string): NaivePosition => positions.get(symbol) ?? { amount: zero, cost: zero, isolated: zero };
  const inSequence = [
    ...events.fundings.map((funding) => ({ time: funding.time, take: () => pay(funding) })),
    ...events.fills.map((fill) => ({ time: fill.time, take: () => trade(fill) })),
  ].sort((a, b) => a.time - b.time); // of the same time the payment comes first: it is that of what was held before
  for (const { take } of inSequence) take();

  function pay({ symbol, rate, mark }: NaiveFunding): void {
    const { amount, cost, isolated } = held(symbol);
    const value = booked(multiply(mark, amount));
    const received = negated(booked(multiply(value, rate)));
    paid.push(received);
    const margin = termsOf(symbol).isIsolated ? larger(add(isolated, received), zero) : isolated;
    positions.set(symbol, { amount, cost, isolated: margin });
  }

  function trade({ symbol, side, price, amount, isMaker }: ListedFill): void {
    const { leverage, isIsolated } = termsOf(symbol);
    const before = held(symbol);
    const moved = side === 'BUY' ? amount : negated(amount);
    const isAgainst = sign(before.amount) !== 0 && sign(before.amount) !== sign(moved);
    const closed = isAgainst ? smaller(amount, magnitude(before.amount)) : zero;
    const share = sign(closed) === 0 ? zero : divide(closed, magnitude(before.amount));
    const [costOut, marginOut] = [booked(multiply(before.cost, share)), booked(multiply(before.isolated, share))];
    const proceeds = booked(multiply(price, closed));
    const costIn = booked(multiply(price, subtract(amount, closed)));
    realized.push(sign(before.amount) > 0 ? subtract(proceeds, costOut) : sign(closed) === 0 ? zero : subtract(costOut, proceeds));
    fees.push(booked(multiply(booked(multiply(price, amount)), exact(isMaker ? '0.0002' : '0.0005'))));
    positions.set(symbol, {
      amount: add(before.amount, moved),
      cost: add(subtract(before.cost, costOut), costIn),
      isolated: add(subtract(before.isolated, marginOut), isIsolated ? booked(divide(costIn, exact(leverage))) : zero),
    });
  }

  const wallet = total([exact(start), ...realized, ...fees.map(negated), ...paid, ...events.insured]);
  const open = [...positions].filter(([, { amount }]) => sign(amount) !== 0);
  const valueOf = ([symbol, { amount }]: [string, NaivePosition]): Exact => booked(multiply(markOf(symbol), magnitude(amount)));
  const profitOf = (each: [string, NaivePosition]): Exact => {
    const profit = subtract(valueOf(each), each[1].cost);
    return sign(each[1].amount) > 0 ? profit : negated(profit);
  };
  const initialOf = (each: [string, NaivePosition]): Exact => booked(divide(valueOf(each), exact(termsOf(each[0]).leverage)));
  const cross = open.filter(([symbol]) => !termsOf(symbol).isIsolated);
  const orders = total([...new Set(standing.map(({ symbol }) => symbol))].map((symbol) => orderMargin(symbol)));

  /** The margin of the larger of two positions: after all purchases, or after all sales; without what the position has already. */
  function orderMargin(symbol: string): Exact {
    const mark = markOf(symbol);
    const own = standing.filter((order) => order.symbol === symbol && !order.reduceOnly);
    const valueOfSide = (side: 'BUY' | 'SELL'): Exact =>
      total(
        own
          .filter((order) => order.side === side)
          .map(({ price, rest }) => booked(multiply(side === 'BUY' ? price : larger(price, mark), rest))),
      );
    const now = booked(multiply(mark, held(symbol).amount));
    const widest = larger(magnitude(add(now, valueOfSide('BUY'))), magnitude(subtract(now, valueOfSide('SELL'))));
    return booked(divide(larger(subtract(widest, magnitude(now)), zero), exact(termsOf(symbol).leverage)));
  }

  const isolated = total(open.map(([, position]) => position.isolated));
  const free = total([subtract(wallet, isolated), ...cross.map(profitOf), ...cross.map(initialOf).map(negated), negated(orders)]);
  return {
    wallet,
    positions,
    realized,
    fees,
    paid,
    unrealized: total(open.map(profitOf)),
    initial: total(open.map(initialOf)),
    maintenance: total(open.map((each) => booked(maintenanceOf(valueOf(each))))),
    orders,
    available: larger(free, zero),
  };
}
