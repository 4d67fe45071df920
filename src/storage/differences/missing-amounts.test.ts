import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { claimBots, renewLease } from '../bots/runners.ts';
import { writeFact, removeFact } from '../installation/facts.ts';
import { markSent, markSentTogether } from '../orders/order-outbox.ts';
import { aFillRow, anOrderRow, aTradeRow } from '../testing/trade-rows.ts';
import type { OrderRow, TradeRow } from '../trades/trade-writes.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { endDifference, noteDifference } from './differences.ts';
import { askHeldElsewhere } from './held-elsewhere.ts';
import { missingAmounts } from './missing-amounts.ts';

const { db } = await freshDatabase();
const runnerId = randomUUID();
const symbol = 'BTC/USDT:USDT';
let made = 0;
let isFirst = true;

/** A live bot of perpetuals; with a key given it trades on the account of that key. */
async function liveBot(apiKeyId?: string) {
  const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `bot ${made++}`, marketType: 'futures', symbols: [symbol] });
  if (apiKeyId === undefined) return { id, apiKeyId: await goLive(db, id) };
  await sql`update bots set mode = 'live', api_key_id = ${apiKeyId} where id = ${id}`.execute(db);
  return { id, apiKeyId };
}

/** An open trade of a bot. */
async function held(botId: string, amount: number, given: Partial<TradeRow> = {}): Promise<TradeRow> {
  const trade = aTradeRow(botId, { symbol, mode: 'testnet', amount, openedAt: new Date(1_000 + made++), ...given });
  await writeTrades(db, [{ trade, orders: [], fills: [] }]);
  return trade;
}

/** What is missing of each of these trades, as the runner of their bots gets it. */
async function missing(...trades: TradeRow[]): Promise<(number | undefined)[]> {
  await claim();
  const found = await missingAmounts(db, { runnerId });
  return trades.map(({ id }) => found.find(({ tradeId }) => tradeId === id)).map((each) => each && each.missing + each.heldElsewhere);
}

/** Its runner takes all live bots. */
async function claim(): Promise<void> {
  await renewLease(db, { id: runnerId, host: 'test', exchanges: ['sandbox'] }, 60_000, isFirst);
  isFirst = false;
  await claimBots(db, runnerId, 100);
}

beforeEach(async () => {
  await sql`update bots set runner_id = null`.execute(db);
});

