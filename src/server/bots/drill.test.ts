import { Drills } from '#runner/drill/drills.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { giveKey } from '#storage/bots/bots.ts';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { failure, startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const drills = new Drills({ markets: market.connect(), log: () => undefined });
const asked: string[] = []; // bots
const held: (() => void)[] = []; // drills that are still running
let isHeld = false;
const server = await startTestServer({
  markets: market.connect(),
  async askDrill(question, signal) {
    asked.push(question.bot.nickname);
    if (!isHeld) return drills.run(question, signal);
    await new Promise<void>((end) => held.push(end));
    return { state: 'unavailable', why: 'It is over.' };
  },
  liveTrading: 'on',
});
const { db } = server.dependencies;
const owner = await server.signedIn('trader');
let id: string;
afterAll(() => drills.close());
beforeEach(async () => {
  id = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, symbols: ['BTC/USDT', 'ETH/USDT'], stakeAmount: 500 });
});
const run = () => owner.runDrill({ params: { id } });
const shown = async () => (await owner.liveCheck({ params: { id } })).drill;

test('ADD-run-drill runs an hour of the settings of a bot at a simulated exchange, keeps the result and shows it', async () => {
  expect(await shown()).toBeNull();
  const { why, drill } = await run();
  expect(why).toBeNull();
  expect(drill).toMatchObject({ is_current: true, minutes: 60, pairs: ['BTC/USDT', 'ETH/USDT'], differences: [] });
  expect(drill?.orders).toBeGreaterThan(10);
  expect(drill?.kills).toBeGreaterThan(50);
  expect(await shown()).toEqual(drill);
  const again = (await run()).drill;
  expect(again?.run_at).not.toBe(drill?.run_at);
  expect(await shown()).toEqual(again); // the newest is kept
  expect((await owner.getBot({ params: { id } })).mode).toBe('paper');
  expect((await sql<{ count: number }>`select count(*)::int as count from orders`.execute(db)).rows).toEqual([{ count: 0 }]);
});

test('ADD-run-drill while a drill of a person runs they get no other one, and everybody else does', async () => {
  const other = await server.signedIn('trader');
  const mine = await addTestBot(db, { strategy: 'RsiReversal', owner: owner.email, nickname: 'second' });
  const theirs = await addTestBot(db, { strategy: 'RsiReversal', owner: other.email, nickname: 'theirs' });
  asked.length = 0;
  isHeld = true;
  try {
    const first = run();
    await expect.poll(() => held.length).toBe(1);
    const refused = { why: 'Another drill of yours is still running. Please try again when it is over.', drill: null };
    const answers: unknown[] = [];
    for (const bot of [id, mine]) void owner.runDrill({ params: { id: bot } }).then((answer) => answers.push(answer));
    await expect.poll(() => answers).toEqual([refused, refused]);
    const another = other.runDrill({ params: { id: theirs } });
    await expect.poll(() => held.length).toBe(2);
    for (const end of held) end();
    expect(await Promise.all([first, another])).toEqual([1, 2].map(() => ({ why: 'It is over.', drill: null })));
    expect(asked).toEqual(['RsiReversal', 'theirs']);
  } finally {
    isHeld = false;
    for (const end of held) end();
  }
  expect((await run()).why).toBeNull();
});

test.each([
  ['its stake', sql`update bots set stake_amount = 600`],
  ['its pairs', sql`update bots set symbols = '{BTC/USDT}'`],
  ['its leverage', sql`update bots set leverage = 3`],
  ['its slots', sql`update bots set max_open_trades = 2`],
  ['a stop of its own', sql`update bots set own_settings = own_settings || '{"stoploss": -0.2}'`],
  ['the orders of its strategy', sql`update strategies set order_types = '{"entry": "market", "exit": "market", "stoploss": "market"}'`],
])('ADD-run-drill a drill says nothing of other settings: %s', async (_, change) => {
  await run();
  expect((await shown())?.is_current).toBe(true);
  await change.execute(db);
  expect((await shown())?.is_current).toBe(false);
});

test('ADD-run-drill whether a bot goes live without a drill of its settings is in the audit log', async () => {
  const key = await db
    .insertInto('apiKeys')
    .values({ userId: owner.userId, exchangeId: 'sandbox', label: 'main', keyHint: 'wxyz', sealed: '{}' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await giveKey(db, id, key.id);
  const goLive = async () => {
    await owner.changeBotMode({ params: { id }, query: { mode: 'live' } });
    await owner.changeBotMode({ params: { id }, query: { mode: 'paper' } });
    const { lines } = await listAudit(db, { action: 'bot-mode' }, 2);
    return lines.map(({ detail }) => detail);
  };
  expect(await goLive()).toEqual([
    { from: 'live', to: 'paper' },
    { from: 'paper', to: 'live', drill: 'skipped' },
  ]);
  await run();
  expect(await goLive()).toEqual([
    { from: 'live', to: 'paper' },
    { from: 'paper', to: 'live', drill: 'passed' },
  ]);
  await sql`update drills set result = jsonb_set(result, '{differences}', '["Order a-1 was placed 2 times."]')`.execute(db);
  expect(await goLive()).toEqual([
    { from: 'live', to: 'paper' },
    { from: 'paper', to: 'live', drill: 'differences' },
  ]);
  await sql`update bots set stake_amount = 700`.execute(db);
  expect(await goLive()).toEqual([
    { from: 'live', to: 'paper' },
    { from: 'paper', to: 'live', drill: 'other settings' },
  ]);
});

test('ADD-run-drill says why there is none, and keeps the one before', async () => {
  const { drill } = await run();
  await sql`update bots set symbols = '{NOPE/USDT}' where id = ${id}`.execute(db);
  expect(await run()).toEqual({ why: 'The exchange does not give the rules and prices of the pairs.', drill: null });
  expect((await shown())?.run_at).toBe(drill?.run_at);
});

test('ADD-run-drill is for the owner and admins', async () => {
  for (const role of ['trader', 'operator', 'investor'] as const)
    expect((await failure((await server.signedIn(role)).runDrill({ params: { id } }))).message).toBe(
      '403 You do not have access to this bot',
    );
  expect((await (await server.signedIn('admin')).runDrill({ params: { id } })).why).toBeNull();
});
