import type { MarketData } from '#engine/ports/market-data.ts';
import { emptyMemory } from '#engine/bot/stored-state.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { InMemoryVenue } from '#engine/simulation/venue.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import { Markets } from '#feeds/markets.ts';
import { readBot, setEngineMemory } from '#storage/bots/running-bots.ts';
import { claimBots, Fenced, renewLease } from '#storage/bots/runners.ts';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { TestBot } from '../../../test/support/test-bot.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { DecisionLog } from './decision-log.ts';
import { RunningBot } from './running-bot.ts';
import { databaseSteps } from './step-writer.ts';
import { OrderAccounts } from '../orders/order-accounts.ts';
import { noProcesses } from '#strategy-process/testing/no-processes.ts';
import { SignalFeed } from './signal-feed.ts';
import { handExchange } from './testing/hand-exchange.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT';
const other = 'ETH/USDT';
const runnerId = randomUUID();
await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 3_600_000, true);

afterEach(async () => {
  await sql`update bots set status = 'paused'`.execute(db);
});

/** A bot in the database, and what runs it on an exchange moved by hand. Its orders go to an account where one is named. */
async function aBot(given: Partial<TestBot> = {}, account: ((apiKeyId: string) => InMemoryVenue) | null = null) {
  const { marketType = 'spot' } = given;

  const id = await addTestBot(db, {
    strategy: 'BuyAndHold',
    symbols: [symbol, other],
    minimalRoi: { 0: 10 },
    orderType: 'market',
    ...given,
  });
  const venue = account?.(await goLive(db, id)) ?? null;
  await claimBots(db, runnerId, 100);
  const exchange = handExchange([symbol, other], marketType === 'futures' ? 'futures' : 'spot');
  const markets = new Markets([], async () => exchange.market);
  const windows = new CandleWindows(markets, { now: exchange.now });
  const logs: string[] = [];
  const ends: unknown[] = [];
  const opened = { count: 0, gate: Promise.resolve() };
  const decisions = new DecisionLog(db, (error) => logs.push(String(error)));
  // The clock of the account continues by itself: it is searched before its bot begins.
  const begunAt = performance.now();
  const accounts = new OrderAccounts(
    { db },
    async () => venue ?? (await Promise.reject(new Error('none'))),
    () => exchange.now() + performance.now() - begunAt,
    (message) => void logs.push(message),
    0.01,
  );
  const running = new Set<RunningBot>();
  onTestFinished(async () => {
    for (const bot of running) bot.end();
    await Promise.all([...running].map((bot) => bot.settle()));
    await decisions.close();
    await accounts.close();
    windows.close();
  });
  /** The bot as it is in the database now. */
  const run = async (): Promise<RunningBot> => {
    const stored = await readBot(db, id);
    if (stored === null) throw new Error('The bot is gone');
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
        async market(exchangeId, wanted): Promise<MarketData> {
          opened.count += 1;
          await opened.gate;
          return markets.market(exchangeId, wanted);
        },
        now: exchange.now,
        onEnd: (_bot, error) => void ends.push(error),
        log: (message, details) => void logs.push(`${message} ${JSON.stringify(details)}`),
      },
      stored,
      'as made',
    );
    running.add(bot);
    return bot;
  };
  const trades = () =>
    db.selectFrom('trades').select(['symbol', 'status']).where('botId', '=', id).orderBy('symbol').orderBy('openedAt').execute();
  return { id, exchange, venue, run, trades, logs, ends, opened };
}

/** A bot that has begun and holds all its symbols. */
async function holding(given: Partial<TestBot> = {}) {
  const made = await aBot(given);
  const count = given.symbols?.length ?? 2;
  const bot = await made.run();
  await bot.start();
  made.exchange.quote(symbol, 100);
  made.exchange.quote(other, 50);
  await expect.poll(() => bot.vital()?.openTrades).toBe(count);
  await bot.settle();
  bot.end();
  return made;
}

describe('ADD-close-trade', () => {
  test('a trade that a person closes is closed at market; while its book cannot be had the next scan tries again', async () => {
    const { id, run, exchange, trades, logs } = await holding();
    const bot = await run();
    await bot.start();
    const of = async (wanted: string) =>
      (await db.selectFrom('trades').select('id').where('botId', '=', id).where('symbol', '=', wanted).executeTakeFirstOrThrow()).id;
    exchange.faults.books.add(symbol);
    bot.closeTrades([await of(symbol)]);
    await expect.poll(() => logs.join()).toContain(`no book of ${symbol}`);
    expect((await trades()).map(({ status }) => status)).toEqual(['open', 'open']);
    exchange.faults.books.clear();
    bot.closeTrades([await of(symbol)]);
    await expect.poll(trades).toEqual([
      { symbol, status: 'closed' },
      { symbol: other, status: 'open' },
    ]);
  });
});

