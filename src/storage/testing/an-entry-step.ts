import { randomUUID } from 'node:crypto';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { Database } from '../database.ts';
import { claimBots } from '../bots/runners.ts';
import type { Step } from '../bots/running-bots.ts';
import { aStep } from './a-step.ts';
import { anOrderRow, aTradeRow } from './trade-rows.ts';

/** A step of a new bot of the owner, which the runner claims, with a testnet entry of 1 at 100 at the time. A builder for tests. */
export async function anEntryStep(db: Database, runnerId: string, time: Date, owner = 'a@example.com'): Promise<Step> {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: randomUUID(), owner });
  await db.updateTable('bots').set({ mode: 'live' }).where('id', '=', id).execute();
  const epoch = (await claimBots(db, runnerId, 1000)).find((bot) => bot.id === id)?.epoch ?? '';
  const { updatedAt } = await db.selectFrom('bots').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow();
  const trade = aTradeRow(id, { mode: 'testnet', leverage: 1 });
  const order = anOrderRow(trade, { requested: 1, price: 100, plannedAt: time, status: 'planned' });
  const writes = aStep({
    trades: [{ trade, orders: [order], fills: [] }],
    entersTrades: true,
    entries: [{ clientOrderId: order.clientOrderId, mid: 100 }],
    time,
    decisions: [{ botId: id, epoch, symbol: 'S', candleTime: 60_000, action: 'enter_long', gate: null, seen: {}, decidedAt: 120_000 }],
    memory: { nextOrderNumber: 7, of: id },
    consecutiveLosses: 2,
  });
  return { holder: { id, epoch, runnerId, updatedAt }, mode: 'testnet', writes };
}
