import { describe, expect, test } from 'vitest';
import { listPairs } from '../../market/listings.ts';
import { coin } from '../money.ts';
import { Store } from '../store.ts';
import { brackets, maintenanceOf } from './brackets.ts';
import { FuturesRows } from './futures-rows.ts';
import { marginBuffer } from './liquidation.ts';
import { liquidationPrice } from './margin.ts';
import { absolute, afterFill, type FuturesPosition } from './position.ts';

const pair = listPairs(0).find(({ market, id }) => market === 'futures' && id === 'ETHUSDT')!;
const units = (value: number): bigint => BigInt(Math.round(value * 1e8));

function account(wallet: number): FuturesRows {
  const rows = new FuturesRows(new Store(null), 'one', () => {});
  rows.openWith({ USDT: units(wallet) }, 0);
  return rows;
}

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
