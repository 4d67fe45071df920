import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { addTestBot } from '../../../../test/support/test-bot.ts';
import { minuteMs } from '#engine/market/durations.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { Markets } from '#feeds/markets.ts';
import type { Database } from '#storage/database.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { claimBots, renewLease } from '#storage/bots/runners.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import type { ProcessTimes } from '#strategy-process/strategy-processes.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { OrderAccounts } from '../../orders/order-accounts.ts';
import type { BotDependencies } from '../bot-dependencies.ts';
import { DecisionLog } from '../decision-log.ts';
import { RunningBot } from '../running-bot.ts';
import { SignalFeed } from '../signal-feed.ts';
import { databaseSteps } from '../step-writer.ts';
import { handExchange } from './hand-exchange.ts';

const symbol = 'BTC/USDT';
const atStart = { node: process.execPath, walls: wallsOfSystem(), python: testPythonPlaces };

/** A bot of a strategy that runs in a process of its own, which `give` gives it, on an exchange that is moved by hand. */
export async function outsideBot(db: Database, give: (botId: string) => Promise<string>, times: Partial<ProcessTimes> = {}) {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', orderType: 'market', minimalRoi: { 0: 10 }, stoploss: -0.5 });
  await give(id);
  const exchange = handExchange([symbol, 'ETH/USDT']);
  const markets = new Markets([], async () => exchange.market);
  const windows = new CandleWindows(markets, { now: exchange.now });
  const decisions = new DecisionLog(db, (error) => expect.fail(String(error)));
  const rests: string[] = [];
  const processes = new StrategyProcesses(atStart, { ...productTimes, ...times }, (_bot, fault) => rests.push(fault));
  const logs: string[] = [];
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
  await claimBots(db, runnerId, 100);
  const dependencies: BotDependencies = {
    db,
    runnerId: () => runnerId,
    signals: new SignalFeed(windows, (error) => expect.fail(String(error))),
    processes,
    funding: new FundingFeed(markets, exchange.now),
    decisions,
    steps: databaseSteps(db),
    accounts: new OrderAccounts(
      { db },
      async () => await Promise.reject(new Error('none')),
      exchange.now,
      () => undefined,
    ),
    market: (exchangeId, marketType) => markets.market(exchangeId, marketType),
    now: exchange.now,
    onEnd: (_bot, error) => expect.fail(String(error)),
    log: (_message, details) => void logs.push(String((details as { error?: unknown }).error)),
  };
  const made = async (): Promise<RunningBot> => {
    const stored = await readBot(db, id);
    if (stored === null) throw new Error('The bot is gone');
    return new RunningBot(dependencies, stored, 'as made');
  };
  let running = await made();
  const bot = running;
  /** As after a change of its settings. */
  const startAgain = async (): Promise<RunningBot> => {
    running.end();
    await running.settle();
    running = await made();
    await running.start();
    return running;
  };
  onTestFinished(async () => {
    running.end();
    await running.settle();
    await processes.end();
    await decisions.close();
    windows.close();
  });
  const decided = async () => {
    await decisions.flush();
    const rows = await db
      .selectFrom('decisions')
      .select(['action', 'candleTime', 'gate', 'seen'])
      .where('botId', '=', id)
      .orderBy('candleTime')
      .execute();
    return rows.map(({ action, candleTime, gate, seen }) => ({
      action,
      candleTime,
      gate,
      ...(seen as { failure?: string; values?: object }),
    }));
  };
  const trades = () =>
    db.selectFrom('trades').select(['status', 'exitReason', 'stake', 'stopPrice']).where('botId', '=', id).orderBy('openedAt').execute();
  /** The price of the next candle, which closes; nothing else happens until it is decided. */
  const candle = async (price: number): Promise<void> => {
    exchange.quote(symbol, price);
    exchange.closeMinute();
    const opened = exchange.now() - minuteMs; // the one before it may be decided only now
    await expect.poll(async () => (await decided()).at(-1)?.candleTime.getTime()).toBe(opened);
    await expect.poll(() => running.isBusy).toBe(false);
  };
  return { id, bot, startAgain, exchange, decided, trades, candle, logs, rests };
}
