import { describe, expect, test } from 'vitest';
import { hourMs, minuteMs, secondMs } from '#engine/market/durations.ts';
import { runSize } from '../../test/support/run-size.ts';
import type { AccountRows } from './account/account-rows.ts';
import { Accounts } from './account/accounts.ts';
import { marginSummary } from './account/futures/margin.ts';
import { setLeverage, setMarginType } from './account/futures/position-settings.ts';
import { priceUnits } from './account/money.ts';
import { Refusal } from './account/refusal.ts';
import { Store } from './account/store.ts';
import { sandboxClock } from './market/clock.ts';
import { fundingRate } from './market/funding.ts';
import { lastExecution } from './market/last-execution.ts';
import type { SandboxMarket } from './market/listings.ts';
import { Market, tickNumber } from './market/market.ts';
import { nameKey, uniform } from './market/noise.ts';
import type { Exact, ListedFill, Standing } from './testing/naive-books.ts';
import { exact, inUnits, naiveFutures, naiveSpot, ofUnits } from './testing/naive-books.ts';
import { futuresWish } from './wire/futures-wish.ts';
import { spotWish } from './wire/order-wish.ts';

// Random sequences at the sandbox's accounts, whose books are worked out a second time after each step, from the beginning.

const { size: sequences, seed: firstSeed } = runSize(30);
const steps = 45;
const market = new Market(7, 0, []);
const symbols = ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'];

/** An account of its own on a clock that only the test moves. */
function world(seed: number) {
  let count = 0;
  const next = (): number => uniform(seed, nameKey('books'), 1, (count += 1));
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)];
  const clock = sandboxClock({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0 });
  const accounts = new Accounts(market, clock, new Store(null));
  /** An order near the price, for more than one tick offers now and then. */
  const order = (kind: SandboxMarket, symbol: string, id: string): URLSearchParams => {
    const pair = market.pair(kind, symbol)!;
    const price = Number(priceUnits(pair, lastExecution(market, pair, tickNumber(clock.now()))!.price)) / 1e8;
    const type = pick(['LIMIT', 'LIMIT', 'MARKET']);
    const isLarge = next() < 0.25; // the book has less at its price, and the rest stands
    const value = (kind === 'spot' ? 2_000 : 12_000) * (isLarge ? 4 : 0.05 + next() ** 2);
    const query = new URLSearchParams({
      side: pick(['BUY', 'SELL']),
      type,
      newClientOrderId: id,
      quantity: (value / price).toFixed(pair.amountDecimals),
    });
    if (type === 'LIMIT') {
      query.set('price', (price * (isLarge ? 0.9998 + 0.0004 * next() : 0.99 + 0.02 * next())).toFixed(pair.decimals));
      query.set('timeInForce', pick(['GTC', 'GTC', 'GTC', 'IOC']));
    }
    return query;
  };
  const pass = (): void => {
    const kind = next();
    clock.advance(kind < 0.3 ? 0 : Math.floor(next() * (kind < 0.6 ? 20 * secondMs : kind < 0.85 ? 20 * minuteMs : 9 * hourMs)));
  };
  return { next, pick, clock, accounts, order, pass };
}

const tried = (work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // a no is as good as a yes here
  }
};
const listed = (rows: AccountRows): (ListedFill & { id: number })[] =>
  [...rows.fills.rows()]
    .map(({ id, symbol, side, price, amount, isMaker, time }) => ({
      id,
      symbol,
      side,
      price: ofUnits(price),
      amount: ofUnits(amount),
      isMaker,
      time,
    }))
    .sort((a, b) => a.id - b.id);
const standing = (rows: AccountRows): Standing[] =>
  [...rows.open.rows()].map(({ symbol, side, price, amount, filled, reduceOnly }) => ({
    symbol,
    side,
    price: ofUnits(price),
    rest: ofUnits(amount - filled),
    reduceOnly,
  }));
const priceAt = (kind: SandboxMarket, symbol: string, time: number): Exact => {
  const pair = market.pair(kind, symbol)!;
  return ofUnits(priceUnits(pair, lastExecution(market, pair, tickNumber(time))!.price));
};

/** What must have come about in some sequence, or the sequences prove too little. */
const seen = {
  parts: 0,
  shorts: 0,
  turns: 0,
  payments: 0,
  isolatedPayments: 0,
  feesInBnb: 0,
  feesInCoins: 0,
  feesWithoutBnb: 0,
  reductions: 0,
  restingParts: 0,
};

