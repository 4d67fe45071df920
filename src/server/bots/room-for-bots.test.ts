import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { connectMarkets } from '../../../test/support/connect-markets.ts';
import { untilWaiting } from '../../../test/support/lock-waits.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';

const sandbox = await startSandbox();
afterAll(() => sandbox.close());
const server = await startTestServer({ markets: connectMarkets(sandbox.url, Date.now), mostBotsOfPerson: 2 });
const { db } = server.dependencies;
await enterBuiltInStrategies(db);
const strategyId = (await listStrategies(db)).find(({ className }) => className === 'RsiReversal')?.id ?? '';
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let owner: Person;
let admin: Person;

beforeEach(async () => {
  [owner, admin] = await Promise.all([server.signedIn('trader'), server.signedIn('admin')]);
});

const create = (pairs = 1, person = owner, email = owner.email) =>
  person.createBot({
    body: {
      strategy_id: strategyId,
      exchange_id: 'sandbox',
      margin_mode: 'spot',
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 3,
      leverage: 1,
      trading_pairs: pairsOf(pairs),
      user_email: email,
      mode: 'paper',
      leverage_mode: 'isolated',
    },
  });
const listed = (await (await fetch(`${sandbox.url}/api/v3/exchangeInfo`)).json()) as {
  symbols: { baseAsset: string; quoteAsset: string }[];
};
const offered = listed.symbols.flatMap(({ baseAsset, quoteAsset }) => (quoteAsset === 'USDT' ? [`${baseAsset}/USDT`] : []));
const pairsOf = (count: number): string[] => offered.slice(0, count);
const noBots = { status: 409, message: expect.stringContaining('One person can have 2 bots here at most.') as string };
const noPairs = { status: 409, message: expect.stringContaining('The bots of one person can trade 20 pairs here at most.') as string };
const countOf = async ({ userId }: Person): Promise<number> =>
  (await sql`select from bots where user_id = ${userId} and archived_at is null`.execute(db)).rows.length;

test('API-33 one person has so many bots and not one more, whoever makes it; others have their own', async () => {
  await create();
  await create(1, admin);
  expect(await failure(create())).toMatchObject(noBots);
  expect(await failure(create(1, admin))).toMatchObject(noBots);
  await create(1, admin, admin.email);
  expect([await countOf(owner), await countOf(admin)]).toEqual([2, 1]);
});

test('API-33 a deleted bot makes room at once, an archived one after the day for which runners keep it', async () => {
  const [first, second] = [await create(), await create()];
  await owner.deleteBot({ params: { id: first.id } });
  const third = await create();
  for (const { id } of [second, third]) {
    await owner.toggleBot({ params: { id }, query: { status: 'stopped' } });
    await owner.archiveBot({ params: { id } });
  }
  expect(await failure(create())).toMatchObject(noBots);
  await sql`update bots set archived_at = now() - interval '24 hours 1 second' where id in (${second.id}, ${third.id})`.execute(db);
  await create();
  // There is room for one of the two that were archived.
  expect(await owner.bringBackBot({ params: { id: second.id } })).toMatchObject({ archived_at: null });
  expect(await failure(owner.bringBackBot({ params: { id: third.id } }))).toMatchObject(noBots);
  expect(await countOf(owner)).toBe(2);
});

test('a bot that was archived a moment ago is brought back by a person with as many as may be: it has its place still', async () => {
  const [first] = [await create(), await create()];
  await owner.toggleBot({ params: { id: first.id }, query: { status: 'stopped' } });
  await owner.archiveBot({ params: { id: first.id } });
  expect(await owner.bringBackBot({ params: { id: first.id } })).toMatchObject({ archived_at: null });
});

test('API-34 the bots of a person trade so many pairs together, made, changed, restored or brought back', async () => {
  expect(offered.length).toBeGreaterThanOrEqual(12);
  const first = await create(10);
  expect(await failure(create(11))).toMatchObject(noPairs);
  const second = await create(10);
  const about = { params: { id: second.id } };
  expect(await failure(owner.updateBot({ ...about, body: { trading_pairs: pairsOf(11) } }))).toMatchObject(noPairs);
  await owner.updateBot({ ...about, body: { trading_pairs: pairsOf(9) } });
  await owner.updateBot({ params: { id: first.id }, body: { trading_pairs: pairsOf(11) } });
  expect(await failure(owner.restoreBotVersion({ params: { id: second.id, version: 1 } }))).toMatchObject(noPairs);
  await owner.toggleBot({ ...about, query: { status: 'stopped' } });
  await owner.archiveBot(about);
  await sql`update bots set archived_at = now() - interval '2 days' where id = ${second.id}`.execute(db);
  await owner.updateBot({ params: { id: first.id }, body: { trading_pairs: pairsOf(12) } });
  expect(await failure(owner.bringBackBot(about))).toMatchObject(noPairs);
});

test('API-34 who has more than may be, by a limit that was lowered, changes and reduces them as before', async () => {
  const about = { params: { id: (await create(10)).id } };
  await create(9);
  server.dependencies.mostBotsOfPerson = 1;
  try {
    await owner.updateBot({ ...about, body: { nickname: 'renamed' } });
    await owner.updateBot({ ...about, body: { trading_pairs: pairsOf(11).slice(1) } });
    await owner.updateBot({ ...about, body: { trading_pairs: pairsOf(3) } });
    expect(await failure(owner.updateBot({ ...about, body: { trading_pairs: pairsOf(4) } }))).toMatchObject({ status: 409 });
  } finally {
    server.dependencies.mostBotsOfPerson = 2;
  }
});

/** How many of two calls at once go well, whose transactions end only when both have done all but their line in the audit log, or wait for each other. */
async function succeedTogether(calls: () => Promise<unknown>[]): Promise<number> {
  let both: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
  await db.transaction().execute(async (trx) => {
    await sql`lock table audit_log in exclusive mode`.execute(trx);
    both = Promise.allSettled(calls());
    await untilWaiting(db, 2);
  });
  return (await both).filter(({ status }) => status === 'fulfilled').length;
}

test('API-33 of two calls at once that both want the last place one has it', async () => {
  await create();
  expect(await succeedTogether(() => [create(), create(1, admin)])).toBe(1);
  expect(await countOf(owner)).toBe(2);
});

test('of two archived bots that are brought back at once one has the last place', async () => {
  const ids = [(await create()).id, (await create()).id];
  await sql`update bots set status = 'stopped', archived_at = now() - interval '2 days' where user_id = ${owner.userId}`.execute(db);
  await create();
  expect(await succeedTogether(() => ids.map((id) => owner.bringBackBot({ params: { id } })))).toBe(1);
  expect(await countOf(owner)).toBe(2);
});

test('of two bots that want the last pairs at once one has them', async () => {
  const [first, second] = [await create(9), await create(9)];
  const change = (person: Person, { id }: { id: string }) => person.updateBot({ params: { id }, body: { trading_pairs: pairsOf(11) } });
  expect(await succeedTogether(() => [change(owner, first), change(admin, second)])).toBe(1);
});
