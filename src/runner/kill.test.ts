import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { runSize } from '../../test/support/run-size.ts';
import { addTestBot } from '../../test/support/test-bot.ts';

const { size: kills } = runSize(8);
const factor = 120;
const { db, url } = await freshDatabase();
const market = await startMarket(factor);
const machineTime = Date.now();
const marketTime = market.now();
let child: ChildProcess | null = null;

// In which transaction each snapshot was written: a closed trade has one of its own, however late the machine writes it. Those of one moment
// take each other's place in the table itself.
await sql`create table snapshots_written (bot_id uuid, taken_at timestamptz, written_in xid)`.execute(db);
await sql`create function note_snapshot() returns trigger language plpgsql as $$ begin
  insert into snapshots_written values (new.bot_id, new.taken_at, pg_current_xact_id()::xid); return new; end $$`.execute(db);
await sql`create trigger note_snapshot before insert on pnl_snapshots for each row execute function note_snapshot()`.execute(db);

function start(): ChildProcess {
  const script = join(import.meta.dirname, '../../test/support/runner-process.ts');
  return spawn(process.execPath, [script, url, market.sandbox.url, ...[marketTime, machineTime, factor].map(String)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

afterAll(() => {
  child?.kill('SIGKILL');
});

interface OpenTrade {
  id: string;
  botId: string;
  symbol: string;
  openedAt: Date;
  amount: string;
  entryPrice: string | null;
  engineState: Record<string, unknown>;
}
const openTrades = (): Promise<OpenTrade[]> =>
  db
    .selectFrom('trades')
    .select(['id', 'botId', 'symbol', 'openedAt', 'amount', 'entryPrice', 'engineState'])
    .where('status', '=', 'open')
    .execute();

/** What must hold whenever nobody is running: money counted once, trades neither doubled nor half there. */
async function faults(): Promise<unknown[]> {
  const { rows } = await sql<{ fault: string }>`
    select 'two trades at once in ' || a.symbol || ': ' || concat_ws(' ', a.status, a.opened_at, a.closed_at, a.exit_reason, 'and', b.status, b.opened_at, b.closed_at, b.exit_reason) as fault from trades a join trades b on a.bot_id = b.bot_id and a.symbol = b.symbol and a.id < b.id
      where a.entry_price is not null and b.entry_price is not null
        and a.opened_at < coalesce(b.closed_at, 'infinity') and b.opened_at < coalesce(a.closed_at, 'infinity')
    union all
    select 'figures do not add up for ' || f.bot_id from bot_figures f
      join (select bot_id, count(*) n, sum(profit) p, sum(fees) c from trades where status = 'closed' group by bot_id) t on t.bot_id = f.bot_id
      where f.trades <> t.n or f.realized_pnl <> t.p or f.fees <> t.c
    union all
    select 'closed trades without figures' where exists (select 1 from trades t where t.status = 'closed' and not exists (select 1 from bot_figures f where f.bot_id = t.bot_id))
    union all
    select 'a filled order without its fill: ' || o.client_order_id from orders o where o.status = 'filled'
      and (o.filled <> o.requested or coalesce((select sum(l.amount) from fills l where l.order_id = o.id), 0) <> o.filled)
    union all
    select 'a closed trade that is not flat: ' || t.id from trades t where t.status = 'closed'
      and (select sum(case o.side when 'sell' then -l.amount else l.amount end) from orders o join fills l on l.order_id = o.id where o.trade_id = t.id) <> 0
    union all
    select 'an open order of a trade that is over: ' || o.client_order_id from orders o join trades t on t.id = o.trade_id where o.status = 'open' and t.status <> 'open'
    union all
    select 'a trade without its snapshot: ' || t.id from (select *, xmin as closed_in from trades) t where t.status = 'closed'
      and not exists (select 1 from snapshots_written w join pnl_snapshots s on s.bot_id = w.bot_id and s.taken_at = w.taken_at
        where w.bot_id = t.bot_id and w.written_in = t.closed_in and w.taken_at >= t.closed_at)
    union all
    select 'the newest snapshot is not what the trades add up to: ' || f.bot_id from bot_figures f
      where f.realized_pnl <> (select s.realized_pnl from pnl_snapshots s where s.bot_id = f.bot_id order by s.taken_at desc limit 1)`.execute(
    db,
  );
  return rows.map(({ fault }) => fault);
}

test(
  `a runner killed at ${kills} random moments continues with every trade as it was; none is doubled or lost`,
  { timeout: 600_000 + kills * 30_000 },
  async () => {
    // Trades that last a minute or two of market, a second here: most kills hit one being opened or closed.
    const busy = { strategy: 'BuyAndHold', stakeAmount: 50, maxOpenTrades: 4, symbols: ['BTC/USDT', 'ETH/USDT', 'XRP/USDT', 'SOL/USDT'] };
    await addTestBot(db, { ...busy, nickname: 'market orders', minimalRoi: { 0: 10, 1: -1 }, orderType: 'market' });
    await addTestBot(db, { ...busy, nickname: 'two minutes', minimalRoi: { 0: 0.0005, 2: -1 } });
    await addTestBot(db, { ...busy, nickname: 'long holds', minimalRoi: { 0: 10, 30: -1 }, stoploss: -0.001 });

    let continued = 0;
    let closed = 0;
    // The test has done its work only if trades were alive across the kills: on a slow machine that takes more of them.
    for (let round = 1; round <= kills || ((closed <= kills / 2 || continued <= kills / 5) && round <= 4 * kills); round++) {
      const before = await openTrades();
      child = start();
      let errors = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
      const ended = once(child, 'exit');
      await Promise.race([once(child.stdout ?? child, 'data'), ended]);
      expect(child.exitCode, errors).toBeNull();
      // Once the asked-for kills are done, each round leaves more time: on a slow machine nothing closes in a second.
      await sleep(100 + Math.random() * 1_400 * Math.max(1, (2 * round) / kills - 1));
      child.kill('SIGKILL');
      await ended;
      await sleep(20); // the database notices that its clients are gone
      expect(await faults(), `after kill ${round}`).toEqual([]);

      // Each trade that was open is still the same trade: open with the same entry, or closed since.
      const after = new Map((await openTrades()).map((trade) => [trade.id, trade]));
      for (const trade of before) {
        const now = await db.selectFrom('trades').selectAll().where('id', '=', trade.id).executeTakeFirstOrThrow();
        expect(now.openedAt, `after kill ${round}`).toEqual(trade.openedAt);
        if (trade.entryPrice !== null) expect(now.entryPrice).toBe(trade.entryPrice);
        if (trade.entryPrice !== null && now.status === 'open') {
          expect(now.amount).toBe(trade.amount);
          expect(Number(now.engineState['maxRate'])).toBeGreaterThanOrEqual(Number(trade.engineState['maxRate']));
          expect(Number(now.engineState['stop'])).toBeGreaterThanOrEqual(Number(trade.engineState['stop']));
        }
        if (after.has(trade.id)) continued += 1;
      }
      closed = Number((await sql<{ n: string }>`select count(*) as n from trades where status = 'closed'`.execute(db)).rows[0]?.n);
    }
    expect(closed).toBeGreaterThan(kills / 2);
    expect(continued).toBeGreaterThan(kills / 5);
  },
);
