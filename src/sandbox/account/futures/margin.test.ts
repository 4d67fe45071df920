import { describe, expect, test } from 'vitest';
import { fundingMs, fundingRate } from '../../market/funding.ts';
import { listPairs } from '../../market/listings.ts';
import { Market } from '../../market/market.ts';
import { coin, priceUnits } from '../money.ts';
import type { Order } from '../order.ts';
import { Store } from '../store.ts';
import { brackets, maintenanceOf } from './brackets.ts';
import { FuturesFollower } from './follower.ts';
import { FuturesRows } from './futures-rows.ts';
import { marginBuffer } from './liquidation.ts';
import { payFunding } from './funding-payments.ts';
import { liquidationPrice, marginSummary, orderMarginOf } from './margin.ts';
import { absolute, afterFill, type FuturesPosition } from './position.ts';

const pair = listPairs(0).find(({ market, id }) => market === 'futures' && id === 'ETHUSDT')!;
const units = (value: number): bigint => BigInt(Math.round(value * 1e8));

function account(wallet: number): FuturesRows {
  const rows = new FuturesRows(new Store(null), 'one', () => {});
  rows.openWith({ USDT: units(wallet) }, 0);
  return rows;
}

const anOrder: Order = {
  id: 1,
  clientOrderId: 'one',
  listId: -1,
  symbol: 'ETHUSDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  price: units(3000),
  stopPrice: 0n,
  amount: units(1),
  quoteAmount: 0n,
  filled: 0n,
  filledQuote: 0n,
  reserved: 0n,
  status: 'NEW',
  isWorking: true,
  reduceOnly: false,
  time: 0,
  updateTime: 0,
};

test('a loss takes no more than the wallet holds; the rest is paid by the exchange, and both are noted', () => {
  const rows = account(100);
  rows.pay({ symbol: 'ETHUSDT', type: 'REALIZED_PNL', asset: 'USDT', amount: -units(130), tradeId: 1, time: 1 });
  expect(rows.balance('USDT').free).toBe(0n);
  expect([...rows.income.rows()].map(({ type, amount }) => [type, amount])).toEqual([
    ['REALIZED_PNL', -units(130)],
    ['INSURANCE_CLEAR', units(30)],
  ]);
});

test('the margin that must remain has no step where one bracket ends and the next begins', () => {
  for (const { cap } of brackets.slice(0, -1)) expect(maintenanceOf(cap) - maintenanceOf(cap - 1n)).toBeLessThanOrEqual(1n);
});

describe('at its liquidation price a position has exactly the margin that must remain', () => {
  test.each([
    ['long, isolated', 1, 'isolated', 20],
    ['short, isolated', -1, 'isolated', 20],
    ['long, cross', 30, 'cross', 10],
    ['short, cross', -30, 'cross', 10],
  ] as const)('%s', (_name, amount, marginType, leverage) => {
    const rows = account(10_000);
    const empty: FuturesPosition = { ...rows.position('ETHUSDT'), marginType, leverage };
    const { position } = afterFill(empty, amount > 0 ? 'BUY' : 'SELL', units(3000), absolute(units(amount)), 1);
    rows.positions.put('ETHUSDT', position);
    const price = liquidationPrice(rows, pair, position, () => units(3000));
    expect(price > units(3000)).toBe(amount < 0);
    const buffer = marginBuffer(rows, position, 'USDT', () => price);
    expect(absolute(buffer)).toBeLessThan(coin / 100n); // a hundredth of a dollar
  });
});

test('an order of which a part is filled needs margin for its rest alone', () => {
  const rows = account(10_000);
  const order = { ...anOrder, amount: units(2), price: units(3000) };
  rows.putOrder(order);
  expect(orderMarginOf(rows, 'ETHUSDT', units(3000))).toBe(units(2 * 3000) / 20n);
  rows.putOrder({ ...order, filled: units(1.5), status: 'PARTIALLY_FILLED' });
  expect(orderMarginOf(rows, 'ETHUSDT', units(3000))).toBe(units(0.5 * 3000) / 20n);
});

