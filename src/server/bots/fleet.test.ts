import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { startMarket } from '../../../test/support/market.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';

const market = await startMarket(1);
const server = await startTestServer({ markets: market.connect() });
const { db } = server.dependencies;
const day = 86_400_000;
const midnight = Math.floor(Date.now() / day) * day;
type Person = Awaited<ReturnType<typeof server.signedIn>>;
let trader: Person;
let admin: Person;
let botId: string;

beforeAll(async () => {
  [trader, admin] = await Promise.all([server.signedIn('trader', 'trader@example.com'), server.signedIn('admin', 'admin@example.com')]);
  botId = await addTestBot(db, { strategy: 'EmaCross', nickname: 'mine', owner: 'trader@example.com', symbols: ['BTC/USDT', 'ETH/USDT'] });
  await addTestBot(db, {
    strategy: 'EmaCross',
    nickname: 'theirs',
    owner: 'other@example.com',
    marketType: 'futures',
    symbols: ['BTC/USDT:USDT'],
  });
});

async function closeTrade(profit: number, closedAt: number, of: { botId: string; mode?: string }): Promise<void> {
  await sql`insert into trades (id, bot_id, symbol, direction, mode, status, opened_at, closed_at, amount, stake, leverage, profit)
    values (gen_random_uuid(), ${of.botId}, 'BTC/USDT', 'long', ${of.mode ?? 'paper'}, 'closed', ${new Date(closedAt - 1000)}, ${new Date(closedAt)}, 1, 1, 1, ${profit})`.execute(
    db,
  );
}

async function decide(of: {
  botId: string;
  symbol: string;
  time: number;
  action: string;
  gate: string | null;
  seen?: object;
}): Promise<void> {
  await sql`insert into decisions values (${of.botId}, ${of.symbol}, ${new Date(of.time)}, ${of.action}, ${of.gate},
    ${JSON.stringify(of.seen ?? { enterLong: false, enterShort: false })}::jsonb, ${new Date(of.time + 60_000)})`.execute(db);
}

async function snapshot(of: { botId: string; at: number; netPnl: number; mode?: string }): Promise<void> {
  await sql`insert into pnl_snapshots values (${of.botId}, ${of.mode ?? 'paper'}, ${new Date(of.at)}, ${of.netPnl}, 0, 0, ${of.netPnl}, 0, 0, 100)`.execute(
    db,
  );
}

const fleetOf = async (person: Person, nickname: string) =>
  (await person.liveStatus({ query: { fleet: 'true', history: 'true' } })).bots.find((bot) => bot.nickname === nickname);

