import { describe, expect, test } from 'vitest';
import { hourMs, minuteMs, secondMs } from '#engine/market/durations.ts';
import type { AccountRows } from './account/account-rows.ts';
import { Accounts } from './account/accounts.ts';
import { setLeverage, setMarginType } from './account/futures/position-settings.ts';
import { coin, priceUnits } from './account/money.ts';
import type { Order } from './account/order.ts';
import { Refusal } from './account/refusal.ts';
import { Store } from './account/store.ts';
import { type SandboxClock, sandboxClock } from './market/clock.ts';
import type { Pair, SandboxMarket } from './market/listings.ts';
import { Market, tickNumber } from './market/market.ts';
import { nameKey, uniform } from './market/noise.ts';
import { futuresUserEvent } from './wire/futures-events.ts';
import { algoWish, futuresWish } from './wire/futures-wish.ts';
import { spotWish } from './wire/order-wish.ts';
import { orderAnswer, spotUserEvent } from './wire/spot-shapes.ts';
import { runSize } from '../../test/support/run-size.ts';

/** How many sequences are tried, and from which seed. */
const { size: sequences, seed: firstSeed } = runSize(12);
const actions = 60;

const market = new Market(7, 0, []);
const symbols = ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'];

/** Random draws of a sequence, always the same for a seed. */
function draws(seed: number) {
  let count = 0;
  const next = () => uniform(seed, nameKey('promises'), 1, (count += 1));
  return { next, pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] };
}

function world(): { clock: SandboxClock; accounts: Accounts } {
  const clock = sandboxClock({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0 });
  return { clock, accounts: new Accounts(market, clock, new Store(null)) };
}

/** A random order around the price of the market. */
function randomOrder(
  kind: SandboxMarket,
  { next, pick }: ReturnType<typeof draws>,
  clock: SandboxClock,
  id: string,
): { pair: Pair; query: URLSearchParams } {
  const pair = market.pair(kind, pick(symbols))!;
  const price = Number(priceUnits(pair, market.execution(pair, tickNumber(clock.now()))!.price)) / 1e8;
  const near = () => (price * (0.985 + 0.03 * next())).toFixed(pair.decimals);
  const type = pick(
    kind === 'spot'
      ? ['LIMIT', 'LIMIT', 'MARKET', 'LIMIT_MAKER', 'STOP_LOSS_LIMIT', 'TAKE_PROFIT_LIMIT', 'STOP_LOSS']
      : ['LIMIT', 'LIMIT', 'MARKET'],
  );
  const amount = (((kind === 'spot' ? 2_500 : 15_000) * (0.02 + next())) / price).toFixed(pair.amountDecimals);
  const query = new URLSearchParams({ side: pick(['BUY', 'SELL']), type, newClientOrderId: id });
  if (type === 'MARKET' && kind === 'spot' && next() < 0.3) query.set('quoteOrderQty', (50 + 2000 * next()).toFixed(2));
  else query.set('quantity', amount);
  if (type.includes('LIMIT')) query.set('price', near());
  if (type.includes('LIMIT') && type !== 'LIMIT_MAKER') query.set('timeInForce', pick(['GTC', 'GTC', 'GTC', 'IOC', 'FOK']));
  if (type.startsWith('STOP') || type.startsWith('TAKE')) query.set('stopPrice', near());
  if (kind === 'futures' && next() < 0.25) query.set('reduceOnly', 'true');
  return { pair, query };
}