describe('what accounts lack of trades', () => {
  test('is what an open difference says, of a long and of a short', async () => {
    for (const [direction, sign] of [
      ['long', 1],
      ['short', -1],
    ] as const) {
      const { id } = await liveBot();
      const trade = await held(id, 2, { direction });
      await noteDifference(db, { botId: id, symbol, expected: 2 * sign, actual: 1.5 * sign });
      expect(await missing(trade), direction).toEqual([0.5]);
      await noteDifference(db, { botId: id, symbol, expected: 2 * sign, actual: -3 * sign }); // turned round by somebody
      expect(await missing(trade), direction).toEqual([2]);
      await noteDifference(db, { botId: id, symbol, expected: 2 * sign, actual: 3 * sign }); // more is there
      expect(await missing(trade), direction).toEqual([undefined]);
      await noteDifference(db, { botId: id, symbol, expected: 2 * sign, actual: 0 });
      await endDifference(db, id, symbol);
      expect(await missing(trade), direction).toEqual([undefined]);
    }
  });

  test('stays the same while exits of the bot are filled: they lower both', async () => {
    const { id } = await liveBot();
    const trade = await held(id, 2);
    await noteDifference(db, { botId: id, symbol, expected: 2, actual: 1.5 });
    await sql`update trades set amount = 1.2 where id = ${trade.id}`.execute(db);
    expect(await missing(trade)).toEqual([0.5]);
    await sql`update trades set amount = 0.3 where id = ${trade.id}`.execute(db);
    expect(await missing(trade)).toEqual([0.3]); // never more than the trade
  });

  test('is taken from the bot of the difference first, then from the others with the key, oldest first, each in its direction', async () => {
    const { id, apiKeyId } = await liveBot();
    const trades = [
      await held((await liveBot(apiKeyId)).id, 1),
      await held(id, 2),
      await held((await liveBot(apiKeyId)).id, 1),
      await held((await liveBot(apiKeyId)).id, 1, { direction: 'short' }),
      await held((await liveBot()).id, 1), // another account
      await held((await liveBot(apiKeyId)).id, 1, { symbol: 'ETH/USDT:USDT' }),
    ];
    await noteDifference(db, { botId: id, symbol, expected: 3, actual: 0.75 });
    expect(await missing(...trades)).toEqual([0.25, 2, undefined, undefined, undefined, undefined]);
    await noteDifference(db, { botId: id, symbol, expected: 3, actual: 3.4 });
    expect(await missing(...trades)).toEqual([undefined, undefined, undefined, 0.4, undefined, undefined]);
  });

  test('is still missing while the decision to book it is not booked, and not after', async () => {
    const { id } = await liveBot();
    const trade = await held(id, 2);
    await askHeldElsewhere(db, trade.id, 0.5, new Date(5_000));
    await claim();
    expect(await missingAmounts(db, { botId: id })).toEqual([
      { botId: id, tradeId: trade.id, missing: 0, heldElsewhere: 0.5, fillId: 'outside-5000', waits: false },
    ]);
    const order = anOrderRow(trade, { purpose: 'exit', side: 'sell', type: 'market', status: 'filled', filled: 0.5, requested: 0.5 });
    await writeTrades(db, [{ trade, orders: [order], fills: [aFillRow(order, { exchangeFillId: 'outside-5000', amount: 0.5 })] }]);
    expect(await missingAmounts(db, { botId: id })).toEqual([]);
  });

  test('waits for a person after a restore, while the bot is paused; trades made since wait for nobody', async () => {
    const { id } = await liveBot();
    const old = await held(id, 2);
    await noteDifference(db, { botId: id, symbol, expected: 2, actual: 1 });
    const waits = async () => (await missingAmounts(db, { botId: id })).map((each) => each.waits);
    await sql`update bots set status = 'paused' where id = ${id}`.execute(db);
    expect(await waits()).toEqual([false]);
    await writeFact(db, 'restored_at', new Date(60_000).toISOString());
    expect(await waits()).toEqual([true]);
    await sql`update bots set status = 'active' where id = ${id}`.execute(db);
    expect(await waits()).toEqual([false]);
    await sql`update bots set status = 'paused' where id = ${id}`.execute(db);
    await sql`update trades set opened_at = ${new Date(61_000)} where id = ${old.id}`.execute(db);
    expect(await waits()).toEqual([false]);
    await removeFact(db, 'restored_at');
  });
});

describe('an order is not sent for what is missing', () => {
  /** The permits for orders of a trade of 2, of which 0.5 are missing. */
  async function permits(orders: Partial<OrderRow>[], isEntry = false): Promise<string[]> {
    const { id } = await liveBot();
    const trade = await held(id, 2);
    await noteDifference(db, { botId: id, symbol, expected: 2, actual: 1.5 });
    await claim();
    const { epoch } = await db.selectFrom('bots').select('epoch').where('id', '=', id).executeTakeFirstOrThrow();
    const rows = orders.map((given) =>
      anOrderRow(trade, { purpose: 'exit', side: 'sell', status: 'planned', plannedAt: new Date(1_000), ...given }),
    );
    await writeTrades(db, [{ trade, orders: rows, fills: [] }]);
    const holder = { id, epoch, runnerId };
    const sendings = rows.map(({ clientOrderId }) => ({ holder, clientOrderId, isEntry, expiryMs: 2_000 }));
    const alone =
      sendings.length === 1 && sendings[0] !== undefined ? [await markSent(db, sendings[0])] : await markSentTogether(db, sendings);
    const states = await db
      .selectFrom('orders')
      .select(['clientOrderId', 'status'])
      .where(
        'clientOrderId',
        'in',
        rows.map(({ clientOrderId }) => clientOrderId),
      )
      .execute();
    return alone.map(
      (permit, i) => `${permit?.kind} ${states.find(({ clientOrderId }) => clientOrderId === rows[i]?.clientOrderId)?.status}`,
    );
  }

  test('neither as an exit nor as a stop, alone or together with others', async () => {
    expect(await permits([{ requested: 1.501 }])).toEqual(['not-held planned']);
    expect(await permits([{ requested: 1.5 }])).toEqual(['sent sent']);
    expect(await permits([{ requested: 2, purpose: 'stop' }, { requested: 1.5, purpose: 'stop' }, { requested: 1.6 }])).toEqual([
      'not-held planned',
      'sent sent',
      'not-held planned',
    ]);
  });

  test('what it has sold already does not count', async () => {
    expect(await permits([{ requested: 1.6, filled: 0.1 }])).toEqual(['sent sent']);
  });
});
