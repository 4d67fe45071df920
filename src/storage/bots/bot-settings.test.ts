import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { capitalUntil, versionsOf } from '../certificates/day-rows.ts';
import { askByHand, listManualActions } from '../trades/manual-actions.ts';
import type { BotSettings } from './bot-settings.ts';
import { botSettingsOf, changeBotSettings, keepFirstVersion, listBotVersions } from './bot-settings.ts';
import type { BotView } from './bots.ts';
import { findBot, lockBot } from './bots.ts';

const { db } = await freshDatabase();
let id = '';
let changes = 0;

beforeEach(async () => {
  await sql`truncate bots cascade`.execute(db);
  id = await addTestBot(db, { strategy: 'EmaCross', stakeAmount: 100, maxOpenTrades: 3, minimalRoi: { '0': 0.05, '60': 0.01 } });
  await keepFirstVersion(db, id, botSettingsOf(await bot()), null, null);
});

const bot = async (): Promise<BotView> => {
  const found = await findBot(db, id);
  if (found === null) throw new Error('The bot does not exist');
  return found;
};
/** Sets settings as a call does. */
const change = (given: Partial<BotSettings>, options: Parameters<typeof changeBotSettings>[5] = { keepsKey: true }) =>
  db.transaction().execute(async (trx) => {
    await lockBot(trx, id);
    const before = await bot();
    await changeBotSettings(trx, before, { ...botSettingsOf(before), ...given }, before.userId, new Date(Date.now() + ++changes), options);
  });
const numbers = async (): Promise<number[]> => (await listBotVersions(db, id, 'paper')).map(({ version }) => version);

describe('settings that stay as they are', () => {
  test('make no version and leave the bot as it is, however their amounts are written', async () => {
    const before = await bot();
    await change({});
    await change({ stakeAmount: '100.0', leverage: '1.00' });
    await change({ symbols: ['BTC/USDT'], ownSettings: { ...before.ownSettings, minimalRoi: { '60': 0.01, '0': 0.05 } } });
    expect(await bot()).toEqual(before);
    expect(await numbers()).toEqual([1]);
  });

  test('leave an entry by hand that waits: it was confirmed with these', async () => {
    const { userId } = await bot();
    const entry = { mode: 'paper', symbol: 'BTC/USDT', kind: 'enter', direction: 'long', stake: 12.5, stopPrice: null } as const;
    await askByHand(db, { ...entry, botId: id, askedBy: userId });
    const states = async () => (await listManualActions(db, { botId: id })).map(({ state, refusal }) => [state, refusal]);
    await change({});
    expect(await states()).toEqual([['waiting', null]]);
    await change({ leverage: '2' });
    expect(await states()).toEqual([['refused', 'settings-changed']]);
  });

  test('make one where the bot gets another key or another version of its strategy', async () => {
    await change({}, {});
    expect(await numbers()).toEqual([2, 1]);
    const strategyId = (await bot()).strategyId;
    const code = await db
      .insertInto('strategyCode')
      .values({ strategyId, number: 1, hash: 'one', document: '{}', description: '{}' })
      .returning(['id', 'number'])
      .executeTakeFirstOrThrow();
    await change({}, { keepsKey: true, code });
    expect(await numbers()).toEqual([3, 2, 1]);
    expect(await bot()).toMatchObject({ codeId: code.id, version: 3 });
  });
});

test.each<Partial<BotSettings>>([
  { nickname: 'Other' },
  { stakeAmount: '100.00000001' },
  { symbols: ['ETH/USDT', 'BTC/USDT'] },
  { maxOpenTrades: 4 },
  { leverage: '2' },
  { leverageMode: 'cross' },
  { marketType: 'futures' },
  { stakeCurrency: 'USDC' },
  { exchangeId: 'binance' },
  { ownSettings: {} },
])('each setting that is another one makes a version: %j', async (given) => {
  await change(given);
  expect(await numbers()).toEqual([2, 1]);
  expect((await bot()).version).toBe(2);
});

test('what certificates read of a bot is the same whether or not it was set again to what it was', async () => {
  const { strategyId } = await bot();
  await change({ stakeAmount: '200' });
  const read = async () => [
    await versionsOf(db, id, strategyId),
    await capitalUntil(db, { botId: id, mode: 'paper', to: new Date(Date.now() + 60_000) }, 'USDT'),
  ];
  const before = await read();
  await change({ stakeAmount: '200.00' });
  expect(await read()).toEqual(before);
  expect(before[1]).toMatch(/^600(\.0+)?$/u);
});

test('of many versions the newest are read, each with what its trades came to', async () => {
  await sql`insert into bot_versions (bot_id, version, changed_at, settings)
    select ${id}, n, now() + n * interval '1 second', settings from generate_series(2, 300) n, bot_versions where bot_id = ${id}`.execute(
    db,
  );
  const read = await numbers();
  expect([read.length, read[0], read.at(-1)]).toEqual([201, 300, 100]);
});
