import { openDatabase } from '#storage/database.ts';
import { sql } from 'kysely';
import { inject, expect, test } from 'vitest';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { lockWaits, untilWaiting } from '../../../test/support/lock-waits.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';
import { laneOf, Lanes, mostWaiting } from './lanes.ts';

const asked: (() => void)[] = []; // whether a channel can be reached, which takes as long as its host takes
const server = await startTestServer({ isReachable: () => new Promise((answer) => asked.push(() => answer(true))) });
const { db } = server.dependencies;

/** Enters a lane; gives how to leave it, and what has been begun. */
function entering(lanes: Lanes) {
  const begun: PromiseWithResolvers<void>[] = [];
  const enter = (person = 'me', lane: Parameters<Lanes['pass']>[1] = 'change') =>
    lanes.pass(person, lane, () => {
      const end = Promise.withResolvers<void>();
      begun.push(end);
      return end.promise;
    });
  return { begun, enter };
}

test('the changes of one person take three connections at most; others are answered meanwhile', async () => {
  const [trader, other] = [await server.signedIn('trader'), await server.signedIn('investor')];
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const beside = openDatabase(databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? ''), { connections: 2 });
  try {
    const changes = await beside.transaction().execute(async (trx) => {
      await sql`select from users where id = ${trader.userId} for update`.execute(trx);
      const changes = Array.from({ length: 30 }, (_, i) =>
        trader.changeLimits({ body: { level: 'user', changes: [{ name: 'open-orders', currency: null, value: 5 + (i % 3) }] } }),
      );
      await untilWaiting(beside, 3);
      expect(await other.getMe({})).toMatchObject({ email: other.email });
      expect(await lockWaits(beside)).toBe(3);
      return changes;
    });
    expect((await Promise.all(changes)).length).toBe(30); // each in its turn
  } finally {
    await beside.destroy();
  }
});

test('a stop waits for no other change of its person, and what renews or ends a session for none', async () => {
  const trader = await server.signedIn('trader');
  const botId = await addTestBot(db, { strategy: 'AlwaysFlat', owner: trader.email });
  const body = { kind: 'ntfy', name: 'Desk', address: 'https://ntfy.harbour.trade/desk', topics: ['trade-closed'] } as const;
  const changes = Array.from({ length: 4 }, () => trader.addChannel({ body: { ...body, topics: [...body.topics] } }));
  await expect.poll(() => asked.length).toBe(3);
  const tags = trader.setBotTags({ params: { id: botId }, body: { tags: ['calm'] } });
  expect(await trader.stopTrading({ body: { level: 'bot', id: botId, state: 'halted' } })).toMatchObject({ state: 'halted' });
  expect(await trader.toggleBot({ params: { id: botId }, query: { status: 'paused' } })).toMatchObject({ status: 'paused', tags: [] });
  const { results } = await trader.changeBots({ body: { bot_ids: [botId], action: 'stop' } });
  expect(results).toMatchObject([{ outcome: 'done' }]);
  await trader.refreshSession({});
  expect([asked.length, (await trader.getBot({ params: { id: botId } })).tags]).toEqual([3, []]);
  for (let i = 0; i < 4; i++) {
    await expect.poll(() => asked.length).toBeGreaterThan(i);
    asked[i]?.();
  }
  await Promise.all(changes);
  expect((await tags).tags).toEqual(['calm']);
});

test('a change that has waited is done by nobody whose session has ended meanwhile', async () => {
  asked.length = 0;
  const trader = await server.signedIn('trader');
  const botId = await addTestBot(db, { strategy: 'AlwaysFlat', owner: trader.email });
  const body = { kind: 'ntfy', name: 'Desk', address: 'https://ntfy.harbour.trade/desk', topics: ['trade-closed'] } as const;
  const changes = Array.from({ length: 3 }, () => failure(trader.addChannel({ body: { ...body, topics: [...body.topics] } })));
  await expect.poll(() => asked.length).toBe(3);
  trader.renews = false;
  const tags = failure(trader.setBotTags({ params: { id: botId }, body: { tags: ['calm'] } }));
  await sql`update sessions set revoked_at = now() where user_id = ${trader.userId}`.execute(db);
  for (const answer of asked) answer();
  expect((await tags).status).toBe(401);
  await Promise.all(changes);
});

test('each person has lanes of their own; whoever leaves one, done or failed, lets in the first who waits', async () => {
  const { begun, enter } = entering(new Lanes());
  const mine = Array.from({ length: 5 }, () => enter());
  const [other, stop] = [enter('other'), enter('me', 'stop')];
  await expect.poll(() => begun.length).toBe(5); // three of mine and two more
  begun[0]?.reject(new Error('broken'));
  await expect(mine[0]).rejects.toThrow('broken');
  await expect.poll(() => begun.length).toBe(6);
  begun[1]?.resolve();
  await mine[1];
  await expect.poll(() => begun.length).toBe(7);
  for (const each of begun) each.resolve();
  await Promise.all([...mine.slice(1), other, stop]);
  const more = Array.from({ length: 4 }, () => enter());
  await expect.poll(() => begun.length).toBe(10); // as many as before
  for (const each of begun) each.resolve();
  await expect.poll(() => begun.length).toBe(11);
  begun[10]?.resolve();
  await Promise.all(more);
});

test('when too many of one person wait, the next is refused', async () => {
  const { begun, enter } = entering(new Lanes());
  const mine = Array.from({ length: 3 + mostWaiting }, () => enter());
  await expect(enter()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 5 });
  const other = enter('other');
  for (let i = 0; i < 4 + mostWaiting; i++) {
    await expect.poll(() => begun.length).toBeGreaterThan(i);
    begun[i]?.resolve();
  }
  await Promise.all([...mine, other]);
});

test.each([
  ['stop', 'stopTrading', {}, { level: 'user', state: 'halted' }],
  ['stop', 'closeAll', {}, { level: 'server' }],
  ['stop', 'closeTrade', {}, undefined],
  ['stop', 'toggleBot', { status: 'paused' }, undefined],
  ['stop', 'toggleBot', { status: 'stopped' }, undefined],
  ['change', 'toggleBot', { status: 'active' }, undefined],
  ['stop', 'setBotStatus', undefined, { status: 'stopped' }],
  ['change', 'setBotStatus', undefined, { status: 'active' }],
  ['stop-many', 'changeBots', undefined, { action: 'pause' }],
  ['stop-many', 'changeBots', undefined, { action: 'stop' }],
  ['change', 'changeBots', undefined, { action: 'activate' }],
  ['change', 'changeBots', undefined, { action: 'tag' }],
  ['session', 'refreshSession', undefined, undefined],
  ['session', 'logout', undefined, undefined],
  ['outside', 'runDrill', undefined, undefined],
  ['outside', 'testWebhook', undefined, undefined],
  ['backtest', 'runBacktest', undefined, { days: 7 }],
  ['change', 'cancelBacktest', undefined, undefined],
  ['change', 'reArmTrading', undefined, { level: 'user', state: 'active' }],
  ['change', 'updateBot', undefined, { status: 'stopped' }],
] as const)('in the lane "%s" is %s with %j and %j', (lane, name, query, body) => {
  expect(laneOf(name, query, body)).toBe(lane);
});
