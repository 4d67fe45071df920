import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { askToClose } from '#storage/trades/close-asked.ts';
import { lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import type { Runner } from './runner.ts';
import { startRunner } from './runner.ts';

const { db } = await freshDatabase();
// A minute of market is half a second here.
const market = await startMarket(120);
const runners = new Set<Runner>();
afterAll(() => Promise.all([...runners].map((each) => each.stop())));

async function runner(): Promise<Runner> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const times = { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300 };
  const started = await startRunner({ db, markets, windows, host: 'test', now: market.now, log: () => {} }, times);
  runners.add(started);
  return started;
}
const stop = async (each: Runner): Promise<void> => {
  runners.delete(each);
  await each.stop();
};
const patience = { interval: 50 };
const tradesOf = (botId: string) =>
  db.selectFrom('trades').select(['id', 'symbol', 'status', 'exitReason']).where('botId', '=', botId).orderBy('openedAt').execute();
const open = async (botId: string) => (await tradesOf(botId)).filter(({ status }) => status === 'open');

/** A bot that holds two trades, run by a runner of its own. */
async function holding() {
  const id = await addTestBot(db, {
    strategy: 'BuyAndHold',
    symbols: ['BTC/USDT', 'ETH/USDT'],
    minimalRoi: { 0: 10 },
    stoploss: -0.9,
    orderType: 'market',
  });
  const started = await runner();
  onTestFinished(async () => {
    // First nobody writes any more: a step and a truncation would wait for each other.
    if (runners.has(started)) await stop(started);
    await sql`truncate bots cascade`.execute(db);
    await sql`delete from trading_states`.execute(db);
  });
  await expect.poll(() => open(id), patience).toHaveLength(2);
  return { id, started, trades: await open(id) };
}
const reasonOf = async (tradeId: string) =>
  await db.selectFrom('trades').select(['status', 'exitReason']).where('id', '=', tradeId).executeTakeFirstOrThrow();
const closed = { status: 'closed', exitReason: 'force_exit' };

test('ADD-close-trade one trade is closed at market, the other stays, and the bot is not started again', async () => {
  const { id, trades } = await holding();
  const [asked, other] = trades;
  const starts = async () => (await db.selectFrom('bots').select(['epoch', 'updatedAt']).where('id', '=', id).executeTakeFirst()) ?? null;
  const before = await starts();
  await askToClose(db, asked?.id ?? '', new Date());
  await askToClose(db, asked?.id ?? '', new Date());
  await expect.poll(() => reasonOf(asked?.id ?? ''), patience).toEqual(closed);
  expect(await reasonOf(other?.id ?? '')).toEqual({ status: 'open', exitReason: null });
  expect(await starts()).toEqual(before);
  const exits = await db
    .selectFrom('orders')
    .select('type')
    .where('tradeId', '=', asked?.id ?? '')
    .where('purpose', '=', 'exit')
    .execute();
  expect(exits).toEqual([{ type: 'market' }]);
});

test('ADD-close-trade a trade of a paused bot, and one while trading is halted, is closed as well', async () => {
  const { id, trades } = await holding();
  await setBotStatus(db, id, 'paused');
  await askToClose(db, trades[0]?.id ?? '', new Date());
  await expect.poll(() => reasonOf(trades[0]?.id ?? ''), patience).toEqual(closed);
  await db.transaction().execute(async (trx) => {
    await lockSwitch(trx, { level: 'server' });
    await setSwitch(trx, { level: 'server' }, { state: 'halted', setBy: null, isImposed: false });
  });
  await askToClose(db, trades[1]?.id ?? '', new Date());
  await expect.poll(() => reasonOf(trades[1]?.id ?? ''), patience).toEqual(closed);
});

test('ADD-close-trade what was asked while nobody ran the bot is done by whoever runs it next', async () => {
  const { started, trades } = await holding();
  await stop(started);
  await askToClose(db, trades[0]?.id ?? '', new Date());
  const next = await runner();
  onTestFinished(() => stop(next));
  await expect.poll(() => reasonOf(trades[0]?.id ?? ''), patience).toEqual(closed);
  expect(await reasonOf(trades[1]?.id ?? '')).toEqual({ status: 'open', exitReason: null });
});

test('ADD-close-all under a switch that closes everything all trades of the bot are closed at market, and none is entered', async () => {
  const { id, trades } = await holding();
  await db.transaction().execute(async (trx) => {
    await lockSwitch(trx, { level: 'bot', id });
    await setSwitch(trx, { level: 'bot', id }, { state: 'halted', setBy: null, isImposed: false, closeAllAt: new Date() });
  });
  for (const { id: tradeId } of trades) await expect.poll(() => reasonOf(tradeId), patience).toEqual(closed);
  expect(await open(id)).toEqual([]);
  const entries = await db.selectFrom('orders').select('id').where('botId', '=', id).where('purpose', '=', 'entry').execute();
  expect(entries).toHaveLength(2);
});
