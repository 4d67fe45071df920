// Live bots on one runner, each with an account of its own at a sandbox: from the decision on an order to its last byte at the exchange.
//   BOTS=500 FACTOR=1 MINUTES=4 npm run bench live
import { sql } from 'kysely';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, row } from './support/figures.ts';
import { newInstance } from './support/instance.ts';
import { addLiveBots } from './support/live-bots.ts';
import type { OrderMoment } from './support/order-times.ts';
import { readMoments } from './support/order-times.ts';

const bots = Number(process.env['BOTS'] ?? 500);
const factor = Number(process.env['FACTOR'] ?? 1);
const minutes = Number(process.env['MINUTES'] ?? 4); // of this machine

const instance = await newInstance();
const files = { received: join(instance.home, 'received'), sent: join(instance.home, 'sent'), loop: join(instance.home, 'loop') };
const preload = `--import=${new URL('support/timed-requests.ts', import.meta.url).href}`;
const [machineTime, marketTime] = [Date.now(), Date.now()];
mkdirSync(join(instance.home, 'sandbox'));
const sandbox = spawn(
  process.execPath,
  [preload, 'src/sandbox/main.ts', '--folder', join(instance.home, 'sandbox'), '--factor', String(factor), '--start', String(marketTime)],
  { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, MOMENTS_TO: files.received } },
);
const [line] = (await once(sandbox.stdout.setEncoding('utf8'), 'data')) as [string];
const { url } = JSON.parse(line) as { url: string };
const masterKey = randomBytes(32);
let runner: ChildProcess | null = null;
try {
  await addLiveBots(instance.db, bots, url, masterKey);
  const started = performance.now();
  const market = [String(marketTime), String(machineTime), String(factor)];
  runner = spawn(
    process.execPath,
    [
      new URL('support/live-runner.ts', import.meta.url).pathname,
      instance.server.url,
      url,
      ...market,
      masterKey.toString('hex'),
      files.sent,
      files.loop,
    ],
    { stdio: ['ignore', 'ignore', process.env['VERBOSE'] === undefined ? 'ignore' : 'inherit'] },
  );
  const pid = runner.pid ?? 0;
  const count = async (table: string): Promise<number> =>
    Number((await sql<{ n: string }>`select count(*) as n from ${sql.raw(table)}`.execute(instance.db)).rows[0]?.n);
  while ((await count('bot_vitals where last_tick_at is not null')) < bots) {
    if (runner.exitCode !== null) throw new Error('The runner ended before its bots ran; VERBOSE=1 shows why.');
    await sleep(500);
  }
  row(`${bots} live bots with 3 pairs and an account each start`, `${((performance.now() - started) / 1000).toFixed(1)} s`, 'no promise');
  await sleep(65_000); // so that start-up is not measured, nor the minute for which it has used up requests
  process.kill(pid, 'SIGUSR2');
  const cpuBefore = cpuSeconds(pid);
  const measuredFrom = performance.now();
  const from = Number(process.hrtime.bigint()) / 1e6;
  await sleep(minutes * 60_000);
  const cpu = (cpuSeconds(pid) - cpuBefore) / ((performance.now() - measuredFrom) / 1000);
  const before = existsSync(files.loop) ? readFileSync(files.loop, 'utf8') : '';
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(files.loop) || readFileSync(files.loop, 'utf8') === before) await sleep(50);
  const loop = JSON.parse(readFileSync(files.loop, 'utf8')) as { p50: number; p99: number; max: number };
  await sleep(2_000); // what was noted is in the files by then

  // In a quiet market nothing may have been sent: there is no such file then.
  const orders = [...readMoments([files.sent, files.received].filter(existsSync)).values()].filter(
    (each) => (each.get('decided') ?? 0) >= from,
  );
  const sent = orders.filter((each) => each.has('received') && each.has('permit-given'));
  const between = (a: OrderMoment['moment'], b: OrderMoment['moment']): number[] =>
    sent.map((each) => (each.get(b) ?? Number.NaN) - (each.get(a) ?? Number.NaN));
  const line3 = (values: readonly number[]): string =>
    `${quantile(values, 0.5).toFixed(1)} / ${quantile(values, 0.99).toFixed(1)} / ${Math.max(...values).toFixed(0)} ms`;
  if (sent.length === 0) throw new Error('The market brought no order in this time; measure for longer.');
  const written = between('decided', 'written');
  const permit = between('permit-asked', 'permit-given');
  const moments = Map.groupBy(sent, (each) => Math.floor((each.get('decided') ?? 0) / 1_000));
  const most = [...moments.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  row('orders decided on in the busiest second', `${most.length}, of ${moments.size} seconds with any`, '');
  const slowestOf = (isMeant: (orders: number) => boolean): string => {
    const times = [...moments.values()]
      .filter(({ length }) => isMeant(length))
      .flatMap((some) => some.map((each) => (each.get('received') ?? Number.NaN) - (each.get('decided') ?? Number.NaN)));
    return times.length === 0 ? 'no such second' : `${Math.max(...times).toFixed(0)} ms`;
  };
  row('orders decided on / sent', `${orders.length} / ${sent.length}`, 'the rest: withdrawn, or under way at the end');
  row('decision to the last byte at the exchange, p50 / p99 / max', line3(between('decided', 'received')), '');
  row(
    '  the slowest in seconds with up to 14 orders',
    slowestOf((orders) => orders <= 14),
    'under 100 ms',
  );
  row(
    '  the slowest in seconds with up to a hundred',
    slowestOf((orders) => orders <= 100),
    'under 750 ms',
  );
  row('  of which ours: step, commit and permit', line3(written.map((ms, i) => ms + (permit[i] ?? Number.NaN))), '');
  row('    the step and its commit', line3(written), '');
  row('    the permit to send it', line3(permit), '');
  for (const [second, some] of process.env['VERBOSE'] === undefined ? [] : [...moments].toSorted(([a], [b]) => a - b))
    row(
      `    second ${second}: ${some.length} orders, until written / permit / all`,
      (
        [
          ['decided', 'written'],
          ['permit-asked', 'permit-given'],
          ['decided', 'received'],
        ] as const
      )
        .map(([a, b]) => Math.max(...some.map((each) => (each.get(b) ?? Number.NaN) - (each.get(a) ?? Number.NaN))).toFixed(0))
        .join(' / '),
      'the slowest',
    );
  row('  margin mode and leverage set first, or waited for its turn', line3(between('written', 'permit-asked')), 'by the exchange');
  row('  from the permit to the exchange', line3(between('permit-given', 'received')), 'signing, budget, network');
  row(
    'delay of the event loop, p50 / p99 / max',
    `${loop.p50.toFixed(1)} / ${loop.p99.toFixed(1)} / ${loop.max.toFixed(0)} ms`,
    'p99 under 50 ms',
  );
  row('memory of the runner', `${memoryMb(pid).toFixed(0)} MB`, 'under 1 GB');
  row('processor time of the runner', `${(cpu * 100).toFixed(0)} % of a core`, 'under 60 %');
  row(
    'trades closed / bots with an error',
    `${await count("trades where status = 'closed'")} / ${await count('bot_vitals where last_error is not null')}`,
    'no promise',
  );
  if (process.env['VERBOSE'] !== undefined)
    for (const { error, n } of (
      await sql<{
        error: string;
        n: string;
      }>`select left(last_error, 200) as error, count(*) as n from bot_vitals where last_error is not null group by 1`.execute(instance.db)
    ).rows)
      process.stdout.write(`${n} x ${error}\n`);
} finally {
  runner?.kill('SIGKILL');
  sandbox.kill('SIGKILL');
  await instance.remove();
}

function memoryMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
