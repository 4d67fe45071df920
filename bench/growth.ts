// Thirty days of 2,000 bots with three pairs each in 5m candles: 52 million decisions. How fast more are written then, what
// the screens that read them take, whether they read through indexes, and what removing a day takes.
import { writeAudit } from '#storage/audit/audit-log.ts';
import { addDecisions, removeDecisions } from '#storage/bots/decisions.ts';
import { lastDecisions, weekOfProfit } from '#storage/bots/fleet.ts';
import { keepPartitions } from '#storage/partitions.ts';
import { readBot } from '#storage/bots/running-bots.ts';
import { openDatabase } from '#storage/database.ts';
import { sql } from 'kysely';
import { row } from './support/figures.ts';
import { newInstance } from './support/instance.ts';
import { addManyBots } from './support/many-bots.ts';

const bots = Number(process.env['BOTS'] ?? 2_000);
const days = Number(process.env['DAYS'] ?? 30);
const mostMinutes = Number(process.env['MINUTES'] ?? 8); // of filling; the figures name how much there was

const dayMs = 86_400_000;
const today = Math.floor(Date.now() / dayMs) * dayMs;
const instance = await newInstance();
const db = openDatabase(instance.server.url, { connections: 1 }); // one connection, so that its statistics can be flushed
try {
  await addManyBots(instance.db, bots);
  // As it is a month after the installation: the partition of everything before it is gone.
  for (const table of ['decisions_before', 'pnl_snapshots_before']) await sql`drop table ${sql.id(table)}`.execute(db);
  for (let day = days; day > 0; day--) await keepPartitions(db, new Date(today - day * dayMs));
  const fillStart = performance.now();
  let decisions = 0;
  let filled = 0;
  for (let day = 0; day < days && (performance.now() - fillStart) / 60_000 < mostMinutes; day++) {
    const from = new Date(today - day * dayMs);
    await keepPartitions(db, from);
    // The day of now is full up to now; a gate as often as in the demonstration.
    const { numAffectedRows } = await sql`
      insert into decisions
      select b.id, s.symbol, t.time, case when random() < 0.01 then 'enter' else 'none' end, case when random() < 0.8 then 'no-signal' else 'trend' end,
        jsonb_build_object('close', round((random() * 60000)::numeric, 2), 'enterLong', false, 'enterShort', false, 'rsi', round((random() * 100)::numeric, 4)),
        t.time + interval '5 minutes 120 milliseconds'
      from generate_series(${from}::timestamptz, ${new Date(Math.min(from.getTime() + dayMs, Date.now()) - 300_000)}::timestamptz, interval '5 minutes') as t(time)
      cross join bots b cross join lateral unnest(b.symbols) as s(symbol)`.execute(db);
    await sql`insert into pnl_snapshots select id, 'paper', t.time, random(), 0, 0, 0, 0, 0, 300
      from bots, generate_series(${from}::timestamptz, ${new Date(from.getTime() + dayMs - 1)}::timestamptz, interval '1 hour') as t(time)`.execute(
      db,
    );
    decisions += Number(numAffectedRows);
    filled += 1;
  }
  const seconds = (performance.now() - fillStart) / 1000;
  await sql`insert into audit_log (time, action, result, hash) select now() - n * interval '10 seconds', 'sign-in', 'ok', sha256(n::text::bytea)
    from generate_series(1, 200000) n`.execute(db);
  await sql`vacuum analyze`.execute(db);
  const { rows: sizes } = await sql<{ size: string }>`
    select pg_size_pretty(sum(pg_total_relation_size(inhrelid))) as size from pg_inherits where inhparent = 'decisions'::regclass`.execute(
    db,
  );
  row(
    'decisions there',
    `${(decisions / 1e6).toFixed(1)} million`,
    `${filled} of ${days} days, ${sizes[0]?.size}, made at ${Math.round(decisions / seconds)}/s`,
  );

  // As runners write them: 1,000 at a time, each row from a join with its bot.
  const { rows: pairs } = await sql<{
    id: string;
    epoch: string;
    symbol: string;
  }>`select id, epoch, unnest(symbols) as symbol from bots`.execute(db);
  const next = Math.ceil(Date.now() / 300_000) * 300_000;
  let written = 0;
  const writeStart = performance.now();
  for (let candle = 0; performance.now() - writeStart < 15_000; candle++) {
    const time = next + candle * 300_000;
    for (let from = 0; from < pairs.length; from += 1_000) {
      const seen = { close: 42_000.5, enterLong: false, enterShort: false, rsi: 51.2345 };
      const rows = pairs.slice(from, from + 1_000).map(({ id, epoch, symbol }) => ({
        botId: id,
        epoch,
        symbol,
        candleTime: time,
        action: 'none',
        gate: 'no-signal',
        seen,
        decidedAt: time,
      }));
      await addDecisions(db, rows);
      written += rows.length;
    }
  }
  row(
    'more decisions written, by one connection',
    `${Math.round(written / ((performance.now() - writeStart) / 1000))}/s`,
    '20/s are due on average, 6,000 at each close',
  );

  const [someone] = pairs;
  const owner = await sql<{ id: string }>`select user_id as id from bots limit 1`.execute(db);
  await measure('the fleet: newest decision of every bot', 'decisions', () => lastDecisions(db, null, new Date()));
  await measure('the same for one owner', 'decisions', () => lastDecisions(db, owner.rows[0]?.id ?? '', new Date()));
  const later = new Date(Date.now() + 10 * dayMs);
  for (const each of [8, 10]) await keepPartitions(db, new Date(Date.now() + each * dayMs)); // as the product does every hour
  await measure('the same when none has decided for days', 'decisions', () => lastDecisions(db, null, later));
  await measure('the fleet: a week of profit and loss', 'pnl_snapshots', () => weekOfProfit(db, null, new Date()));
  await measure('a bot as its runner starts it', 'decisions', () => readBot(db, someone?.id ?? ''));
  await measure('a line of the audit log', 'audit_log', () =>
    writeAudit(db, { actorId: null, actorRole: null, action: 'bench', result: 'ok' }),
  );
  const there = async () =>
    Number(
      (await sql<{ n: string }>`select count(*) as n from pg_inherits where inhparent = 'decisions'::regclass`.execute(db)).rows[0]?.n,
    );
  const partitions = await there();
  const removal = performance.now();
  await removeDecisions(db, new Date(today - (filled - 2) * dayMs));
  const took = Math.round(performance.now() - removal);
  row('the oldest day removed', `${took} ms`, `${partitions} partitions before, ${await there()} after`);
} finally {
  await db.destroy();
  await instance.remove();
}

/** The median of five runs, and how many rows were read past the indexes. */
async function measure(what: string, table: string, query: () => Promise<unknown>): Promise<void> {
  await query();
  const before = await rowsScanned(table);
  const took: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    await query();
    took.push(performance.now() - start);
  }
  const scanned = (await rowsScanned(table)) - before;
  row(
    what,
    `${took.toSorted((a, b) => a - b)[2]?.toFixed(1)} ms`,
    scanned === 0 ? 'through indexes alone' : `${scanned} rows read without an index`,
  );
}

async function rowsScanned(table: string): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ n: string }>`
    select coalesce(sum(pg_stat_get_tuples_returned(inhrelid)), 0) as n from pg_inherits where inhparent = ${table}::regclass`.execute(db);
  return Number(rows[0]?.n);
}
