import { signalsFrom } from '#engine/bot/signals-from.ts';
import { dayMs, minuteMs } from '#engine/market/durations.ts';
import type { OwnSettings } from '#engine/settings/own-settings.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { Markets } from '#feeds/markets.ts';
import { changeBotSettings } from '#storage/bots/bot-settings.ts';
import { findBot, lockBot } from '#storage/bots/bots.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { Changed, claimBots, endLease, Fenced, renewLease } from '#storage/bots/runners.ts';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { OrderAccounts } from '../orders/order-accounts.ts';
import { DecisionLog } from './decision-log.ts';
import { RunningBot } from './running-bot.ts';
import { noProcesses } from '#strategy-process/testing/no-processes.ts';
import { SignalFeed } from './signal-feed.ts';
import { databaseSteps } from './step-writer.ts';
import { handExchange } from './testing/hand-exchange.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT';

/** A bot on an exchange moved by hand, which runners of its own run one after the other. */
async function aBot(ownSettings: OwnSettings) {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', orderType: 'market', minimalRoi: { 0: 10 }, ownSettings });
  const exchange = handExchange([symbol]);
  const markets = new Markets([], async () => exchange.market);
  const windows = new CandleWindows(markets, { now: exchange.now });
  const signals = new SignalFeed(windows, (error) => expect.fail(String(error)));
  const decisions = new DecisionLog(db, (error) => expect.fail(String(error)));
  const ends: unknown[] = [];
  const running = new Set<RunningBot>();
  onTestFinished(async () => {
    for (const bot of running) bot.end();
    await Promise.all([...running].map((bot) => bot.settle()));
    await decisions.close();
    windows.close();
  });
  const newRunner = async (): Promise<string> => {
    const runnerId = randomUUID();
    await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);
    await claimBots(db, runnerId, 100);
    return runnerId;
  };
  let runnerId = await newRunner();
  /** The bot as it is in the database now, begun. */
  const run = async (): Promise<RunningBot> => {
    const stored = await readBot(db, id);
    if (stored === null) throw new Error('The bot is gone');
    const own = runnerId;
    const bot = new RunningBot(
      {
        db,
        runnerId: () => own,
        signals,
        funding: new FundingFeed(markets, exchange.now),
        processes: noProcesses(),
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
        onEnd: (_bot, error) => void ends.push(error),
        log: () => undefined,
      },
      stored,
      'as made',
    );
    running.add(bot);
    await bot.start();
    return bot;
  };
  /** Another runner takes the bot, as after the end of the lease of the one before. */
  const moveOn = async (): Promise<void> => {
    await endLease(db, runnerId);
    runnerId = await newRunner();
  };
  /** A person changes what the bot sets itself. */
  const change = (own: OwnSettings, from: number | null = null) =>
    db.transaction().execute(async (trx) => {
      await lockBot(trx, id);
      const bot = await findBot(trx, id);
      if (bot === null) throw new Error('The bot is gone');
      const after = { ...bot, ownSettings: { ...bot.ownSettings, ...own } };
      const { nickname, exchangeId, marketType, stakeCurrency, stakeAmount, symbols, maxOpenTrades, leverage, leverageMode } = after;
      const settings = { nickname, exchangeId, marketType, stakeCurrency, stakeAmount, symbols, maxOpenTrades, leverage, leverageMode };
      const since = from === null ? null : new Date(from);
      await changeBotSettings(trx, bot, { ...settings, ownSettings: after.ownSettings }, bot.userId, new Date(), { signalsFrom: since });
    });
  const trades = () =>
    db
      .selectFrom('trades')
      .select(['status', 'exitReason', 'stopPrice', 'initialStopPrice', 'botVersion', 'closedAt'])
      .where('botId', '=', id)
      .orderBy('openedAt')
      .execute();
  const decided = async () => {
    await decisions.flush();
    const rows = await db.selectFrom('decisions').select(['candleTime', 'seen']).where('botId', '=', id).orderBy('candleTime').execute();
    return rows.map(({ candleTime, seen }) => [candleTime.getTime(), (seen as { exitLong: boolean }).exitLong] as const);
  };
  return { id, exchange, run, moveOn, change, trades, decided, ends };
}

test('OP-32 an open trade keeps its stop, own ROI reaches it at once, and the next trade has the new stop; also at another runner', async () => {
  const { exchange, run, moveOn, change, trades, ends } = await aBot({ stoploss: -0.5 });
  const first = await run();
  exchange.quote(symbol, 100);
  await expect.poll(() => first.vital()?.openTrades).toBe(1);
  await first.settle();
  expect((await trades()).map(({ stopPrice }) => Math.round(Number(stopPrice)))).toEqual([50]);

  // Somebody changes the stop while the bot runs: what it decides by the old settings is refused.
  await change({ stoploss: -0.02, minimalRoi: { 0: 10 } });
  first.end();
  const before = await run();
  await change({ stoploss: -0.01 });
  exchange.quote(symbol, 40); // it would leave
  await expect.poll(() => ends.length).toBe(1);
  expect(ends[0]).toBeInstanceOf(Changed);
  await before.settle();

  // Another runner has it: 2 % and 1 % below are the stops of trades to come.
  exchange.quote(symbol, 95);
  await moveOn();
  const second = await run();
  exchange.quote(symbol, 95);
  exchange.closeMinute();
  await second.settle();
  expect((await trades()).map(({ status, stopPrice }) => [status, Math.round(Number(stopPrice))])).toEqual([['open', 50]]);
  second.end();

  await change({ minimalRoi: { 0: 0.01 } });
  const third = await run();
  exchange.quote(symbol, 102);
  await expect.poll(async () => (await trades())[0]?.exitReason).toBe('roi');
  await expect.poll(() => third.vital()?.openTrades).toBe(0);
  exchange.quote(symbol, 102);
  exchange.closeMinute();
  await expect.poll(async () => (await trades()).length).toBe(2);
  const [, next] = await trades();
  expect(next?.botVersion).toBe(4);
  expect(Number(next?.initialStopPrice) / 102).toBeCloseTo(0.99, 3);
});

