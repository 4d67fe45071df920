import { hourMs } from '#engine/market/durations.ts';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import type { DecisionRow } from './decisions.ts';
import { addDecisions } from './decisions.ts';
import { historyPoints, lastDecisions, profitsSince, weekOfProfit } from './fleet.ts';
import { addPnlSnapshots } from './pnl-snapshots.ts';
import { aTradeRow } from '../testing/trade-rows.ts';
import { writeTrades } from '../trades/trade-writes.ts';
import { findUserByEmail } from '../users/users.ts';

const { db } = await freshDatabase();
const day = 24 * hourMs;
const now = new Date(Math.floor(Date.now() / hourMs) * hourMs);
const ago = (ms: number) => new Date(now.getTime() - ms);
let mine = '';
let theirs = '';
let ownerId = '';

beforeEach(async () => {
  await sql`truncate bots cascade`.execute(db);
  await sql`truncate decisions`.execute(db);
  mine = await addTestBot(db, { strategy: 'EmaCross', nickname: 'mine', symbols: ['A', 'B'] });
  theirs = await addTestBot(db, { strategy: 'EmaCross', nickname: 'theirs', symbols: ['A'], owner: 'other@example.com' });
  ownerId = (await findUserByEmail(db, 'owner@example.com'))?.id ?? '';
});

test('the profit since a time is that of the trades closed since then, in the current mode of their bot', async () => {
  const closed = (closedAt: Date, profit: number, more: object = {}) =>
    aTradeRow(mine, { status: 'closed', openedAt: ago(9 * day), closedAt, profit, ...more });
  await writeTrades(
    db,
    [
      closed(ago(0), 1.5),
      closed(ago(hourMs), 2),
      closed(ago(hourMs + 1), 100),
      closed(ago(0), 1_000, { mode: 'testnet' }),
      aTradeRow(mine),
    ].map((trade) => ({ trade, orders: [], fills: [] })),
  );
  expect([...(await profitsSince(db, ago(hourMs)))]).toEqual([[mine, '3.500000000000000000']]);
});

test('OP-70 the profit since a time is in the stake currency of the bot: what it closed in another one before is none of it', async () => {
  const closed = (symbol: string, profit: number) => aTradeRow(mine, { status: 'closed', closedAt: ago(0), symbol, profit });
  await sql`update bots set stake_currency = 'BTC' where id = ${mine}`.execute(db);
  await writeTrades(
    db,
    [closed('BTC/USDT', 12.3), closed('ETH/BTC', 0.5)].map((trade) => ({ trade, orders: [], fills: [] })),
  );
  expect([...(await profitsSince(db, ago(hourMs)))]).toEqual([[mine, '0.500000000000000000']]);
});

describe('the last decision of a bot', () => {
  const decide = (botId: string, candleTime: Date, given: Partial<DecisionRow> = {}) =>
    addDecisions(db, [
      {
        botId,
        epoch: '0',
        symbol: 'A',
        candleTime: candleTime.getTime(),
        action: 'none',
        gate: 'no-signal',
        seen: {},
        decidedAt: candleTime.getTime() + 5,
        ...given,
      },
    ]);

  test('is that of its newest candle, with the direction the strategy wanted', async () => {
    await decide(mine, ago(2 * hourMs), { action: 'enter', gate: null, seen: { enterLong: true } });
    await decide(mine, ago(hourMs), { gate: 'paused', seen: { enterShort: true } });
    await decide(theirs, ago(3 * hourMs));
    const all = await lastDecisions(db, null, now);
    expect(all.get(mine)).toEqual({
      botId: mine,
      symbol: 'A',
      candleTime: ago(hourMs),
      action: 'none',
      gate: 'paused',
      direction: 'short',
      decidedAt: new Date(ago(hourMs).getTime() + 5),
    });
    expect(all.get(theirs)).toMatchObject({ candleTime: ago(3 * hourMs), direction: null });
    expect([...(await lastDecisions(db, ownerId, now)).keys()]).toEqual([mine]);
  });

  test.each([
    [{ action: 'exit', gate: null }, { action: 'none', gate: 'paused' }, 'B'],
    [{ action: 'none', gate: 'paused' }, { action: 'hold', gate: null }, 'B'],
    [{ action: 'hold', gate: null }, { action: 'none', gate: 'no-signal' }, 'B'],
    [{ action: 'none', gate: 'no-signal' }, { action: 'none', gate: 'no-signal' }, 'A'],
  ])('of two symbols on one candle is the one that says most: %j before %j', async (more, less, symbol) => {
    await decide(mine, ago(hourMs), { symbol: 'B', ...more });
    await decide(mine, ago(hourMs), { symbol: 'A', ...less });
    expect((await lastDecisions(db, null, now)).get(mine)).toMatchObject({ symbol });
  });

  test('is found for 29 days', async () => {
    await decide(mine, ago(29 * day));
    await decide(theirs, ago(29 * day + 1));
    const all = await lastDecisions(db, null, now);
    expect([all.get(mine)?.candleTime, all.has(theirs)]).toEqual([ago(29 * day), false]);
  });
});

