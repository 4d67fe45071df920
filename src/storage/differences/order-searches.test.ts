import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { goLive } from '../../../test/support/go-live.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { giveKey, setBotMode } from '../bots/bots.ts';
import { writeFact } from '../installation/facts.ts';
import { readServerStart } from '../server-start.ts';
import { noteOrderSearch, searchedBots } from './unrecorded-orders.ts';

const { db } = await freshDatabase();
const begunAt = await readServerStart(db);

/** A live bot, whose account was searched a minute ago, and one on paper with the same owner. */
async function two(name: string) {
  const live = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `${name} live` });
  const paper = await addTestBot(db, { strategy: 'BuyAndHold', nickname: `${name} paper` });
  const apiKeyId = await goLive(db, live);
  await sql`update bots set created_at = now() - interval '9 days', updated_at = now() - interval '9 days' where id in (${live}, ${paper})`.execute(
    db,
  );
  const searchedAt = Date.now() - 60_000;
  await noteOrderSearch(db, { apiKeyId, marketType: 'spot' }, { time: searchedAt, begunAt });
  const search = async (id: string) => (await searchedBots(db, { apiKeyId, marketType: 'spot' })).find((bot) => bot.id === id);
  return { live, paper, apiKeyId, searchedAt, search };
}

const restored = async (ago: string) => {
  const { rows } = await sql<{ at: Date }>`select now() - ${ago}::interval as at`.execute(db);
  await writeFact(db, 'restored_at', (rows[0]?.at ?? new Date(0)).toISOString());
};

test('a bot that begins to trade with an account that was searched already is searched for from then on', async () => {
  const { paper, apiKeyId, searchedAt, search } = await two('young');
  await giveKey(db, paper, apiKeyId);
  expect(await setBotMode(db, paper, 'live')).toBe(true);
  expect(await search(paper)).toMatchObject({ since: searchedAt, isRestored: false });
});

test.for(['the mode', 'the key'] as const)(
  'a bot that a restore has made older is searched for from what is on record when it gets %s',
  async (what) => {
    const { live, paper, apiKeyId, searchedAt, search } = await two(what);
    await restored('1 hour');
    if (what === 'the mode') await sql`update bots set api_key_id = ${apiKeyId} where id = ${paper}`.execute(db);
    else await sql`update bots set mode = 'live' where id = ${paper}`.execute(db);
    expect(await search(live)).toMatchObject({ since: searchedAt, isRestored: false });
    if (what === 'the mode') expect(await setBotMode(db, paper, 'live')).toBe(true);
    else await giveKey(db, paper, apiKeyId);
    const found = await search(paper);
    expect(found?.isRestored).toBe(true);
    expect(found?.since).toBeLessThan(Date.now() - 9 * 86_400_000);
  },
);

test('a search that began before a restored bot went live, and one of the open orders alone, do not count as one for its orders', async () => {
  const { live, paper, apiKeyId, search } = await two('meanwhile');
  const account = { apiKeyId, marketType: 'spot' };
  await restored('1 hour');
  await sql`update bots set api_key_id = ${apiKeyId} where id = ${paper}`.execute(db);
  const begun = Date.now() - 1_000;
  expect(await setBotMode(db, paper, 'live')).toBe(true);
  await noteOrderSearch(db, account, { time: begun, begunAt }); // whole, of the other bot
  await noteOrderSearch(db, account, { time: Date.now() + 1_000, isWhole: false, begunAt });
  expect((await search(paper))?.isRestored).toBe(true);
  expect((await search(live))?.isRestored).toBe(true);
  const time = Date.now() + 2_000;
  await noteOrderSearch(db, account, { time, begunAt });
  expect(await search(paper)).toMatchObject({ since: time, isRestored: false });
  await noteOrderSearch(db, account, { time: time + 1_000, isWhole: false, begunAt }); // from then on it says as much
  expect(await search(paper)).toMatchObject({ since: time + 1_000 });
});

test('OP-85 after the database server was started again only a whole search counts, and one that began before does not', async () => {
  const { live, apiKeyId, searchedAt, search } = await two('lost');
  const account = { apiKeyId, marketType: 'spot' };
  const since = async (): Promise<number | undefined> => (await search(live))?.since;
  await noteOrderSearch(db, account, { time: searchedAt + 1_000, isWhole: false, begunAt });
  expect(await since()).toBe(searchedAt + 1_000);
  await sql`update order_searches set server_started_at = server_started_at - interval '1 ms' where api_key_id = ${apiKeyId}`.execute(db);
  await noteOrderSearch(db, account, { time: searchedAt + 2_000, isWhole: false, begunAt }); // what has ended meanwhile it has not seen
  await noteOrderSearch(db, account, { time: searchedAt + 3_000, begunAt: 'another' });
  expect(await since()).toBe(searchedAt + 1_000);
  await noteOrderSearch(db, account, { time: searchedAt + 4_000, begunAt });
  expect(await since()).toBe(searchedAt + 4_000);
  await noteOrderSearch(db, account, { time: searchedAt + 5_000, isWhole: false, begunAt });
  expect(await since()).toBe(searchedAt + 5_000);
});

test('OP-85 a search that began just after a start of the server does not count, because an order may have arrived since it looked', async () => {
  const { live, apiKeyId, searchedAt, search } = await two('late');
  const account = { apiKeyId, marketType: 'spot' };
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 as ms`.execute(db);
  const age = rows[0]?.ms ?? 0;
  expect(await readServerStart(db, age)).toBe(begunAt);
  const early = await readServerStart(db, age + 3_600_000);
  expect(early).toBe('');
  await noteOrderSearch(db, account, { time: searchedAt + 1_000, begunAt: early });
  expect((await search(live))?.since).toBe(searchedAt);
});

test('OP-85 a whole search that a change of a restored bot has made worthless is followed by those of the open orders, also after a start of the server', async () => {
  const { live, apiKeyId, searchedAt, search } = await two('edited');
  const account = { apiKeyId, marketType: 'spot' };
  await restored('1 hour');
  await sql`update order_searches set server_started_at = server_started_at - interval '1 ms' where api_key_id = ${apiKeyId}`.execute(db);
  const begun = Date.now() - 1_000;
  await sql`update bots set updated_at = now() where id = ${live}`.execute(db); // while it is under way
  await noteOrderSearch(db, account, { time: begun, begunAt });
  expect(await search(live)).toMatchObject({ since: searchedAt });
  const time = Date.now() + 1_000;
  await noteOrderSearch(db, account, { time, isWhole: false, begunAt });
  expect(await search(live)).toMatchObject({ since: time });
});

test('one that was made after the restore has lost nothing, nor has one that goes back to paper', async () => {
  const { live, paper, apiKeyId, searchedAt, search } = await two('new');
  await restored('10 days');
  await sql`update bots set api_key_id = ${apiKeyId} where id = ${paper}`.execute(db);
  expect(await setBotMode(db, paper, 'live')).toBe(true);
  expect(await search(paper)).toMatchObject({ since: searchedAt, isRestored: false });
  await restored('1 hour');
  expect(await setBotMode(db, paper, 'paper')).toBe(true);
  expect(await search(live)).toMatchObject({ since: searchedAt });
});
