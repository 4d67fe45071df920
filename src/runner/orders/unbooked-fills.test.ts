import { aTrade } from '#engine/account/testing/a-trade.ts';
import { anOrder } from '#engine/account/testing/an-order.ts';
import { botState } from '#engine/bot/state.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import type { AccountReport, VenueFill } from '#engine/ports/trading.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { anOrderRow, aTradeRow } from '#storage/testing/trade-rows.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { MemoryDisk } from '../simulation/memory-disk.ts';
import type { SimDependencies } from '../simulation/sim-bot.ts';
import { SimBot } from '../simulation/sim-bot.ts';
import { World } from '../simulation/world.ts';
import { BotOrders } from './bot-orders.ts';
import { FeeValues } from './fee-values.ts';
import { OrderAccounts } from './order-accounts.ts';
import { orderTimes } from './order-times.ts';

const { db } = await freshDatabase();
const start = Date.UTC(2026, 0, 1);

/** An exchange that reports a fill of an order long after that has ended. */
class LateVenue extends InMemoryVenue {
  readonly #late: VenueFill[] = [];
  readonly #listeners = new Set<(report: AccountReport) => void>();

  override watch(listener: (report: AccountReport) => void): () => void {
    this.#listeners.add(listener);
    const end = super.watch(listener);
    return () => {
      this.#listeners.delete(listener);
      end();
    };
  }

