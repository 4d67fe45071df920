import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import type { NewManualAction } from '#storage/trades/manual-actions.ts';
import { askByHand, listManualActions } from '#storage/trades/manual-actions.ts';
import { setLimit } from '#storage/limits/set-limits.ts';
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
  const started = await startRunner({ db, markets, windows, host: 'test', now: market.now, pace: 120, log: () => {} }, times);
  runners.add(started);
  return started;
}
const stop = async (each: Runner): Promise<void> => {
  runners.delete(each);
  await each.stop();
};
const patience = { interval: 50 };
const symbols = ['BTC/USDT', 'ETH/USDT'] as const;
const ask = async (
  botId: string,
  action: Omit<Extract<NewManualAction, { kind: 'enter' }>, 'botId' | 'mode' | 'askedBy'> | object,
): Promise<string> => {
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', botId).executeTakeFirstOrThrow();
  const id = (await askByHand(db, { botId, mode: 'paper', askedBy: userId, ...action } as NewManualAction)) ?? '';
  // It does not come too late, however slow the machine is.
  await sql`update manual_actions set expires_at = now() + interval '1 hour' where id = ${id}`.execute(db);
  return id;
};
const outcome = async (botId: string, id: string) => {
  const row = (await listManualActions(db, { botId })).find((each) => each.id === id);
  return row === undefined ? null : row.state === 'refused' ? row.refusal : row.state;
};
const tradeOf = async (botId: string) =>
  await db.selectFrom('trades').selectAll().where('botId', '=', botId).where('status', '=', 'open').executeTakeFirst();
const enter = { kind: 'enter', symbol: 'ETH/USDT', direction: 'long', stake: 50, stopPrice: null };

/** A paper bot that enters nothing by itself, run by a runner of its own. */
async function idle(given: Partial<Parameters<typeof addTestBot>[1]> = {}) {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', symbols: [...symbols], minimalRoi: { 0: 10 }, stoploss: -0.5, ...given });
  const started = await runner();
  onTestFinished(async () => {
    // First nobody writes any more: a step and a truncation would wait for each other.
    for (const each of runners) await stop(each);
    await sql`truncate bots cascade`.execute(db);
    await sql`delete from limits`.execute(db);
  });
  return { id, started };
}

test('a person enters, adds, moves the stop, takes a part out; the trade knows all of it, and the bot is not started again', async () => {
  const { id } = await idle();
  const first = await ask(id, enter);
  await expect.poll(() => outcome(id, first), patience).toBe('done');
  const epoch = async () => (await db.selectFrom('bots').select(['epoch', 'updatedAt']).where('id', '=', id).executeTakeFirst()) ?? null;
  const before = await epoch();
  const opened = await tradeOf(id);
  expect(opened).toMatchObject({ symbol: 'ETH/USDT', direction: 'long', entryTag: 'manual' });
  expect(Number(opened?.stake)).toBeLessThanOrEqual(50);
  expect(Number(opened?.stake)).toBeGreaterThan(49);
  const tradeId = opened?.id ?? '';

  const added = await ask(id, { kind: 'add', symbol: 'ETH/USDT', tradeId, stake: 25 });
  await expect.poll(() => outcome(id, added), patience).toBe('done');
  await expect.poll(async () => Number((await tradeOf(id))?.stake), patience).toBeGreaterThan(74);

  const stopPrice = Number(opened?.entryPrice) * 0.8;
  const moved = await ask(id, { kind: 'move-stop', symbol: 'ETH/USDT', tradeId, stopPrice });
  await expect.poll(() => outcome(id, moved), patience).toBe('done');
  const stopped = await tradeOf(id);
  expect(Math.abs(Number(stopped?.stopPrice) - stopPrice)).toBeLessThan(0.02);
  expect(stopped?.stopMoves.length).toBeGreaterThan(0);

  const held = Number((await tradeOf(id))?.amount);
  const part = await ask(id, { kind: 'take-out', symbol: 'ETH/USDT', tradeId, share: 0.5 });
  await expect.poll(() => outcome(id, part), patience).toBe('done');
  await expect.poll(async () => Number((await tradeOf(id))?.amount), patience).toBeLessThan(held * 0.51);
  const orders = await db
    .selectFrom('orders')
    .select(['purpose', 'type', 'reason', 'status'])
    .where('tradeId', '=', tradeId)
    .orderBy('plannedAt')
    .execute();
  expect(orders).toEqual([
    { purpose: 'entry', type: 'market', reason: 'manual', status: 'filled' },
    { purpose: 'entry', type: 'market', reason: 'manual', status: 'filled' },
    { purpose: 'exit', type: 'market', reason: 'manual_partial_exit', status: 'filled' },
  ]);
  expect(await epoch()).toEqual(before);
});

test('of a trade that a person has opened the strategy is sure of nothing, whatever its newest candle says', async () => {
  // An RSI that never falls as low: the strategy itself enters nothing meanwhile.
  const { id } = await idle({ strategy: 'RsiReversal', timeframe: '1m', ownSettings: { parameters: { period: 28, oversold: 15 } } });
  const decided = () => db.selectFrom('decisions').select('seen').where('botId', '=', id).where('symbol', '=', 'ETH/USDT').execute();
  await expect.poll(async () => (await decided()).length, patience).toBeGreaterThan(0);
  expect((await decided())[0]?.seen).toMatchObject({ confidence: 0 });
  const asked = await ask(id, enter);
  await expect.poll(() => outcome(id, asked), patience).toBe('done');
  expect(await tradeOf(id)).toMatchObject({ entryTag: 'manual', confidence: null });
});

test("an entry by hand beside the bot's own in the same moment makes exactly one trade", async () => {
  // Its strategy enters with the first candle.
  const { id } = await idle({ strategy: 'BuyAndHold', orderType: 'market', symbols: ['ETH/USDT'] });
  const asked = await ask(id, enter);
  await expect.poll(() => outcome(id, asked), patience).toMatch(/^(done|has-open-trade)$/u);
  await expect.poll(() => tradeOf(id), patience).toBeDefined();
  const trades = await db.selectFrom('trades').select(['entryTag', 'status']).where('botId', '=', id).execute();
  expect(trades).toHaveLength(1);
});

test('an entry by hand that exceeds a limit is refused with it, and a smaller one is made at once', async () => {
  const { id } = await idle();
  const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', id).executeTakeFirstOrThrow();
  await setLimit(db, { level: 'bot', id }, { name: 'order-value', currency: '', value: '30', isCeiling: false }, userId);
  const asked = await ask(id, enter);
  await expect.poll(() => outcome(id, asked), patience).toBe('limit-order-value');
  expect(await tradeOf(id)).toBeUndefined();
  const smaller = await ask(id, { ...enter, stake: 20 });
  await expect.poll(() => outcome(id, smaller), patience).toBe('done');
});

test('what was asked while nobody ran the bot is done by whoever runs it next, once', async () => {
  const { id, started } = await idle();
  await stop(started);
  const asked = await ask(id, enter);
  const next = await runner();
  onTestFinished(() => (runners.has(next) ? stop(next) : undefined));
  await expect.poll(() => outcome(id, asked), patience).toBe('done');
  expect(await db.selectFrom('trades').select('id').where('botId', '=', id).execute()).toHaveLength(1);
});