test('a trade whose exit waits at a limit is closed at market when a person asks for it', async () => {
  const limited = { orderTypes: { exit: 'limit' } } as const;
  const { id, run, exchange, trades } = await holding({ symbols: [symbol], minimalRoi: { 0: 0.05 }, ownSettings: limited });
  const bot = await run();
  await bot.start();
  exchange.quote(symbol, 110);
  const exits = () =>
    db.selectFrom('orders').select(['type', 'status']).where('botId', '=', id).where('purpose', '=', 'exit').orderBy('plannedAt').execute();
  await expect.poll(exits).toEqual([{ type: 'limit', status: 'open' }]);
  exchange.quote(symbol, 104); // nobody buys at the limit any more
  const trade = await db.selectFrom('trades').select('id').where('botId', '=', id).executeTakeFirstOrThrow();
  await expect
    .poll(async () => {
      bot.closeTrades([trade.id]);
      return await trades();
    })
    .toEqual([{ symbol, status: 'closed' }]);
  expect(await exits()).toEqual([
    { type: 'limit', status: 'cancelled' },
    { type: 'market', status: 'filled' },
  ]);
});

describe('what the account of a bot holds', () => {
  const coin = { direction: 'long', amount: 1, price: 100, fee: 0 } as const;
  const wish = { symbol, holding: coin, fillId: 'outside-1', isBlocked: false };

  /** A live bot that has begun and is paused, and its account on spot, which holds a coin. */
  const live = async () => {
    const accountOf = (accountId: string) =>
      new InMemoryVenue({
        accountId,
        instruments: [anInstrument({ symbol })],
        balances: { USDT: 1_000, BTC: 1 },
        time: handExchange().now(),
        remembersIds: 'always',
        feeCurrency: 'quote',
      });
    const made = await aBot({ symbols: [symbol], status: 'paused' }, accountOf);
    const { venue, exchange } = made;
    if (venue === null) throw new Error('The bot has no account');
    venue.setPrices(symbol, { bid: 100, ask: 100 });
    const bot = await made.run();
    await bot.start();
    exchange.quote(symbol, 100);
    const amounts = async () =>
      (await db.selectFrom('trades').select(['id', 'status', 'amount']).where('botId', '=', made.id).execute()).map((trade) => ({
        ...trade,
        amount: Number(trade.amount),
      }));
    return { ...made, bot, venue, amounts };
  };

  test('is watched from the moment its bot is to take it over, also in a pair that the bot does not trade', async () => {
    const { run, exchange } = await aBot({ symbols: [symbol], status: 'paused' });
    const bot = await run();
    await bot.start();
    expect([exchange.watchers(symbol), exchange.watchers(other)]).toEqual([1, 0]);
    bot.adoptHoldings([{ ...wish, symbol: other }]);
    await expect.poll(() => exchange.watchers(other)).toBe(1);
  });

  test('OP-85 is not adopted while a lost order may hold its coins: that is searched for first', async () => {
    const { bot, venue, trades } = await live();
    const searched = vi.spyOn(venue, 'openOrders');
    bot.adoptHoldings([{ ...wish, isBlocked: true }]);
    await expect.poll(() => searched.mock.calls.length).toBeGreaterThan(0);
    await expect.poll(() => bot.isBusy).toBe(false);
    expect(await trades()).toEqual([]);
    await expect
      .poll(async () => {
        bot.adoptHoldings([wish]);
        return await trades();
      })
      .toEqual([{ symbol, status: 'open' }]);
  });

  test('ADD-resolve-difference is sold to the last coin where a correction was booked a moment ago: it is not missing once more', async () => {
    const { bot, amounts, venue, exchange } = await live();
    await expect
      .poll(async () => {
        bot.adoptHoldings([wish]);
        return await amounts();
      })
      .toMatchObject([{ status: 'open', amount: 1 }]);
    const [{ id: tradeId } = { id: '' }] = await amounts();
    const asked = { tradeId, amount: 0.4, fillId: 'outside-2', decidedAt: exchange.now() };
    await expect
      .poll(async () => {
        bot.correctTrades([asked]);
        return await amounts();
      })
      .toMatchObject([{ amount: 0.6 }]);
    // As the scan has read it just before that was booked.
    const lacking = [{ tradeId, missing: 0, heldElsewhere: 0.4, fillId: 'outside-2', waits: false }];
    await expect
      .poll(async () => {
        bot.seeMissing(lacking);
        bot.closeTrades([tradeId]);
        return await amounts();
      })
      .toMatchObject([{ status: 'closed' }]);
    const sold = (await venue.ordersSince(symbol, 0)).filter(({ type }) => type === 'market');
    expect(sold.map(({ filled }) => filled)).toEqual([0.6]);
  });
});

