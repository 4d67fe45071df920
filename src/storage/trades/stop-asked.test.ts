import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import { lockSwitch, setSwitch } from '../trading/trading-states.ts';
import { askToClose } from './close-asked.ts';
import { askToTryStop, stopsToTry } from './stop-asked.ts';
import type { OrderRow, TradeRow } from './trade-writes.ts';
import { writeTrades } from './trade-writes.ts';
import { listUnprotected, unprotectedTrade } from './unprotected-trades.ts';

const { db } = await freshDatabase();
const botId = await addTestBot(db, { strategy: 'AlwaysFlat' });
const runnerId = randomUUID();
const [first, second] = [new Date(1_000), new Date(2_000)];
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

beforeEach(async () => {
  await sql`truncate trades cascade`.execute(db);
  await sql`delete from trading_states`.execute(db);
  await sql`update bots set runner_id = ${runnerId}, status = 'active' where id = ${botId}`.execute(db);
});

/** An open trade at an exchange that has held something for a minute, with stops in these states, oldest first. */
async function held(stops: readonly (Partial<OrderRow> & { refusal?: string; isAskedToCancel?: true })[], given: Partial<TradeRow> = {}) {
  const trade = aTradeRow(botId, { mode: 'testnet', ...given });
  const entry = anOrderRow(trade, { status: 'filled', filled: 5 });
  const add = async (all: typeof stops): Promise<OrderRow[]> => {
    const rows = all.map(({ refusal: _refusal, isAskedToCancel: _isAsked, ...order }, i) =>
      anOrderRow(trade, { purpose: 'stop', side: 'sell', plannedAt: ago(50 - i), closedAt: ago(49 - i), ...order }),
    );
    await writeTrades(db, [{ trade, orders: rows, fills: [] }]);
    for (const [i, { clientOrderId }] of rows.entries()) {
      await sql`update orders set refusal = ${all[i]?.refusal ?? null} where client_order_id = ${clientOrderId}`.execute(db);
      if (all[i]?.isAskedToCancel === true)
        await sql`insert into order_events (order_id, state) select id, 'cancel-pending' from orders where client_order_id = ${clientOrderId}`.execute(
          db,
        );
    }
    return rows;
  };
  await writeTrades(db, [{ trade, orders: [entry], fills: [aFillRow(entry, { filledAt: ago(60) })] }]);
  return { id: trade.id, trade, stops: await add(stops), add };
}
const refused = { status: 'refused', refusal: 'Too many stops.' } as const;
const closedAt = ago(47.5);
const taken = { exchangeOrderId: '7', acknowledgedAt: new Date(closedAt.getTime() - 2_500), closedAt } as const;
const ask = (id: string, now = first) => db.transaction().execute((trx) => askToTryStop(trx, id, now));
const why = async (id: string) => {
  const found = await unprotectedTrade(db, id);
  expect((await listUnprotected(db, null)).find(({ tradeId }) => tradeId === id)).toMatchObject(found ?? {});
  return found;
};

describe('why a trade has no stop', () => {
  test('is what the exchange has said against the newest, and when', async () => {
    const { id, stops } = await held([{ ...refused, refusal: 'Not this one.' }, refused]);
    expect(await why(id)).toMatchObject({
      refusal: 'Too many stops.',
      failedAt: stops[1]?.closedAt,
      endedAs: null,
      stoodMs: null,
      nextStop: 'pausing',
      stopAskedAt: null,
    });
  });

  test.each(['expired', 'cancelled'] as const)('is that it was taken and ended (%s), also after one that was refused', async (status) => {
    const { id, stops } = await held([refused, { ...taken, status }]);
    const found = await why(id);
    expect(found).toMatchObject({ refusal: null, endedAs: status, failedAt: stops[1]?.closedAt, nextStop: 'pausing' });
    expect(found?.stoodMs).toBe(2_500);
  });

  test('is still that while the next is on its way', async () => {
    for (const status of ['planned', 'sent', 'unknown'] as const) {
      const { id } = await held([refused, { status, closedAt: null }]);
      expect(await why(id), status).toMatchObject({ refusal: 'Too many stops.', nextStop: 'on-its-way', stopAskedAt: null });
    }
  });

  test('is still that after one that was never sent', async () => {
    const { id } = await held([refused, { status: 'cancelled' }]);
    expect(await why(id)).toMatchObject({ refusal: 'Too many stops.', nextStop: null });
  });

  test('is nothing of a stop before one that the bot has cancelled, or that was filled in part, and before the first', async () => {
    const nothing = { refusal: null, endedAs: null, failedAt: null, stoodMs: null, nextStop: null };
    for (const newest of [
      { ...taken, status: 'cancelled', isAskedToCancel: true, closedAt: ago(20) },
      { ...taken, status: 'expired', filled: 1, closedAt: ago(20) },
    ] as const) {
      const { id } = await held([refused, newest]);
      expect(await why(id)).toMatchObject(nothing);
      expect(await ask(id)).toBeNull();
    }
    expect(await why((await held([])).id)).toMatchObject(nothing);
  });

  test('of one that was refused although the bot had asked for its end is the refusal', async () => {
    const { id } = await held([{ ...refused, isAskedToCancel: true }]);
    expect(await why(id)).toMatchObject({ refusal: 'Too many stops.', nextStop: 'pausing' });
  });
});