describe('the fleet', () => {
  test('API-15, OP-77 without being asked for more, the reply has the specified fields and no other', async () => {
    const reply = await trader.liveStatus({ query: {} });
    expect(reply.bots.map((bot) => Object.keys(bot))).toEqual([
      ['bot_id', 'nickname', 'status', 'mode', 'running', 'open_trades', 'unrealized_pnl', 'last_tick_at', 'last_error'],
    ]);
  });

  test('API-15 a caller sees the fleet of the bots that they may see', async () => {
    expect((await trader.liveStatus({ query: { fleet: 'true' } })).bots.map(({ nickname }) => nickname)).toEqual(['mine']);
    expect((await admin.liveStatus({ query: { fleet: 'true' } })).bots.map(({ nickname }) => nickname)).toEqual(['mine', 'theirs']);
  });

  test("it says where a bot trades, and whether it is the caller's own", async () => {
    expect(await fleetOf(trader, 'mine')).toMatchObject({ exchange_id: 'sandbox', is_own: true });
    expect(await fleetOf(admin, 'mine')).toMatchObject({ is_own: false });
  });

  test("today's profit is that of the trades closed since midnight UTC, in the bot's current mode", async () => {
    expect(await fleetOf(trader, 'mine')).toMatchObject({ today_pnl: 0, stake_currency: 'USDT', max_open_trades: 3, last_decision: null });
    await closeTrade(5, midnight - 1, { botId });
    await closeTrade(2.5, midnight, { botId });
    await closeTrade(-1, midnight + 1, { botId });
    await closeTrade(100, midnight + 2, { botId, mode: 'testnet' });
    expect(await fleetOf(trader, 'mine')).toMatchObject({ today_pnl: 1.5 });
  });

  test('the last decision is of the newest candle; of several symbols the one that says most', async () => {
    const time = midnight - 600_000;
    await decide({ botId, symbol: 'ETH/USDT', time: time - 60_000, action: 'enter', gate: null });
    await decide({ botId, symbol: 'BTC/USDT', time, action: 'none', gate: 'no-signal' });
    await decide({ botId, symbol: 'ETH/USDT', time, action: 'none', gate: 'slots-full', seen: { enterLong: true, enterShort: false } });
    const expected = {
      time: new Date(time + 60_000).toISOString(),
      symbol: 'ETH/USDT',
      action: 'none',
      gate: 'slots-full',
      direction: 'long',
    };
    expect((await fleetOf(trader, 'mine'))?.last_decision).toEqual(expected);
    await decide({ botId, symbol: 'BTC/USDT', time: time + 60_000, action: 'none', gate: 'no-signal' });
    expect((await fleetOf(trader, 'mine'))?.last_decision).toMatchObject({ symbol: 'BTC/USDT', gate: 'no-signal', direction: null });
  });

  test('the last decision of a bot that has decided nothing for weeks is still the newest it made', async () => {
    const theirs = (await admin.liveStatus({ query: {} })).bots.find(({ nickname }) => nickname === 'theirs')?.bot_id ?? '';
    for (const days of [20, 12, 25])
      await decide({ botId: theirs, symbol: 'BTC/USDT:USDT', time: midnight - days * day, action: 'none', gate: 'paused' });
    expect((await fleetOf(admin, 'theirs'))?.last_decision?.time).toBe(new Date(midnight - 12 * day + 60_000).toISOString());
    await decide({ botId: theirs, symbol: 'BTC/USDT:USDT', time: midnight - day, action: 'none', gate: 'no-signal' });
    expect((await fleetOf(admin, 'theirs'))?.last_decision).toMatchObject({ gate: 'no-signal' });
  });

  test('the history is the change over seven days in at most 42 points; a younger bot starts from zero', async () => {
    expect((await fleetOf(trader, 'mine'))?.history).toEqual([]);
    const now = Date.now();
    await snapshot({ botId, at: now - day, netPnl: 10 });
    await snapshot({ botId, at: now - 60_000, netPnl: 4 });
    await snapshot({ botId, at: now - 30_000, netPnl: 500, mode: 'testnet' });
    const young = (await fleetOf(trader, 'mine'))?.history ?? [];
    expect([young.length, young[0], young.at(-1)]).toEqual([7, 10, 4]);
    await snapshot({ botId, at: now - 30 * day, netPnl: -20 });
    const old = (await fleetOf(trader, 'mine'))?.history ?? [];
    expect([old.length, old[0], old.at(-1)]).toEqual([42, 0, 24]);
  });

  test('OP-83 the fees are those of its market; a market that cannot be asked leaves them unknown', async () => {
    const feesOf = async (nickname: string) => (await fleetOf(admin, nickname))?.fees; // left out where its market is not there in a second
    await expect.poll(() => feesOf('mine')).toEqual({ maker: 0.001, taker: 0.001 });
    const futures = await market.connect().instrument('sandbox', 'futures', 'BTC/USDT:USDT');
    await expect.poll(() => feesOf('theirs')).toEqual({ maker: futures?.makerFee, taker: futures?.takerFee });
    await sql`update bots set exchange_id = 'nowhere' where nickname = 'theirs'`.execute(db);
    expect((await fleetOf(admin, 'theirs'))?.fees).toBeNull();
  });

  test('BOTS-14 what keeps a bot from going live: no key, or live trading is off', async () => {
    expect((await fleetOf(trader, 'mine'))?.live_obstacle).toBe('no-api-key');
    await sql`with key as (insert into api_keys (user_id, exchange_id, key_hint, sealed) values (${trader.userId}, 'sandbox', 'abcd', '{}') returning id)
      update bots set api_key_id = key.id from key where bots.id = ${botId}`.execute(db);
    expect((await fleetOf(trader, 'mine'))?.live_obstacle).toBeNull();
    server.dependencies.liveTrading = 'off';
    expect((await fleetOf(trader, 'mine'))?.live_obstacle).toBe('live-trading-disabled');
    server.dependencies.liveTrading = 'on';
  });

  test('the number of queries does not grow with the number of bots', async () => {
    const queriesOf = async (): Promise<number> => {
      let count = 0;
      const whole = server.dependencies.db;
      server.dependencies.db = whole.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: ({ result }) => {
          count += 1;
          return Promise.resolve(result);
        },
      });
      try {
        await admin.liveStatus({ query: { fleet: 'true', history: 'true' } });
      } finally {
        server.dependencies.db = whole;
      }
      return count;
    };
    const few = await queriesOf();
    expect(few).toBeGreaterThan(3);
    for (let i = 0; i < 20; i++) await addTestBot(db, { strategy: 'EmaCross', nickname: `bot ${i}`, owner: 'trader@example.com' });
    expect(await queriesOf()).toBe(few);
  });
});