describe('a start', () => {
  test('of a stopped bot that holds nothing opens nothing', async () => {
    const { run, opened, exchange } = await aBot({ status: 'stopped' });
    const bot = await run();
    await bot.start();
    expect([opened.count, exchange.watchers(symbol), bot.vital()]).toEqual([0, 0, null]);
  });

  test('OP-86 of a stopped bot that holds something closes it, also in a symbol it no longer trades', async () => {
    const { id, run, exchange, trades } = await holding();
    await sql`update bots set status = 'stopped', symbols = ${[symbol]} where id = ${id}`.execute(db);
    const bot = await run();
    await bot.start();
    await expect.poll(async () => (await trades()).map(({ status }) => status)).toEqual(['closed', 'closed']);
    exchange.quote(symbol, 100);
    // The rows are there a moment before the bot has received that they are.
    await expect.poll(() => bot.vital()).toMatchObject({ openTrades: 0 });
  });

  test('OP-86 of a paused bot watches the prices of what it holds, and enters nothing', async () => {
    const { id, run, exchange, trades } = await holding();
    await sql`update bots set status = 'paused', symbols = ${[symbol]} where id = ${id}`.execute(db);
    const bot = await run();
    await bot.start();
    expect([exchange.watchers(other), exchange.watchers(symbol)]).toEqual([1, 1]);
    exchange.closeMinute();
    exchange.quote(other, 60);
    expect(bot.vital()).toMatchObject({ openTrades: 2 });
    expect(await trades()).toHaveLength(2);
  });

  test('that is overtaken by the end watches nothing', async () => {
    const { run, exchange, opened } = await aBot();
    const { promise, resolve } = Promise.withResolvers<void>();
    opened.gate = promise;
    const bot = await run();
    const starting = bot.start();
    bot.end();
    resolve();
    await starting;
    expect([exchange.watchers(symbol), exchange.watchers(other)]).toEqual([0, 0]);
  });

  test('OP-83 is refused for real orders', async () => {
    const { id, run } = await aBot({ status: 'paused' });
    await sql`update bots set mode = 'live' where id = ${id}`.execute(db);
    await expect(run()).rejects.toThrow('The bot is live and has no API key; it does nothing.');
  });

  test('is refused when what is stored cannot be read', async () => {
    const { id, run } = await aBot();
    await setEngineMemory(db, id, 'paper', { ...emptyMemory, locks: 'none' });
    await expect(run()).rejects.toThrow('The stored memory of the bot cannot be read');
  });
});

