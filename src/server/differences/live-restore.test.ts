import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { currenciesOf } from '#engine/account/fill.ts';
import { isOrderOf } from '#engine/bot/state.ts';
import type { Trading, VenueOrder } from '#engine/ports/trading.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import { CandleWindows } from '#feeds/candle-windows.ts';
import type { Runner } from '#runner/runner.ts';
import { startRunner } from '#runner/runner.ts';
import { backup } from '#storage/backup/backup.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { listDifferences, lockDifference } from '#storage/differences/found-differences.ts';
import { restore } from '#storage/backup/restore.ts';
import { lockSwitch, setSwitch } from '#storage/trading/trading-states.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/fresh-database.ts';
import { liveBots } from '../../../test/support/live-bots.ts';
import { startMarket } from '../../../test/support/market.ts';
import { patiently } from '../../../test/support/patiently.ts';
import { report, runSize } from '../../../test/support/run-size.ts';
import { choicesOf } from './difference-choices.ts';
import { resolveDifference } from './resolve-difference.ts';

const { size: rounds, seed, isNight } = runSize(1);
const pace = 20;
const market = await startMarket(pace, seed);
const folder = mkdtempSync(join(tmpdir(), 'live-restore-'));
const random = seededRandom(seed);
const logs: string[] = [];
let errors = ''; // of the runners that are killed
let killed: ChildProcess | null = null;
const live = liveBots({ sandboxUrl: market.sandbox.url, now: market.now, log: (message) => void logs.push(message) });
const patience = { interval: 200 };
afterAll(() => {
  killed?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A runner as a process of its own, which can be killed. */
function startKillable(url: string): void {
  const script = join(import.meta.dirname, '../../../test/support/runner-process.ts');
  const keys = JSON.stringify(Object.fromEntries(live.keys));
  const args = [script, url, market.sandbox.url, String(market.now()), String(Date.now()), String(pace), keys];
  killed = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  killed.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4_000)));
}

async function kill(): Promise<void> {
  if (killed === null || killed.exitCode !== null) return;
  const ended = once(killed, 'exit');
  killed.kill('SIGKILL');
  await ended;
}

/** Signals that made another order after one that ended without a fill, as limit exits do. */
const repeatedSignals = async (db: Database): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*)::int as n from orders o join trades t on t.id = o.trade_id
      where t.mode <> 'paper' and o.filled = 0 and exists (
        select 1 from orders p where p.bot_id = o.bot_id and p.signal_key = o.signal_key and p.id <> o.id and p.filled > 0)`.execute(db)
  ).rows[0]?.n ?? 0;

/** Orders that were filled at the exchange and are younger than a time of the market. */
const filledSince = async (db: Database, time: Date): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*)::int as n from orders o join trades t on t.id = o.trade_id
      where t.mode <> 'paper' and o.filled > 0 and o.planned_at > ${time}`.execute(db)
  ).rows[0]?.n ?? 0;

/** Lets the bots live through kills and lost answers, until exits were made again. */
async function liveThrough(db: Database, url: string): Promise<void> {
  startKillable(url);
  await expect.poll(() => closedTrades(db), { ...patience, message: errors }).toBeGreaterThan(0);
  for (const carriedOut of isNight ? [true, false] : [true]) {
    market.sandbox.faults.add({ fault: { kind: 'reset' }, path: /order|algoOrder/iu, method: 'POST', times: 2, carriedOut });
    const before = await madeOrders(db);
    await expect.poll(() => madeOrders(db), { ...patience, message: errors }).toBeGreaterThan(before + 1);
    if (!isNight) continue; // it is killed for the backup, too
    await kill();
    startKillable(url);
  }
  market.sandbox.faults.clear();
  await expect.poll(() => repeatedSignals(db), { ...patience, message: errors }).toBeGreaterThan(0);
  const closed = await closedTrades(db);
  await expect.poll(() => closedTrades(db), { ...patience, message: errors }).toBeGreaterThan(closed);
}

