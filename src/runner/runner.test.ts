import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { patienceMs } from '../../test/support/patience.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { openDatabase } from '#storage/database.ts';
import { listAlarms } from '#storage/alarms/alarms.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { noteVolatileStore } from '#storage/installation/store-fault.ts';
import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import type { Runner, RunnerTimes } from './runner.ts';
import { startRunner } from './runner.ts';

const { db, url } = await freshDatabase();
// A minute of market is half a second here.
const market = await startMarket(120);
const logs: string[] = [];
const runners: Runner[] = [];

async function runner(times: Partial<RunnerTimes> = {}): Promise<Runner> {
  const markets = market.connect();
  const started = await startRunner(
    {
      db,
      markets,
      windows: new CandleWindows(markets, { now: market.now }),
      host: 'test',
      now: market.now,
      log: (message, details) => logs.push(`${message} ${JSON.stringify(details)}`),
    },
    { scan: 50, heartbeat: 200, lease: patienceMs, vitals: 300, ...times },
  );
  runners.push(started);
  return started;
}

afterAll(() => stopAll());
beforeEach(() => {
  logs.length = 0;
  onTestFailed(async () => {
    const { rows } = await sql<{ line: string }>`
      select concat_ws(' ', max(b.nickname), d.gate, count(*), 'newest', max(d.candle_time), 'decided', max(d.decided_at)) as line
      from decisions d join bots b on b.id = d.bot_id group by d.bot_id, d.gate`.execute(db);
    const now = new Date(market.now()).toISOString();
    console.error([now, ...rows.map(({ line }) => line), ...logs.slice(-30)].join('\n'));
  });
});

interface TradeLine {
  symbol: string;
  status: string;
  exitReason: string | null;
  profit: string | null;
  openedAt: Date;
  closedAt: Date | null;
}
const tradesOf = (botId: string): Promise<TradeLine[]> =>
  db
    .selectFrom('trades')
    .select(['symbol', 'status', 'exitReason', 'profit', 'openedAt', 'closedAt'])
    .where('botId', '=', botId)
    .orderBy('openedAt')
    .execute();
const patience = { interval: 100 };
const lastErrorOf = async (botId: string): Promise<string | null | undefined> =>
  (await db.selectFrom('botVitals').select('lastError').where('botId', '=', botId).executeTakeFirst())?.lastError;
/** Steps of bots that wait for a lock in the database. */
const waitingWrites = async (): Promise<unknown[]> =>
  (
    await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update of b%'`.execute(
      db,
    )
  ).rows;
async function stopAll(): Promise<void> {
  await Promise.all(runners.splice(0).map((each) => each.stop()));
}

// It always wants to hold and leaves after two minutes: many short trades.
const busy = { strategy: 'BuyAndHold', minimalRoi: { 0: 10, 2: -1 }, symbols: ['BTC/USDT', 'ETH/USDT'], orderType: 'market' as const };

test('a runner whose connections are all busy keeps its lease', async () => {
  const one = openDatabase(url, { connections: 1, waitsMs: 4 * patienceMs }); // however long it is held below
  const markets = market.connect();
  const logged: string[] = [];
  const started = await startRunner(
    {
      db: one,
      leaseDb: db,
      markets,
      windows: new CandleWindows(markets),
      host: 'busy',
      now: market.now,
      log: (message, details) => logged.push(`${message} ${JSON.stringify(details)}`),
    },
    { heartbeat: 200, lease: patienceMs },
  );
  const held = (): Promise<{ id: string }[]> =>
    db
      .selectFrom('runners')
      .select('id')
      .where('host', '=', 'busy')
      .where('expiresAt', '>', sql<Date>`now()`)
      .execute();
  const before = await held();
  expect(before).toHaveLength(1);
  const heldUntil = async (): Promise<number> =>
    (await db.selectFrom('runners').select('expiresAt').where('host', '=', 'busy').executeTakeFirst())?.expiresAt.getTime() ?? 0;
  // The only connection for the bots is taken until the lease has been renewed twice: the second renewal has begun after that.
  await one.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    for (let renewals = 0; renewals < 2; renewals++) {
      const until = await heldUntil();
      await expect.poll(heldUntil).toBeGreaterThan(until);
    }
    expect(await held()).toEqual(before);
  });
  expect([await held(), logged]).toEqual([before, []]);
  await started.stop();
  await one.destroy();
});

