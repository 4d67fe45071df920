// Paper bots in one runner process: 2,000 bots with three pairs each, sharing feeds, on a live market.
import { startSandbox } from '#sandbox/sandbox.ts';
import { sql } from 'kysely';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, row } from './support/figures.ts';
import { newInstance } from './support/instance.ts';
import { addManyBots } from './support/many-bots.ts';

const bots = Number(process.env['BOTS'] ?? 2_000);
const minutes = Number(process.env['MINUTES'] ?? 4);

const instance = await newInstance();
const sandbox = await startSandbox({});
try {
  await addManyBots(instance.db, bots);
  const started = performance.now();
  const now = Date.now();
  const runner = spawn(
    process.execPath,
    ['test/support/runner-process.ts', instance.server.url, sandbox.url, String(now), String(now), '1'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const running = async (): Promise<number> =>
    Number(
      (await sql<{ n: string }>`select count(*) as n from bot_vitals where last_tick_at > now() - interval '20 s'`.execute(instance.db))
        .rows[0]?.n,
    );
  while ((await running()) < bots) await sleep(500);
  row(`${bots} bots with 3 pairs each start`, `${((performance.now() - started) / 1000).toFixed(1)} s`, 'no promise');
  await sleep(70_000 - (Date.now() % 60_000)); // past the next close, so that start-up is not measured
  const from = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  const cpuBefore = cpuSeconds(runner.pid ?? 0);
  const measuredFrom = performance.now();
  await sleep(minutes * 60_000);
  const cpu = (cpuSeconds(runner.pid ?? 0) - cpuBefore) / ((performance.now() - measuredFrom) / 1000);
  const memory = memoryMb(runner.pid ?? 0);

  const { rows } = await sql<{ late: string; afterFirst: string }>`
    select extract(epoch from decided_at - candle_time - interval '1 minute') * 1000 as late,
      extract(epoch from decided_at - min(decided_at) over (partition by candle_time, symbol)) * 1000 as after_first
    from decisions where candle_time >= ${from} and candle_time < ${new Date(from.getTime() + (minutes - 1) * 60_000)}`.execute(
    instance.db,
  );
  const late = rows.map((each) => Number(each.late));
  const afterFirst = rows.map((each) => Number(each.afterFirst));
  const trades = await sql<{ n: string }>`select count(*) as n from trades`.execute(instance.db);
  row('decisions in those minutes', String(rows.length), `${bots * 3 * (minutes - 1)} are due`);
  row(
    'a symbol’s close received to decision, p50 / p99',
    `${quantile(afterFirst, 0.5).toFixed(0)} / ${quantile(afterFirst, 0.99).toFixed(0)} ms`,
    'p99 under 250 ms',
  );
  row(
    'candle’s close by the clock to decision, p50 / p99',
    `${quantile(late, 0.5).toFixed(0)} / ${quantile(late, 0.99).toFixed(0)} ms`,
    'the exchange’s own delay included',
  );
  row('memory of the runner', `${memory.toFixed(0)} MB`, 'under 1 GB');
  row('processor time of the runner', `${(cpu * 100).toFixed(0)} % of a core`, 'no promise');
  row('trades made meanwhile', trades.rows[0]?.n ?? '0', 'no promise');
  runner.kill('SIGKILL');
} finally {
  await sandbox.close();
  await instance.remove();
}

function memoryMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