async function run(db: Database): Promise<Runner> {
  const markets = market.connect();
  const windows = new CandleWindows(markets, { now: market.now });
  const log = (message: string, details: object) => void logs.push(`${message} ${JSON.stringify(details)}`);
  return await startRunner(
    { db, markets, windows, openTrading: live.openTrading, host: 'test', now: market.now, log, pace },
    { scan: 50, heartbeat: 500, lease: 5_000, vitals: 300 },
  );
}

interface LiveBot {
  id: string;
  marketType: 'spot' | 'futures';
  symbols: string[];
  trading: Trading;
  before: Map<string, number>; // balances
}

async function addLiveBot(
  db: Database,
  nickname: string,
  marketType: LiveBot['marketType'],
  orderType: 'limit' | 'market' = 'market',
): Promise<LiveBot> {
  const symbols = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'].map((symbol) => (marketType === 'spot' ? symbol : `${symbol}:USDT`));
  const settings = { strategy: 'BuyAndHold', orderType, minimalRoi: { 0: 0.001, 2: -1 }, stoploss: -0.004 } as const;
  const owner = `${nickname}@example.com`;
  const leverage = marketType === 'spot' ? 1 : 3;
  const { id, apiKeyId } = await live.add(db, { ...settings, nickname, owner, marketType, symbols, leverage });
  const trading = await patiently(() => live.openTrading({ apiKeyId, exchangeId: 'sandbox', marketType }));
  return { id, marketType, symbols, trading, before: await patiently(() => balancesOf(trading)) };
}

const balancesOf = async (trading: Trading): Promise<Map<string, number>> =>
  new Map((await trading.balances()).map(({ currency, free, locked }) => [currency, free + locked]));

const closedTrades = async (db: Database): Promise<number> =>
  (await sql<{ n: number }>`select count(*)::int as n from trades where status = 'closed'`.execute(db)).rows[0]?.n ?? 0;

const madeOrders = async (db: Database): Promise<number> =>
  (await sql<{ n: number }>`select count(*)::int as n from orders`.execute(db)).rows[0]?.n ?? 0;

/** What must never be, found out by comparing the exchange's books with ours. */
async function faultsOf(db: Database, { id, marketType, symbols, trading, before }: LiveBot): Promise<string[]> {
  const faults: string[] = [];
  const listed = new Map<string, VenueOrder[]>();
  for (const symbol of symbols) listed.set(symbol, await patiently(() => trading.ordersSince(symbol, 0)));
  // Asked after the exchange: an order is on record before it is sent.
  const { rows: known } = await sql<{ id: string }>`
    select client_order_id as id from orders where bot_id = ${id} union all select client_order_id from unrecorded_orders where bot_id = ${id}`.execute(
    db,
  );
  const ids = known.map((row) => row.id);
  if (new Set(ids).size < ids.length) faults.push('an order is on record twice');
  const positions = await patiently(() => trading.positions());
  const balances = await patiently(() => balancesOf(trading));
  for (const symbol of symbols) {
    const seen = new Set<string>();
    for (const { clientOrderId, state } of listed.get(symbol) ?? []) {
      if (!isOrderOf(id, clientOrderId)) continue;
      if (seen.has(clientOrderId)) faults.push(`${clientOrderId} was made twice`);
      seen.add(clientOrderId);
      if (!ids.includes(clientOrderId)) faults.push(`${clientOrderId} (${state}) is unknown here`);
    }
    const { rows } = await sql<{ held: number; differing: number; ignored: number }>`select
      coalesce((select sum(case direction when 'long' then amount else -amount end) from trades
        where bot_id = ${id} and symbol = ${symbol} and status = 'open' and entry_price is not null), 0)::float8 as held,
      coalesce((select actual - expected from differences where bot_id = ${id} and symbol = ${symbol} and ended_at is null), 0)::float8 as differing,
      coalesce((select i.amount from ignored_holdings i join bots b on b.api_key_id = i.api_key_id and b.market_type = i.market_type
        where b.id = ${id} and i.symbol = ${symbol}), 0)::float8 as ignored`.execute(db);
    const { held, differing, ignored } = rows[0] ?? { held: 0, differing: 0, ignored: 0 };
    const { base } = currenciesOf(symbol);
    const position = positions.find((each) => each.symbol === symbol);
    const actual =
      marketType === 'spot'
        ? (balances.get(base) ?? 0) - (before.get(base) ?? 0)
        : position === undefined
          ? 0
          : position.direction === 'long'
            ? position.amount
            : -position.amount;
    // On spot dust below a step stays of every trade.
    const tolerance = marketType === 'spot' ? 0.05 : 1e-9;
    // A position that is too small for an order cannot be adopted: a person ignores it.
    if (Math.abs(actual - held - differing - ignored) > tolerance)
      faults.push(`the account holds ${actual} of ${symbol}, the trades ${held}, the difference says ${differing}, ${ignored} is ignored`);
  }
  return faults;
}

