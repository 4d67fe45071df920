import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Fill } from '#engine/account/fill.ts';
import type { OrderState } from '#engine/account/order-life.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import { Rig, enter, hour, start } from '#engine/bot/testing/rig.ts';
import { claimBots, renewLease } from '#storage/bots/runners.ts';
import { nothingImported, readBot, writeStep } from '#storage/bots/running-bots.ts';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { BotFacts, BotSums } from './step-writes.ts';
import { mustBeWritten, stepWrites } from './step-writes.ts';

const { db } = await freshDatabase();

const aFill = (id: string, amount: number, price: number, time: number): Fill => {
  const fee = Number((amount * price * 0.001).toFixed(8));
  return { id, price, amount, fee, feeCurrency: 'USDT', feeInQuote: fee, liquidity: 'taker', time };
};

test('OP-85 a late fill corrects the closed trade and the figures of its bot, and is written like everything else', async () => {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', stakeAmount: 1000, maxOpenTrades: 10 });
  const runnerId = '55555555-5555-4555-8555-555555555555';
  await renewLease(db, { id: runnerId, host: 'here', exchanges: ['sandbox'] }, 600_000, true);
  const claimed = (await claimBots(db, runnerId, 100)).find((bot) => bot.id === id);
  const holder = { id, epoch: claimed?.epoch ?? '', runnerId, updatedAt: (await readBot(db, id))?.bot.updatedAt ?? new Date(0) };
  const facts: BotFacts = {
    botId: id,
    nickname: 'x',
    ownerEmail: 'x@x.example',
    mode: 'testnet',
    epoch: holder.epoch,
    startingBalance: '10000',
    timeInForce: {},
    versions: { bot: 3, strategy: 2 },
    stakeCurrency: 'USDT',
    imported: nothingImported,
  };
  let sums: BotSums = { profit: 0, fees: 0, wins: 0, trades: 0 };

  const rig = new Rig();
  Object.assign(rig.context, { execution: 'exchange' });
  const write = async (effects: readonly BotEffect[]): Promise<void> => {
    const made = stepWrites(facts, rig.state, effects, sums, { confidenceOf: () => null, unrealizedPnl: 0, latencyMs: null, now: start });
    await writeStep(db, holder, facts.mode, made.writes);
    sums = made.sums;
  };
  const report = (n: number, state: OrderState, fills: Fill[]): BotEffect[] => {
    const filled = fills.reduce((sum, { amount }) => sum + amount, 0);
    return rig.take({
      kind: 'order-update',
      time: start + hour,
      orderId: `fl-bot1-${n}`,
      report: { state, requested: 10.001, filled, fills },
    });
  };

  rig.candle(1, enter);
  await write(rig.tick(60, 100));
  const orders = () => db.selectFrom('orders').select(['clientOrderId', 'status', 'signalKey']).orderBy('clientOrderId').execute();
  expect(await orders()).toEqual([
    { clientOrderId: 'fl-bot1-1', status: 'planned', signalKey: `testnet BTC/USDT ${new Date(start).toISOString()} enter` },
  ]);
  await write(report(1, 'filled', [aFill('a', 10, 100, start + hour)]));
  await write(rig.tick(62, 80));
  expect((await orders()).map(({ signalKey }) => signalKey)[1]).toBe(`testnet BTC/USDT ${new Date(start).toISOString()} exit of trade 1`);
  await write(report(2, 'filled', [aFill('b', 10, 120, start + hour)]));
  const figures = async () =>
    (
      await sql<object>`select f.trades, f.wins, f.losses, f.realized_pnl::float8 as pnl, f.fees::float8, t.profit::float8, t.status
        from bot_figures f join trades t on t.bot_id = f.bot_id`.execute(db)
    ).rows;
  expect(await figures()).toEqual([{ trades: 1, wins: 1, losses: 0, pnl: 197.8, fees: 2.2, profit: 197.8, status: 'closed' }]);

  const before = structuredClone(rig.state);
  const late = report(2, 'filled', [aFill('c', 5, 20, start + hour)]); // five more were sold, far below what they had cost
  expect(mustBeWritten(before, late)).toBe(true);
  await write(late);
  const profit = -202.8; // 10 x 120 + 5 x 20 - 1.3, less 15 x 100 + 1.5
  expect(await figures()).toEqual([{ trades: 1, wins: 0, losses: 1, pnl: profit, fees: 2.3, profit, status: 'closed' }]);
  expect(sums).toMatchObject({ profit, wins: 0, trades: 1 });
  expect(sums.fees).toBeCloseTo(2.3, 10);
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from fills`.execute(db);
  expect(rows).toEqual([{ n: 3 }]);
  // The row of the order itself is the order room's to change.
  expect((await orders()).map(({ status }) => status)).toEqual(['planned', 'planned']);
});
