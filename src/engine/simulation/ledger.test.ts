import { describe, expect, test } from 'vitest';
import { toDecimal, toNumber } from '../market/decimal.ts';
import { Ledger } from './ledger.ts';

const decimal = toDecimal;

describe('the money of an account', () => {
  const ledger = () => new Ledger({ USDT: 100, BTC: 2 });

  test('what orders may spend is set aside, each for itself, and what is free is the rest', () => {
    const of = ledger();
    of.lock('1', 'USDT', decimal(30));
    of.lock('2', 'USDT', decimal(20));
    of.lock('1', 'USDT', decimal(10));
    of.lock('1', 'BTC', decimal(0.5));
    expect(of.balances()).toEqual([
      { currency: 'BTC', free: 1.5, locked: 0.5 },
      { currency: 'USDT', free: 70, locked: 30 },
    ]);
    of.lock('2', 'USDT', decimal(0));
    expect(toNumber(of.free('USDT'))).toBe(90);
    expect(toNumber(of.free('ETH'))).toBe(0);
  });

  test('is named by currency, and nothing is not named', () => {
    const of = ledger();
    of.add('AAVE', decimal(3));
    of.add('BTC', decimal(-2));
    expect(of.balances().map(({ currency }) => currency)).toEqual(['AAVE', 'USDT']);
    of.lock('1', 'USDT', decimal(100));
    expect(of.balances()).toContainEqual({ currency: 'USDT', free: 0, locked: 100 });
  });
});

describe('a position', () => {
  /** What each move closes with, and what is held at the end. */
  const moved = (...moves: readonly (readonly [side: 'buy' | 'sell', amount: number, price: number])[]) => {
    const of = new Ledger({});
    const profits = moves.map(([side, amount, price]) => toNumber(of.move('X', side, decimal(amount), decimal(price))));
    return { profits, held: toNumber(of.held('X')), positions: of.positions() };
  };
  const long = (amount: number, entryPrice: number) => [{ symbol: 'X', direction: 'long', amount, entryPrice }];
  const short = (amount: number, entryPrice: number) => [{ symbol: 'X', direction: 'short', amount, entryPrice }];

  test.each([
    ['opens long', [['buy', 2, 100]], [0], long(2, 100)],
    ['opens short', [['sell', 2, 100]], [0], short(2, 100)],
    [
      'grows to the average price',
      [
        ['buy', 1, 100],
        ['buy', 3, 120],
      ],
      [0, 0],
      long(4, 115),
    ],
    [
      'grows short to the average price',
      [
        ['sell', 1, 100],
        ['sell', 3, 120],
      ],
      [0, 0],
      short(4, 115),
    ],
    [
      'is closed in part at the price it was entered for',
      [
        ['buy', 4, 100],
        ['sell', 1, 110],
      ],
      [0, 10],
      long(3, 100),
    ],
    [
      'short is closed in part',
      [
        ['sell', 4, 100],
        ['buy', 1, 110],
      ],
      [0, -10],
      short(3, 100),
    ],
    [
      'is closed',
      [
        ['buy', 4, 100],
        ['sell', 4, 90],
      ],
      [0, -40],
      [],
    ],
    [
      'opens again at its new price',
      [
        ['buy', 4, 100],
        ['sell', 4, 90],
        ['buy', 1, 80],
      ],
      [0, -40, 0],
      long(1, 80),
    ],
    [
      'turns short: the rest is entered at the new price',
      [
        ['buy', 4, 100],
        ['sell', 6, 90],
      ],
      [0, -40],
      short(2, 90),
    ],
    [
      'turns long: the rest is entered at the new price',
      [
        ['sell', 4, 100],
        ['buy', 6, 90],
      ],
      [0, 40],
      long(2, 90),
    ],
  ] as const)('%s', (_, moves, profits, positions) => {
    const found = moved(...moves);
    expect(found.profits).toEqual(profits);
    expect(found.positions).toEqual(positions);
    const [only] = positions;
    expect(found.held).toBe(only === undefined ? 0 : only.direction === 'long' ? only.amount : -only.amount);
  });

  test('of another symbol is another', () => {
    const of = new Ledger({});
    of.move('X', 'buy', decimal(1), decimal(100));
    of.move('Y', 'sell', decimal(1), decimal(50));
    expect(of.positions()).toEqual([...long(1, 100), { ...short(1, 50)[0], symbol: 'Y' }]);
    expect(toNumber(of.held('Z'))).toBe(0);
  });
});
