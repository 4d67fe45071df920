import { hourMs, minuteMs } from '#engine/market/durations.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import { Markets } from '#feeds/markets.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { listVitals } from '#storage/bots/bots.ts';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { untilWaiting } from '../../test/support/lock-waits.ts';
import { addTestBot } from '../../test/support/test-bot.ts';
import { handExchange } from './bots/testing/hand-exchange.ts';
import type { Runner, RunnerTimes } from './runner.ts';
import { startRunner } from './runner.ts';

const { db } = await freshDatabase();
const symbol = 'BTC/USDT';
const day = 24 * hourMs;
const claimLock = 7_364_001; // as every scan takes it

beforeEach(async () => {
  await sql`truncate bots cascade`.execute(db);
  await sql`truncate runners, decisions`.execute(db);
});

/** A runner on an exchange moved by hand, with what it has logged. */
async function aRunner(times: Partial<RunnerTimes> = {}) {
  const exchange = handExchange([symbol]);
  const markets = new Markets([{ id: 'sandbox', name: 'Sandbox' }], async () => exchange.market);
  const windows = new CandleWindows(markets, { now: exchange.now });
  const logs: string[] = [];
  const runner = await startRunner(
    {
      db,
      markets,
      windows,
      host: 'by hand',
      now: exchange.now,
      log: (message, details) => void logs.push(`${message} ${JSON.stringify(details)}`),
    },
    { scan: 5, heartbeat: 5, lease: 10_000, share: 5, vitals: 5, ...times },
  );
  const stopped = { isStopped: false };
  const stop = async (): Promise<void> => {
    if (stopped.isStopped) return;
    stopped.isStopped = true;
    await runner.stop();
    windows.close();
  };
  onTestFinished(stop);
  return { exchange, runner, windows, logs, stop };
}
const runs = (runner: Runner, count: number) => expect.poll(() => runner.botCount).toBe(count);
const leases = () => db.selectFrom('runners').select(['id', 'host', 'exchanges', 'expiresAt']).execute();

describe('the lease', () => {
  test('says who runs bots of which exchanges, is renewed, and ends with the runner', async () => {
    const { stop, logs } = await aRunner();
    const [first] = await leases();
    expect(first).toMatchObject({ host: 'by hand', exchanges: ['sandbox'] });
    await expect.poll(async () => (await leases())[0]?.expiresAt.getTime()).toBeGreaterThan(first?.expiresAt.getTime() ?? Infinity);
    expect((await leases()).map(({ id }) => id)).toEqual([first?.id]);
    await stop();
    expect([await leases(), logs]).toEqual([[], []]);
  });

  test('that has run out ends the bots, and another one takes its place', async () => {
    await addTestBot(db, { strategy: 'AlwaysFlat' });
    const { runner, logs } = await aRunner();
    await runs(runner, 1);
    const [first] = await leases();
    await sql`update runners set expires_at = now() - interval '1 hour'`.execute(db);
    await expect.poll(async () => (await leases()).map(({ id }) => id !== first?.id)).toEqual([true]);
    expect(logs).toContain('the lease has run out, or the database was started again; all bots are released {}');
    const [second] = await leases();
    const holders = async () => (await db.selectFrom('bots').select('runnerId').execute()).map(({ runnerId }) => runnerId);
    await expect.poll(holders).toEqual([second?.id]);
    await runs(runner, 1);
  });

  test('that has run out is not what the next scan goes by: nothing is started before there is another one', async () => {
    await addTestBot(db, { strategy: 'AlwaysFlat' });
    await sql`create function ends_late() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(42); return old; end $$`.execute(db);
    await sql`create trigger ends_late before delete on runners for each row execute function ends_late()`.execute(db);
    onTestFinished(async () => void (await sql`drop function ends_late cascade`.execute(db)));
    const { runner } = await aRunner({ share: hourMs, vitals: hourMs });
    await runs(runner, 1);
    await db.transaction().execute(async (late) => {
      await sql`select pg_advisory_xact_lock(42)`.execute(late);
      await sql`update runners set expires_at = now() - interval '1 hour'`.execute(db);
      await untilWaiting(db, 1); // the end of the lease
      for (let scans = 0; scans < 5; scans++)
        await db.transaction().execute(async (claims) => {
          await sql`select pg_advisory_xact_lock(${claimLock})`.execute(claims);
          await untilWaiting(db, 2); // and a scan: the ones before it have done all they do
        });
      expect(runner.botCount).toBe(0);
    });
    await runs(runner, 1);
  });
});

