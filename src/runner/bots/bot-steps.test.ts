import type { Trade } from '#engine/account/trade.ts';
import type { BotEvent, MarketView } from '#engine/bot/event.ts';
import type { BotContext } from '#engine/bot/state.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { claimBots, Fenced, renewLease } from '#storage/bots/runners.ts';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import type { TestBot } from '../../../test/support/test-bot.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { settingsOf, valuesOf } from './bot-settings.ts';
import { BotSteps, StepNotWritten } from './bot-steps.ts';
import { databaseSteps } from './step-writer.ts';
import { DecisionLog } from './decision-log.ts';
import { storedState } from './stored-state.ts';

const { db } = await freshDatabase();
const minute = 60_000;
const start = Date.UTC(2026, 0, 5, 12);
const symbol = 'BTC/USDT';
const other = 'ETH/USDT';

/** The steps of a bot in the database; order books are answered by hand, everything else is real. */
async function stepsOf(callbacks: StrategyCallbacks = {}, given: Partial<TestBot> = {}, exit: 'limit' | 'market' = 'market') {
  const { marketType = 'spot' } = given;
  const id = await addTestBot(db, {
    strategy: 'BuyAndHold',
    symbols: [symbol, other],
    minimalRoi: { 0: 0.01 },
    orderType: 'market',
    ...given,
  });
  if (exit === 'limit') await sql`update strategies set order_types = order_types || '{"exit": "limit"}'`.execute(db);
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 600_000, true);
  const claimed = (await claimBots(db, runnerId, 100)).find((bot) => bot.id === id);
  const stored = await readBot(db, id);
  if (stored === null || claimed === undefined) throw new Error('The bot was not claimed');
  const books: { answer(view: MarketView): void; fail(error: Error): void }[] = [];
  const prices = new Map<string, number>(); // the newest, by symbol
  const unpaid: BotEvent[] = []; // funding that is found when it is asked for
  const askedFunding: number[] = []; // for how many trades
  const feed = {
    lastPrice: (of: string) => prices.get(of),
    lastPriceAt: start + 30_000,
    unpaidFunding: async (held: readonly Trade[]) => {
      askedFunding.push(held.length);
      return unpaid.splice(0);
    },
    book: () => new Promise<MarketView>((resolve, reject) => books.push({ answer: resolve, fail: reject })),
  };
  const instruments = new Map([symbol, other].map((each) => [each, anInstrument({ symbol: each, marketType })]));
  const context: BotContext = {
    instruments,
    callbacks,
    execution: 'simulated',
    waitsForBook: true,
  };
  const handedOn: string[] = []; // what whoever sends orders was given
  const decisions = new DecisionLog(db, () => {});
  onTestFinished(() => decisions.close());
  const strategy = strategyOfClass('BuyAndHold');
  const values = valuesOf(stored.bot, stored.strategy, strategy);
  const steps = new BotSteps(storedState(stored, settingsOf(stored.bot, values, strategy), '1m', {}), {
    steps: databaseSteps(db),
    holder: { id, epoch: claimed.epoch, runnerId, updatedAt: stored.bot.updatedAt },
    decisions,
    feed,
    context,
    now: () => start + minute,
    onWritten: (_state, effects) => void handedOn.push(...effects.map(({ kind }) => kind)),
  });
  const trades = () =>
    db
      .selectFrom('trades')
      .select(['status', 'openedAt', 'closedAt', 'entryPrice'])
      .where('botId', '=', id)
      .orderBy('openedAt')
      .orderBy('symbol')
      .execute();
  const decided = async () => {
    await decisions.flush();
    return db.selectFrom('decisions').select(['symbol', 'action', 'gate']).where('botId', '=', id).orderBy('decidedAt').execute();
  };
  return { id, steps, books, trades, decided, prices, unpaid, askedFunding, handedOn, instruments };
}