/** Decides about every difference: what may be adopted is, the rest is ignored. */
async function settle(db: Database): Promise<number> {
  let count = 0;
  for (const { id } of (await listDifferences(db, null)).open)
    await db.transaction().execute(async (trx) => {
      const found = await lockDifference(trx, id);
      if (found === null || found.outcome !== null) return;
      const how = choicesOf(found).find((each) => each.how === 'adopt')?.may === true ? 'adopt' : 'ignore';
      const { expected, actual } = found;
      await resolveDifference(trx, found, { how, expected, actual }, new Date()).catch((error: unknown) => logs.push(String(error)));
      count += 1;
    });
  return count;
}

/** The open trades, each with what became of its newest orders. */
const openTrades = async (db: Database): Promise<unknown[]> =>
  (
    await sql`
      select t.symbol, t.amount, t.entry_price, (
        select json_agg(last.what) from (
          select concat_ws(' ', o.client_order_id, o.purpose, o.type, o.status, trim_scale(o.filled), 'of', trim_scale(o.requested), o.refusal) as what
          from orders o where o.trade_id = t.id order by o.planned_at desc limit 5) as last) as orders,
        (select json_agg(concat_ws(' ', d.found_at, d.expected::float8, d.actual::float8, d.ended_at, d.outcome) order by d.found_at)
          from differences d where d.bot_id = t.bot_id and d.symbol = t.symbol) as differences,
        (select json_agg(concat_ws(' ', u.client_order_id, u.side, u.type, u.state, u.filled::float8, u.net::float8, u.settled_net::float8, u.made_at) order by u.made_at)
          from unrecorded_orders u where u.bot_id = t.bot_id and u.symbol = t.symbol) as unrecorded,
        (select json_agg(concat_ws(' ', i.symbol, i.amount::float8)) from ignored_holdings i join bots b on b.api_key_id = i.api_key_id where b.id = t.bot_id) as ignored,
        t.opened_at, t.held_elsewhere
      from trades t where t.status = 'open'`.execute(db)
  ).rows;

/** What is still under way. */
const unsettled = async (db: Database): Promise<unknown[]> =>
  (
    await sql`
      select client_order_id as what, status as state from orders where status in ('planned', 'sent', 'unknown', 'cancel-pending')
      union all select 'holding ' || symbol, direction from adopted_holdings where done_at is null
      union all select client_order_id, 'stands' from unrecorded_orders where state = 'open' and settled_at is not null
      union all select client_order_id, 'not decided on' from unrecorded_orders where net <> settled_net
      union all select client_order_id, 'not booked' from orders o where filled > (select coalesce(sum(amount), 0) from fills f where f.order_id = o.id) * (1 + 1e-12)
      union all select 'difference ' || symbol || ' ' || expected || ' ' || actual, 'open' from differences where ended_at is null`.execute(
      db,
    )
  ).rows;

