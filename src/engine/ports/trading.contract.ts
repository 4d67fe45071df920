import { afterEach, describe, expect, test } from 'vitest';
import { ExchangeError } from './exchange-error.ts';
import { anOrderRequest } from './testing/an-order-request.ts';
import type { AccountReport, OrderRequest, Trading } from './trading.ts';

/** An exchange that a test can move: a symbol that trades around 100, of which 10 may be ordered, and money for that. */
export interface TradingRig {
  trading: Trading;
  symbol: string;
  isFutures: boolean;
  now: () => number;
  /** Moves the market to these prices; orders they reach are filled when it resolves. `depth` is what may be had at them. */
  setPrices: (bid: number, ask: number, depth?: number) => Promise<void>;
}

/** What an implementation may decline, with its reason. */
export type TradingCase =
  | 'places and lists'
  | 'market'
  | 'limit later'
  | 'time in force'
  | 'partial'
  | 'cancel'
  | 'refusals'
  | 'duplicate id'
  | 'expiry of requests'
  | 'stop'
  | 'fills since'
  | 'clearances'
  | 'money'
  | 'positions'
  | 'leverage and margin mode'
  | 'user stream';

/** The suite every implementation of `Trading` passes; a declined case says why. */
export function tradingContract(name: string, make: () => Promise<TradingRig>, declined: Partial<Record<TradingCase, string>> = {}): void {
  describe(`OP-85 trading at ${name}`, () => {
    const open: Trading[] = [];
    afterEach(async () => {
      for (const trading of open.splice(0)) await trading.close();
    });
    const start = async () => {
      const rig = await make();
      open.push(rig.trading);
      await rig.setPrices(99.9, 100.1);
      let number = 0;
      const request = (given: Partial<OrderRequest> = {}): OrderRequest =>
        anOrderRequest({
          clientOrderId: `test-${(number += 1)}`,
          symbol: rig.symbol,
          type: 'limit',
          amount: 2,
          price: given.type === undefined || given.type === 'limit' ? 99 : null,
          expiresAt: rig.now() + 5_000,
          ...given,
        });
      return { ...rig, request };
    };
    const check = (what: TradingCase, body: (rig: Awaited<ReturnType<typeof start>>) => Promise<void>): void => {
      const reason = declined[what];
      if (reason === undefined) test(what, async () => body(await start()));
      else test.skip(`${what} (declined: ${reason})`, () => undefined);
    };

    check('places and lists', async ({ trading, symbol, request, now }) => {
      const since = now();
      const placed = await trading.place(request());
      expect(placed).toMatchObject({ clientOrderId: 'test-1', state: 'open', requested: 2, filled: 0, price: 99 });
      expect(await trading.order(symbol, 'test-1')).toEqual(placed);
      expect(await trading.order(symbol, 'test-99')).toBeNull();
      expect((await trading.openOrders(symbol)).map(({ clientOrderId }) => clientOrderId)).toEqual(['test-1']);
      expect((await trading.openOrders()).map(({ clientOrderId }) => clientOrderId)).toEqual(['test-1']);
      await trading.place(request({ price: 98 }));
      expect((await trading.ordersSince(symbol, since)).map(({ clientOrderId }) => clientOrderId)).toEqual(['test-1', 'test-2']);
      expect(await trading.ordersSince(symbol, now() + 1)).toEqual([]);
    });

    check('market', async ({ trading, symbol, request }) => {
      expect(await trading.place(request({ type: 'market' }))).toMatchObject({ state: 'filled', filled: 2 });
      const [fill, ...rest] = await trading.fillsSince(symbol, null);
      expect(fill).toMatchObject({ clientOrderId: 'test-1', side: 'buy', price: 100.1, amount: 2, liquidity: 'taker' });
      expect(fill?.fee).toBeGreaterThan(0);
      expect(rest).toEqual([]);
    });

    check('limit later', async ({ trading, symbol, request, setPrices }) => {
      await trading.place(request());
      await setPrices(98.9, 99.1);
      expect(await trading.order(symbol, 'test-1')).toMatchObject({ state: 'open', filled: 0 });
      await setPrices(98.8, 99);
      expect(await trading.order(symbol, 'test-1')).toMatchObject({ state: 'filled', filled: 2 });
      expect(await trading.fillsSince(symbol, null)).toMatchObject([{ price: 99, liquidity: 'maker' }]);
      expect(await trading.openOrders()).toEqual([]);
    });

    check('time in force', async ({ trading, request, setPrices, isFutures }) => {
      await setPrices(99.9, 100, 1);
      const some = await trading.place(request({ price: 100, amount: 2, timeInForce: 'IOC' }));
      expect(some).toMatchObject({ state: 'expired', filled: 1 });
      await setPrices(99.9, 100, 1);
      // All or nothing: spot lists what it did not take as expired, perpetuals refuse it.
      const none = trading.place(request({ price: 100, amount: 2, timeInForce: 'FOK' })).catch((error: unknown) => error);
      expect(await none).toMatchObject(
        isFutures && (await none) instanceof ExchangeError ? { kind: 'rejected' } : { state: 'expired', filled: 0 },
      );
      await setPrices(99.9, 100, 5);
      expect(await trading.place(request({ price: 100, amount: 2, timeInForce: 'FOK' }))).toMatchObject({ state: 'filled', filled: 2 });
      expect(await trading.openOrders()).toEqual([]);
    });

    check('partial', async ({ trading, symbol, request, setPrices }) => {
      await trading.place(request());
      await setPrices(98.8, 99, 0.5);
      expect(await trading.order(symbol, 'test-1')).toMatchObject({ state: 'open', requested: 2, filled: 0.5 });
      await setPrices(98.8, 99, 0.7);
      await trading.cancel(symbol, 'test-1');
      expect(await trading.order(symbol, 'test-1')).toMatchObject({ state: 'cancelled', requested: 2, filled: 1.2 });
      expect((await trading.fillsSince(symbol, null)).map(({ amount }) => amount)).toEqual([0.5, 0.7]);
      await setPrices(99.9, 100.1, 0.3);
      expect(await trading.place(request({ type: 'market' }))).toMatchObject({ state: 'expired', filled: 0.3 });
    });

    check('cancel', async ({ trading, symbol, request }) => {
      await trading.place(request());
      expect(await trading.cancel(symbol, 'test-1')).toMatchObject({ state: 'cancelled', filled: 0 });
      expect(await trading.openOrders()).toEqual([]);
      await expect(trading.cancel(symbol, 'test-1')).rejects.toMatchObject({ kind: 'rejected' });
      await expect(trading.cancel(symbol, 'test-77')).rejects.toMatchObject({ kind: 'rejected' });
    });

    check('refusals', async ({ trading, request }) => {
      const refused: Partial<OrderRequest>[] = [
        { symbol: 'NONE/USDT' },
        { amount: 0.00000001 },
        { amount: 1e9 },
        { price: 99.123456789 },
        { amount: -1 },
      ];
      for (const given of refused)
        await expect(trading.place(request(given)), JSON.stringify(given)).rejects.toMatchObject({ kind: 'rejected' });
      expect(await trading.openOrders()).toEqual([]);
    });

    check('duplicate id', async ({ trading, symbol, request }) => {
      await trading.place(request({ clientOrderId: 'same' }));
      await expect(trading.place(request({ clientOrderId: 'same' }))).rejects.toMatchObject({ kind: 'rejected' });
      expect(await trading.openOrders(symbol)).toHaveLength(1);
    });

    check('expiry of requests', async ({ trading, symbol, request, now }) => {
      await expect(trading.place(request({ expiresAt: now() - 60_000 }))).rejects.toMatchObject({ kind: 'rejected' });
      expect(await trading.order(symbol, 'test-1')).toBeNull();
    });

    check('stop', async ({ trading, symbol, request, setPrices }) => {
      await trading.place(request({ type: 'market' }));
      const held = heldBy(await trading.fillsSince(symbol, null), symbol);
      const stop = { side: 'sell', type: 'stop', reduceOnly: true, amount: Math.floor(held * 100) / 100 } as const;
      await expect(trading.place(request({ ...stop, stopPrice: 100 }))).rejects.toMatchObject({ kind: 'rejected' }); // it would trigger at once
      const placed = await trading.place(request({ ...stop, stopPrice: 95 }));
      expect(placed).toMatchObject({ state: 'open', stopPrice: 95 });
      await setPrices(95.1, 95.3);
      expect(await trading.order(symbol, placed.clientOrderId)).toMatchObject({ state: 'open' });
      await setPrices(94.9, 95.1);
      expect(await trading.order(symbol, placed.clientOrderId)).toMatchObject({ state: 'filled' });
      expect((await trading.fillsSince(symbol, null)).map(({ side }) => side)).toEqual(['buy', 'sell']);
    });

    check('fills since', async ({ trading, symbol, request }) => {
      for (let i = 0; i < 3; i++) await trading.place(request({ type: 'market', amount: 1 }));
      const all = await trading.fillsSince(symbol, null);
      expect(all.map(({ clientOrderId }) => clientOrderId)).toEqual(['test-1', 'test-2', 'test-3']);
      expect(await trading.fillsSince(symbol, all[0]?.id ?? '')).toEqual(all.slice(1));
      expect(await trading.fillsSince(symbol, all[2]?.id ?? '')).toEqual([]);
    });

    check('clearances', async ({ trading, symbol, request }) => {
      await trading.place(request({ type: 'market' }));
      await trading.place(request({ type: 'market', side: 'sell', amount: 1, reduceOnly: true }));
      expect(await trading.clearances(symbol, 0)).toEqual([]); // nothing was liquidated
      expect((await trading.fillsSince(symbol, null)).map(({ isLiquidation }) => isLiquidation)).toEqual([undefined, undefined]);
    });

    check('money', async ({ trading, symbol, request, isFutures }) => {
      const quote = symbol.split('/')[1]?.split(':')[0] ?? '';
      const of = async (currency: string) =>
        (await trading.balances()).find((each) => each.currency === currency) ?? { free: 0, locked: 0 };
      const before = await of(quote);
      await trading.place(request());
      const during = await of(quote);
      expect(during.locked - before.locked).toBeCloseTo(isFutures ? 198 / ((await trading.positions())[0]?.leverage ?? 1) : 198, 8);
      expect(during.free).toBeCloseTo(before.free - (during.locked - before.locked), 8);
      await trading.cancel(symbol, 'test-1');
      expect(await of(quote)).toEqual(before);
      if (isFutures) return;
      await trading.place(request({ type: 'market' }));
      const fills = await trading.fillsSince(symbol, null);
      const base = symbol.split('/')[0] ?? '';
      const inQuote = fills.reduce((sum, { fee, feeCurrency }) => sum + (feeCurrency === quote ? fee : 0), 0);
      expect((await of(quote)).free).toBeCloseTo(before.free - 200.2 - inQuote, 8);
      expect((await of(base)).free).toBeCloseTo(heldBy(fills, symbol), 12);
    });

    check('positions', async ({ trading, request, isFutures }) => {
      expect(await trading.positions()).toEqual([]);
      if (!isFutures) {
        await trading.place(request({ type: 'market' }));
        expect(await trading.positions()).toEqual([]);
        return;
      }
      await trading.place(request({ type: 'market', side: 'sell' }));
      expect(await trading.positions()).toMatchObject([{ direction: 'short', amount: 2, entryPrice: 99.9 }]);
      await expect(trading.place(request({ type: 'market', side: 'sell', reduceOnly: true }))).rejects.toMatchObject({ kind: 'rejected' });
      await trading.place(request({ type: 'market', side: 'buy', amount: 3, reduceOnly: true }));
      expect(await trading.positions()).toEqual([]);
    });

    check('leverage and margin mode', async ({ trading, symbol, request, isFutures }) => {
      if (!isFutures) {
        await expect(trading.setLeverage(symbol, 2)).rejects.toMatchObject({ kind: 'rejected' });
        await expect(trading.setMarginMode(symbol, 'cross')).rejects.toMatchObject({ kind: 'rejected' });
        await expect(trading.marginSettings(symbol)).rejects.toMatchObject({ kind: 'rejected' });
        return;
      }
      for (let i = 0; i < 2; i++) await trading.setLeverage(symbol, 5); // set already is a yes
      for (let i = 0; i < 2; i++) await trading.setMarginMode(symbol, 'isolated');
      expect(await trading.marginSettings(symbol)).toEqual({ leverage: 5, marginMode: 'isolated' });
      await trading.setLeverage(symbol, 3);
      expect(await trading.marginSettings(symbol)).toEqual({ leverage: 3, marginMode: 'isolated' });
      await trading.setLeverage(symbol, 5);
      await expect(trading.setLeverage(symbol, 100_000)).rejects.toMatchObject({ kind: 'rejected' });
      expect(await trading.marginSettings(symbol)).toEqual({ leverage: 5, marginMode: 'isolated' });
      await trading.place(request({ type: 'market' }));
      expect(await trading.positions()).toMatchObject([{ leverage: 5, marginMode: 'isolated' }]);
      await expect(trading.setMarginMode(symbol, 'cross')).rejects.toMatchObject({ kind: 'rejected' });
    });

    check('user stream', async ({ trading, symbol, request, setPrices }) => {
      const reports: AccountReport[] = [];
      const end = trading.watch((report) => reports.push(report));
      await trading.place(request());
      await setPrices(98.8, 99, 0.5);
      await expect.poll(() => reports.filter((each) => each.kind === 'order').length).toBeGreaterThanOrEqual(2);
      const orders = reports.flatMap((each) => (each.kind === 'order' ? [each] : []));
      expect(orders[0]).toMatchObject({ order: { clientOrderId: 'test-1', state: 'open', filled: 0 }, fill: null });
      expect(orders.at(-1)).toMatchObject({ order: { filled: 0.5 }, fill: { price: 99, amount: 0.5 } });
      expect((await trading.fillsSince(symbol, null)).map(({ id }) => id)).toEqual([orders.at(-1)?.fill?.id]);
      await expect.poll(() => reports.some((each) => each.kind === 'balance')).toBe(true);
      end();
      const before = reports.length;
      await trading.cancel(symbol, 'test-1');
      expect(reports).toHaveLength(before);
    });
  });
}

/** What buying fills have brought, less what was taken of it as a fee. */
function heldBy(fills: readonly { amount: number; fee: number; feeCurrency: string }[], symbol: string): number {
  return fills.reduce((sum, { amount, fee, feeCurrency }) => sum + amount - (symbol.startsWith(`${feeCurrency}/`) ? fee : 0), 0);
}
