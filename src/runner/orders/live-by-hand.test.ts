import { CandleWindows } from '#feeds/candle-windows.ts';
import { askToClose } from '#storage/trades/close-asked.ts';
import type { NewManualAction } from '#storage/trades/manual-actions.ts';
import { askByHand, listManualActions } from '#storage/trades/manual-actions.ts';
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { liveBots } from '../../../test/support/live-bots.ts';
import { startMarket } from '../../../test/support/market.ts';
import { patienceMs } from '../../../test/support/patience.ts';
import type { Runner } from '../runner.ts';
import { startRunner } from '../runner.ts';

const { db } = await freshDatabase();
const market = await startMarket(1);
const patience = { interval: 500 };
const bots = liveBots({ sandboxUrl: market.sandbox.url, now: market.now, log: () => {} });
let runner: Runner | null = null;

async function run(): Promise<void> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const times = { scan: 50, heartbeat: 500, lease: patienceMs, vitals: 300 };
  runner = await startRunner({ db, markets, windows, openTrading: bots.openTrading, host: 'test', now: market.now, log: () => {} }, times);
}
afterEach(async () => {
  await runner?.stop();
  runner = null;
});

const tradeOf = (botId: string) =>
  db.selectFrom('trades').selectAll().where('botId', '=', botId).orderBy('openedAt', 'desc').executeTakeFirst();

test.each([
  ['spot', { symbols: ['ETH/USDT'] }, 'long'],
  ['futures', { symbols: ['ETH/USDT:USDT'], marketType: 'futures', leverage: 3 }, 'short'],
] as const)(
  'a live bot of %s does by hand what a person wants, also across a restart, and its account has what it counts',
  async (_, given, direction) => {
    const { symbols, ...settings } = given;
    const [symbol] = symbols;
    // It makes no entries by itself; a strategy that sells short lets a person do so as well, and decides once a day.
    const bot = await bots.add(db, {
      ...(direction === 'short' ? { strategy: 'EmaCross', timeframe: '1d' } : { strategy: 'AlwaysFlat' }),
      orderType: 'market',
      symbols: [symbol],
      minimalRoi: { 0: 10 },
      stoploss: -0.3,
      ...settings,
    });
    const { userId } = await db.selectFrom('bots').select('userId').where('id', '=', bot.id).executeTakeFirstOrThrow();
    const account = await bots.openTrading({
      apiKeyId: bot.apiKeyId,
      exchangeId: 'sandbox',
      marketType: direction === 'short' ? 'futures' : 'spot',
    });
    onTestFinished(() => account.close());
    const usdt = async () =>
      (await account.balances()).filter(({ currency }) => currency === 'USDT').reduce((sum, { free, locked }) => sum + free + locked, 0);
    const before = await usdt();
    const ask = async (action: object): Promise<string> => {
      const id = (await askByHand(db, { botId: bot.id, mode: 'testnet', symbol, askedBy: userId, ...action } as NewManualAction)) ?? '';
      // It does not come too late, however slow the machine is.
      await sql`update manual_actions set expires_at = now() + interval '1 hour' where id = ${id}`.execute(db);
      return id;
    };
    const outcome = async (id: string) => {
      const row = (await listManualActions(db, { botId: bot.id })).find((each) => each.id === id);
      return row?.refusal ?? row?.state;
    };
    const standing = async () =>
      (await account.openOrders()).filter(({ type }) => type === 'stop').map(({ requested, stopPrice }) => ({ requested, stopPrice }));
    // What is held is cut to the step of the amount.
    const coversAll = async () => Math.abs(((await standing())[0]?.requested ?? 0) - Number((await tradeOf(bot.id))?.amount)) < 0.0002;
    await run();

    const entry = await ask({ kind: 'enter', direction, stake: 60, stopPrice: null });
    await expect.poll(() => outcome(entry), patience).toBe('done');
    await expect.poll(async () => (await standing()).length, patience).toBe(1);
    const tradeId = (await tradeOf(bot.id))?.id ?? '';

    const added = await ask({ kind: 'add', tradeId, stake: 40 });
    await expect.poll(() => outcome(added), patience).toBe('done');
    // The stop at the exchange comes to cover all of it.
    await expect.poll(coversAll, patience).toBe(true);

    const stopPrice = Number((await tradeOf(bot.id))?.entryPrice ?? '0') * (direction === 'long' ? 0.8 : 1.2);
    const moved = await ask({ kind: 'move-stop', tradeId, stopPrice });
    await expect.poll(() => outcome(moved), patience).toBe('done');
    await expect.poll(async () => Math.abs(((await standing())[0]?.stopPrice ?? 0) - stopPrice) < 0.02, patience).toBe(true);

    // Asked while nobody runs the bot: done by whoever runs it next.
    const held = Number((await tradeOf(bot.id))?.amount);
    await runner?.stop();
    const part = await ask({ kind: 'take-out', tradeId, share: 0.5 });
    await run();
    await expect.poll(() => outcome(part), patience).toBe('done');
    await expect.poll(async () => Number((await tradeOf(bot.id))?.amount), patience).toBeLessThan(held * 0.51);
    await expect.poll(coversAll, patience).toBe(true);
    expect(Math.abs(((await standing())[0]?.stopPrice ?? 0) - stopPrice)).toBeLessThan(0.02);

    await askToClose(db, tradeId, new Date());
    await expect.poll(async () => (await tradeOf(bot.id))?.status, patience).toBe('closed');
    await expect.poll(standing, patience).toEqual([]);
    const { rows: orders } = await sql<{ reason: string; n: number }>`
      select reason, count(*)::int as n from orders where trade_id = ${tradeId} and purpose <> 'stop' and status = 'filled' group by 1 order by 1`.execute(
      db,
    );
    expect(orders).toEqual([
      { reason: 'force_exit', n: 1 },
      { reason: 'manual', n: 2 },
      { reason: 'manual_partial_exit', n: 1 },
    ]);
    const closed = await tradeOf(bot.id);
    if (direction === 'short') expect((await usdt()) - before).toBeCloseTo(Number(closed?.profit), 6);
    expect((await sql`select 1 from differences where bot_id = ${bot.id}`.execute(db)).rows).toEqual([]);
    expect(await db.selectFrom('trades').select('id').where('botId', '=', bot.id).execute()).toHaveLength(1);
  },
);