/** Two orders around the price of which one ends the other. */
function randomPair(draw: ReturnType<typeof draws>, clock: SandboxClock, i: number) {
  const pair = market.pair('spot', draw.pick(symbols))!;
  const price = Number(priceUnits(pair, market.execution(pair, tickNumber(clock.now()))!.price)) / 1e8;
  const side = draw.pick(['BUY', 'SELL']);
  const sign = side === 'SELL' ? 1 : -1;
  const at = (ratio: number) => (price * (1 + sign * ratio)).toFixed(pair.decimals);
  const quantity = ((100 + 900 * draw.next()) / price).toFixed(pair.amountDecimals);
  const limit = spotWish(
    new URLSearchParams({ side, type: 'LIMIT_MAKER', quantity, price: at(0.01 * draw.next()), newClientOrderId: `l${i}` }),
  );
  const stopPrice = at(-0.01 * draw.next());
  const query = { side, type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', quantity, stopPrice, price: at(-0.012), newClientOrderId: `s${i}` };
  return { pair, wishes: { limit, stop: spotWish(new URLSearchParams(query)), clientListId: `p${i}` } };
}

/** How far the clock goes after an action: mostly not at all or a little, sometimes hours. */
function pause({ next }: ReturnType<typeof draws>): number {
  const kind = next();
  if (kind < 0.3) return 0;
  return Math.floor(next() * (kind < 0.6 ? 20 * secondMs : kind < 0.9 ? 20 * minuteMs : 9 * hourMs));
}

const refused = (work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // a no is as good as a yes here
  }
};

const sumOf = <Row>(rows: Iterable<Row>, part: (row: Row) => bigint): bigint => [...rows].reduce((sum, row) => sum + part(row), 0n);

function expectOrdersAreTheirFills(rows: AccountRows): void {
  for (const order of [...rows.open.rows(), ...rows.done.rows()]) {
    const fills = [...rows.fills.rows()].filter(({ orderId }) => orderId === order.id);
    expect(sumOf(fills, ({ amount }) => amount)).toBe(order.filled);
    expect(sumOf(fills, ({ quote }) => quote)).toBe(order.filledQuote);
    expect(order.filled).toBeLessThanOrEqual(order.amount);
    for (const { isMaker, time } of fills) if (isMaker) expect(time).toBeGreaterThan(order.time); // it has rested before
    if (order.status === 'FILLED') expect(order.filled).toBe(order.amount);
  }
}

describe.each(Array.from({ length: sequences }, (_, i) => firstSeed + i))('a random sequence on spot, seed %i', (seed) => {
  test('no balance below nothing, money conserved, locked is what orders hold, and the stream reports what is read', () => {
    const draw = draws(seed);
    const { clock, accounts } = world();
    const streamed = { orders: new Map<number, { X: string; z: string }>(), balances: new Map<string, string>() };
    const rows = accounts.onSpot('key', (account) => account.rows);
    accounts.watch('spot', 'key', (event) => {
      const message = JSON.parse(JSON.stringify(spotUserEvent(event, clock.now())));
      if (message.e === 'executionReport') streamed.orders.set(message.i, message);
      else if (message.e === 'outboundAccountPosition') for (const { a, f, l } of message.B) streamed.balances.set(a, `${f} ${l}`);
    });
    if (seed % 3 === 0) accounts.onSpot('key', (account) => account.rows.setState({ paysFeesInBnb: true }));
    for (let i = 0; i < actions; i++) {
      const open = [...rows.open.rows()];
      if (open.length > 0 && draw.next() < 0.2)
        refused(() => accounts.onSpot('key', (account, now) => account.cancel(draw.pick(open), now)));
      else if (draw.next() < 0.15) {
        const { pair, wishes } = randomPair(draw, clock, i);
        refused(() => accounts.onSpot('key', (account, now) => account.placePair(pair, wishes, now)));
      } else {
        const { pair, query } = randomOrder('spot', draw, clock, `o${i}`);
        refused(() => accounts.onSpot('key', (account, now) => account.place(pair, spotWish(query), now)));
      }
      clock.advance(pause(draw));
      accounts.follow();
      for (const { free, locked } of rows.balances.rows()) expect(free >= 0n && locked >= 0n).toBe(true);
      expectMoney(rows);
      expectOrdersAreTheirFills(rows);
    }
    for (const order of [...rows.open.rows(), ...rows.done.rows()]) {
      const { status, executedQty } = orderAnswer(order);
      expect(streamed.orders.get(order.id)).toMatchObject({ X: status, z: executedQty });
    }
    for (const { asset, free, locked } of rows.balances.rows())
      if (streamed.balances.has(asset)) expect(streamed.balances.get(asset)).toBe(`${text(free)} ${text(locked)}`);
    expect(streamed.balances.size).toBeGreaterThan(1);
    expect(rows.fills.size).toBeGreaterThan(0);
  });
});

