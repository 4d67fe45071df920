import { hourMs, minuteMs } from '#engine/market/durations.ts';
import type { DecisionRow } from '#storage/bots/decisions.ts';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { DecisionLog } from './decision-log.ts';

const { db } = await freshDatabase();

async function rowsOf(nickname: string) {
  const botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname, status: 'paused' });
  const { epoch } = await db.selectFrom('bots').select('epoch').where('id', '=', botId).executeTakeFirstOrThrow();
  const row = (candle: number): DecisionRow => ({
    botId,
    epoch,
    symbol: 'BTC/USDT',
    candleTime: candle * minuteMs,
    action: 'none',
    gate: 'no-signal',
    seen: {},
    decidedAt: candle * minuteMs + 1,
  });
  const written = async (): Promise<number[]> => {
    const rows = await db.selectFrom('decisions').select('candleTime').where('botId', '=', botId).orderBy('candleTime').execute();
    return rows.map(({ candleTime }) => candleTime.getTime() / minuteMs);
  };
  return { row, written };
}

/** A log that writes only when asked to; its errors. */
function quietLog(limits: { mostKept?: number; batch?: number } = {}) {
  const errors: string[] = [];
  const log = new DecisionLog(db, (error) => errors.push(String(error)), { everyMs: hourMs, ...limits });
  onTestFinished(() => log.close());
  return { log, errors };
}

/** While it is down every decision is refused. */
async function downDuring(work: () => Promise<void>): Promise<void> {
  await sql`alter table decisions rename to decisions_away`.execute(db);
  try {
    await work();
  } finally {
    await sql`alter table decisions_away rename to decisions`.execute(db);
  }
}
const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

test('decisions made while the database is down are written when it is back: none is lost or doubled', async () => {
  const { row, written } = await rowsOf('patient');
  const { log, errors } = quietLog({ batch: 3 });
  for (const candle of numbers(1, 4)) log.add(row(candle));
  await log.flush();
  await downDuring(async () => {
    for (const candle of numbers(5, 4)) log.add(row(candle));
    await log.flush();
    for (const candle of numbers(9, 4)) log.add(row(candle));
    await log.flush();
  });
  expect(errors).toHaveLength(2); // one for each round, not for each batch
  expect(await written()).toEqual(numbers(1, 4));
  await log.flush();
  expect(await written()).toEqual(numbers(1, 12));
});

test('beyond the limit the oldest are dropped, whatever fails in between', async () => {
  const { row, written } = await rowsOf('full');
  const { log } = quietLog({ mostKept: 5, batch: 2 });
  await downDuring(async () => {
    for (const candle of numbers(1, 4)) log.add(row(candle));
    await log.flush();
    for (const candle of numbers(5, 4)) log.add(row(candle));
    await log.flush();
  });
  await log.flush();
  expect(await written()).toEqual(numbers(4, 5));
});

test('beyond the limit the oldest are dropped at once, also those that come while a write fails', async () => {
  const { row, written } = await rowsOf('overflowing');
  const { log } = quietLog({ mostKept: 3, batch: 2 });
  for (const candle of numbers(-4, 5)) log.add(row(candle));
  await log.flush();
  expect(await written()).toEqual(numbers(-2, 3));
  for (const candle of numbers(1, 5)) log.add(row(candle));
  await downDuring(async () => {
    const failing = log.flush(); // of 3 and 4
    for (const candle of numbers(6, 2)) log.add(row(candle));
    await failing;
  });
  await log.flush();
  expect(await written()).toEqual([...numbers(-2, 3), ...numbers(5, 3)]);
});

test('what comes while a write is under way is written too, and nothing twice', async () => {
  const { row, written } = await rowsOf('busy');
  const { log, errors } = quietLog();
  log.add(row(1));
  const first = log.flush();
  log.add(row(2));
  const second = log.flush();
  await Promise.all([first, second]);
  await log.flush();
  expect(await written()).toEqual([1, 2]);
  expect(errors).toEqual([]);
});

test('decisions are written by themselves, and the last ones when the log is closed', async () => {
  const { row, written } = await rowsOf('steady');
  const log = new DecisionLog(db, (error) => expect.fail(String(error)), { everyMs: 5 });
  log.add(row(1));
  await expect.poll(written).toEqual([1]);
  log.add(row(2));
  await log.close();
  expect(await written()).toEqual([1, 2]);
});

/** What PostgreSQL keeps in no text: a zero. */
const unwritable = { seen: { rsi: '\u0000' } };

test('a decision that the database refuses is reported with its cause and dropped; all others are written', async () => {
  const { row, written } = await rowsOf('refused');
  const { log, errors } = quietLog({ batch: 8 });
  for (const candle of numbers(1, 20)) log.add({ ...row(candle), ...(candle === 3 || candle === 13 ? unwritable : {}) });
  await log.flush();
  expect(await written()).toEqual(numbers(1, 20).filter((candle) => candle !== 3 && candle !== 13));
  const { botId } = row(0);
  expect(errors).toEqual(
    [3, 13].map((candle) => expect.stringContaining(`A decision of bot ${botId} on BTC/USDT at ${candle * minuteMs}`)),
  );
  expect(errors).toEqual([1, 2].map(() => expect.stringContaining('unsupported Unicode escape sequence')));
  await log.flush();
  expect(errors).toHaveLength(2);
});

test('a decision that cannot even be sent is reported and dropped as well', async () => {
  const { row, written } = await rowsOf('unsendable');
  const { log, errors } = quietLog();
  for (const candle of numbers(1, 3)) log.add({ ...row(candle), ...(candle === 2 ? { seen: { rsi: 1n } } : {}) });
  await log.flush();
  expect(await written()).toEqual([1, 3]);
  expect(errors).toEqual([expect.stringContaining('BigInt')]);
});

test('the cause of a refusal is reported with it', async () => {
  const { row } = await rowsOf('with its cause');
  const errors: unknown[] = [];
  const log = new DecisionLog(db, (error) => errors.push(error), { everyMs: hourMs });
  log.add({ ...row(1), ...unwritable });
  await log.close();
  expect(errors).toMatchObject([{ cause: { code: '22P05' } }]);
});

test('a log that is closed has no timer any more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const log = new DecisionLog(db, () => {});
  expect(vi.getTimerCount()).toBe(1);
  await log.close();
  expect(vi.getTimerCount()).toBe(0);
});