describe('the profit of a week', () => {
  const snapshot = (botId: string, takenAt: Date, netPnl: number, mode = 'paper') => ({
    botId,
    mode,
    takenAt,
    netPnl,
    netPnlPct: 0,
    unrealizedPnl: 0,
    realizedPnl: 0,
    totalFees: 0,
    winRate: 0,
    currentBalance: 0,
  });

  test('is the change since seven days ago, at points four hours apart of which the last is now', async () => {
    await addPnlSnapshots(db, [
      snapshot(mine, ago(8 * day), 5),
      snapshot(mine, ago(7 * day), 10),
      snapshot(mine, ago(3 * day), 12.25),
      snapshot(mine, ago(0), 9),
      snapshot(mine, new Date(now.getTime() + 1), 500),
      snapshot(mine, ago(day), 1_000, 'testnet'),
    ]);
    const values = (await weekOfProfit(db, null, now)).get(mine) ?? [];
    expect(values).toHaveLength(historyPoints);
    expect(values.slice(0, 23)).toEqual(Array.from({ length: 23 }, () => 0));
    expect(values.slice(23, -1)).toEqual(Array.from({ length: 18 }, () => 2.25));
    expect(values.at(-1)).toBe(-1);
  });

  test('of a younger bot starts from zero when it began, and a bot without a snapshot has none', async () => {
    await addPnlSnapshots(db, [snapshot(mine, ago(4 * hourMs), 3), snapshot(mine, ago(0), 0.1 + 0.2)]);
    expect([...(await weekOfProfit(db, ownerId, now))]).toEqual([[mine, [3, 0.3]]]);
    expect((await weekOfProfit(db, null, now)).get(theirs)).toEqual([]);
  });

  test('OP-70 begins with the stake currency that the bot has: what it made in another one is none of it', async () => {
    const keep = (version: number, changedAt: Date, stakeCurrency: string) =>
      sql`insert into bot_versions (bot_id, version, changed_at, settings) values (${mine}, ${version}, ${changedAt}, ${{ stakeCurrency }}::jsonb)`.execute(
        db,
      );
    await addPnlSnapshots(db, [
      snapshot(mine, ago(8 * day), 5),
      snapshot(mine, ago(3 * day), 12.25),
      snapshot(mine, ago(8 * hourMs), 0.25),
      snapshot(mine, ago(4 * hourMs), 0.5),
    ]);
    const week = async () => (await weekOfProfit(db, null, now)).get(mine);
    await keep(1, ago(9 * day), 'BTC');
    await keep(2, ago(8 * day), 'USDT');
    await keep(3, ago(7 * day), 'USDT');
    expect((await week())?.at(-1)).toBe(-4.5);
    await sql`update bots set stake_currency = 'BTC' where id = ${mine}`.execute(db);
    await keep(4, ago(day), 'BTC');
    await keep(5, ago(2 * hourMs), 'BTC'); // of something else
    expect(await week()).toEqual([0.25, 0.5, 0.5]);
  });

  test('is that of the newest snapshot at or before each point, whenever the snapshots were taken', async () => {
    let seed = 5;
    const below = (n: number) => (seed = (seed * 16_807) % 2_147_483_647) % n;
    for (let round = 0; round < 20; round++) {
      await sql`truncate pnl_snapshots`.execute(db);
      const step = 4 * hourMs;
      const snapshots = Array.from({ length: 1 + below(60) }, () => {
        const exactly = round % 2 === 0 ? 0 : below(step) - step / 2;
        return snapshot(mine, ago(below(60) * step + exactly), below(1_000) / 8);
      });
      await addPnlSnapshots(db, snapshots);
      const from = now.getTime() - historyPoints * step;
      const valueAt = (time: number) =>
        snapshots
          .toReversed() // of two of one moment the later counts
          .filter(({ takenAt }) => takenAt.getTime() <= time)
          .toSorted((a, b) => b.takenAt.getTime() - a.takenAt.getTime())[0]?.netPnl;
      const values = Array.from({ length: historyPoints }, (_, i) => valueAt(from + (i + 1) * step)).filter((value) => value !== undefined);
      expect((await weekOfProfit(db, null, now)).get(mine), `${round}`).toEqual(values.map((value) => value - (valueAt(from) ?? 0)));
    }
  });
});