test('OP-32 own parameters decide from the next candle that closes, and the newest one is not judged by them; also after a restart and at another runner', async () => {
  const { id, exchange, run, moveOn, change, trades, decided, ends } = await aBot({ stoploss: -0.5 });
  const opener = await run();
  exchange.quote(symbol, 100);
  await expect.poll(() => opener.vital()?.openTrades).toBe(1);
  await opener.settle();
  opener.end();
  // It holds a trade; from here on its strategy is one whose exit is a number: the RSI at which a position is left.
  await sql`update bots set strategy_id = (select id from strategies where class_name = 'RsiReversal') where id = ${id}`.execute(db);
  const parameters = { recovered: 75 };
  await change({ parameters, orderTypes: { exit: 'market' } });
  const bot = await run();
  // Gains twice as large as losses: an RSI of about 67.
  let price = 100;
  for (let i = 0; i < 8; i++) {
    price += i % 2 === 0 ? -0.5 : 1;
    exchange.quote(symbol, price);
    exchange.closeMinute();
  }
  await bot.settle();
  expect((await decided()).slice(-8).map(([, exits]) => exits)).toEqual(Array.from({ length: 8 }, () => false));
  bot.end();

  const newest = (await decided()).at(-1)?.[0] ?? 0;
  const source = (recovered: number) => ({ timeframe: '1m' as const, parameters: { recovered } });
  await change({ parameters: { recovered: 50 } }, signalsFrom(source(75), source(50), exchange.now()));
  const restarted = await run();
  exchange.pass(5_000);
  exchange.quote(symbol, price);
  await restarted.settle();
  restarted.end();
  await moveOn();
  expect((await trades()).map(({ status }) => status)).toEqual(['open']); // the newest candle is not judged by the new parameters
  await run();
  exchange.pass(5_000);
  exchange.quote(symbol, price);
  exchange.closeMinute();
  await expect.poll(async () => (await trades())[0]?.exitReason).toBe('recovered');
  await expect.poll(async () => (await trades())[0]?.status).toBe('closed');
  expect((await decided()).at(-1)).toEqual([newest + minuteMs, true]);
  expect((await trades())[0]?.closedAt).toEqual(new Date(newest + 2 * minuteMs));
  expect(ends.filter((end) => !(end instanceof Changed) && !(end instanceof Fenced))).toEqual([]);
});

test('OP-32 a bot that inherits its timeframe waits for the first candle of another one of its strategy; a bot with its own does not', async () => {
  const own = await aBot({ stoploss: -0.5 });
  const inherits = await aBot({ stoploss: -0.5 });
  await sql`update bots set own_settings = own_settings - 'timeframe' where id = ${inherits.id}`.execute(db);
  const since = new Date(own.exchange.now() - minuteMs);
  await sql`update strategies set default_timeframe = '1m', signals_from = ${since} where class_name = 'BuyAndHold'`.execute(db);
  onTestFinished(async () => {
    await sql`update strategies set signals_from = null where class_name = 'BuyAndHold'`.execute(db);
  });
  const [first, second] = [await own.run(), await inherits.run()];
  own.exchange.quote(symbol, 100);
  inherits.exchange.quote(symbol, 100);
  await expect.poll(() => first.vital()?.openTrades).toBe(1);
  await second.settle();
  expect(await inherits.trades()).toEqual([]);
  const third = await inherits.run();
  inherits.exchange.quote(symbol, 100);
  inherits.exchange.closeMinute();
  await expect.poll(() => third.vital()?.openTrades).toBe(1);
});

test('OP-32 what a bot has changed itself long ago does not hide that its strategy has another timeframe since', async () => {
  const { id, exchange, run, trades } = await aBot({ stoploss: -0.5 });
  const [before, since] = [new Date(exchange.now() - 60 * dayMs), new Date(exchange.now() - minuteMs)];
  await sql`update bots set own_settings = own_settings - 'timeframe', signals_from = ${before} where id = ${id}`.execute(db);
  await sql`update strategies set default_timeframe = '1m', signals_from = ${since} where class_name = 'BuyAndHold'`.execute(db);
  onTestFinished(async () => {
    await sql`update strategies set signals_from = null where class_name = 'BuyAndHold'`.execute(db);
  });
  const first = await run();
  exchange.quote(symbol, 100);
  await first.settle();
  expect(await trades()).toEqual([]); // the newest candle is of before
  first.end();
  const second = await run();
  exchange.quote(symbol, 100);
  exchange.closeMinute();
  await expect.poll(() => second.vital()?.openTrades).toBe(1);
});
