import { CandleWindows } from '#feeds/candle-windows.ts';
import { orderSequence } from '#storage/order-sequence.ts';
import { askToTryStop } from '#storage/trades/stop-asked.ts';
import { unprotectedTrade } from '#storage/trades/unprotected-trades.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { liveBots } from '../../test/support/live-bots.ts';
import { startMarket } from '../../test/support/market.ts';
import { patienceMs } from '../../test/support/patience.ts';
import type { Runner } from './runner.ts';
import { startRunner } from './runner.ts';

const minuteMs = 60_000;
const { db } = await freshDatabase();
// A candle closes a few seconds after the market has opened; time runs as fast as the machine's.
const market = await startMarket(1, 7, Math.floor(Date.now() / minuteMs) * minuteMs - 4_000);
const patience = { interval: 100 };
const bots = liveBots({ sandboxUrl: market.sandbox.url, now: market.now });
let runner: Runner | null = null;
const stop = async (): Promise<void> => {
  await runner?.stop();
  runner = null;
};
afterAll(stop);

async function run(): Promise<void> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const times = { scan: 50, heartbeat: 500, lease: patienceMs, vitals: 300 };
  const dependencies = { db, markets, windows, openTrading: bots.openTrading, host: 'test', now: market.now, log: () => undefined };
  runner = await startRunner(dependencies, times);
}

test('ADD-try-stop a stop that the exchange has refused for long is tried at a press, without waiting; taken, it protects the trade', async () => {
  const { id: botId } = await bots.add(db, {
    strategy: 'BuyAndHold',
    orderType: 'market',
    marketType: 'futures',
    leverage: 3,
    symbols: ['BTC/USDT:USDT'],
    stoploss: -0.5,
    minimalRoi: { 0: 10 },
  });
  const stops = () =>
    db
      .selectFrom('orders')
      .select(['clientOrderId', 'status'])
      .where('botId', '=', botId)
      .where('purpose', '=', 'stop')
      .orderBy(orderSequence('orders'))
      .execute();
  const statuses = async () => (await stops()).map(({ status }) => status);
  const error = { kind: 'error', status: 400, code: -4045, message: 'Reach max stop order limit.' } as const;
  const mend = market.sandbox.faults.add({ fault: error, path: '/algoOrder', method: 'POST' });
  await run();
  await expect.poll(async () => (await statuses())[0], patience).toBe('refused');
  const bot = async () => await db.selectFrom('bots').select(['updatedAt']).where('id', '=', botId).executeTakeFirstOrThrow();
  const trade = await db.selectFrom('trades').select('id').where('botId', '=', botId).executeTakeFirstOrThrow();
  const failures = async () =>
    (
      await sql<{ last: number; since: number; orderId: string }>`
        select (f ->> 'last')::float8 as last, (f ->> 'since')::float8 as since, f ->> 'orderId' as order_id
        from trades t, lateral (select t.engine_state -> 'stopFailures' as f) s where t.id = ${trade.id}`.execute(db)
    ).rows[0];
  await expect.poll(async () => (await failures())?.orderId).toBe((await stops()).at(-1)?.clientOrderId);
  await stop();
  // It has been refused for two hours, and nobody has changed the bot since.
  await sql`update bots set updated_at = updated_at - interval '3 hours'`.execute(db);
  const before = await bot();
  await sql`update trades set engine_state = jsonb_set(engine_state, '{stopFailures,since}', to_jsonb((engine_state -> 'stopFailures' ->> 'since')::float8 - 7200000))
    where id = ${trade.id}`.execute(db);
  await sql`update fills set filled_at = filled_at - interval '2 hours'`.execute(db);
  await run();
  const refused = (await statuses()).length;
  await new Promise((resolve) => setTimeout(resolve, 7_000)); // longer than the first pauses
  expect(await statuses()).toHaveLength(refused);
  const bare = await unprotectedTrade(db, trade.id);
  expect(bare).toMatchObject({ refusal: expect.stringContaining('Reach max stop order limit.'), nextStop: 'pausing' });
  const press = () => db.transaction().execute((trx) => askToTryStop(trx, trade.id, new Date()));

  // Still refused: one try, and the same long pause again.
  const answers = [await press(), await press()];
  expect(answers[0]).toMatchObject({ nextStop: 'asked', isNew: true });
  expect(answers[1]?.nextStop).toMatch(/^(asked|on-its-way)$/u);
  await expect.poll(statuses, patience).toEqual(Array.from({ length: refused + 1 }, () => 'refused'));
  await expect.poll(async () => (await failures())?.orderId).toBe((await stops()).at(-1)?.clientOrderId);
  const after = await failures();
  expect((after?.last ?? 0) - (after?.since ?? 0)).toBeGreaterThan(7_200_000);
  expect((await unprotectedTrade(db, trade.id))?.nextStop).toBe('pausing');

  // The cause is mended.
  mend();
  await press();
  await expect.poll(async () => (await statuses()).at(-1), patience).toBe('open');
  expect(await statuses()).toHaveLength(refused + 2);
  expect(await unprotectedTrade(db, trade.id)).toBeNull();
  expect(await bot()).toEqual(before); // it was not started again for that
});
