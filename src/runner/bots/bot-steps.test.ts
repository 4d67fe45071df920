import type { BotEvent, MarketView } from '#engine/bot/event.ts';
import type { BotContext } from '#engine/bot/state.ts';
import type { StrategyCallbacks } from '#engine/strategy/callbacks.ts';
import { strategyOfClass } from '#strategies/built-in.ts';
import { readBot } from '#storage/running-bots.ts';
import { claimBots, renewLease } from '#storage/runners.ts';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { settingsOf } from './bot-settings.ts';
import { BotSteps } from './bot-steps.ts';
import { DecisionLog } from './decision-log.ts';
import { storedState } from './stored-state.ts';

const { db } = await freshDatabase();
const minute = 60_000;
const start = Date.UTC(2026, 0, 5, 12);
const symbol = 'BTC/USDT';
const other = 'ETH/USDT';

/** The steps of a bot in the database; order books are answered by hand, everything else is real. */
async function stepsOf(callbacks: StrategyCallbacks = {}) {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', symbols: [symbol, other], minimalRoi: { 0: 0.01 }, orderType: 'market' });
  const runnerId = randomUUID();
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 600_000, true);
  const claimed = (await claimBots(db, runnerId, 100)).find((bot) => bot.id === id);
  const stored = await readBot(db, id);
  if (stored === null || claimed === undefined) throw new Error('The bot was not claimed');
  const books: { answer(view: MarketView): void; fail(error: Error): void }[] = [];
  const feed = {
    lastPrice: () => undefined,
    lastPriceAt: start,
    unpaidFunding: async () => [],
    book: () => new Promise<MarketView>((resolve, reject) => books.push({ answer: resolve, fail: reject })),
  };
  const context: BotContext = {
    instruments: new Map([symbol, other].map((each) => [each, anInstrument({ symbol: each })])),
    callbacks,
    execution: 'simulated',
    waitsForBook: true,
  };
  const decisions = new DecisionLog(db, () => {});
  const steps = new BotSteps(storedState(stored, settingsOf(stored.bot, stored.strategy, strategyOfClass('BuyAndHold'), '1m'), '1m'), {
    db,
    holder: { id, epoch: claimed.epoch, runnerId, updatedAt: stored.bot.updatedAt },
    decisions,
    feed,
    context,
    now: () => start + minute,
  });
  const trades = () =>
    db
      .selectFrom('trades')
      .select(['status', 'openedAt', 'closedAt', 'entryPrice'])
      .where('botId', '=', id)
      .orderBy('openedAt')
      .orderBy('symbol')
      .execute();
  return { steps, books, trades };
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
