import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { aBacktest } from '../testing/a-backtest.ts';
import { addBacktest } from './backtests.ts';
import { findResultParts, type ResultParts } from './result-parts.ts';

const { db } = await freshDatabase();
const bot = await addTestBot(db, { strategy: 'EmaCross', owner: 'mine@example.com' });
const of = await db.selectFrom('bots').select(['userId', 'strategyId']).where('id', '=', bot).executeTakeFirstOrThrow();
const id = (await addBacktest(db, aBacktest(of))) ?? '';

async function partsOf(result: unknown): Promise<ResultParts | null> {
  await sql`update backtests set result = ${JSON.stringify(result)} where id = ${id}`.execute(db);
  return findResultParts(db, id);
}

/** The result that the parts are of. */
function joined({ rest, lists }: ResultParts): unknown {
  const whole = JSON.parse(rest) as Record<string, unknown>;
  for (const [field, parts] of lists) {
    expect(whole[field]).toEqual([]);
    whole[field] = parts.flatMap((part) => JSON.parse(part) as unknown[]);
  }
  return whole;
}

test('a result comes in parts of 500 elements, in sequence and with nothing lost', async () => {
  const trades = Array.from({ length: 1_201 }, (_, i) => ({ symbol: 'BTC/USDT', at: i, tags: [`a "${i}"`, null, 1e-9] }));
  const result = {
    from: 1,
    text: 'ä,"[]',
    few: trades.slice(0, 500),
    none: [],
    trades,
    numbers: trades.map(({ at }) => at),
    deep: { trades },
  };
  const parts = await partsOf(result);
  expect(parts === null ? null : joined(parts)).toEqual(result);
  expect([...(parts?.lists ?? [])].map(([field, list]) => [field, list.map((part) => (JSON.parse(part) as unknown[]).length)])).toEqual([
    ['numbers', [500, 500, 201]],
    ['trades', [500, 500, 201]],
  ]);
});

test('only the lists that are named come with it', async () => {
  const list = Array.from({ length: 501 }, (_, i) => i);
  await partsOf({ from: 1, trades: list, refused: list, few: [1] });
  expect(await findResultParts(db, id, [])).toEqual({
    rest: JSON.stringify({ few: [1], from: 1, trades: [], refused: [] }).replaceAll(/[:,]/gu, '$& '),
    lists: new Map(),
  });
  const parts = await findResultParts(db, id, ['refused', 'few']);
  expect([...(parts?.lists.keys() ?? [])]).toEqual(['refused']);
});

test('one without fields has none, a run without a result is null', async () => {
  expect(await partsOf({})).toEqual({ rest: '{}', lists: new Map() });
  expect(await partsOf([1])).toEqual({ rest: '{}', lists: new Map() });
  await sql`update backtests set result = null where id = ${id}`.execute(db);
  expect(await findResultParts(db, id)).toBeNull();
});
