import { randomUUID } from 'node:crypto';
import { hourMs } from '#engine/market/durations.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import type { OrderReport } from '#engine/bot/event.ts';
import { botState, clientOrderId } from '#engine/bot/state.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { newTrading } from '#exchange/trading/testing/sandbox-account.ts';
import type { StoredOrder } from '#storage/orders/order-outbox.ts';
import { anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { BotOrders } from './bot-orders.ts';
import { FeeValues } from './fee-values.ts';
import { OrderAccounts } from './order-accounts.ts';
import type { OrderStore } from './order-store.ts';
import { aStoredOrder } from './testing/a-stored-order.ts';

const { db } = await freshDatabase();

/** A bot that begins with a stop, open on the disk, in a perpetual that the exchange may have taken off its list; `open` begins. */
async function aBot(isListed: boolean, given: Partial<StoredOrder> = {}, standing: Record<string, string> | null = null) {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const path = '/fapi/v1/exchangeInfo';
  const list = (await (await fetch(sandbox.url + path)).json()) as { symbols: { symbol: string }[] };
  const body = JSON.stringify({ ...list, symbols: list.symbols.filter(({ symbol }) => isListed || symbol !== 'ETHUSDT') });
  sandbox.faults.add({ path, fault: { kind: 'body', body } });
  const accounts = new OrderAccounts(
    { db },
    ({ apiKeyId }) => newTrading(sandbox, 'futures', { accountId: apiKeyId }),
    Date.now,
    () => undefined,
    0.01, // a look-up is repeated after 10 ms
  );
  onTestFinished(() => accounts.close());
  const symbol = 'ETH/USDT:USDT';
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: randomUUID(), marketType: 'futures', symbols: [symbol] });
  const apiKeyId = await goLive(db, botId); // an account whose key is gone is closed
  const id = clientOrderId(botId, 1);
  const errors: unknown[] = [];
  if (standing !== null) {
    const row = aTradeRow(botId, { symbol, mode: 'testnet', amount: 2 });
    await writeTrades(db, [
      { trade: row, orders: [anOrderRow(row, { clientOrderId: id, purpose: 'exit', side: 'sell', filled: 1 })], fills: [] },
    ]);
    const rows = JSON.stringify([{ ...aRow, clientOrderId: id, ...standing }]);
    sandbox.faults.add({ path: '/fapi/v1/openOrders', fault: { kind: 'body', body: rows } });
  }
  const stored = aStoredOrder({ botId, clientOrderId: id, symbol, reduceOnly: true, marginMode: 'isolated', ...given });
  const store: OrderStore = {
    orders: async () => [{ ...stored }],
    send: async () => await Promise.reject(new Error('It was sent before')),
    async change(_id, change) {
      Object.assign(stored, { state: change.path.at(-1) ?? stored.state, filled: change.filled ?? stored.filled });
      return true;
    },
    entryRefusal: async () => null,
    fillBefore: async () => null,
  };
  const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });
  const trade = aTrade({ symbol, orders: [anOrder({ id, state: 'open', reported: stored.filled })] });
  const state = { ...botState({ botId, timeframe: '1m', status: 'active', settings }), trades: [trade] };
  const reports: OrderReport[] = [];
  const account = { apiKeyId, exchangeId: 'sandbox', marketType: 'futures' } as const;
  const orders = new BotOrders(accounts, account, {
    id: botId,
    claim: '1',
    store,
    timeInForce: {},
    feeValues: new FeeValues(
      async () => Promise.reject(new Error('no market')),
      () => undefined,
    ),
    state: () => state,
    onReport: (_order, report) => void reports.push(report),
    onNumbersSeen: () => undefined,
    onError: (error) => errors.push(error),
    onFenced: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => orders.end());
  return { orders, reports, stored, errors };
}

/** An order to sell 2 at 120 as the exchange lists it. */
const aRow = {
  orderId: 7,
  symbol: 'ETHUSDT',
  side: 'SELL',
  type: 'LIMIT',
  origType: 'LIMIT',
  timeInForce: 'GTC',
  reduceOnly: true,
  positionSide: 'BOTH',
  origQty: '2',
  price: '120',
  stopPrice: '0',
  time: Date.now(),
  updateTime: Date.now(),
};

test.each([
  ['has left the exchange', false],
  ['is listed, and which the exchange has forgotten', true],
])('OP-85 a bot begins although it has a stop in a perpetual that %s: that has ended', async (_name, isListed) => {
  const { orders, reports, stored, errors } = await aBot(isListed);
  await orders.open();
  expect(errors).toEqual([]);
  expect(stored).toMatchObject({ state: 'cancelled', filled: 0 });
  expect(reports.at(-1)).toMatchObject({ state: 'cancelled', filled: 0, fills: [] });
});

test('OP-85 a bot begins although the fills of its stop in a perpetual that has left the exchange are listed nowhere', async () => {
  const { orders, reports } = await aBot(false, { state: 'filled', filled: 2, endedAt: Date.now() - hourMs });
  await orders.open();
  expect(reports.at(-1)).toMatchObject({ state: 'filled', filled: 0, fills: [], isComplete: true });
});

test('OP-85 a bot begins although an order that was filled in part stands in a perpetual that has left the exchange', async () => {
  const given = { purpose: 'exit', type: 'limit', price: 120, stopPrice: null } as const;
  const { orders, reports, stored, errors } = await aBot(false, given, { status: 'PARTIALLY_FILLED', executedQty: '1', avgPrice: '120' });
  await orders.open();
  expect(stored).toMatchObject({ state: 'open', filled: 1 });
  expect(reports.at(-1)).toMatchObject({ state: 'open', filled: 1, fills: [] }); // they are still waited for
  expect(reports.every(({ isComplete }) => isComplete !== true)).toBe(true);
  expect(errors).toMatchObject([{ kind: 'rejected', message: 'sandbox has no instrument ETH/USDT:USDT.' }]);
});