const text = (units: bigint): string => `${units / coin}.${String(units % coin).padStart(8, '0')}`;

function expectMoney(rows: AccountRows): void {
  const start: Record<string, bigint> = { USDT: 10_000n * coin, USDC: 10_000n * coin, BNB: 10n * coin };
  const locked = (asset: string) =>
    sumOf([...rows.open.rows()], (order: Order) =>
      (order.side === 'BUY' ? 'USDT' : order.symbol.replace('USDT', '')) === asset ? order.reserved : 0n,
    );
  for (const balance of rows.balances.rows()) {
    const { asset } = balance;
    const moved = sumOf([...rows.fills.rows()], ({ symbol, side, amount, quote, fee, feeAsset }) => {
      const sign = side === 'BUY' ? 1n : -1n;
      const base = symbol === `${asset}USDT` ? sign * amount : 0n;
      return base - (asset === 'USDT' ? sign * quote : 0n) - (feeAsset === asset ? fee : 0n);
    });
    expect(balance.free + balance.locked).toBe((start[asset] ?? 0n) + moved);
    expect(balance.locked).toBe(locked(asset));
  }
}

describe.each(Array.from({ length: sequences }, (_, i) => firstSeed + i))('a random sequence on USD-M, seed %i', (seed) => {
  test('no wallet below nothing, money is the sum of its movements, positions the sum of fills, and the stream reports both', () => {
    const draw = draws(seed + 1000);
    const { clock, accounts } = world();
    const streamed = {
      orders: new Map<number, { X: string; z: string }>(),
      wallets: new Map<string, string>(),
      positions: new Map<string, string>(),
    };
    const rows = accounts.onFutures('key', (account) => account.rows);
    accounts.watch('futures', 'key', (event) => {
      const message = JSON.parse(JSON.stringify(futuresUserEvent(event, (symbol) => market.pair('futures', symbol)!, clock.now())));
      if (message.e === 'ORDER_TRADE_UPDATE') streamed.orders.set(message.o.i, message.o);
      if (message.e !== 'ACCOUNT_UPDATE') return;
      for (const { a, wb } of message.a.B) streamed.wallets.set(a, wb);
      for (const { s, pa } of message.a.P) streamed.positions.set(s, pa);
    });
    for (const symbol of symbols)
      accounts.onFutures('key', (account) => {
        setLeverage(account.rows, symbol, draw.pick([5, 20, 50]));
        if (draw.next() < 0.5) setMarginType(account.rows, symbol, 'isolated');
      });
    for (let i = 0; i < actions; i++) {
      const open = [...rows.open.rows()];
      const kind = draw.next();
      if (open.length > 0 && kind < 0.15) refused(() => accounts.onFutures('key', (account, now) => account.cancel(draw.pick(open), now)));
      else if (kind < 0.4) {
        const { pair, query } = randomOrder('futures', draw, clock, '');
        const type = draw.pick(['STOP_MARKET', 'TAKE_PROFIT_MARKET', 'TRAILING_STOP_MARKET', 'STOP']);
        const near =
          query.get('price') ??
          text(accounts.onFutures('key', (account) => account.mark(pair.id) - (account.mark(pair.id) % priceUnits(pair, 1))));
        const wish = new URLSearchParams({
          ...Object.fromEntries(query),
          algoType: 'CONDITIONAL',
          type,
          clientAlgoId: `a${i}`,
          triggerPrice: near,
        });
        wish.set('price', near);
        if (type === 'TRAILING_STOP_MARKET') wish.set('callbackRate', '0.5');
        if (type.endsWith('T') && type.startsWith('STOP_') && draw.next() < 0.5) {
          wish.set('closePosition', 'true');
          wish.delete('quantity');
          wish.delete('reduceOnly');
        }
        refused(() => accounts.onFutures('key', (account, now) => account.placeAlgo(pair, algoWish(wish, now), now)));
      } else {
        const { pair, query } = randomOrder('futures', draw, clock, `o${i}`);
        refused(() => accounts.onFutures('key', (account, now) => account.place(pair, futuresWish(query), now)));
      }
      clock.advance(pause(draw));
      accounts.follow();
      for (const { asset, free } of rows.balances.rows()) {
        expect(free >= 0n).toBe(true);
        expect(free).toBe(10_000n * coin + sumOf([...rows.income.rows()], (row) => (row.asset === asset ? row.amount : 0n)));
      }
      for (const symbol of symbols)
        expect(rows.position(symbol).amount).toBe(
          sumOf([...rows.fills.rows()], (fill) => (fill.symbol === symbol ? (fill.side === 'BUY' ? fill.amount : -fill.amount) : 0n)),
        );
      for (const { amount, cost, isolated } of rows.positions.rows()) {
        expect(cost >= 0n && isolated >= 0n).toBe(true);
        if (amount === 0n) expect([cost, isolated]).toEqual([0n, 0n]);
      }
      expectOrdersAreTheirFills(rows);
    }
    for (const order of [...rows.open.rows(), ...rows.done.rows()]) {
      const pair = market.pair('futures', order.symbol)!;
      const amount = (Number(order.filled) / 1e8).toFixed(pair.amountDecimals);
      expect(streamed.orders.get(order.id)).toMatchObject({ X: order.status, z: amount });
    }
    expect(streamed.wallets.get('USDT')).toBe(text(rows.balance('USDT').free));
    for (const [symbol, amount] of streamed.positions) expect(BigInt(Math.round(Number(amount) * 1e8))).toBe(rows.position(symbol).amount);
    expect(rows.fills.size).toBeGreaterThan(0);
  });
});

