import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { secondMs } from '#engine/market/durations.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import type { OrderRequest, Trading } from '#engine/ports/trading.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { AccountClient } from './account-client.ts';
import { spotKind } from './spot-order-kind.ts';
import { control, newCredentials, newTrading } from './testing/sandbox-account.ts';

const sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0, controlPort: 0 });
afterAll(() => sandbox.close());
const setBid = (bid: number) => control(sandbox, 'POST /prices', { pair: 'LTCUSDT', bid, ask: bid + 0.2 });

// What client id the real exchange gives to the order that a conditional one makes is not known: both must do.
describe.each([
  ['spot', 'same'],
  ['futures', 'same'],
  ['futures', 'new'],
] as const)('an account on %s that is opened again (client ids of made orders: %s)', (marketType, madeOrderIds) => {
  beforeEach(() => control(sandbox, 'POST /accounts', { madeOrderIds }));
  const symbol = marketType === 'spot' ? 'LTC/USDT' : 'LTC/USDT:USDT';
  const request = (given: Partial<OrderRequest>): OrderRequest =>
    anOrderRequest({ clientOrderId: 'x', symbol, amount: 2, expiresAt: sandbox.clock.now() + 5 * secondMs, ...given });

  /** An account with a fill, a limit order and a stop, and a connection that remembers none of them. */
  async function reopened(bidMeanwhile = 99.9): Promise<Trading> {
    await setBid(99.9);
    const credentials = await newCredentials(sandbox);
    const before = await newTrading(sandbox, marketType, { credentials });
    await before.place(request({ clientOrderId: 'in' }));
    await before.place(request({ clientOrderId: 'limit', type: 'limit', price: 98, amount: 1 }));
    await before.place(request({ clientOrderId: 'stop', type: 'stop', side: 'sell', stopPrice: 95, amount: 1.5, reduceOnly: true }));
    await before.close();
    await setBid(bidMeanwhile);
    const trading = await newTrading(sandbox, marketType, { credentials });
    onTestFinished(() => trading.close());
    return trading;
  }
  const idsOf = (orders: readonly { clientOrderId: string }[]) => orders.map(({ clientOrderId }) => clientOrderId).toSorted();

  test('lists and finds what is open, and whose each fill is', async () => {
    const trading = await reopened();
    expect(idsOf(await trading.openOrders())).toEqual(['limit', 'stop']);
    expect(idsOf(await trading.openOrders(symbol))).toEqual(['limit', 'stop']);
    expect(idsOf(await trading.ordersSince(symbol, sandbox.clock.now() - secondMs))).toEqual(['in', 'limit', 'stop']);
    expect(await trading.order(symbol, 'stop')).toMatchObject({ type: 'stop', state: 'open', stopPrice: 95, price: null, requested: 1.5 });
    expect(idsOf(await trading.fillsSince(symbol, null))).toEqual(['in']);
  });

  test('cancels an order and a stop, once', async () => {
    const trading = await reopened();
    for (const id of ['limit', 'stop']) {
      expect(await trading.cancel(symbol, id)).toMatchObject({ clientOrderId: id, state: 'cancelled', filled: 0 });
      expect(await trading.order(symbol, id)).toMatchObject({ state: 'cancelled' });
      await expect(trading.cancel(symbol, id)).rejects.toMatchObject({ kind: 'rejected' });
    }
    expect(await trading.openOrders()).toEqual([]);
  });

  test('knows the fills of a stop that was triggered meanwhile by its client id', async () => {
    const trading = await reopened(94);
    expect(idsOf(await trading.fillsSince(symbol, null))).toEqual(['in', 'limit', 'stop']);
    expect(await trading.openOrders()).toEqual([]);
  });

  test('knows the fill of the older of two stops that wait, when that is triggered and the user stream says nothing', async () => {
    await setBid(99.9);
    const trading = await newTrading(sandbox, marketType);
    onTestFinished(() => trading.close());
    onTestFinished(() => sandbox.faults.clear());
    await trading.place(request({ clientOrderId: 'in' }));
    for (const [clientOrderId, stopPrice] of [
      ['older', 95],
      ['newer', 90],
    ] as const)
      await trading.place(request({ clientOrderId, type: 'stop', side: 'sell', stopPrice, amount: 0.9, reduceOnly: true }));
    const bought = await trading.fillsSince(symbol, null); // both wait then, and are known
    sandbox.faults.sockets.silence();
    await setBid(94);
    expect(idsOf(await trading.fillsSince(symbol, bought.at(-1)?.id ?? null))).toEqual(['older']);
    await setBid(89);
    expect(idsOf(await trading.fillsSince(symbol, bought.at(-1)?.id ?? null))).toEqual(['newer', 'older']);
  });

  test('knows a stop that was triggered meanwhile as one order', async () => {
    const trading = await reopened(94);
    expect(idsOf(await trading.ordersSince(symbol, 1))).toEqual(['in', 'limit', 'stop']);
    expect(await trading.order(symbol, 'stop')).toMatchObject({ state: 'filled', filled: 1.5 });
    await expect(trading.cancel(symbol, 'stop')).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('stops on futures', () => {
  const symbol = 'LTC/USDT:USDT';
  const other = 'ETH/USDT:USDT';
  beforeEach(() => control(sandbox, 'POST /accounts', { madeOrderIds: 'new' }));
  const request = (given: Partial<OrderRequest>): OrderRequest =>
    anOrderRequest({ clientOrderId: 'x', symbol, expiresAt: sandbox.clock.now() + 5 * secondMs, ...given });

  test('one that is still there when its position was closed by hand opens none the other way', async () => {
    await setBid(99.9);
    const trading = await newTrading(sandbox, 'futures');
    onTestFinished(() => trading.close());
    await trading.place(request({ clientOrderId: 'in' }));
    await trading.place(request({ clientOrderId: 'stop', type: 'stop', side: 'sell', stopPrice: 95, reduceOnly: true }));
    await trading.place(request({ clientOrderId: 'by-hand', side: 'sell', reduceOnly: true }));
    expect(await trading.order(symbol, 'stop')).toMatchObject({ state: 'open' });
    await setBid(94);
    await expect.poll(() => trading.order(symbol, 'stop')).toMatchObject({ state: 'expired', filled: 0 });
    expect(await trading.positions()).toEqual([]);
  });

  test('those of two symbols are known by their client ids after a restart, in whichever the older one is', async () => {
    await setBid(99.9);
    const setOther = (bid: number) => control(sandbox, 'POST /prices', { pair: 'ETHUSDT', bid, ask: bid + 0.1 });
    await setOther(2_000);
    const credentials = await newCredentials(sandbox);
    const before = await newTrading(sandbox, 'futures', { credentials });
    await before.place(request({ clientOrderId: 'in' }));
    await before.place(request({ clientOrderId: 'other-in', symbol: other, amount: 0.1 }));
    const stop = { type: 'stop', side: 'sell', reduceOnly: true } as const;
    await before.place(request({ ...stop, clientOrderId: 'other-stop', symbol: other, amount: 0.1, stopPrice: 1_900 }));
    await before.place(request({ ...stop, clientOrderId: 'stop', stopPrice: 95 }));
    await before.close();
    await setOther(1_890);
    const trading = await newTrading(sandbox, 'futures', { credentials });
    onTestFinished(() => trading.close());
    const idsIn = async (each: string) => (await trading.fillsSince(each, null)).map(({ clientOrderId }) => clientOrderId);
    expect(await idsIn(symbol)).toEqual(['in']); // its stop waits, and is younger than that of the other
    expect(await idsIn(other)).toEqual(['other-in', 'other-stop']);
  });

  test('those of two symbols that wait are each read on from their own, when the older one triggers and the user stream says nothing', async () => {
    await setBid(99.9);
    const setOther = (bid: number) => control(sandbox, 'POST /prices', { pair: 'ETHUSDT', bid, ask: bid + 0.1 });
    await setOther(2_000);
    const trading = await newTrading(sandbox, 'futures');
    onTestFinished(() => trading.close());
    onTestFinished(() => sandbox.faults.clear());
    await trading.place(request({ clientOrderId: 'other-in', symbol: other, amount: 0.1 }));
    await trading.place(request({ clientOrderId: 'in' }));
    const stop = { type: 'stop', side: 'sell', reduceOnly: true } as const;
    await trading.place(request({ ...stop, clientOrderId: 'other-stop', symbol: other, amount: 0.1, stopPrice: 1_900 }));
    await trading.place(request({ ...stop, clientOrderId: 'stop', stopPrice: 95 }));
    const idsIn = async (each: string) => (await trading.fillsSince(each, null)).map(({ clientOrderId }) => clientOrderId);
    expect([await idsIn(other), await idsIn(symbol)]).toEqual([['other-in'], ['in']]); // both wait then, and are known
    sandbox.faults.sockets.silence();
    await setOther(1_890);
    expect(await idsIn(other)).toEqual(['other-in', 'other-stop']);
  });
});

test('a spot stop is one at market where the instrument has it, else a limit order a hundredth beyond', async () => {
  const credentials = await newCredentials(sandbox);
  const account = new AccountClient({ exchangeId: 'sandbox', marketType: 'spot', credentials, sandboxUrl: sandbox.url });
  await account.prepare();
  const market = await account.market('LTC/USDT');
  const stop = { symbol: 'LTC/USDT', type: 'stop', side: 'sell', stopPrice: 95, price: null, clientOrderId: 'x' } as OrderRequest;
  const having = (...orderTypes: string[]) => ({ ...market, info: { orderTypes } });
  expect(spotKind(account.ccxt, market, stop)).toEqual({ type: 'STOP_LOSS', stopPrice: '95' });
  const limited = { type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', stopPrice: '95' };
  expect(spotKind(account.ccxt, having('LIMIT', 'STOP_LOSS_LIMIT'), stop)).toEqual({ ...limited, price: '94.05' });
  expect(spotKind(account.ccxt, having('STOP_LOSS_LIMIT'), { ...stop, side: 'buy' })).toEqual({ ...limited, price: '95.95' });
  expect(() => spotKind(account.ccxt, having('LIMIT'), stop)).toThrow('LTC/USDT has no stop orders');
  expect(() => spotKind(account.ccxt, market, { ...stop, stopPrice: 95.001 })).toThrow('not a multiple of the tick');
});