const view = (time: number, price: number, of = symbol): MarketView => ({
  symbol: of,
  time,
  bid: price - 0.01,
  ask: price + 0.01,
  last: price,
});
const withBook = (time: number, price: number, of = symbol): MarketView => ({
  ...view(time, price, of),
  bids: [[price - 0.01, 1000]],
  asks: [[price + 0.01, 1000]],
});
const row = { enterLong: true, exitLong: false, enterShort: false, exitShort: false, enterTag: null, exitTag: null, confidence: null };
const candle = (closedAt: number, price: number, of = symbol): BotEvent => ({
  kind: 'candle-closed',
  time: closedAt,
  symbol: of,
  candleTime: closedAt - minute,
  row,
  view: view(closedAt, price, of),
});
const quote = (time: number, price: number, of = symbol): BotEvent => ({ kind: 'market', view: view(time, price, of) });

test('a step that orders is calculated once: the strategy is asked once, and the order fills on the book', async () => {
  let asked = 0;
  const { steps, books, trades } = await stepsOf({ confirmEntry: () => (asked += 1) > 0 });
  const entering = steps.take(candle(start, 100));
  expect(books).toHaveLength(1);
  expect(steps.state.trades).toEqual([]); // nothing is known before it is written
  books[0]?.answer(withBook(start + 40, 101));
  await entering;
  expect(asked).toBe(1);
  expect(steps.state.trades).toMatchObject([{ openRate: 101.01, openTime: start }]);
  expect(await trades()).toMatchObject([{ status: 'open', entryPrice: '101.010000000000000000' }]);
});

test('a correction that cannot be booked yet is not written as a step, however often it is asked for', async () => {
  const { id, steps, handedOn } = await stepsOf();
  await sql`update bots set epoch = epoch + 1 where id = ${id}`.execute(db); // whatever is written fails
  for (const fillId of ['outside-1', 'outside-2']) await steps.take({ kind: 'held-elsewhere', time: start, tradeId: 1, amount: 1, fillId });
  expect(handedOn).toEqual([]);
});

test('a correction that has no price asks for the order book, where its exchange has the symbol', async () => {
  const { steps, books, instruments } = await stepsOf();
  const entering = steps.take(candle(start, 100));
  await expect.poll(() => books.length).toBe(1);
  books[0]?.answer(withBook(start + 100, 101));
  await entering;
  const correction = { kind: 'held-elsewhere', time: start, tradeId: 1, amount: 1, fillId: 'outside-1' } as const;
  await steps.take(correction);
  expect(books).toHaveLength(1);
  const corrected = steps.take({ ...correction, isPriceless: true });
  await expect.poll(() => books.length).toBe(2);
  books[1]?.answer(withBook(start + 200, 77));
  await corrected;
  instruments.delete(symbol);
  await steps.take({ ...correction, isPriceless: true });
  expect(books).toHaveLength(2);
});

test('an order is handed on to be sent only when its step is on the disk', async () => {
  const lost = await stepsOf();
  await sql`update bots set epoch = epoch + 1 where id = ${lost.id}`.execute(db); // another runner has it
  const refused = expect(lost.steps.take(candle(start, 100))).rejects.toThrow(StepNotWritten);
  await expect.poll(() => lost.books.length).toBe(1);
  lost.books[0]?.answer(withBook(start, 100));
  await refused;
  expect(lost.handedOn).toEqual([]);
  const written = await stepsOf();
  const done = written.steps.take(candle(start, 100));
  await expect.poll(() => written.books.length).toBe(1);
  expect(written.handedOn).toEqual([]);
  written.books[0]?.answer(withBook(start, 100));
  await done;
  expect(written.handedOn).toContain('order-created');
});

test('a step whose order book cannot be had leaves nothing behind, and the candle is decided with the next prices', async () => {
  const { steps, books, trades } = await stepsOf();
  const event = candle(start, 100);
  const entering = steps.take(event);
  books[0]?.fail(new Error('no book'));
  await expect(entering).rejects.toThrow('no book');
  expect(await trades()).toEqual([]);
  if (event.kind === 'candle-closed') steps.rememberCandle(event);
  expect(steps.state.trades).toEqual([]);
  const second = steps.take(quote(start + 500, 100));
  books[1]?.answer(withBook(start + 520, 100));
  await second;
  expect(steps.state.trades).toHaveLength(1);
});