test.each([1, 2, 3, 4])(
  'an account that is followed all the time and one that is asked at last have met the same prices, seed %i',
  (seed) => {
    const state = (isFollowed: boolean): string => {
      const draw = draws(seed + 2000);
      const { clock, accounts } = world();
      for (let i = 0; i < 25; i++) {
        const spot = randomOrder('spot', draw, clock, `o${i}`);
        refused(() => accounts.onSpot('key', (account, now) => account.place(spot.pair, spotWish(spot.query), now)));
        const futures = randomOrder('futures', draw, clock, `o${i}`);
        refused(() => accounts.onFutures('key', (account, now) => account.place(futures.pair, futuresWish(futures.query), now)));
        if (i % 5 === 0) {
          const wish = new URLSearchParams({
            algoType: 'CONDITIONAL',
            type: 'TRAILING_STOP_MARKET',
            side: 'SELL',
            quantity: '0.500',
            callbackRate: '0.7',
            clientAlgoId: `a${i}`,
          });
          refused(() =>
            accounts.onFutures('key', (account, now) => account.placeAlgo(market.pair('futures', 'ETHUSDT')!, algoWish(wish, now), now)),
          );
        }
        for (let part = 0; part < 12; part++) {
          clock.advance(17 * minuteMs + 321);
          if (isFollowed) {
            accounts.onSpot('key', () => undefined);
            accounts.onFutures('key', () => undefined);
          }
        }
      }
      const spotRows = accounts.onSpot('key', (account) => account.rows);
      const futuresRows = accounts.onFutures('key', (account) => account.rows);
      const tables = [
        spotRows.balances,
        spotRows.open,
        spotRows.done,
        spotRows.fills,
        futuresRows.balances,
        futuresRows.done,
        futuresRows.fills,
        futuresRows.positions,
        futuresRows.income,
        futuresRows.algos,
        futuresRows.doneAlgos,
      ];
      return JSON.stringify(
        tables.map((table) => [...table.rows()]),
        (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
      );
    };
    expect(state(true)).toBe(state(false));
  },
);
