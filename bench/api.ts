// The API, signed in, on the embedded database, beside 200 running bots: 500 mixed requests a second.
import autocannon from 'autocannon';
import { sql } from 'kysely';
import { evenLoad } from './support/even-load.ts';
import { quantile, row } from './support/figures.ts';
import { startProduct } from './support/product.ts';

const people = 40; // 500 a second are more than one person may ask for
const perSecond = 500;
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

  /** Evenly, as many people with a screen each ask. */
  const evenly = async () => {
    const { answered, failed, latenciesMs } = await evenLoad({ url, requests, connections, perSecond, seconds });
    return { answered, failed, p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99), calls: latenciesMs.length };
  };
  /** In bursts: autocannon sends the calls of a second at its beginning, each connection one after the other, and rests. */
  const inBursts = async () => {
    const {
      requests: done,
      latency,
      non2xx,
      errors,
    } = await autocannon({ url, connections, duration: seconds, overallRate: perSecond, requests });
    return { answered: done.total, failed: non2xx + errors, p50: latency.p50, p99: latency.p99, calls: done.total };
  };
  const measure = async (name: string, load: typeof evenly): Promise<void> => {
    await product.measured('web'); // begins again from zero
    const databaseBefore = product.databaseCpuMs();
    const { answered, failed, p50, p99, calls } = await load();
    const { cpuMs, delayMs } = await product.measured('web');
    const perCall = (ms: number): string => (ms / calls).toFixed(2);
    row(`${name}: answered`, `${(answered / seconds).toFixed(0)} /s`, `${perSecond} /s`);
    row('  p50 / p99', `${p50.toFixed(0)} / ${p99.toFixed(0)} ms`, 'p99 under 100 ms');
    row('  refused or failed', String(failed), 'none');
    row('  event loop of web late by, p99 / most', `${delayMs.p99.toFixed(0)} / ${delayMs.max.toFixed(0)} ms`, 'no promise');
    row(
      '  processor time of web / database',
      `${perCall(cpuMs)} / ${perCall(product.databaseCpuMs() - databaseBefore)} ms a call`,
      'no promise',
    );
  };
  // A server that has just started compiles what it runs most while it answers: its first seconds are reported apart, because
  // they alone made the tail of a run come and go.
  const first = await evenLoad({ url, requests, connections, perSecond, seconds: 5 });
  row(
    'first five seconds after the start, p50 / p99',
    `${quantile(first.latenciesMs, 0.5).toFixed(0)} / ${quantile(first.latenciesMs, 0.99).toFixed(0)} ms`,
    'no promise',
  );
  for (let run = 1; run <= 5; run++) await measure(`mixed calls beside 200 bots, ${connections} connections, evenly, run ${run}`, evenly);
  await measure('the same in bursts', inBursts);
  const state = { isRunning: true };
  let runs = 0;
  // The first downloads, so that the simulated exchange makes a year of candles on this machine: no exchange would do that here.
  await product.backtestOfAYear();
  const backtests = (async () => {
    // A year of minutes, again and again.
    for (; state.isRunning; runs++) await product.backtestOfAYear();
  })();
  await measure('evenly, while backtests of a year of minutes run', evenly);
  await measure('in bursts, while backtests of a year of minutes run', inBursts);
  state.isRunning = false;
  await backtests;
  row('  backtests done meanwhile', String(runs), 'no promise');
} finally {
  await product.stop();
}
