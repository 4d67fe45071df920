/**
 * Studies of the product: how fast a worker process runs one over a year of 5m candles of one pair, settings only and with signals computed
 * again; what 10,000 epochs take of memory; and what one that never ends does to the decisions of paper bots beside it, in turns with and without it.
 *
 * Usage: node bench/studies.ts; BOTS=200 MINUTES=2 ROUNDS=2
 */
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { dayMs } from '#engine/market/durations.ts';
import type { StudySearch } from '#engine/lab/study-record.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { aPlan } from '#storage/testing/a-backtest.ts';
import { aSearch, aStudy } from '#storage/testing/a-study.ts';
import { addStudy, cancelStudy, requireStudy } from '#storage/studies/studies.ts';
import { quantile, row } from './support/figures.ts';
import { newInstance } from './support/instance.ts';
import { addManyBots } from './support/many-bots.ts';
import { peakOf } from './support/peak-memory.ts';

const bots = Number(process.env['BOTS'] ?? 200);
const minutes = Number(process.env['MINUTES'] ?? 2);
const rounds = Number(process.env['ROUNDS'] ?? 2);

const instance = await newInstance();
const { db } = instance;
const sandbox = await startSandbox({});
const worker = spawn(process.execPath, ['src/main.ts', 'serve', '--role', 'backtests'], {
  env: { ...process.env, DATABASE_URL: instance.server.url, SANDBOX_URL: sandbox.url, FLOTILLA_HOME: instance.home },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const hasBegun = async (id: string): Promise<void> => {
  while ((await requireStudy(db, id)).epochs === 0) await sleep(200);
};
try {
  await enterBuiltInStrategies(db);
  await addManyBots(db, bots);
  const { id: userId } = await db.selectFrom('users').select('id').limit(1).executeTakeFirstOrThrow();
  const { id: strategyId } = await db.selectFrom('strategies').select('id').where('className', '=', 'EmaCross').executeTakeFirstOrThrow();
  const day = (ago: number): string => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
  const plan = { ...aPlan, pairs: ['BTC/USDT'], timeframe: '5m', from: day(366), to: day(2), protections: [] };
  const begin = async (search: Partial<StudySearch>): Promise<string> => {
    const study = aStudy({ userId, strategyId, plan, search: { ...aSearch, sealedShare: null, sampler: 'quasi-random', ...search } });
    return (await addStudy(db, study)) ?? '';
  };
  const [fast, stop] = aSearch.dimensions;
  if (fast === undefined || stop === undefined) throw new Error('There is nothing to search');

  for (const [what, dimensions] of [
    ['settings only', [stop]],
    [
      'signals computed again',
      [
        { ...fast, min: 5, max: 25 },
        { name: 'slowPeriod', space: 'buy', min: 26, max: 60, step: 1 },
      ],
    ],
  ] as [string, StudySearch['dimensions']][]) {
    const id = await begin({ dimensions, epochs: 300 });
    let ended = await requireStudy(db, id);
    for (; ended.finishedAt === null; ended = await requireStudy(db, id)) await sleep(100);
    const seconds = (ended.finishedAt.getTime() - (ended.startedAt?.getTime() ?? 0)) / 1_000;
    row(
      `a year of 5m candles, ${what}`,
      `${Math.round(ended.epochs / seconds)} epochs/s`,
      `load ${loadavg()[0]?.toFixed(1)}; judging included`,
    );
  }

  // A year of days for each of 10,000 epochs, which are judged together.
  const large = await begin({ dimensions: [{ ...stop, min: -0.3, max: -0.001, step: 0.00001 }], epochs: 10_000, sampler: 'tpe' });
  let study = await requireStudy(db, large);
  for (; study.finishedAt === null; study = await requireStudy(db, large)) await sleep(200);
  const took = (study.finishedAt.getTime() - (study.startedAt?.getTime() ?? 0)) / 1_000;
  row(`10,000 epochs, settings only: start to judgement`, `${took.toFixed(0)} s`, `${study.status}; load ${loadavg()[0]?.toFixed(1)}`);
  row('  memory of the worker at most', `${Math.round(peakOf(worker.pid) ?? NaN)} MB`, 'below 1 GB');

  const now = Date.now();
  const runner = spawn(
    process.execPath,
    ['test/support/runner-process.ts', instance.server.url, sandbox.url, String(now), String(now), '1'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const running = async (): Promise<number> =>
    Number(
      (await sql<{ n: string }>`select count(*) as n from bot_vitals where last_tick_at > now() - interval '20 s'`.execute(db)).rows[0]?.n,
    );
  while ((await running()) < bots) await sleep(500);
  const delays: Record<'without' | 'beside', number[]> = { without: [], beside: [] };
  for (let round = 0; round < rounds; round++)
    for (const turn of ['without', 'beside'] as const) {
      const id = turn === 'beside' ? await begin({ epochs: 20_000 }) : null;
      if (id !== null) await hasBegun(id);
      await sleep(62_000 - (Date.now() % 60_000)); // past the next close
      const from = new Date(Math.floor(Date.now() / 60_000) * 60_000);
      const before = id === null ? 0 : (await requireStudy(db, id)).epochs;
      await sleep(minutes * 60_000);
      const { rows } = await sql<{ late: string }>`
        select extract(epoch from decided_at - min(decided_at) over (partition by candle_time, symbol)) * 1000 as late
        from decisions where candle_time >= ${from} and candle_time < ${new Date(from.getTime() + (minutes - 1) * 60_000)}`.execute(db);
      delays[turn].push(...rows.map(({ late }) => Number(late)));
      if (id === null) continue;
      const speed = ((await requireStudy(db, id)).epochs - before) / (minutes * 60);
      row(`round ${round + 1}: the study beside ${bots} bots`, `${speed.toFixed(0)} epochs/s`, `load ${loadavg()[0]?.toFixed(1)}`);
      await db.transaction().execute((trx) => cancelStudy(trx, id));
    }
  const text = (of: number[]): string => `${quantile(of, 0.5).toFixed(0)} / ${quantile(of, 0.99).toFixed(0)} ms (${of.length} decisions)`;
  row('a symbol’s close received to decision, p50 / p99, without a study', text(delays.without), 'side by side');
  row('the same beside a study', text(delays.beside), 'as without it');
  runner.kill('SIGKILL');
} finally {
  worker.kill('SIGTERM');
  await sandbox.close();
  await instance.remove();
}