test('what came while an order waited for its book happens after it: no trade opens before the last one has closed', async () => {
  const { steps, books, trades } = await stepsOf();
  const take = async (event: BotEvent, book: MarketView): Promise<void> => {
    const step = steps.take(event);
    books.at(-1)?.answer(book);
    await step;
  };
  await take(candle(start, 100), withBook(start + 40, 100));
  await take(candle(start, 100, other), withBook(start + 40, 100, other));
  await take(quote(start + 59_000, 102), withBook(start + 130_000, 102));
  // The lock of the first ends before this close, and is forgotten with it.
  await take(quote(start + 131_000, 102, other), withBook(start + 200_000, 102, other));
  // Candles and prices that came meanwhile.
  await take(candle(start + 2 * minute, 101), withBook(start + 200_040, 101));
  await take(candle(start + 3 * minute, 101), withBook(start + 200_040, 101));
  await take(quote(start + 190_000, 101), withBook(start + 200_040, 101));
  const [first, , second] = await trades();
  expect(first?.closedAt).toEqual(new Date(start + 130_000));
  expect(second?.openedAt).toEqual(new Date(start + 200_000));
});

test('payments of funding keep their own time, however late they are reported', async () => {
  const { steps, books } = await stepsOf();
  const entering = steps.take(candle(start, 100));
  books[0]?.answer(withBook(start + 40, 100));
  await entering;
  expect(steps.take({ kind: 'funding', time: start - minute, symbol, rate: 0.01, mark: 100 })).toBeNull();
  expect(steps.state.trades).toHaveLength(1);
});

/** Steps of a bot that holds these symbols, each bought at 100.01. */
async function holding(symbols: readonly string[] = [symbol], given: Partial<TestBot> = {}, exit: 'limit' | 'market' = 'market') {
  const made = await stepsOf({}, { minimalRoi: { 0: 10 }, ...given }, exit);
  for (const of of symbols) {
    const entering = made.steps.take(candle(start, 100, of));
    made.books.at(-1)?.answer(withBook(start + 40, 100, of));
    await entering;
  }
  made.books.length = 0;
  made.askedFunding.length = 0;
  return made;
}
const quiet = { ...row, enterLong: false };
const stop: BotEvent = { kind: 'status-changed', time: start + 1_000, status: 'stopped' };
const rowsOf = (id: string) =>
  db.selectFrom('trades').select(['symbol', 'status', 'confidence', 'engineState']).where('botId', '=', id).orderBy('symbol').execute();

