// What trades made, by each grouping, over all of 200,000 closed trades of a year and over a month, beside running bots; and whether
// the sums are those of the rows.
import type { profitGroupings } from '#contract/profits.ts';
import { compare, fromText, plus, toText, zero } from '#engine/market/decimal.ts';
import { keepTraderSums } from '#storage/fund/trader-sums.ts';
import { sql } from 'kysely';
import { evenLoad } from './support/even-load.ts';
import { quantile, row } from './support/figures.ts';
import { addLongUse } from './support/many-trades.ts';
import { startProduct } from './support/product.ts';

const times = Number(process.env['TIMES'] ?? 20);
const perSecond = Number(process.env['PER_SECOND'] ?? 1);
const [traders, bots, trades, days] = [50, 500, Number(process.env['TRADES'] ?? 200_000), 365];
const mostMs = 300;
const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);

const product = await startProduct({
  bots: Number(process.env['BOTS'] ?? 100),
  people: 1,
  others: ['t7@example.com'],
  seed: async (db, passwordHash) => {
    await addLongUse(db, { traders, bots, trades, days }, passwordHash);
    await sql`
      update trades set entry_tag = 'tag ' || n % 12, exit_reason = 'reason ' || n % 7, strategy_version = 1 + n % 5
      from (select id as trade, row_number() over () as n from trades) numbered where id = trade and status = 'closed'`.execute(db);
    await sql`vacuum full trades`.execute(db); // every row has been changed, which no year of use does
    await keepTraderSums(db); // as the web part does within a minute
    await sql`vacuum analyze`.execute(db);
  },
});
try {
  const { url, db } = product;
  const [admin = '', trader = ''] = product.cookies;
  const calls = (['bot', 'pair', 'version', 'reason', 'day'] satisfies (typeof profitGroupings)[number][]).flatMap((group) => [
    { name: `of all, all trades by ${group}`, path: `/profits?group=${group}`, cookie: admin },
    { name: `of all, a month by ${group}`, path: `/profits?group=${group}&from=${monthAgo}`, cookie: admin },
    { name: `of one trader, all trades by ${group}`, path: `/profits?group=${group}`, cookie: trader },
  ]);
  const requests = calls.map(({ path, cookie }) => ({ path: `/api${path}`, headers: { cookie, 'accept-encoding': 'gzip' } }));
  const load = (rounds: number) => evenLoad({ url, requests, connections: 10, perSecond, seconds: (rounds * requests.length) / perSecond });
  await load(1); // what is loaded once, and what is compiled
  const { byRequest, refusals } = await load(times);
  const missed = calls.filter(({ name }, i) => {
    const took = byRequest[i] ?? [];
    const [p50, p95, longest] = [quantile(took, 0.5), quantile(took, 0.95), Math.max(...took)].map(Math.round) as [number, number, number];
    const isMissed = refusals.has(i) || p95 > mostMs;
    const figure = refusals.has(i) ? `answered ${refusals.get(i)}` : `${p50} / ${p95} / ${longest} ms`;
    row(`${isMissed ? 'MISSED ' : ''}${name}`, figure, `p50, p95, longest: p95 under ${mostMs} ms`);
    return isMissed;
  });
  row('missed', String(missed.length), 'none');

  // Of calls one after the other: what it costs depends less on what else the machine does.
  for (const [i, { name }] of calls.entries()) {
    const { path, headers } = requests[i] ?? { path: '', headers: {} };
    const alone = 10;
    const before = product.databaseCpuMs();
    await product.measured('web');
    for (let n = 0; n < alone; n++) await (await fetch(url + path, { headers })).arrayBuffer();
    const { cpuMs } = await product.measured('web');
    const database = product.databaseCpuMs() - before;
    row(
      name,
      `${Math.round(cpuMs / alone)} + ${Math.round(database / alone)} ms`,
      'processor time of web + database, running bots among it',
    );
  }

  const to = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10); // days that are over: no bot closes a trade meanwhile
  const reply = await fetch(`${url}/api/profits?group=bot&to=${to}`, { headers: { cookie: admin } });
  const { ledgers } = (await reply.json()) as { ledgers: { mode: string; figures: { profit: string } }[] };
  const { rows } = await sql<{ mode: string; profit: string }>`
    select mode, trim_scale(profit)::text as profit from trades where status = 'closed' and closed_at < (${to}::date + 1)::timestamp at time zone 'UTC'`.execute(
    db,
  );
  const naive = (mode: string) =>
    toText(rows.reduce((sum: typeof zero, each) => (each.mode === mode ? plus(sum, fromText(each.profit)) : sum), zero));
  const differing = ledgers.filter(({ mode, figures }) => compare(fromText(naive(mode)), fromText(figures.profit)) !== 0);
  row(`sums of ${rows.length} trades that differ from their rows`, String(differing.length), 'none');
} finally {
  await product.stop();
}