test('what a runner reports of its bots is written again and again; what goes wrong is logged and holds up nothing', async () => {
  const id = await addTestBot(db, { strategy: 'AlwaysFlat' });
  const { exchange, runner, logs } = await aRunner();
  await runs(runner, 1);
  const seenAt = async () => (await listVitals(db)).get(id)?.lastTickAt.getTime();
  const quoted = async () => {
    exchange.quote(symbol, 100); // until somebody watches
    return await seenAt();
  };
  await expect.poll(quoted).toBe(exchange.now());
  await sql`alter table bot_vitals rename to bot_vitals_away`.execute(db);
  await expect.poll(() => logs.some((line) => line.startsWith('something went wrong') && line.includes('bot_vitals'))).toBe(true);
  await sql`alter table bot_vitals_away rename to bot_vitals`.execute(db);
  exchange.pass(1_000);
  await expect.poll(quoted).toBe(exchange.now());
});

test('candles that nobody watches or reads any more are released', async () => {
  const { exchange, windows } = await aRunner();
  const series = { exchangeId: 'sandbox', marketType: 'spot', symbol, timeframe: '1m' } as const;
  await windows.newest(series, 5, false);
  expect(windows.lastPrice(series)).not.toBeNull();
  exchange.pass(2 * minuteMs + 1);
  await expect.poll(() => windows.lastPrice(series)).toBeNull();
});

test('bots beyond the fair share are released to a runner that comes', async () => {
  for (let i = 0; i < 4; i++) await addTestBot(db, { strategy: 'AlwaysFlat', nickname: `shared ${i}` });
  const { runner } = await aRunner();
  await runs(runner, 4);
  const { runner: second } = await aRunner();
  await runs(second, 2);
  await runs(runner, 2);
});

describe('each full hour', () => {
  test('OP-72 leaves a snapshot of each active bot, forgets old decisions and dead runners, and does so once', async () => {
    const id = await addTestBot(db, { strategy: 'AlwaysFlat' });
    await sql`insert into runners (id, host, exchanges, expires_at) values (${randomUUID()}, 'dead', '{}', now() - interval '2 hours')`.execute(
      db,
    );
    const { exchange, runner, stop } = await aRunner();
    await runs(runner, 1);
    await expect
      .poll(async () => {
        exchange.quote(symbol, 100);
        return (await listVitals(db)).has(id);
      })
      .toBe(true);
    const decide = (time: number) => {
      const row = { botId: id, epoch: '1', symbol, candleTime: time, action: 'none', gate: null, seen: {}, decidedAt: time };
      return addDecisions(db, [row]);
    };
    await decide(exchange.now() - 32 * day);
    await decide(exchange.now() - 29 * day);
    const snapshots = async () =>
      (await db.selectFrom('pnlSnapshots').select('takenAt').where('botId', '=', id).execute()).map(({ takenAt }) => takenAt.getTime());
    expect([await snapshots(), (await leases()).length]).toEqual([[], 2]); // the hour is not over
    exchange.pass(hourMs + 5);
    await expect.poll(snapshots).toEqual([exchange.now() - 5]);
    await expect.poll(async () => (await leases()).map(({ host }) => host)).toEqual(['by hand']);
    const kept = await db.selectFrom('decisions').select('candleTime').where('botId', '=', id).orderBy('candleTime').limit(1).execute();
    expect(kept[0]?.candleTime.getTime()).toBeGreaterThan(exchange.now() - 30 * day);
    await stop();
    expect(await snapshots()).toHaveLength(1);
  });
});