describe('a paper bot', () => {
  test('OP-83 opens and closes trades on live data, with orders, fills and exact figures in the database', async () => {
    const id = await addTestBot(db, busy);
    await runner();
    await expect
      .poll(async () => (await tradesOf(id)).filter((trade) => trade.status === 'closed').length, patience)
      .toBeGreaterThanOrEqual(4);
    await setBotStatus(db, id, 'paused');
    await expect.poll(async () => (await tradesOf(id)).filter((trade) => trade.status === 'open').length, patience).toBe(0);
    const { rows } = await sql<Record<string, string | boolean>>`
      select count(*) = f.trades as counted, sum(t.profit) = f.realized_pnl as summed, sum(t.fees) = f.fees as fees_summed,
        count(*) filter (where t.profit > 0) = f.wins as wins,
        bool_and(abs((select sum(case o.side when 'sell' then l.amount * l.price else -l.amount * l.price end) - sum(l.fee)
          from orders o join fills l on l.order_id = o.id where o.trade_id = t.id) - t.profit) < 0.00000002) as profit_is_what_the_fills_say,
        bool_and((select sum(case o.side when 'sell' then -l.amount else l.amount end) from orders o join fills l on l.order_id = o.id where o.trade_id = t.id) = 0) as flat
      from trades t join bot_figures f on f.bot_id = t.bot_id and f.mode = t.mode
      where t.bot_id = ${id} and t.status = 'closed' group by f.trades, f.realized_pnl, f.fees, f.wins`.execute(db);
    expect(rows).toEqual([{ counted: true, summed: true, feesSummed: true, wins: true, profitIsWhatTheFillsSay: true, flat: true }]);
    await setBotStatus(db, id, 'stopped');
  });

  test('leaves exactly one decision for every symbol and closed candle, naming the gate', async () => {
    // A candle closes once the one before it is decided: a bot that is many candles late leaves out the oldest.
    const { clock } = market.sandbox;
    clock.setFactor(1);
    onTestFinished(() => clock.setFactor(120));
    const id = await addTestBot(db, { ...busy, strategy: 'RsiReversal', nickname: 'decider' });
    const count = async (): Promise<number> =>
      Number((await sql<{ n: string }>`select count(*) as n from decisions where bot_id = ${id}`.execute(db)).rows[0]?.n);
    for (let decided = 2; decided <= 24; decided += 2) {
      clock.advance(minuteMs);
      await expect.poll(count, patience).toBeGreaterThanOrEqual(decided);
    }
    const { rows } = await sql<{ symbol: string; holes: string; actions: string[]; gateless: boolean }>`
      select symbol, (extract(epoch from max(candle_time) - min(candle_time)) / 60 + 1) - count(*) as holes,
        array_agg(distinct action) as actions, bool_or(action = 'none' and gate is null) as gateless
      from decisions where bot_id = ${id} group by symbol order by symbol`.execute(db);
    expect(rows.map(({ symbol, holes, gateless }) => [symbol, Number(holes), gateless])).toEqual([
      ['BTC/USDT', 0, false],
      ['ETH/USDT', 0, false],
    ]);
    await setBotStatus(db, id, 'stopped');
  });

  test('OP-86 paused makes no new entries but manages its trades; active continues; stopped closes everything', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'obedient', minimalRoi: { 0: 10, 6: -1 } });
    const open = async (): Promise<number> => (await tradesOf(id)).filter((trade) => trade.status === 'open').length;
    await expect.poll(open, patience).toBe(2);
    await setBotStatus(db, id, 'paused');
    await expect.poll(open, patience).toBe(0);
    const before = (await tradesOf(id)).length;
    const { rows } = await sql<{ n: string }>`select count(*) as n from decisions where bot_id = ${id}`.execute(db);
    await expect
      .poll(
        async () => Number((await sql<{ n: string }>`select count(*) as n from decisions where bot_id = ${id}`.execute(db)).rows[0]?.n),
        patience,
      )
      .toBeGreaterThanOrEqual(Number(rows[0]?.n) + 6);
    expect((await tradesOf(id)).length).toBe(before);
    const gates = await sql<{ gate: string }>`select gate from decisions where bot_id = ${id} order by candle_time desc limit 1`.execute(
      db,
    );
    expect(gates.rows[0]?.gate).toBe('paused');

    await setBotStatus(db, id, 'active');
    await expect.poll(open, patience).toBe(2);
    await setBotStatus(db, id, 'stopped');
    await expect.poll(open, patience).toBe(0);
    expect((await tradesOf(id)).at(-1)).toMatchObject({ status: 'closed', exitReason: 'force_exit' });
    const after = (await tradesOf(id)).length;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await tradesOf(id)).length).toBe(after);
  });

  test('OP-59 pauses itself after too many losses in a row, mails its owner, and counts from zero again when activated', async () => {
    // Leaving at once loses the fees of both sides.
    const id = await addTestBot(db, {
      ...busy,
      nickname: 'unlucky',
      owner: 'unlucky@example.com',
      minimalRoi: { 0: -1 },
      maxConsecutiveLosses: 3,
      symbols: ['XRP/USDT'],
    });
    const status = async (): Promise<string | undefined> =>
      (await db.selectFrom('bots').select(['status', 'consecutiveLosses']).where('id', '=', id).executeTakeFirst())?.status;
    await expect.poll(status, patience).toBe('paused');
    const trades = (await tradesOf(id)).filter((trade) => trade.status === 'closed');
    expect(trades.slice(-3).every((trade) => Number(trade.profit) < 0)).toBe(true);
    const mail = await db.selectFrom('mailOutbox').selectAll().where('recipient', '=', 'unlucky@example.com').execute();
    expect(mail).toHaveLength(1);
    expect(mail[0]).toMatchObject({ subject: 'Bot paused' });
    await setBotStatus(db, id, 'active');
    const bot = await db.selectFrom('bots').select('consecutiveLosses').where('id', '=', id).executeTakeFirstOrThrow();
    expect(bot.consecutiveLosses).toBe(0);
    await expect.poll(async () => (await tradesOf(id)).length, patience).toBeGreaterThan(trades.length);
    await setBotStatus(db, id, 'stopped');
  });

  test('is paused when its open trades would lose as much as its daily loss limit, and still manages them', async () => {
    // The fee of the entry alone is more.
    const id = await addTestBot(db, { ...busy, nickname: 'limited', minimalRoi: { 0: 10 }, symbols: ['LTC/USDT'], status: 'paused' });
    await sql`insert into limits (level, bot_id, name, currency, value) values ('bot', ${id}, 'daily-loss', '', 0.00000001)`.execute(db);
    await setBotStatus(db, id, 'active');
    const status = async () => (await db.selectFrom('bots').select('status').where('id', '=', id).executeTakeFirst())?.status;
    await expect.poll(status, patience).toBe('paused');
    expect(await tradesOf(id)).toMatchObject([{ status: 'open' }]);
    expect(await listAlarms(db, null)).toMatchObject([
      { kind: 'limit-reached', targetId: id, facts: { limit: 'daily-loss', open: 'yes' } },
    ]);
    await setBotStatus(db, id, 'stopped');
    await expect.poll(async () => (await tradesOf(id)).map((trade) => trade.status), patience).toEqual(['closed']);
  });

  test('OP-72 leaves a balance snapshot at every closed trade and every full hour', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'snapshots', symbols: ['ADA/USDT'] });
    const snapshots = () => db.selectFrom('pnlSnapshots').selectAll().where('botId', '=', id).orderBy('takenAt').execute();
    const isHour = (time: Date): boolean => time.getTime() % hourMs === 0;
    await expect.poll(async () => (await snapshots()).some(({ takenAt }) => isHour(takenAt)), { interval: 200 }).toBe(true);
    await setBotStatus(db, id, 'stopped');
    await expect.poll(async () => (await tradesOf(id)).filter((trade) => trade.status === 'open').length, patience).toBe(0);
    const closed = (await tradesOf(id)).filter((trade) => trade.status === 'closed');
    const all = await snapshots();
    expect(all.filter(({ takenAt }) => !isHour(takenAt))).toHaveLength(closed.length);
    const last = all.at(-1);
    const realized = closed.reduce((sum, trade) => sum + Number(trade.profit), 0);
    expect(Number(last?.realizedPnl)).toBeCloseTo(realized, 6);
    expect(Number(last?.currentBalance)).toBeCloseTo(300 + realized, 6);
  });

  test('trades futures both ways with leverage', async () => {
    const id = await addTestBot(db, {
      strategy: 'SuperTrendFollower',
      nickname: 'futures',
      marketType: 'futures',
      symbols: ['BTC/USDT:USDT', 'ETH/USDT:USDT', 'SOL/USDT:USDT'],
      leverage: 3,
      minimalRoi: { 0: 0.01, 5: -1 },
    });
    await expect.poll(async () => (await tradesOf(id)).length, patience).toBeGreaterThan(0);
    const [trade] = await db.selectFrom('trades').selectAll().where('botId', '=', id).execute();
    expect(Number(trade?.leverage)).toBe(3);
    await setBotStatus(db, id, 'stopped');
  });

  test('OP-37, OP-83 a live bot is not simulated: without a key it does nothing and says why', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'live', symbols: ['BNB/USDT'], status: 'paused' });
    await sql`update bots set mode = 'live', status = 'active', updated_at = now() where id = ${id}`.execute(db);
    await expect.poll(() => lastErrorOf(id), patience).toBe('The bot is live and has no API key; it does nothing.');
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // four minutes of market
    expect(await tradesOf(id)).toEqual([]);
    await noteVolatileStore(db, '/dev/shm'); // as if the data lay there
    await sql`update bots set updated_at = now() where id = ${id}`.execute(db);
    await expect.poll(() => lastErrorOf(id), patience).toMatch(/^The database lies in memory \(\/dev\/shm\)/u);
    await noteVolatileStore(db, import.meta.dirname);
    await setBotStatus(db, id, 'stopped');
  });

  test('a bot that cannot trade says why, and does not hold up the others', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'broken', symbols: ['NOSUCH/USDT'] });
    const fine = await addTestBot(db, { ...busy, nickname: 'fine', symbols: ['SOL/USDT'] });
    await expect.poll(async () => (await tradesOf(fine)).length, patience).toBeGreaterThan(0);
    await expect.poll(() => lastErrorOf(id), patience).toBe('sandbox does not have NOSUCH/USDT');
    await setBotStatus(db, id, 'stopped');
    await setBotStatus(db, fine, 'stopped');
  });

  test('a bot whose every write fails is started again after longer and longer pauses, and offered to other runners', async () => {
    const id = await addTestBot(db, { ...busy, nickname: 'poisoned', status: 'paused' });
    await sql
      .raw(
        `create function refuse_trades() returns trigger language plpgsql as $$ begin raise exception 'The trade is poisoned'; end $$;
         create trigger refuse_trades before insert on trades for each row when (new.bot_id = '${id}') execute function refuse_trades()`,
      )
      .execute(db);
    if (runners.length === 0) await runner();
    const failures = (): number => logs.filter((line) => line.startsWith('a bot has ended itself') && line.includes(id)).length;
    const startedAt = market.now();
    await setBotStatus(db, id, 'active');
    await expect.poll(failures, patience).toBeGreaterThanOrEqual(4);
    await expect.poll(() => market.now() - startedAt, patience).toBeGreaterThan(600_000);
    // Pauses of 1, 2, 5, 10, 30 and then 60 seconds of the market's time; without them it would fail at every candle.
    const seconds = (market.now() - startedAt) / 1_000;
    expect(failures()).toBeLessThanOrEqual(6 + seconds / 60);
    const { epoch } = await db.selectFrom('bots').select('epoch').where('id', '=', id).executeTakeFirstOrThrow();
    expect(Number(epoch)).toBeGreaterThanOrEqual(2); // released after the third, claimed again
    await expect.poll(() => lastErrorOf(id), patience).toContain('The trade is poisoned'); // it has none while it begins again
    expect(await tradesOf(id)).toEqual([]);
    await setBotStatus(db, id, 'stopped');
    await sql`drop function refuse_trades cascade`.execute(db);
  });
});