describe('whether new prices of a symbol can lead to anything', () => {
  const view100 = view(start + 1, 100);

  test('they can before the first, and while something is held', async () => {
    const { steps } = await stepsOf();
    expect(steps.matters(view100)).toBe(true);
    const { steps: held } = await holding();
    expect(held.matters(view100)).toBe(true);
    expect(held.matters(view(start + 1, 100, other))).toBe(true);
  });

  test('they can while something is held, also without a signal to enter', async () => {
    const { steps } = await holding();
    await steps.take({ ...candle(start + minute, 100), row: quiet } as BotEvent);
    await steps.take({ ...candle(start + minute, 100, other), row: quiet } as BotEvent);
    expect([steps.matters(view(start + minute + 1, 100)), steps.matters(view(start + minute + 1, 100, other))]).toEqual([true, false]);
  });

  test('they cannot without a signal, nor on a decided one that does not enter', async () => {
    const { steps } = await stepsOf();
    await steps.take(quote(start, 100));
    expect(steps.matters(view100)).toBe(false);
    await steps.take({ ...candle(start, 100), row: quiet } as BotEvent);
    expect(steps.matters(view100)).toBe(false);
  });

  test.each([
    [{ enterLong: true }, 'active', true],
    [{ enterShort: true }, 'active', true],
    [{ enterLong: true }, 'paused', false],
  ] as const)('on a decided signal %j of a bot that is %s: %s', async (signal, status, isExpected) => {
    const { steps } = await stepsOf({ confirmEntry: () => false });
    await steps.take({ ...candle(start, 100), row: { ...quiet, ...signal } } as BotEvent);
    if (status === 'paused') await steps.take({ kind: 'status-changed', time: start, status });
    expect(steps.matters(view100)).toBe(isExpected);
  });

  test('they can while what a person wants waits for prices', async () => {
    const { steps, books } = await stepsOf();
    await steps.take(quote(start, 100));
    const action = { id: 'a', until: start + 2 * minute, kind: 'enter', symbol, direction: 'long', stake: 100, stopPrice: null } as const;
    const asked = steps.take({ kind: 'manual-asked', time: start, action });
    await expect.poll(() => books.length).toBe(1);
    books[0]?.fail(new Error('there is no book'));
    await expect(asked).rejects.toThrow('there is no book');
    expect(steps.matters(view100)).toBe(true);
  });

  test('they can while a closed candle waits for prices to be decided on', async () => {
    const { steps } = await stepsOf();
    await steps.take(quote(start, 100));
    steps.rememberCandle({ ...candle(start, 100), row: quiet } as Extract<BotEvent, { kind: 'candle-closed' }>);
    expect(steps.matters(view100)).toBe(true);
  });
});

describe('a candle that is remembered', () => {
  test('is not decided on prices that cannot be traded at, and these stay what they were', async () => {
    const { steps, decided } = await stepsOf();
    await steps.take(quote(start, 100));
    steps.rememberCandle(candle(start + minute, 101) as Extract<BotEvent, { kind: 'candle-closed' }>);
    expect(await decided()).toEqual([]);
    expect(steps.state.pairs[symbol]?.view?.last).toBe(100);
    expect(steps.state.trades).toEqual([]);
  });

  test('is decided with the next prices, once', async () => {
    const { steps, decided } = await stepsOf();
    steps.rememberCandle({ ...candle(start, 100), row: quiet } as Extract<BotEvent, { kind: 'candle-closed' }>);
    expect(await decided()).toEqual([]);
    await steps.take(quote(start + 1, 100));
    await steps.take(quote(start + 2, 100));
    expect(await decided()).toEqual([{ symbol, action: 'none', gate: 'no-signal' }]);
  });
});

describe('prices seen', () => {
  test('are written only when there are new ones', async () => {
    const { id, steps } = await holding();
    const highest = async () => (await rowsOf(id))[0]?.engineState['maxRate'];
    const before = await highest();
    await sql`update trades set engine_state = '{}' where bot_id = ${id}`.execute(db);
    await steps.savePrices();
    expect(await highest()).toBeUndefined(); // nothing was written
    expect(steps.take(quote(start + 500, 105))).toBeNull();
    await steps.savePrices();
    expect(await highest()).toBeGreaterThan(Number(before));
    await sql`update trades set engine_state = '{}' where bot_id = ${id}`.execute(db);
    await steps.savePrices();
    expect(await highest()).toBeUndefined();
  });

  test('that cannot be written leave the bot without knowing what is in the database', async () => {
    const { id, steps } = await holding();
    await steps.take(quote(start + 500, 105));
    await sql`update bots set epoch = epoch + 1 where id = ${id}`.execute(db);
    const saving = steps.savePrices();
    await expect(saving).rejects.toThrow(StepNotWritten);
    await expect(saving).rejects.toMatchObject({ cause: expect.any(Fenced) });
  });
});