test(
  `OP-85 a database that has lived through kills and is restored from a backup while live bots trade doubles nothing and loses nothing, ${rounds} times`,
  { timeout: 600_000 + rounds * 500_000 },
  async () => {
    const sums = { repeated: 0, unrecorded: 0, decided: 0, adopted: 0, closed: 0 };
    for (let round = 0; round < rounds; round++) {
      const first = await freshDatabase();
      const bots = [
        await addLiveBot(first.db, `spot ${round}`, 'spot'),
        await addLiveBot(first.db, `futures ${round}`, 'futures'),
        await addLiveBot(first.db, `limits ${round}`, 'futures', 'limit'),
      ];
      await liveThrough(first.db, first.url);
      const file = join(folder, `backup-${round}`);
      // One is stopped in the backup, and trades on after it: its account is searched all the same.
      const wasStopped = bots.at(-1)?.id ?? '';
      await kill();
      await setBotStatus(first.db, wasStopped, 'stopped');
      await backup(first.url, file);
      const backedUpAt = new Date(market.now());
      await setBotStatus(first.db, wasStopped, 'active');
      startKillable(first.url);
      const before = await closedTrades(first.db);
      await expect.poll(() => closedTrades(first.db), patience).toBeGreaterThan(before + 1);
      // Trades may have closed with orders that the backup knows.
      await expect.poll(() => filledSince(first.db, backedUpAt), patience).toBeGreaterThan(0);
      await sleep(random() * 3_000);
      await kill();
      await first.db.destroy();

      const second = await freshDatabase('template0');
      const { db } = second;
      await restore(second.url, file);
      const runner = await run(db);
      const searched = async (): Promise<number> => (await sql`select 1 from order_searches`.execute(db)).rows.length;
      await expect.poll(searched, { ...patience, message: logs.slice(-5).join('\n') }).toBe(bots.length);
      for (const bot of bots) expect((await faultsOf(db, bot)).filter((fault) => fault.startsWith('fl-'))).toEqual([]);
      sums.repeated += await repeatedSignals(db);
      if (!isNight) {
        // What the rest takes depends on when the amounts of a difference are looked at: once a minute.
        sums.unrecorded += (await sql`select 1 from unrecorded_orders`.execute(db)).rows.length;
        sums.closed += await closedTrades(db);
        await runner.stop();
        for (const { trading } of bots) await trading.close();
        continue;
      }
      const afterDecisions = async (): Promise<unknown[]> => {
        sums.decided += await settle(db);
        return await unsettled(db);
      };
      // The amounts of a difference are looked at once a minute of the machine, and not while orders move. What is gone when it is
      // ignored is another difference, which counts when it has been seen twice.
      const atOdds = async (): Promise<unknown[]> => {
        const open = await afterDecisions();
        return open.length > 0 ? open : (await Promise.all(bots.map((bot) => faultsOf(db, bot)))).flat();
      };
      await expect.poll(atOdds, { ...patience, timeout: 360_000 }).toEqual([]);

      // They trade again as if nothing had happened.
      for (const { id } of bots) {
        await db.transaction().execute(async (trx) => {
          await lockSwitch(trx, { level: 'bot', id });
          await setSwitch(trx, { level: 'bot', id }, { state: 'active', setBy: null, isImposed: false });
        });
        await setBotStatus(db, id, 'active');
      }
      const again = await closedTrades(db);
      await expect.poll(() => closedTrades(db), patience).toBeGreaterThan(again + 1);
      for (const { id } of bots) await setBotStatus(db, id, 'stopped');
      await expect.poll(() => openTrades(db), patience).toEqual([]);
      for (const bot of bots) {
        await expect.poll(() => patiently(() => bot.trading.openOrders()), patience).toEqual([]);
        expect(await faultsOf(db, bot)).toEqual([]);
        await bot.trading.close();
      }
      sums.unrecorded += (await sql`select 1 from unrecorded_orders`.execute(db)).rows.length;
      sums.adopted += (await sql`select 1 from adopted_holdings where done_at is not null`.execute(db)).rows.length;
      sums.closed += await closedTrades(db);
      await runner.stop();
    }
    expect(sums.repeated).toBeGreaterThan(0);
    expect(sums.unrecorded).toBeGreaterThan(0);
    report(
      `live restores: ${rounds}, ${sums.repeated} exits made again before the backup, ${sums.unrecorded} orders found without a record, ${sums.decided} differences decided, ${sums.adopted} holdings adopted, ${sums.closed} closed trades, seed ${seed}`,
    );
  },
);