describe('what a bot reports of itself', () => {
  test('is nothing before the first price, then its trades and their profit at the newest prices', async () => {
    const { id, run, exchange } = await aBot({ status: 'paused' });
    const bot = await run();
    expect([bot.id, bot.changedAt]).toEqual([id, 'as made']);
    expect(bot.vital()).toBeNull();
    await bot.start();
    exchange.pass(5);
    exchange.quote(symbol, 100);
    expect(bot.vital()).toEqual({
      botId: id,
      lastTickAt: new Date(exchange.now()),
      openTrades: 0,
      unrealizedPnl: 0,
      closedTrades: 0,
      lastError: null,
      strategyRest: null,
    });
  });

  test('has the profit of what it holds', async () => {
    const { run, exchange } = await holding();
    const bot = await run();
    await bot.start();
    exchange.quote(symbol, 110);
    exchange.quote(other, 50);
    // About a stake of 100 ten percent up, and another where it was.
    expect(bot.vital()?.unrealizedPnl).toBeGreaterThan(9);
    expect(bot.vital()?.unrealizedPnl).toBeLessThan(10);
  });

  test('OP-72 an hourly snapshot is of an active bot that has seen a price', async () => {
    const { id, run, exchange } = await aBot({ strategy: 'AlwaysFlat' });
    const active = await run();
    await active.start();
    expect(active.hourlySnapshot(hourMs)).toBeNull();
    exchange.quote(symbol, 100);
    expect(active.hourlySnapshot(hourMs)).toMatchObject({ botId: id, takenAt: new Date(hourMs), currentBalance: 300 });
    active.end();
    await sql`update bots set status = 'paused' where id = ${id}`.execute(db);
    const paused = await run();
    await paused.start();
    exchange.quote(symbol, 100);
    expect(paused.hourlySnapshot(hourMs)).toBeNull();
  });

  test('has its newest error until a step is written; the same error twice is logged once', async () => {
    const { run, exchange, logs } = await aBot({ symbols: [symbol] });
    const bot = await run();
    exchange.faults.books.add(symbol);
    await bot.start();
    exchange.quote(symbol, 100);
    await expect.poll(() => bot.vital()?.lastError).toBe(`no book of ${symbol}`);
    await bot.settle();
    expect(logs).toEqual([`a step was not taken ${JSON.stringify({ bot: bot.id, error: `no book of ${symbol}` })}`]);
  });
});

test('a candle whose step failed is decided with the next prices, once', async () => {
  const { run, exchange, trades, logs } = await aBot({ symbols: [symbol] });
  const bot = await run();
  exchange.faults.books.add(symbol);
  await bot.start();
  exchange.quote(symbol, 100);
  await expect.poll(() => logs.length).toBe(1);
  exchange.closeMinute();
  await expect.poll(() => bot.vital()?.lastError).not.toBeNull();
  exchange.faults.books.clear();
  await expect
    .poll(() => {
      exchange.quote(symbol, 101);
      return bot.vital()?.openTrades;
    })
    .toBe(1);
  await expect.poll(() => bot.vital()?.lastError).toBeNull();
  expect(await trades()).toEqual([{ symbol, status: 'open' }]);
});

describe('prices seen', () => {
  const highest = async (id: string): Promise<unknown> =>
    (await db.selectFrom('trades').select('engineState').where('botId', '=', id).where('symbol', '=', symbol).executeTakeFirstOrThrow())
      .engineState['maxRate'];

  test('are written when it is time to, not with each of them', async () => {
    const { id, run, exchange } = await holding();
    const bot = await run();
    await bot.start();
    exchange.quote(symbol, 120);
    await bot.save();
    expect(await highest(id)).toBe(119.99); // what could be had for it
    exchange.quote(symbol, 130);
    expect(await highest(id)).toBe(119.99);
    bot.end();
    await bot.save();
    expect(await highest(id)).toBe(119.99); // it has ended
  });

  test('are not written by a bot that another runner has: it ends itself', async () => {
    const { id, run, exchange, ends } = await holding();
    const bot = await run();
    await bot.start();
    await sql`update bots set epoch = epoch + 1 where id = ${id}`.execute(db);
    exchange.quote(symbol, 120);
    await bot.save();
    expect(ends).toEqual([expect.any(Fenced)]);
    expect(bot.vital()?.lastError).toBe(`Bot ${id} is not this runner's any more`);
    expect(exchange.watchers(symbol)).toBe(0);
    expect(await highest(id)).toBeLessThan(119);
  });
});

test('a step that another runner’s claim refuses ends the bot, and nothing of it is known, written or logged twice', async () => {
  const { id, run, exchange, ends, trades, logs } = await aBot({ symbols: [symbol] });
  const bot = await run();
  await bot.start();
  await sql`update bots set epoch = epoch + 1 where id = ${id}`.execute(db);
  exchange.quote(symbol, 100);
  await expect.poll(() => ends).toEqual([expect.any(Fenced)]);
  expect(logs).toEqual([]); // whoever receives the end logs it
  expect(bot.vital()).toMatchObject({ openTrades: 0 });
  expect(await trades()).toEqual([]);
});