describe('runners', () => {
  test('a second runner gets its half of the bots, and they trade on', async () => {
    await stopAll();
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await addTestBot(db, { ...busy, nickname: `shared ${i}`, symbols: ['BTC/USDT'] }));
    await sql`update bots set mode = 'paper', given_up_by = null`.execute(db);
    const one = await runner();
    const bots = (await db.selectFrom('bots').select('id').execute()).length;
    await expect.poll(() => one.botCount, patience).toBe(bots);
    const two = await runner();
    await expect
      .poll(() => [one.botCount, two.botCount].sort((a, b) => a - b), patience)
      .toEqual([Math.floor(bots / 2), Math.ceil(bots / 2)]);
    const before = new Map(await Promise.all(ids.map(async (id) => [id, (await tradesOf(id)).length] as const)));
    for (const id of ids) await expect.poll(async () => (await tradesOf(id)).length, patience).toBeGreaterThan((before.get(id) ?? 0) + 1);
    for (const id of ids) await setBotStatus(db, id, 'stopped');
  });

  test('a runner whose lease has run out ends its bots at once, and is another runner from then on', async () => {
    await stopAll();
    const id = await addTestBot(db, { strategy: 'AlwaysFlat', nickname: 'leased' }); // it writes nothing that could be refused
    const frozen = await runner({ scan: hourMs, lease: hourMs }); // it claims once, and loses its lease by the next statement alone
    await expect.poll(() => frozen.botCount, patience).toBeGreaterThan(0);
    const holder = async () => db.selectFrom('bots').select(['epoch', 'runnerId']).where('id', '=', id).executeTakeFirstOrThrow();
    const before = await holder();
    await sql`update runners set expires_at = now() - interval '1 hour'`.execute(db); // long before a renewal that is under way
    await expect.poll(() => frozen.botCount, patience).toBe(0);
    const isOld = async () => (await db.selectFrom('runners').select('id').execute()).map(({ id: of }) => of === before.runnerId);
    await expect.poll(isOld, patience).toEqual([false]);
    await frozen.stop();
    await runner();
    await expect.poll(async () => Number((await holder()).epoch), patience).toBe(Number(before.epoch) + 1);
    await setBotStatus(db, id, 'stopped');
  });

  test('a trade counts only once it is written', async () => {
    await stopAll();
    const id = await addTestBot(db, { ...busy, nickname: 'unwritten', symbols: ['BTC/USDT'] });
    await runner();
    await expect.poll(async () => (await tradesOf(id)).length, patience).toBeGreaterThan(0);
    const vitals = async () => db.selectFrom('botVitals').select(['openTrades', 'lastTickAt']).where('botId', '=', id).executeTakeFirst();
    // While nothing is held, the next step that has to be written is an entry.
    const seen = async (): Promise<number | null> =>
      await db.transaction().execute(async (trx) => {
        await sql`select 1 from bots where id = ${id} for no key update`.execute(trx);
        if ((await tradesOf(id)).some(({ status }) => status === 'open')) return null;
        await expect.poll(async () => (await waitingWrites()).length, patience).toBe(1);
        const since = Number((await vitals())?.lastTickAt);
        await expect.poll(async () => Number((await vitals())?.lastTickAt) - since, patience).toBeGreaterThan(100_000);
        return (await vitals())?.openTrades ?? null;
      });
    await expect.poll(seen, patience).toBe(0);
    await setBotStatus(db, id, 'stopped');
  });

  test('a runner that stops writes what it has under way before its lease ends', async () => {
    await stopAll();
    const id = await addTestBot(db, { ...busy, nickname: 'leaving' });
    const leaving = await runner();
    await expect.poll(async () => (await tradesOf(id)).length, patience).toBeGreaterThan(0);
    const lines = logs.length;
    let stopping = Promise.resolve();
    await db.transaction().execute(async (trx) => {
      await sql`select 1 from bots where id = ${id} for update`.execute(trx);
      await expect.poll(async () => (await waitingWrites()).length, patience).toBe(1); // a step that cannot be written now
      stopping = leaving.stop();
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    await stopping;
    expect(logs.slice(lines).filter((line) => line.includes(id))).toEqual([]);
    expect(await db.selectFrom('runners').select('id').execute()).toEqual([]);
  });
});
