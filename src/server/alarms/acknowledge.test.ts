import { raiseAlarm } from '#storage/alarms/alarms.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const server = await startTestServer();
const { db } = server.dependencies;
let admin: Awaited<ReturnType<typeof server.signedIn>>;
let trader: typeof admin;
let botId = '';

beforeEach(async () => {
  await db.deleteFrom('alarms').execute();
  admin = await server.signedIn('admin');
  trader = await server.signedIn('trader');
  botId = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'mine', owner: trader.email });
});
const happens = (order: string) =>
  raiseAlarm(db, { kind: 'late-fill', target: { level: 'bot', id: botId }, detail: order, facts: { order, symbol: 'BTC/USDT' } });
const differs = (symbol: string) =>
  raiseAlarm(db, { kind: 'difference', target: { level: 'bot', id: botId }, detail: symbol, facts: { symbol } });
const seenBy = async (person: typeof admin) => (await person.listAlarms({})).map(({ id, count }) => ({ id, count }));
const records = async () => {
  const lines = await db.selectFrom('auditLog').select(['actorId', 'detail']).where('action', '=', 'acknowledge-alarms').execute();
  return lines.filter(({ actorId }) => actorId === admin.userId || actorId === trader.userId);
};

describe('ADD-acknowledge-alarms takes note of what was seen', () => {
  test('what has happened again since stays, and is named', async () => {
    await happens('fl-1');
    await differs('BTC/USDT');
    const seen = await seenBy(trader);
    await happens('fl-2');
    const [late] = (await trader.listAlarms({})).filter(({ kind }) => kind === 'late-fill');
    expect(await trader.acknowledgeAlarms({ body: { seen } })).toEqual({ acknowledged: 1, happened_since: [late?.id] });
    expect(
      (await trader.listAlarms({})).map(({ kind, count, acknowledged_at: at }) => `${kind} ${count} ${at !== null}`).toSorted(),
    ).toEqual(['difference 1 true', 'late-fill 2 false']);
    expect(await records()).toEqual([{ actorId: trader.userId, detail: { alarms: 1, kinds: { difference: 1 } } }]);
    expect(await trader.acknowledgeAlarms({ body: { seen: await seenBy(trader) } })).toEqual({ acknowledged: 2, happened_since: [] });
    expect((await trader.listAlarms({})).map(({ kind }) => kind)).toEqual(['difference']);
  });

  test('nothing is done and nothing recorded where all has happened again', async () => {
    await happens('fl-1');
    const seen = await seenBy(admin);
    await happens('fl-2');
    expect(await admin.acknowledgeAlarms({ body: { seen } })).toEqual({ acknowledged: 0, happened_since: [seen[0]?.id] });
    expect(await records()).toEqual([]);
  });

  test('of others is left alone, and so is what another has taken note of meanwhile', async () => {
    await happens('fl-1');
    const seen = await seenBy(admin);
    await happens('fl-2');
    const other = await server.signedIn('trader');
    const nothing = { acknowledged: 0, happened_since: [] };
    expect(await other.acknowledgeAlarms({ body: { seen } })).toEqual(nothing);
    expect(await other.acknowledgeAlarms({ body: { seen: await seenBy(admin) } })).toEqual(nothing);
    await trader.acknowledgeAlarms({ body: { seen: await seenBy(trader) } });
    expect(await admin.acknowledgeAlarms({ body: { seen } })).toEqual(nothing);
  });

  test('two people who press at once take note of it once', async () => {
    await happens('fl-1');
    await differs('BTC/USDT');
    const seen = await seenBy(admin);
    const both = await Promise.all([
      admin.acknowledgeAlarms({ body: { seen } }),
      trader.acknowledgeAlarms({ body: { seen: seen.toReversed() } }),
    ]);
    expect(both.map(({ happened_since }) => happened_since)).toEqual([[], []]);
    expect(await seenBy(trader)).toHaveLength(1);
    expect((await records()).filter(({ detail }) => JSON.stringify(detail).includes('late-fill'))).toHaveLength(1);
  });

  test('ids alone take note of whatever has happened', async () => {
    await happens('fl-1');
    const ids = (await seenBy(trader)).map(({ id }) => id);
    await happens('fl-2');
    expect(await trader.acknowledgeAlarms({ body: { ids } })).toEqual({ acknowledged: 1, happened_since: [] });
    expect(await seenBy(trader)).toEqual([]);
  });

  test.each([
    {},
    { ids: [], seen: [] },
    { seen: [] },
    { seen: [{ id: '00000000-0000-4000-8000-000000000000' }] },
    { seen: [{ id: '00000000-0000-4000-8000-000000000000', count: 0 }] },
    { seen: [{ id: '00000000-0000-4000-8000-000000000000', count: 1.5 }] },
    { seen: [{ id: '00000000-0000-4000-8000-000000000000', count: 3_000_000_000 }] },
    { ids: ['00000000-0000-4000-8000-000000000000'], seen: [{ id: '00000000-0000-4000-8000-000000000000', count: 1 }] },
  ])('%j is refused', async (body) => {
    expect(await failure(trader.acknowledgeAlarms({ body: body as never }))).toMatchObject({ status: 400, detail: 'Invalid request' });
  });
});