describe('OP-84 a payment of funding that is published after its trade has ended', () => {
  const rate = 0.001;

  /** A bot that has held a perpetual over a full hour and has left it two seconds later; what was paid is published when the test says so. */
  const leaver = async () => {
    const made = await holding({ marketType: 'futures', symbols: [symbol], leverage: 2 });
    const { id, exchange } = made;
    const paidAt = exchange.now() + hourMs;
    const published = { is: false, asked: 0 };
    exchange.market.funding = async (_symbol, from, to) => {
      published.asked += 1;
      return published.is && paidAt >= from && paidAt < to ? [{ time: paidAt, rate, mark: 100 }] : [];
    };
    exchange.pass(hourMs + 2_000);
    await sql`update bots set status = 'stopped' where id = ${id}`.execute(db);
    const closing = await made.run();
    await closing.start();
    await expect.poll(async () => (await made.trades()).map(({ status }) => status)).toEqual(['closed']);
    const books = async () => {
      const { rows } = await sql<{ profit: number; funding: number; amount: number; figures: number; snapshot: number; trades: number }>`
        select t.profit::float8 as profit, t.funding::float8 as funding, t.amount::float8 as amount, f.realized_pnl::float8 as figures, f.trades,
          (select realized_pnl::float8 from pnl_snapshots where bot_id = ${id} order by taken_at desc limit 1) as snapshot
        from trades t join bot_figures f using (bot_id) where t.bot_id = ${id}`.execute(db);
      if (rows[0] === undefined) throw new Error('The trade is gone');
      return rows[0];
    };
    return { ...made, closing, published, paidAt, books };
  };

  test.each([
    ['by the bot that has ended it', false],
    ['after a restart, although the bot is stopped', true],
  ])('corrects trade, figures and history of the balance, once: %s', async (_, isRestarted) => {
    const { closing, run, exchange, opened, published, books } = await leaver();
    const before = await books();
    expect(before).toMatchObject({ funding: 0, figures: before.profit, snapshot: before.profit });
    let bot = closing;
    if (isRestarted) {
      await closing.settle();
      closing.end();
      bot = await run();
      await bot.start();
      expect(await books()).toEqual(before); // nothing is known yet
      expect(exchange.watchers(symbol)).toBe(0);
      bot.end();
      bot = await run();
    }
    published.is = true;
    exchange.pass(minuteMs);
    if (isRestarted) await bot.start();
    else await bot.checkFunding();
    const paid = -rate * 100 * before.amount;
    await expect.poll(async () => (await books()).funding).toBeCloseTo(paid, 10);
    const after = await books();
    expect(after.profit).toBeCloseTo(before.profit + paid, 8);
    expect(after).toMatchObject({ figures: after.profit, snapshot: after.profit, trades: 1 });

    await bot.settle();
    bot.end();
    for (const ms of [0, 31 * minuteMs]) {
      const again = await run();
      await again.start();
      exchange.pass(ms);
      await again.checkFunding();
      await again.settle();
      expect(await books()).toEqual(after);
      again.end();
    }
    // Everything is known: a stopped bot does nothing any more.
    const { count } = opened;
    await (await run()).start();
    expect(opened.count).toBe(count);
  });

  test('is waited for no longer than a day', async () => {
    const { closing, run, exchange, opened, published, books } = await leaver();
    closing.end();
    const before = await books();
    exchange.pass(24 * hourMs);
    const { count } = opened;
    const { asked } = published;
    const late = await run();
    await late.start();
    await late.checkFunding();
    expect([opened.count, published.asked]).toEqual([count, asked]);
    expect(await books()).toEqual(before);
  });
});

describe('a bot that is to be ended', () => {
  test('finishes the step under way and begins no other', async () => {
    const { run, exchange, trades } = await aBot();
    const bot = await run();
    await bot.start();
    exchange.quote(symbol, 100); // its entry is under way
    exchange.quote(other, 50); // this one waits
    await bot.settle();
    expect(bot.vital()).toMatchObject({ openTrades: 1 });
    exchange.closeMinute();
    await bot.settle();
    expect(await trades()).toEqual([{ symbol, status: 'open' }]);
  });

  test('asks for no funding any more', async () => {
    const { run, exchange } = await holding({ marketType: 'futures', symbols: [symbol] });
    const bot = await run();
    await bot.start();
    const asked: string[] = [];
    exchange.market.funding = async (of) => {
      asked.push(of);
      return [];
    };
    exchange.pass(3 * minuteMs);
    await bot.checkFunding();
    expect(asked).toEqual([symbol]);
    exchange.pass(31 * minuteMs);
    bot.end();
    await bot.checkFunding();
    expect(asked).toEqual([symbol]);
  });
});
