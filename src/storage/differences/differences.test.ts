import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { listAlarms } from '../alarms/alarms.ts';
import type { TradingSwitch } from '../trading/trading-states.ts';
import { lockSwitch, setSwitch } from '../trading/trading-states.ts';
import { addUser } from '../users/users.ts';
import { differingBot, endDifference, noteDifference } from './differences.ts';

const { db } = await freshDatabase();
const admin = await addUser(db, { email: 'admin@example.com', passwordHash: 'none', role: 'admin', verified: true });
const found = { symbol: 'BTC/USDT', expected: 1, actual: 0.5 };
let botId = '';

beforeEach(async () => {
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: crypto.randomUUID() });
});

const switchOf = (id: string): Promise<TradingSwitch | undefined> =>
  db.transaction().execute((trx) => lockSwitch(trx, { level: 'bot', id }));
const noted = async (id: string): Promise<unknown[]> => [
  (await sql`select expected::float8, actual::float8 from differences where bot_id = ${id} and ended_at is null`.execute(db)).rows,
  (await listAlarms(db, null)).filter(({ targetId }) => targetId === id).map(({ kind }) => kind),
];

test('a difference stops the entries of a bot that nobody has stopped, once, until a person re-arms it', async () => {
  await noteDifference(db, { botId, ...found });
  expect(await switchOf(botId)).toMatchObject({ state: 'reducing', setBy: null, isImposed: false, reason: 'difference', closeAllAt: null });
  expect(await noted(botId)).toEqual([[{ expected: 1, actual: 0.5 }], ['difference']]);
  await db.transaction().execute(async (trx) => {
    const target = { level: 'bot', id: botId } as const;
    await lockSwitch(trx, target);
    await setSwitch(trx, target, { state: 'active', setBy: admin?.id ?? null, isImposed: false });
  });
  await noteDifference(db, { botId, ...found, actual: 0.4 }); // the same one, with its newest amounts
  expect(await switchOf(botId)).toMatchObject({ state: 'active' });
  expect(await noted(botId)).toEqual([[{ expected: 1, actual: 0.4 }], ['difference']]);
});

test.each([
  ['less of a long', 2, 1, 'holder'],
  ['less of a short', -2, -1, 'holder'],
  ['more of a long', 2, 3, 'finder'],
  ['more of a short', -2, -3, 'finder'],
])('OP-85 %s than trades say belongs to the right one of several bots', (_, expected, actual, bot) => {
  const place = { symbol: 'BTC/USDT:USDT', standing: [], ignored: 0, unrecorded: 0, isMixed: false, step: 0.001, isMoving: false };
  expect(differingBot({ ...place, botId: 'finder', holders: ['holder'], expected }, actual)).toBe(bot);
});

test.each([
  ['halted by its owner, who wants everything closed', { state: 'halted', isImposed: false, closeAllAt: new Date(1_000) }],
  ['halted by an admin', { state: 'halted', isImposed: true }],
  ['kept from entering by an admin', { state: 'reducing', isImposed: true }],
] as const)('a bot that was %s stays so when a difference is found', async (_name, given) => {
  const target = { level: 'bot', id: botId } as const;
  await db.transaction().execute(async (trx) => {
    await lockSwitch(trx, target);
    await setSwitch(trx, target, { setBy: admin?.id ?? null, ...given });
  });
  const before = await switchOf(botId);
  expect(before).toMatchObject({ ...given, setBy: admin?.id, reason: 'person', reasonAt: null });
  await noteDifference(db, { botId, ...found });
  expect(await switchOf(botId)).toEqual({ ...before, reasonAt: expect.any(Date) as Date });
  expect(await noted(botId)).toEqual([[{ expected: 1, actual: 0.5 }], ['difference']]);
});

test('a difference in another pair is a further reason behind the switch; one that is found again with each look is none', async () => {
  await noteDifference(db, { botId, ...found });
  const first = await switchOf(botId);
  expect(first).toMatchObject({ reason: 'difference', reasonAt: null });
  await noteDifference(db, { botId, ...found, actual: 0.4 });
  expect(await switchOf(botId)).toEqual(first);
  const alarms = (await listAlarms(db, null)).filter(({ targetId }) => targetId === botId);
  expect(alarms.map(({ facts }) => facts['actual'])).toEqual(['0.4']); // what a person reads before re-arming
  await noteDifference(db, { botId, ...found, symbol: 'ETH/USDT' });
  const second = await switchOf(botId);
  expect(second).toEqual({ ...first, reasonAt: expect.any(Date) as Date });
  for (const symbol of ['BTC/USDT', 'ETH/USDT']) await noteDifference(db, { botId, ...found, symbol, actual: 0.3 });
  expect(await switchOf(botId)).toEqual(second);
});

test('a difference that is gone in one pair leaves those of its bot in others, with their alarms', async () => {
  for (const symbol of ['BTC/USDT', 'ETH/USDT']) await noteDifference(db, { botId, ...found, symbol });
  await endDifference(db, botId, 'BTC/USDT');
  const { rows } = await sql`select symbol, outcome from differences where bot_id = ${botId} order by symbol`.execute(db);
  expect(rows).toEqual([
    { symbol: 'BTC/USDT', outcome: 'gone' },
    { symbol: 'ETH/USDT', outcome: null },
  ]);
  expect(await noted(botId)).toEqual([[{ expected: 1, actual: 0.5 }], ['difference']]);
});
