// The API, signed in, on the embedded database, beside 200 running bots: 500 mixed requests a second.
import autocannon from 'autocannon';
import { sql } from 'kysely';
import { row } from './support/figures.ts';
import { startProduct } from './support/product.ts';

const people = 40; // 500 a second are more than one person may ask for
const seconds = Number(process.env['SECONDS_EACH'] ?? 20);
// Thirty was picked on the two-core machine after 20 and 50 were tried, so a latency claim names the number with it.
const connections = Number(process.env['CONNECTIONS'] ?? 30);

const product = await startProduct({ bots: 200, people });
try {
  const { url, cookies } = product;
  const { rows: bots } = await sql<{ id: string; symbols: string[] }>`select id, symbols from bots order by id limit 20`.execute(
    product.db,
  );
  const paths = [
    ...bots.flatMap(({ id, symbols }) => {
      const query = `bot_id=${id}&symbol=${encodeURIComponent(symbols[0] ?? '')}`;
      return [`/api/chart/candles?${query}`, `/api/chart/overlays?${query}`, `/api/metrics/orders?${query}`, `/api/metrics/pnl?${query}`];
    }),
    '/api/auth/me',
    '/api/metrics/available-bots',
    '/api/strategies',
    '/api/status/live',
    '/api/bots',
  ];
  for (const path of paths) await fetch(url + path, { headers: { cookie: cookies[0] ?? '' } }); // everything has been asked for once
  const requests = Array.from({ length: 200 }, (_, i) => ({
    path: paths[i % paths.length] ?? '',
    headers: { cookie: cookies[i % people] ?? '' },
  }));
  const measure = async (name: string): Promise<void> => {
    await product.measured('web'); // begins anew
    const databaseBefore = product.databaseCpuMs();
    const result = await autocannon({ url, connections, duration: seconds, overallRate: 500, requests });
    const { cpuMs } = await product.measured('web');
    row(`${name}: answered`, `${(result.requests.total / seconds).toFixed(0)} /s`, '500 /s');
    row('  p50 / p99', `${result.latency.p50} / ${result.latency.p99} ms`, 'p99 under 100 ms');
    row('  refused or failed', String(result.non2xx + result.errors), 'none');
    const databaseMs = product.databaseCpuMs() - databaseBefore;
    const perCall = (ms: number): string => (ms / result.requests.total).toFixed(2);
    row('  processor time of web / database', `${perCall(cpuMs)} / ${perCall(databaseMs)} ms a call`, 'no promise');
  };
  await measure(`mixed calls beside 200 bots, ${connections} connections`);
  const state = { isRunning: true };
  let runs = 0;
  const backtests = (async () => {
    // A year of minutes, again and again: the first downloads, the others only run.
    for (; state.isRunning; runs++) await product.backtestOfAYear();
  })();
  await measure('the same while backtests of a year of minutes run');
  state.isRunning = false;
  await backtests;
  row('  backtests done meanwhile', String(runs), 'no promise');
} finally {
  await product.stop();
}