describe('ADD-try-stop', () => {
  test('asked twice is once, also at the same moment, and stays through the writes of the bot', async () => {
    const { id, trade } = await held([refused]);
    const answers = await Promise.all([ask(id), ask(id)]);
    expect(answers.filter((answer) => answer?.nextStop === 'asked' && answer.isNew)).toHaveLength(1);
    expect(answers.filter((answer) => answer?.nextStop === 'asked' && !answer.isNew)).toHaveLength(1);
    await writeTrades(db, [{ trade: { ...trade, amount: 2 }, orders: [], fills: [] }]);
    expect(await ask(id, second)).toEqual({ nextStop: 'asked', askedAt: first, isNew: false });
    expect(await why(id)).toMatchObject({ nextStop: 'asked', stopAskedAt: first });
  });

  test('it is asked after one failed stop: the next is on its way or failed again, and then it can be asked again', async () => {
    const { id, stops, add } = await held([refused]);
    await ask(id);
    expect(await stopsToTry(db, runnerId)).toEqual([{ tradeId: id, botId, orderId: stops[0]?.clientOrderId }]);
    const [next] = await add([{ status: 'sent', plannedAt: ago(2), closedAt: null }]);
    expect(await ask(id, second)).toEqual({ nextStop: 'on-its-way' });
    expect(await why(id)).toMatchObject({ nextStop: 'on-its-way', stopAskedAt: null });
    await sql`update orders set status = 'refused', closed_at = now() where client_order_id = ${next?.clientOrderId ?? ''}`.execute(db);
    expect(await why(id)).toMatchObject({ nextStop: 'pausing', stopAskedAt: null });
    expect(await ask(id, second)).toEqual({ nextStop: 'asked', askedAt: second, isNew: true });
    expect(await stopsToTry(db, runnerId)).toEqual([{ tradeId: id, botId, orderId: next?.clientOrderId }]);
  });

  test('there is nothing to try where a stop stands or is being cancelled, where none is taken, and while the trade is being closed', async () => {
    for (const status of ['open', 'cancel-pending'] as const) {
      const { id } = await held([refused, { status, exchangeOrderId: '8', closedAt: null }]);
      expect(await ask(id), status).toBeNull();
    }
    const small = await held([refused], { engineState: JSON.stringify({ tooSmall: 'for-stop' }) });
    expect(await ask(small.id)).toBeNull();
    const closing = await held([refused]);
    await askToClose(db, closing.id, first);
    expect([await ask(closing.id), (await why(closing.id))?.nextStop]).toEqual([null, null]);
    const stopping = await held([refused]);
    await sql`update bots set status = 'stopped' where id = ${botId}`.execute(db);
    expect([await ask(stopping.id), (await why(stopping.id))?.nextStop]).toEqual([null, null]);
    await sql`update bots set status = 'paused' where id = ${botId}`.execute(db);
    await db.transaction().execute(async (trx) => {
      await lockSwitch(trx, { level: 'server' });
      await setSwitch(trx, { level: 'server' }, { state: 'halted', setBy: null, isImposed: false, closeAllAt: first });
    });
    expect(await ask(stopping.id)).toBeNull();
    await sql`delete from trading_states`.execute(db);
    expect(await ask(stopping.id)).toMatchObject({ nextStop: 'asked', isNew: true }); // of a paused bot it is tried too
  });

  test('only an open trade at an exchange is asked about', async () => {
    for (const status of ['closed', 'cancelled', 'failed'] as const)
      expect(await ask((await held([refused], { status, closedAt: first })).id), status).toBeNull();
    expect(await ask((await held([refused], { mode: 'paper' })).id)).toBeNull();
    expect(await ask(randomUUID())).toBeNull();
  });

  test('a runner finds what its own bots are to try, until the trade is closed', async () => {
    const { id, trade } = await held([refused]);
    await held([refused]); // nobody asked
    await ask(id);
    expect((await stopsToTry(db, runnerId)).map(({ tradeId }) => tradeId)).toEqual([id]);
    expect(await stopsToTry(db, randomUUID())).toEqual([]);
    await writeTrades(db, [{ trade: { ...trade, status: 'closed', closedAt: second, profit: 1 }, orders: [], fills: [] }]);
    expect(await stopsToTry(db, runnerId)).toEqual([]);
  });
});