/** An order that has rested gets its own price, however far the market has passed it. */
function expectOwnPrices(rows: AccountRows): void {
  for (const { orderId, isMaker, price } of rows.fills.rows()) {
    const order = rows.open.get(String(orderId)) ?? rows.done.get(String(orderId));
    if (isMaker) expect(price, `order ${orderId}`).toBe(order?.price);
  }
}

/** An order that only reduces makes no position larger, and turns none. */
function expectReductions(rows: AccountRows): void {
  const held = new Map<string, bigint>();
  for (const { symbol, side, amount, orderId } of [...rows.fills.rows()].sort((a, b) => a.id - b.id)) {
    const before = held.get(symbol) ?? 0n;
    const after = before + (side === 'BUY' ? amount : -amount);
    held.set(symbol, after);
    const order = rows.open.get(String(orderId)) ?? rows.done.get(String(orderId));
    if (order?.reduceOnly !== true) continue;
    seen.reductions += order.amount > (before < 0n ? -before : before) ? 1 : 0;
    expect(before > 0n ? after >= 0n && after < before : after <= 0n && after > before, `order ${orderId}`).toBe(true);
  }
}

describe.each(Array.from({ length: sequences }, (_, i) => firstSeed + i))('the books are those of a second account, seed %i', (seed) => {
  test('on spot, to the last unit: balances, what lies in orders, fees in coins and in BNB', () => {
    const { next, pick, clock, accounts, order, pass } = world(seed);
    const rows = accounts.onSpot('key', (account) => account.rows);
    const inBnb = seed % 2 === 0;
    if (inBnb) accounts.onSpot('key', (account) => account.rows.setState({ paysFeesInBnb: true }));
    if (seed % 4 === 0) {
      // Little is left of it: soon a fee is paid in what was received.
      const query = new URLSearchParams({ side: 'SELL', type: 'MARKET', quantity: '9.985', newClientOrderId: 'bnb' });
      accounts.onSpot('key', (account, now) => account.place(market.pair('spot', 'BNBUSDT')!, spotWish(query), now));
    }
    for (let i = 0; i < steps; i++) {
      const open = [...rows.open.rows()];
      if (open.length > 0 && next() < 0.2) tried(() => accounts.onSpot('key', (account, now) => account.cancel(pick(open), now)));
      else {
        const symbol = pick(symbols);
        const query = order('spot', symbol, `o${i}`);
        tried(() => accounts.onSpot('key', (account, now) => account.place(market.pair('spot', symbol)!, spotWish(query), now)));
      }
      pass();
      accounts.onSpot('key', () => undefined);
      const fills = listed(rows);
      const bnbPrice = inBnb ? (currency: string, time: number) => priceAt('spot', `BNB${currency}`, time) : null;
      const naive = naiveSpot({ USDT: 10_000, USDC: 10_000, BNB: 10 }, fills, standing(rows), bnbPrice);
      for (const { asset, free, locked } of rows.balances.rows()) {
        expect(locked, `${asset} in orders`).toBe(inUnits(naive.locked.get(asset) ?? exact(0)));
        expect(free + locked, asset).toBe(inUnits(naive.totals.get(asset) ?? exact(0)));
      }
      const fees = [...rows.fills.rows()].sort((a, b) => a.id - b.id).map(({ fee, feeAsset }) => ({ asset: feeAsset, fee }));
      expect(fees).toEqual(naive.fees.map(({ asset, fee }) => ({ asset, fee: inUnits(fee) })));
      expectOwnPrices(rows);
      if (inBnb) seen.feesWithoutBnb += fees.filter(({ asset }, at) => asset !== 'BNB' && at > 0).length;
      seen.feesInBnb += fees.filter(({ asset }) => asset === 'BNB').length;
      seen.feesInCoins += fees.filter(({ asset }) => asset !== 'BNB' && asset !== 'USDT').length;
    }
    expect(clock.now()).toBeGreaterThan(0);
  });

  test('on USD-M, to the last unit: wallet, positions, funding, fees and margins, isolated and cross, longs and shorts', () => {
    const { next, pick, clock, accounts, order, pass } = world(seed + 1000);
    const rows = accounts.onFutures('key', (account) => account.rows);
    const terms = new Map(symbols.map((symbol, i) => [symbol, { leverage: pick([3, 5, 20]), isIsolated: (seed + i) % 2 === 0 }]));
    for (const [symbol, { leverage, isIsolated }] of terms)
      accounts.onFutures('key', (account) => {
        setLeverage(account.rows, symbol, leverage);
        if (isIsolated) setMarginType(account.rows, symbol, 'isolated');
      });
    for (let i = 0; i < steps; i++) {
      const open = [...rows.open.rows()];
      if (open.length > 0 && next() < 0.15) tried(() => accounts.onFutures('key', (account, now) => account.cancel(pick(open), now)));
      else {
        const symbol = pick(symbols);
        const query = order('futures', symbol, `o${i}`);
        if (next() < 0.2) query.set('reduceOnly', 'true');
        tried(() => accounts.onFutures('key', (account, now) => account.place(market.pair('futures', symbol)!, futuresWish(query), now)));
      }
      pass();
      const summary = accounts.onFutures('key', (account) => marginSummary(rows, 'USDT', (symbol) => account.mark(symbol)));
      const incomes = [...rows.income.rows()];
      const fundings = incomes
        .filter(({ type }) => type === 'FUNDING_FEE')
        .map(({ symbol, time }) => ({
          symbol,
          rate: exact(fundingRate(market.seed, market.pair('futures', symbol)!, time).toFixed(8)),
          mark: priceAt('spot', symbol, time),
          time,
        }));
      const insured = incomes.filter(({ type }) => type === 'INSURANCE_CLEAR').map(({ amount }) => ofUnits(amount));
      const fills = listed(rows);
      const naive = naiveFutures(
        10_000,
        { fills, fundings, insured },
        standing(rows),
        (symbol) => terms.get(symbol) ?? { leverage: 20, isIsolated: false },
        (symbol) => priceAt('spot', symbol, clock.now()),
      );
      for (const { symbol, amount, cost, isolated } of rows.positions.rows()) {
        const own = naive.positions.get(symbol);
        expect({ symbol, amount, cost, isolated }).toEqual({
          symbol,
          amount: inUnits(own?.amount ?? exact(0)),
          cost: inUnits(own?.cost ?? exact(0)),
          isolated: inUnits(own?.isolated ?? exact(0)),
        });
        if (amount < 0n) seen.shorts += 1;
      }
      const inSequence = [...rows.fills.rows()].sort((a, b) => a.id - b.id);
      expect(inSequence.map(({ realized }) => realized)).toEqual(naive.realized.map(inUnits));
      expect(inSequence.map(({ fee }) => fee)).toEqual(naive.fees.map(inUnits));
      expect(incomes.filter(({ type }) => type === 'FUNDING_FEE').map(({ amount }) => amount)).toEqual(naive.paid.map(inUnits));
      expectOwnPrices(rows);
      expectReductions(rows);
      const { wallet, unrealized, positionMargin, maintenance, orderMargin, available } = summary;
      expect({ wallet, unrealized, positionMargin, maintenance, orderMargin, available }).toEqual({
        wallet: inUnits(naive.wallet),
        unrealized: inUnits(naive.unrealized),
        positionMargin: inUnits(naive.initial),
        maintenance: inUnits(naive.maintenance),
        orderMargin: inUnits(naive.orders),
        available: inUnits(naive.available),
      });
      seen.payments += fundings.length;
      seen.isolatedPayments += fundings.filter(({ symbol }) => terms.get(symbol)?.isIsolated === true).length;
      seen.turns += naive.realized.filter(({ n }, at) => n !== 0n && at > 0).length;
      seen.restingParts += [...rows.open.rows()].filter(({ filled, reduceOnly }) => filled > 0n && !reduceOnly).length;
      seen.parts += [...rows.open.rows(), ...rows.done.rows()].filter(({ filled, amount }) => filled > 0n && filled < amount).length;
    }
  });
});

test('a position may be as large as its leverage allows, and no larger', () => {
  const { accounts } = world(1);
  const pair = market.pair('futures', 'BTCUSDT')!;
  const price = inUnits(
    priceAt(
      'futures',
      'BTCUSDT',
      accounts.onFutures('key', (_account, now) => now),
    ),
  );
  const buy = (value: number, id: string): unknown => {
    const quantity = ((value * 1e8) / Number(price)).toFixed(pair.amountDecimals);
    const query = new URLSearchParams({
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      price: (Number(price) / 1e8).toFixed(pair.decimals),
      quantity,
      newClientOrderId: id,
    });
    return accounts.onFutures('key', (account, now) => account.place(pair, futuresWish(query), now));
  };
  accounts.onFutures('key', (account) => setLeverage(account.rows, 'BTCUSDT', 125)); // up to 50,000
  expect(() => buy(60_000, 'large')).toThrow('Exceeded the maximum allowable position at current leverage.');
  expect(() => buy(40_000, 'small')).not.toThrow();
});

test('the sequences have had what they are about', () => {
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});
