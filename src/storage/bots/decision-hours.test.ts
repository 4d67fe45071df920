import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { deleteBot } from './archive.ts';
import { countSince, removeDecisionHours } from './decision-hours.ts';
import { countDecisions, nearestDecision } from './decision-list.ts';
import type { DecisionRow } from './decisions.ts';
import { addDecisions } from './decisions.ts';

const { db } = await freshDatabase();
const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 2, 1);
const symbols = ['BTC/USDT', 'ETH/USDT'];

const row = (botId: string, at: number, given: Partial<DecisionRow> = {}): DecisionRow => ({
  botId,
  epoch: '0',
  symbol: 'BTC/USDT',
  candleTime: at,
  action: 'none',
  gate: 'no-signal',
  seen: {},
  decidedAt: at + minute,
  ...given,
});
const near = (distance: number) => ({ near: { direction: 'long', name: 'RSI', value: 30 + distance, threshold: 30, distance } });

/** What the decisions themselves say. */
async function fromDecisions(botId: string, from: Date, now: Date) {
  const range = { botId, symbol: null, from, to: new Date(now.getTime() + 24 * hour) };
  const { candles, refused, entered } = await countDecisions(db, range, 'paper', from);
  const signals = refused.reduce((sum, { count }) => sum + count, entered);
  return { candles, signals, entered, nearest: await nearestDecision(db, range) };
}

const outcomes = [
  { action: 'none', gate: 'no-signal' },
  { action: 'enter', gate: null },
  { action: 'exit', gate: null },
  { action: 'hold', gate: 'has-open-trade' },
  { action: 'none', gate: 'locked' },
  { action: 'none', gate: 'strategy-failed' },
];

test('what is counted while decisions are written is what the decisions say, however they were written', async () => {
  const decisions = fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 60 * 60 }), // minutes of two and a half days
      symbol: fc.constantFrom(...symbols),
      outcome: fc.constantFrom(...outcomes),
      distance: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
    }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(decisions, { maxLength: 4 }), fc.integer({ min: 0, max: 60 * 60 }), async (writes, sinceMinutes) => {
      const botId = await addTestBot(db, { strategy: 'EmaCross', symbols });
      for (const write of writes)
        await addDecisions(
          db,
          write.map(({ at, symbol, outcome, distance }) =>
            row(botId, start + at * minute, { symbol, ...outcome, seen: distance === null ? {} : near(distance) }),
          ),
        );
      const [from, now] = [new Date(start + sinceMinutes * minute - 30_000), new Date(start + 60 * hour)];
      for (const candleMs of [minute, hour]) {
        const counted = await countSince(db, [{ botId, symbols, candleMs, from }], now);
        expect(counted.get(botId)).toEqual(await fromDecisions(botId, from, now));
      }
    }),
    { numRuns: 25 },
  );
});

test('of decisions that were as near the newest is named, whichever was written first', async () => {
  for (const order of [
    [5, 20],
    [20, 5],
  ]) {
    const botId = await addTestBot(db, { strategy: 'EmaCross' });
    for (const at of order) await addDecisions(db, [row(botId, start + at * minute, { seen: near(1) })]);
    await addDecisions(db, [row(botId, start + 30 * minute, { seen: near(2) }), row(botId, start + 31 * minute)]);
    const counted = await countSince(db, [{ botId, symbols, candleMs: minute, from: new Date(start) }], new Date(start + hour));
    expect(counted.get(botId)?.nearest?.candleTime).toEqual(new Date(start + 20 * minute));
  }
});

test('a decision that is there already, or is of a runner that has lost the bot, is not counted; symbols a bot has no more are not asked for', async () => {
  const botId = await addTestBot(db, { strategy: 'EmaCross' });
  await addDecisions(db, [row(botId, start), row(botId, start, { symbol: 'DOGE/USDT' })]);
  await addDecisions(db, [row(botId, start), row(botId, start + minute, { epoch: '7' })]);
  const counted = await countSince(db, [{ botId, symbols, candleMs: minute, from: new Date(start) }], new Date(start + hour));
  expect(counted.get(botId)?.candles).toBe(1);
});

test('a refusal of a candle with which the bot has entered after all becomes the entry, once; the entry stays, whatever comes later', async () => {
  const botId = await addTestBot(db, { strategy: 'EmaCross' });
  const refused = row(botId, start, { gate: 'paused' });
  const entered = row(botId, start, { action: 'enter', gate: null, seen: { tag: 'cross' } });
  await addDecisions(db, [refused, row(botId, start + minute)]);
  await addDecisions(db, [entered, row(botId, start + minute, { action: 'enter', gate: null })]); // of a candle without a signal nothing came
  await addDecisions(db, [entered, refused]);
  const kept = await db
    .selectFrom('decisions')
    .select(['action', 'gate', 'seen'])
    .where('botId', '=', botId)
    .orderBy('candleTime')
    .execute();
  expect(kept).toEqual([
    { action: 'enter', gate: null, seen: { tag: 'cross' } },
    { action: 'none', gate: 'no-signal', seen: {} },
  ]);
  const counted = await countSince(db, [{ botId, symbols, candleMs: minute, from: new Date(start) }], new Date(start + hour));
  expect(counted.get(botId)).toMatchObject({ candles: 2, signals: 1, entered: 1 });
});

test('many that write decisions of the same bots at once count each once, and never wait for each other in a circle', async () => {
  const bots = await Promise.all(Array.from({ length: 20 }, (_, i) => addTestBot(db, { strategy: 'EmaCross', nickname: `bot ${i}` })));
  const write = (at: number, of: readonly string[]) =>
    addDecisions(
      db,
      of.map((botId) => row(botId, start + at * minute)),
    );
  await Promise.all(Array.from({ length: 40 }, (_, at) => write(at, at % 2 === 0 ? bots : bots.toReversed())));
  const counted = await countSince(
    db,
    bots.map((botId) => ({ botId, symbols, candleMs: minute, from: new Date(start) })),
    new Date(start + hour),
  );
  expect(new Set(bots.map((botId) => counted.get(botId)?.candles))).toEqual(new Set([40]));
});

test('old hours are removed, and those of a bot that is deleted', async () => {
  const botId = await addTestBot(db, { strategy: 'EmaCross', status: 'stopped' });
  await addDecisions(db, [row(botId, start - 3 * hour), row(botId, start)]);
  const hours = async () =>
    (await sql<{ hour: Date }>`select hour from decision_hours where bot_id = ${botId} order by 1`.execute(db)).rows.map(({ hour: at }) =>
      at.getTime(),
    );
  expect(await hours()).toEqual([start - 3 * hour, start]);
  await removeDecisionHours(db, new Date(start));
  expect(await hours()).toEqual([start]);
  // A day of candles of an hour and longer goes back further than the hours: the decisions themselves are read.
  const ofLong = { botId, symbols, candleMs: 4 * hour, from: new Date(start - 4 * hour) };
  expect((await countSince(db, [ofLong], new Date(start + hour))).get(botId)?.candles).toBe(2);
  await db.transaction().execute((trx) => deleteBot(trx, botId));
  expect(await hours()).toEqual([]);
});