describe('what open trades would bring', () => {
  test('is at the newest price that is known: of the feed, else of the last step', async () => {
    const { steps, prices } = await holding();
    const amount = steps.state.trades[0]?.amount ?? 0;
    const fees = amount * 100.01 * 0.001;
    const at = (price: number) => amount * (price - 100.01) - fees - amount * price * 0.001;
    expect(steps.unrealizedPnl(start)).toBeCloseTo(at(100), 6);
    prices.set(symbol, 110);
    expect(steps.unrealizedPnl(start)).toBeCloseTo(at(110), 6);
  });

  test('is the sum over all of them, and part of the snapshot', async () => {
    const { steps, prices } = await holding([symbol, other]);
    prices.set(symbol, 110);
    const one = steps.unrealizedPnl(start);
    prices.set(other, 110);
    expect(steps.unrealizedPnl(start)).toBeGreaterThan(one);
    expect(steps.snapshot(start)).toMatchObject({ unrealizedPnl: steps.unrealizedPnl(start), takenAt: new Date(start), realizedPnl: 0 });
  });

  test('is nothing of an entry that waits, nor without any', async () => {
    const { steps } = await stepsOf();
    expect(steps.unrealizedPnl(start)).toBe(0);
    const waiting = await stepsOf({}, { orderType: 'limit' });
    const entering = waiting.steps.take(candle(start, 100));
    waiting.books[0]?.answer(withBook(start + 40, 100));
    await entering;
    expect(waiting.steps.state.trades).toMatchObject([{ amount: 0 }]);
    waiting.prices.set(symbol, 200);
    expect(waiting.steps.unrealizedPnl(start)).toBe(0);
  });
});

describe('OP-86 a stop', () => {
  test('closes everything on the order books of now', async () => {
    const { id, steps, books, askedFunding } = await holding([symbol, other]);
    const stopping = steps.take(stop);
    expect(books).toHaveLength(2);
    books[0]?.answer(withBook(start + minute, 110));
    books[1]?.answer(withBook(start + minute, 90, other));
    await stopping;
    expect(steps.state).toMatchObject({ status: 'stopped', trades: [] });
    expect((await rowsOf(id)).map(({ status }) => status)).toEqual(['closed', 'closed']);
    expect(askedFunding[0]).toBe(2);
  });

  test('closes what it can, and reports whose book cannot be had', async () => {
    const { id, steps, books } = await holding([symbol, other]);
    const stopping = steps.take(stop);
    books[0]?.fail(new Error('no book'));
    books[1]?.answer(withBook(start + minute, 100, other));
    await expect(stopping).rejects.toThrow('no book');
    expect((await rowsOf(id)).map((each) => [each.symbol, each.status])).toEqual([
      [symbol, 'open'],
      [other, 'closed'],
    ]);
  });

  test('any other change of status asks for no book', async () => {
    const { steps, books } = await holding();
    await steps.take({ ...stop, status: 'paused' });
    expect([books.length, steps.state.status]).toEqual([0, 'paused']);
  });
});

