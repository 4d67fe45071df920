import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { botSettingsOf, changeBotSettings } from './bot-settings.ts';
import { findBot } from './bots.ts';
import { addPnlSnapshots, listSnapshots } from './pnl-snapshots.ts';

const { db } = await freshDatabase();
const time = new Date('2026-03-01T12:00:00.123Z');
const snapshot = (botId: string, realizedPnl: number, mode = 'paper') => ({
  botId,
  mode,
  takenAt: time,
  netPnl: realizedPnl + 1,
  netPnlPct: realizedPnl + 2,
  unrealizedPnl: 1,
  realizedPnl,
  totalFees: realizedPnl / 10,
  winRate: realizedPnl / 100,
  currentBalance: 300 + realizedPnl,
});
const read = async (botId: string) => {
  const rows = await db.selectFrom('pnlSnapshots').selectAll().where('botId', '=', botId).orderBy('mode').execute();
  return rows.map(({ takenAt, mode, ...sums }) => ({
    mode,
    takenAt,
    ...Object.fromEntries(Object.entries(sums).flatMap(([name, value]) => (name === 'botId' ? [] : [[name, Number(value)]]))),
  }));
};

test('OP-72 of two trades closed in one millisecond the snapshot has the sums after both, in one call or in two', async () => {
  const [one, two] = [
    await addTestBot(db, { strategy: 'EmaCross', nickname: 'one' }),
    await addTestBot(db, { strategy: 'EmaCross', nickname: 'two' }),
  ];
  await addPnlSnapshots(db, [snapshot(one, 5)]);
  await addPnlSnapshots(db, [snapshot(one, 8)]);
  await addPnlSnapshots(db, [snapshot(two, 5), snapshot(two, 8), snapshot(two, 3, 'live')]);
  const { botId: _, ...sums } = snapshot('', 8);
  expect(await read(one)).toEqual([sums]);
  const { botId: __, ...live } = snapshot('', 3, 'live');
  expect(await read(two)).toEqual([live, sums]);
});

test('API-38 the balances of a bot begin with its stake currency: those of before are of another one', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'of two currencies' });
  const at = (minutes: number) => new Date(time.getTime() + minutes * 60_000);
  const listed = async () => (await listSnapshots(db, id, 'paper')).map(({ realizedPnl }) => Number(realizedPnl));
  const set = async (stakeCurrency: string, changedAt: Date) =>
    db.transaction().execute(async (trx) => {
      const bot = await findBot(trx, id);
      if (bot === null) throw new Error('The bot does not exist');
      await changeBotSettings(trx, bot, { ...botSettingsOf(bot), stakeCurrency }, bot.userId, changedAt);
    });
  await addPnlSnapshots(db, [{ ...snapshot(id, 12.25), takenAt: at(-60) }, snapshot(id, 15)]);
  await set('USDT', at(-30));
  expect(await listed()).toEqual([15, 12.25]);
  await set('BTC', at(1));
  expect(await listed()).toEqual([]);
  await addPnlSnapshots(db, [
    { ...snapshot(id, 0.25), takenAt: at(1) },
    { ...snapshot(id, 0.5), takenAt: at(2) },
  ]);
  await set('BTC', at(3));
  expect(await listed()).toEqual([0.5, 0.25]);
});

test('more snapshots than one statement takes are all written, and none makes no statement', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'many' });
  await addPnlSnapshots(db, []);
  await addPnlSnapshots(
    db,
    Array.from({ length: 7_000 }, (_, i) => ({ ...snapshot(id, i), takenAt: new Date(time.getTime() + i) })),
  );
  const written = await db.selectFrom('pnlSnapshots').select('realizedPnl').where('botId', '=', id).orderBy('takenAt').execute();
  expect(written.map(({ realizedPnl }) => Number(realizedPnl))).toEqual(Array.from({ length: 7_000 }, (_, i) => i));
});

test('the balances of a bot are those of the mode that is asked about', async () => {
  const id = await addTestBot(db, { strategy: 'EmaCross', nickname: 'of two modes' });
  const later = new Date(time.getTime() + 3_600_000);
  await addPnlSnapshots(db, [snapshot(id, 500), { ...snapshot(id, -2, 'testnet'), takenAt: later }]);
  const listed = async (mode: 'paper' | 'testnet' | 'live') =>
    (await listSnapshots(db, id, mode)).map(({ mode: of, realizedPnl }) => [of, Number(realizedPnl)]);
  expect([await listed('paper'), await listed('testnet'), await listed('live')]).toEqual([[['paper', 500]], [['testnet', -2]], []]);
});