describe('an account in two currencies', () => {
  const inBoth = (): FuturesRows => {
    const rows = new FuturesRows(new Store(null), 'one', () => {});
    rows.openWith({ USDT: units(1_000_000), USDC: units(1_000) }, 0);
    return rows;
  };

  test('keeps margin for an order in its own currency alone', () => {
    const rows = inBoth();
    rows.putOrder({ ...anOrder, symbol: 'ETHUSDC' });
    const orderMargin = (asset: string): bigint => marginSummary(rows, asset, () => units(3000)).orderMargin;
    expect([orderMargin('USDT'), orderMargin('USDC')]).toEqual([0n, units(3000) / 20n]);
  });

  test('may lose a position by prices that take its margin in its own currency, however much there is in the other', () => {
    const rows = inBoth();
    const empty: FuturesPosition = { ...rows.position('ETHUSDC'), marginType: 'cross', leverage: 20 };
    rows.positions.put('ETHUSDC', afterFill(empty, 'BUY', units(3000), units(5), 1).position);
    const market = new Market(7, 0, []);
    const index = market.pair('spot', 'ETHUSDC')!;
    const follower = new FuturesFollower(
      rows,
      market,
      () => units(3000),
      () => {},
    );
    const isReached = (price: number): boolean => {
      const ticks = Number(units(price) / priceUnits(index, 1));
      return follower.isReached(index, ticks, ticks);
    };
    expect([isReached(2_990), isReached(2_800)]).toEqual([false, true]); // 1,000 for 5 of it
  });
});

describe('funding of a position with a margin of its own', () => {
  const market = new Market(7, 0, []);
  const payments = Array.from({ length: 90 }, (_, i) => Date.UTC(2026, 0, 1) + i * fundingMs);
  const at = (isPositive: boolean): number => payments.find((time) => fundingRate(market.seed, pair, time) > 0 === isPositive) ?? 0;

  test.each([
    ['a long at a positive rate pays', 1, true, -1],
    ['a long at a negative rate receives', 1, false, 1],
    ['a short at a positive rate receives', -1, true, 1],
    ['a short at a negative rate pays', -1, false, -1],
  ] as const)('%s, and its liquidation comes nearer or moves away', (_name, amount, isPositive, sign) => {
    const rows = account(10_000);
    const empty: FuturesPosition = { ...rows.position('ETHUSDT'), marginType: 'isolated', leverage: 20 };
    const { position } = afterFill(empty, amount > 0 ? 'BUY' : 'SELL', units(3000), units(1), 1);
    rows.positions.put('ETHUSDT', position);
    const price = () => liquidationPrice(rows, pair, rows.position('ETHUSDT'), () => units(3000));
    const before = price();
    payFunding(rows, market, () => units(3000), at(isPositive));
    const paid = [...rows.income.rows()].reduce((sum, each) => sum + each.amount, 0n);
    expect(paid > 0n).toBe(sign > 0);
    expect(rows.position('ETHUSDT').isolated).toBe(position.isolated + paid);
    expect(rows.balance('USDT').free).toBe(units(10_000) + paid);
    // A long is liquidated below: what it pays brings that price nearer, up to its own.
    expect(price() > before).toBe(amount > 0 === sign < 0);
  });
});

describe('a fill against a position', () => {
  const long = afterFill(account(0).position('ETHUSDT'), 'BUY', units(3000), units(2), 1).position;

  test('closes a part at the average entry', () => {
    const { position, realized } = afterFill(long, 'SELL', units(3100), units(0.5), 2);
    expect([position.amount, position.cost, realized]).toEqual([units(1.5), units(4500), units(50)]);
  });

  test('turns it when it is larger, and the rest opens at its own price', () => {
    const { position, realized } = afterFill(long, 'SELL', units(2900), units(3), 2);
    expect([position.amount, position.cost, realized]).toEqual([-units(1), units(2900), -units(200)]);
  });
});
