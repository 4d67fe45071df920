import { randomUUID } from 'node:crypto';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import type { OrderReport } from '#engine/bot/event.ts';
import { botState, clientOrderId } from '#engine/bot/state.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { anOrderRequest } from '#engine/ports/testing/an-order-request.ts';
import { control, newCredentials, newTrading } from '#exchange/trading/testing/sandbox-account.ts';
import type { StoredOrder } from '#storage/orders/order-outbox.ts';
import { listDifferences } from '#storage/differences/found-differences.ts';
import { readTradingState } from '#storage/trading/trading-states.ts';
import { anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { AccountCheck } from './account-check.ts';
import { databaseRecords } from './account-records.ts';
import { BotOrders } from './bot-orders.ts';
import { FeeValues } from './fee-values.ts';
import { OrderAccounts } from './order-accounts.ts';
import type { OrderStore } from './order-store.ts';
import { orderTimes } from './order-times.ts';
import { UnrecordedOrders } from './unrecorded-orders.ts';

const { db } = await freshDatabase();

/** A bot that begins with a stop, open on the disk, in a perpetual that the exchange may have taken off its list; `open` begins. */
async function aBot(
  isListed: boolean,
  given: Partial<StoredOrder> = {},
  standing: Record<string, string> | null = null, // an order of it that the exchange has open
  isRecorded = true, // whether that is on record
) {
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
  const told: unknown[] = [];
  if (standing !== null) {
    const row = aTradeRow(botId, { symbol, mode: 'testnet', amount: 2 });
    if (isRecorded)
      await writeTrades(db, [
        { trade: row, orders: [anOrderRow(row, { clientOrderId: id, purpose: 'exit', side: 'sell', filled: 1 })], fills: [] },
      ]);
    const rows = JSON.stringify([{ ...aRow, clientOrderId: isRecorded ? id : clientOrderId(botId, 7), ...standing }]);
    sandbox.faults.add({ path: '/fapi/v1/openOrders', fault: { kind: 'body', body: rows } });
  }
  const stored: StoredOrder = {
    botId,
    clientOrderId: id,
    symbol,
    purpose: 'stop',
    side: 'sell',
    type: 'stop',
    amount: 2,
    price: null,
    stopPrice: 80,
    timeInForce: 'GTC',
    reduceOnly: true,
    leverage: 1,
    marginMode: 'isolated',
    state: 'open',
    attempt: 1,
    plannedAt: Date.now(),
    expiresAt: Date.now(),
    filled: 0,
    endedAt: null,
    ...given,
  };
  const store: OrderStore = {
    orders: async () => [{ ...stored }],
    send: async () => await Promise.reject(new Error('It was sent before')),
    async change(_id, change) {
      Object.assign(stored, { state: change.path.at(-1) ?? stored.state, filled: change.filled ?? stored.filled });
      return true;
    },
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
    onError: (error) => told.push(error),
    onFenced: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => orders.end());
  return { botId, apiKeyId, sandbox, accounts, orders, reports, stored, told };
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
  const { orders, reports, stored, told } = await aBot(isListed);
  await orders.open();
  expect(told).toEqual([]);
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
  const { orders, reports, stored, told } = await aBot(false, given, { status: 'PARTIALLY_FILLED', executedQty: '1', avgPrice: '120' });
  await orders.open();
  expect(stored).toMatchObject({ state: 'open', filled: 1 });
  expect(reports.at(-1)).toMatchObject({ state: 'open', filled: 1, fills: [] }); // they are still waited for
  expect(reports.every(({ isComplete }) => isComplete !== true)).toBe(true);
  expect(told).toMatchObject([{ kind: 'rejected', message: 'sandbox has no instrument ETH/USDT:USDT.' }]);
});

test('OP-85 a bot begins although an order without a record, filled in part, stands in a perpetual that has left: a person decides about it', async () => {
  const lost = { side: 'BUY', reduceOnly: 'false', status: 'PARTIALLY_FILLED', executedQty: '0.5', avgPrice: '119' };
  const { botId, orders, told } = await aBot(false, {}, lost, false);
  await orders.open();
  expect(told).toEqual([]);
  const found = { symbol: 'ETH/USDT:USDT', expected: 0, actual: 0.5, unrecorded: [{ net: 0.5, price: 120, fee: null }] };
  expect((await listDifferences(db, null)).open.filter((each) => each.botId === botId)).toMatchObject([found]);
  const alarms = await sql<{ kind: string }>`select kind from alarms where bot_id = ${botId} and ended_at is null order by kind`.execute(
    db,
  );
  expect(alarms.rows.map(({ kind }) => kind)).toEqual(['difference', 'unrecorded-order']);
  expect(await readTradingState(db, botId)).toBe('reducing');
});

