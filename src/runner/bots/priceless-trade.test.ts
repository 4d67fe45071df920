import { aTrade } from '#engine/account/testing/a-trade.ts';
import { newOrder } from '#engine/account/order.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { Markets } from '#feeds/markets.ts';
import { askHeldElsewhere, tradesHeldElsewhere } from '#storage/differences/held-elsewhere.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { claimBots, renewLease } from '#storage/bots/runners.ts';
import { writeTrades } from '#storage/trades/trade-writes.ts';
import { noProcesses } from '#strategy-process/testing/no-processes.ts';
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { OrderAccounts } from '../orders/order-accounts.ts';
import { DecisionLog } from './decision-log.ts';
import { RunningBot } from './running-bot.ts';
import { SignalFeed } from './signal-feed.ts';
import { databaseSteps } from './step-writer.ts';
import { handExchange } from './testing/hand-exchange.ts';
import { tradeRows } from './trade-rows.ts';

const { db } = await freshDatabase();
const [symbol, delisted] = ['BTC/USDT:USDT', 'ABC/USDT:USDT'];

/** A live bot, started again, with a long of 5 at 100 in a perpetual that its exchange does not have any more. */
async function holding() {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', marketType: 'futures', symbols: [symbol, delisted] });
  await goLive(db, id);
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
  const exchange = handExchange([symbol], 'futures');
  const openTime = exchange.now() - 1_000;
  const orderedIn = { time: openTime, price: 100, amount: 5 };
  const order = newOrder({
    id: 'entry-1',
    purpose: 'entry',
    side: 'buy',
    type: 'market',
    price: 100,
    amount: 5,
    tag: '',
    createdTime: openTime,
    candleTime: openTime,
    action: 'enter',
    follows: null,
    state: 'filled',
  });
  Object.assign(order, { filled: 5, filledTime: openTime, fillPrice: 100 });
  order.fills.push({ id: 'bought', ...orderedIn, fee: 0, feeCurrency: 'USDT', feeInQuote: 0, liquidity: 'taker' });
  const held = aTrade({
    symbol: delisted,
    marketType: 'futures',
    openTime,
    amount: 5,
    stake: 500,
    openValue: 500,
    stop: 90,
    orders: [order],
  });
  await writeTrades(db, [tradeRows(held, { botId: id, mode: 'testnet', epoch: '0', confidence: null })]);
  await claimBots(db, runnerId, 100);
  const stored = await readBot(db, id);
  if (stored === null) throw new Error('The bot is gone');
  const markets = new Markets([], async () => exchange.market);
  const windows = new CandleWindows(markets, { now: exchange.now });
  const logs: string[] = [];
  const decisions = new DecisionLog(db, (error) => logs.push(String(error)));
  // Nothing is asked of the account: it is not opened.
  const accounts = new OrderAccounts(
    { db },
    async () => await Promise.reject(new Error('none')),
    exchange.now,
    () => undefined,
  );
  const bot = new RunningBot(
    {
      db,
      runnerId: () => runnerId,
      signals: new SignalFeed(windows, (error) => logs.push(String(error))),
      funding: new FundingFeed(markets, exchange.now),
      processes: noProcesses(),
      decisions,
      steps: databaseSteps(db),
      accounts,
      market: (exchangeId, marketType) => markets.market(exchangeId, marketType),
      now: exchange.now,
      onEnd: (_bot, error) => void logs.push(String(error)),
      log: (message, details) => void logs.push(`${message} ${JSON.stringify(details)}`),
    },
    stored,
    'as made',
  );
  onTestFinished(async () => {
    bot.end();
    await bot.settle();
    await accounts.close();
    await decisions.close();
    windows.close();
  });
  await expect(bot.start()).rejects.toThrow('none');
  const trade = () => db.selectFrom('trades').selectAll().where('botId', '=', id).executeTakeFirstOrThrow();
  /** As the runner does with every scan. */
  const scan = async () => bot.correctTrades(await tradesHeldElsewhere(db, runnerId));
  return { trade, scan, logs };
}

test('a trade in a perpetual that was delisted and settled ends when a person has decided, at the last price that is known', async () => {
  const { trade, scan, logs } = await holding();
  expect(await askHeldElsewhere(db, (await trade()).id, 5, new Date())).toBe(true);
  await expect.poll(async () => [await scan(), (await trade()).status], { timeout: patienceMs }).toEqual([undefined, 'closed']);
  expect(await trade()).toMatchObject({ exitReason: 'sold_on_exchange', exitPrice: '100.000000000000000000' });
  expect(logs).toEqual([]);
});