describe('funding', () => {
  test('that is not paid yet is paid in the step that orders, before it fills', async () => {
    const { steps, books, unpaid } = await holding([symbol], { marketType: 'futures' });
    unpaid.push({ kind: 'funding', time: start + 60, symbol, rate: 0.01, mark: 100 });
    const stopping = steps.take(stop);
    books[0]?.answer(withBook(start + minute, 100));
    await stopping;
    expect(steps.state.closedProfit).toBeLessThan(-1); // a hundredth of about a hundred, beside the fees
  });

  test.each([
    ['futures', [2]],
    ['spot', []],
  ] as const)('is asked for before prices of a symbol whose exit waits, on %s', async (marketType, asked) => {
    const { steps, books, askedFunding } = await holding([symbol, other], { marketType }, 'limit');
    expect(steps.take(quote(start + 500, 100))).toBeNull(); // no exit waits yet
    const exiting = steps.take({ ...candle(start + minute, 100), row: { ...quiet, exitLong: true } } as BotEvent);
    books[0]?.answer(withBook(start + minute + 40, 100));
    await exiting;
    expect(steps.state.trades).toHaveLength(2);
    askedFunding.length = 0;
    expect(steps.take(quote(start + minute + 100, 100, other))).toBeNull();
    expect(askedFunding).toEqual([]);
    await steps.take(quote(start + minute + 200, 100));
    expect(askedFunding).toEqual(asked);
  });

  test.each([
    ['futures', [2]],
    ['spot', []],
  ] as const)('is asked for before a fill that the exchange reports, once, on %s', async (marketType, asked) => {
    const { steps, books, askedFunding, unpaid } = await holding([symbol, other], { marketType }, 'limit');
    const exiting = steps.take({ ...candle(start + minute, 100), row: { ...quiet, exitLong: true } } as BotEvent);
    books[0]?.answer(withBook(start + minute + 40, 100));
    await exiting;
    const exit = steps.state.trades.find((trade) => trade.symbol === symbol)?.orders.find(({ purpose }) => purpose === 'exit');
    const { id: orderId = '', amount: requested = 0 } = exit ?? {};
    const part = {
      id: 'a',
      price: 100,
      amount: requested / 2,
      fee: 0,
      feeCurrency: 'USDT',
      feeInQuote: 0,
      liquidity: null,
      time: start + minute + 90,
    };
    const update = (fills: (typeof part)[]) =>
      steps.take({
        kind: 'order-update',
        time: start + minute + 100,
        orderId,
        report: { state: 'open', requested, filled: part.amount, fills },
      });
    askedFunding.length = 0;
    unpaid.push({ kind: 'funding', time: start + minute + 80, symbol, rate: 0.01, mark: 100 });
    await update([]);
    expect(askedFunding).toEqual([]);
    await update([part]);
    expect(askedFunding).toEqual(asked);
    await update([part]);
    expect(askedFunding).toEqual(asked);
    const left = steps.state.trades.find((trade) => trade.symbol === symbol);
    expect(left?.fundingFees).toBeCloseTo(asked.length === 0 ? 0 : -requested, 8); // a hundredth of a price of 100 for each that was held
  });
});

test('the step of an entry keeps how sure the strategy was, also through later steps', async () => {
  const { id, steps, books } = await stepsOf({}, { minimalRoi: { 0: 10 } });
  const entering = steps.take({ ...candle(start, 100), row: { ...row, confidence: 0.625 } } as BotEvent);
  books[0]?.answer(withBook(start + 40, 100));
  await entering;
  await steps.take(quote(start + 500, 105));
  await steps.savePrices();
  expect((await rowsOf(id)).map(({ confidence, engineState }) => [Number(confidence), engineState['confidence']])).toEqual([
    [0.625, 0.625],
  ]);
});

test('the delay of an order is that of its order book', async () => {
  const { id, steps, books } = await holding();
  const { rows } = await sql<{ delay: number }>`
    select extract(epoch from acknowledged_at - sent_at)::float8 * 1000 as delay from orders where bot_id = ${id}`.execute(db);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.delay).toBeGreaterThanOrEqual(0);
  expect(books).toEqual([]);
  expect(steps.state.trades).toHaveLength(1);
});

describe('an entry that a limit refuses', () => {
  const limit = (id: string, name: string, value: number) =>
    sql`insert into limits (level, bot_id, name, currency, value) values ('bot', ${id}, ${name}, '', ${value})`.execute(db);

  test('leaves no trade, its candle is decided with the gate, and it is not tried again on that candle', async () => {
    let asked = 0;
    const { id, steps, books, trades, decided } = await stepsOf({ confirmEntry: () => (asked += 1) > 0 });
    await limit(id, 'order-value', 50);
    const entering = steps.take(candle(start, 100));
    books[0]?.answer(withBook(start + 40, 100));
    await entering;
    expect(await trades()).toEqual([]);
    expect(await decided()).toEqual([{ symbol, action: 'none', gate: 'limit-order-value' }]);
    expect(steps.take(quote(start + 500, 100))).toBeNull();
    expect([asked, books.length]).toEqual([1, 1]);
    await sql`update limits set value = 500 where bot_id = ${id}`.execute(db);
    const next = steps.take(candle(start + minute, 100));
    books[1]?.answer(withBook(start + minute + 40, 100));
    await next;
    expect(await trades()).toHaveLength(1);
  });
});