test.each(['spot', 'futures'] as const)(
  'OP-85 an order without a record in a pair that has left %s is noted with what it says itself, and cancelled; its fills count once they are listed again',
  async (marketType) => {
    const sandbox = await startSandbox({ controlPort: 0, factor: 0 });
    onTestFinished(() => sandbox.close());
    const symbol = marketType === 'spot' ? 'LTC/USDT' : 'LTC/USDT:USDT';
    const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: randomUUID(), marketType, symbols: ['BTC/USDT', symbol] });
    const apiKeyId = await goLive(db, botId);
    const credentials = await newCredentials(sandbox);
    vi.useFakeTimers({ toFake: ['performance'] }); // which gives the age of a list of instruments
    onTestFinished(() => void vi.useRealTimers());
    const connect = async () => {
      vi.advanceTimersByTime(minuteMs + 1);
      const trading = await newTrading(sandbox, marketType, { accountId: apiKeyId, credentials });
      onTestFinished(() => trading.close());
      const records = databaseRecords(db, { apiKeyId, marketType });
      const search = async (isWhole = true) => await new UnrecordedOrders(trading, records, orderTimes, Date.now).search(isWhole);
      const check = new AccountCheck(db, trading, marketType, { doubt: () => undefined, isCertainOf: () => true });
      return { trading, search, check };
    };
    const found = async () => (await listDifferences(db, null)).open.find((each) => each.botId === botId);
    const prices = async (ask: number, depth: number) => await control(sandbox, 'POST /prices', { pair: 'LTCUSDT', bid: 99, ask, depth });
    await prices(100, 0.4);
    const before = await connect();
    const order = { clientOrderId: clientOrderId(botId, 7), symbol, type: 'limit', price: 101, amount: 1 } as const;
    expect(await before.trading.place(anOrderRequest({ ...order, expiresAt: Infinity }))).toMatchObject({ state: 'open', filled: 0.4 });
    const path = marketType === 'spot' ? '/api/v3/exchangeInfo' : '/fapi/v1/exchangeInfo';
    const list = (await (await fetch(sandbox.url + path)).json()) as { symbols: { symbol: string }[] };
    const body = JSON.stringify({ ...list, symbols: list.symbols.filter((each) => each.symbol !== 'LTCUSDT') });
    sandbox.faults.add({ path, fault: { kind: 'body', body } });
    const unlisted = await connect();
    // What the exchange will not cancel is noted as it stands, and waited for by nobody.
    const cancelling = marketType === 'spot' ? '/api/v3/order' : '/fapi/v1/order';
    sandbox.faults.add({ path: cancelling, times: 1, fault: { kind: 'error', status: 400, code: -1121, message: 'Invalid symbol.' } });
    expect(await unlisted.search()).toMatchObject({ isOver: true });
    expect(await before.trading.openOrders()).toMatchObject([{ filled: 0.4 }]);
    expect(await found()).toMatchObject({ symbol, expected: 0, actual: 0.4, unrecorded: [{ net: 0.4, price: 101, fee: null }] });
    await prices(100, 0.3);
    expect(await unlisted.search(false)).toMatchObject({ isOver: true });
    expect(await before.trading.openOrders()).toEqual([]);
    expect(await found()).toMatchObject({ symbol, expected: 0, actual: 0.7, unrecorded: [{ net: 0.7, price: 101, fee: null }] });
    // What the account holds is compared by the same symbol.
    await sql`update unrecorded_orders set changed_at = now() - interval '1 minute' where bot_id = ${botId}`.execute(db);
    for (let i = 0; i < 2; i++) await unlisted.check.run();
    expect((await found())?.actual).toBeCloseTo(0.7, 2);
    sandbox.faults.clear();
    await (await connect()).search();
    const [{ price, fee } = { price: 0, fee: null }] = (await found())?.unrecorded ?? [];
    expect(price).toBeLessThan(101);
    expect(fee).toBeGreaterThan(0);
  },
);