  override async fillsSince(of: string, afterId: string | null): Promise<VenueFill[]> {
    return [...(await super.fillsSince(of, afterId)), ...this.#late];
  }

  async fillLate(symbol: string, clientOrderId: string, amount: number, time: number): Promise<void> {
    const order = await this.order(symbol, clientOrderId);
    if (order === null) throw new Error('There is no such order');
    const fee = { fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' as const };
    const fill: VenueFill = { id: 'late', clientOrderId, symbol, side: order.side, price: 100, amount, time, ...fee };
    this.#late.push(fill);
    for (const listener of this.#listeners) listener({ kind: 'order', order: { ...order, filled: order.filled + amount }, fill });
  }
}

/**
 * A bot holds a trade whose first stop was cancelled because the stop has moved; a late fill of that is reported, and its process dies so
 * many ms later. Another one takes over.
 */
async function dying(marketType: 'spot' | 'futures', afterMs: number) {
  const symbol = marketType === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT';
  const instrument = anInstrument({ symbol, marketType, maxLeverage: 20 });
  const world = new World(afterMs, start);
  const venue = new LateVenue({
    accountId: 'simulated',
    instruments: [instrument],
    balances: { USDT: 100_000 },
    time: start - 1_000,
    remembersIds: 'always',
    feeCurrency: 'quote',
  });
  const settings = requireSettings({
    stakeAmount: 300,
    maxOpenTrades: 1,
    startingBalance: 10_000,
    tradableBalanceRatio: 1,
    stoploss: -0.02,
    minimalRoi: {},
    marketType,
    orderTypes: { entry: 'market', exit: 'market', stoploss: 'market' },
  });
  const disk = new MemoryDisk(
    world,
    botState({ botId: 'b0000000-0000-4000-8000-000000000001', timeframe: '1m', status: 'active', settings }),
    [symbol],
  );
  const context = { instruments: new Map([[symbol, instrument]]), callbacks: {}, execution: 'exchange' as const, stopsAtExchange: true };
  const network = { isFaulty: false, clockSkewMs: 0, faults: 0 };
  const dependencies: SimDependencies = { world, disk, venue, network, context, times: orderTimes };
  let bot = new SimBot(dependencies);
  const view = () => ({ symbol, time: world.now, bid: 100, ask: 100.02, last: 100 });
  const repeat = (ms: number, what: () => void): void => world.after(ms, () => (what(), repeat(ms, what)));
  venue.setPrices(symbol, { bid: 100, ask: 100.02 });
  repeat(500, () => bot.receive({ kind: 'market', view: view() }));
  const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
  world.after(60_000, () => bot.receive({ kind: 'candle-closed', time: world.now, symbol, candleTime: start, row, view: view() }));
  await world.runUntil(start + 65_000);
  const tradeId = disk.state.trades[0]?.id ?? 0;
  bot.receive({ kind: 'close-asked', time: world.now, tradeId });
  await world.runUntil(start + 75_000);
  const stop = disk.state.formerTrades[0]?.orders.find(({ type }) => type === 'stop');
  if (stop === undefined) throw new Error('The trade has no stop');
  await venue.fillLate(symbol, stop.id, 0.5, world.now);
  await world.runUntil(world.now + afterMs);
  bot.process.kill();
  const died = { filled: disk.rows.get(stop.id)?.filled, isBooked: fillsOf(disk, stop.id).length > 0 };
  bot = new SimBot(dependencies);
  await world.runUntil(world.now + 30_000);
  bot.process.kill();
  bot = new SimBot(dependencies); // and once more
  await world.runUntil(world.now + 30_000);
  return { died, fills: fillsOf(disk, stop.id), isIdle: bot.isIdle, faults: disk.faults };
}

const fillsOf = ({ state: { trades, formerTrades } }: MemoryDisk, orderId: string) =>
  [...trades, ...formerTrades].flatMap(({ orders }) => orders.filter(({ id }) => id === orderId).flatMap(({ fills }) => fills));

test.each(['spot', 'futures'] as const)(
  'OP-85 a late fill that is on the disk reaches the trade once, whenever its process dies on the way: %s',
  async (marketType) => {
    const seen = { unbooked: 0, booked: 0 };
    for (let afterMs = 0; afterMs <= 60; afterMs++) {
      const { died, fills, isIdle, faults } = await dying(marketType, afterMs);
      expect({ isIdle, faults }).toEqual({ isIdle: true, faults: [] });
      if (died.filled !== 0.5) continue; // nothing was written yet
      seen[died.isBooked ? 'booked' : 'unbooked'] += 1;
      expect(fills.map(({ id }) => id)).toEqual(['late']);
    }
    // It has died before the step that takes the fill, and after it.
    expect(seen.unbooked).toBeGreaterThan(0);
    expect(seen.booked).toBeGreaterThan(0);
  },
);

test.each([
  ['has a fill that its trade lacks', 0.5, true],
  ['has none', 0, false],
])('OP-85 a stopped bot without a trade is started for an ended order that %s', async (_name, filled, isNeeded) => {
  const botId = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `bot with ${filled}` });
  const row = aTradeRow(botId, { mode: 'testnet', status: 'closed', closedAt: new Date() });
  const stop = anOrderRow(row, { purpose: 'stop', side: 'sell', status: 'cancelled', filled, closedAt: new Date() });
  await writeTrades(db, [{ trade: row, orders: [stop], fills: [] }]);
  const order = anOrder({ id: stop.clientOrderId, state: 'cancelled', filled: 0 });
  const settings = requireSettings({ stakeAmount: 10, maxOpenTrades: 1, startingBalance: 100, stoploss: -0.1, minimalRoi: {} });
  const state = { ...botState({ botId, timeframe: '1m', status: 'stopped', settings }), formerTrades: [aTrade({ orders: [order] })] };
  const failing = async (): Promise<never> => await Promise.reject(new Error('Nothing is asked'));
  const accounts = new OrderAccounts({ db }, failing, Date.now, () => undefined);
  onTestFinished(() => accounts.close());
  const orders = new BotOrders(
    accounts,
    { apiKeyId: '', exchangeId: 'sandbox', marketType: 'spot' },
    {
      id: botId,
      claim: '1',
      store: accounts.store({ id: botId, epoch: '1', runnerId: botId }),
      timeInForce: {},
      feeValues: new FeeValues(failing, () => undefined),
      state: () => state,
      onReport: () => undefined,
      onNumbersSeen: () => undefined,
      onError: (error) => expect.fail(String(error)),
      onFenced: (error) => expect.fail(String(error)),
    },
  );
  expect(await orders.isNeeded()).toBe(isNeeded);
});
