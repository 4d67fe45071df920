// Strategies of files: what a process of one costs, what a row there and back takes, and what those that go wrong cost 200 other bots.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startSandbox } from '#sandbox/sandbox.ts';
import { setBotStatus } from '#storage/bots/bots.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { sliceColumns } from '#engine/market/candle.ts';
import { swingingCandles } from '#strategy-process/testing/candles.ts';
import { SentCandles } from '#strategy-process/wire/sent-candles.ts';
import { StrategyProcess } from '#strategy-process/strategy-process.ts';
import type { StrategyParts } from '#strategy-process/testing/strategy-text.ts';
import { strategyText } from '#strategy-process/testing/strategy-text.ts';
import { addTestBot } from '../test/support/test-bot.ts';
import { giveCode } from '../test/support/test-code.ts';
import { quantile, row } from './support/figures.ts';
import { newInstance } from './support/instance.ts';

const processes = Number(process.env['PROCESSES'] ?? 50);
const bots = Number(process.env['BOTS'] ?? 200);
const minutes = Number(process.env['MINUTES'] ?? 3);

await measureIdle();
await measureRows();
await measureBeside();

/** So many processes that wait: what each adds to the memory of the machine, and how long it took to start. */
async function measureIdle(): Promise<void> {
  const all: StrategyProcess[] = [];
  const startMs: number[] = [];
  try {
    for (let i = 0; i < processes; i++) {
      const one = new StrategyProcess({ node: process.execPath, walls: wallsOfSystem(), folder: null });
      const since = performance.now();
      await one.ask('load', { source: { files: { 'mine.ts': strategyText() }, file: 'mine.ts' } }, 60_000);
      startMs.push(performance.now() - since);
      all.push(one);
    }
    await sleep(2_000);
    const own = all.map(({ pid }) => memoryOf(pid ?? 0, 'Pss') / 1024);
    const resident = all.map(({ pid }) => memoryOf(pid ?? 0, 'Rss') / 1024);
    row(`${processes} idle processes, memory of each (its share of what is shared)`, `${quantile(own, 0.5).toFixed(0)} MB`, 'under 60 MB');
    row('the same with all it shares with the others', `${quantile(resident, 0.5).toFixed(0)} MB`, 'no promise');
    row(
      'start of one to its first answer, p50 / p99',
      `${quantile(startMs, 0.5).toFixed(0)} / ${quantile(startMs, 0.99).toFixed(0)} ms`,
      'no promise',
    );
  } finally {
    await Promise.all(all.map((one) => one.end()));
  }
}

function memoryOf(pid: number, name: 'Pss' | 'Rss'): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'mu').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
}

/** The row of each new candle of a window, sent whole as before and sent once; side by side, in the same process. */
async function measureRows(): Promise<void> {
  const [pairs, size, rounds] = [20, 1_000, 100];
  const all = swingingCandles(size + rounds);
  const one = new StrategyProcess({ node: process.execPath, walls: wallsOfSystem(), folder: null });
  const took = { whole: [] as number[], once: [] as number[] };
  const bytes = { whole: 0, once: 0 };
  const sent = { whole: new SentCandles(), once: new SentCandles() };
  try {
    await one.ask('load', { source: { files: { 'mine.ts': strategyText() }, file: 'mine.ts' } }, 60_000);
    for (let round = 0; round < rounds; round++)
      for (let pair = 0; pair < pairs; pair++)
        for (const way of ['whole', 'once'] as const) {
          const candles = sliceColumns(all, round, round + size);
          const asked = { own: { candles, ...(way === 'once' ? { series: `pair ${pair}` } : {}) } };
          if (round > 0) bytes[way] += sent[way].next(asked).body.length;
          else sent[way].next(asked);
          const since = performance.now();
          await one.ask('row', { exportName: 'default', parameters: { period: 10 }, symbol: 'BTC/USDT' }, 10_000, asked);
          if (round > 0) took[way].push(performance.now() - since);
        }
  } finally {
    await one.end();
  }
  const rows = (rounds - 1) * pairs;
  for (const way of ['whole', 'once'] as const)
    row(
      `a row of ${size} candles there and back, ${way === 'whole' ? 'sent whole' : 'candles sent once'}, p50 / p99`,
      `${quantile(took[way], 0.5).toFixed(2)} / ${quantile(took[way], 0.99).toFixed(2)} ms, ${Math.round(bytes[way] / rows)} bytes`,
      'side by side',
    );
}

/** The delay of decisions of other bots, first without and then beside strategies that go wrong at every candle. */
async function measureBeside(): Promise<void> {
  const wrong: Record<string, StrategyParts> = {
    loops: { compute: 'for (;;);' },
    throws: { compute: `throw new Error('no idea');` },
    eats: { compute: 'const all = []; for (;;) all.push(new Float64Array(1e6).fill(1));' },
    prints: { compute: `const line = 'x'.repeat(1e6); for (let i = 0; i < 1000; i++) console.log(line);` },
  };
  const instance = await newInstance();
  const { db } = instance;
  const sandbox = await startSandbox({});
  const now = Date.now();
  const words = ['test/support/runner-process.ts', instance.server.url, sandbox.url, String(now), String(now), '1'];
  let runner: ReturnType<typeof spawn> | null = null;
  try {
    const strategies = ['EmaCross', 'RsiReversal', 'MacdTrend', 'SuperTrendFollower'];
    const pairs = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
    for (let i = 0; i < bots; i++) await addTestBot(db, { strategy: strategies[i % 4] ?? '', nickname: `bot ${i}`, symbols: pairs });
    const bad: string[] = [];
    for (const [name, parts] of Object.entries(wrong)) {
      const id = await addTestBot(db, { strategy: 'BuyAndHold', nickname: name, symbols: pairs, status: 'stopped' });
      await giveCode(db, id, strategyText(parts));
      bad.push(id);
    }
    runner = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'ignore'] });
    const running = async () => (await sql`select 1 from bot_vitals where last_tick_at > now() - interval '20 s'`.execute(db)).rows.length;
    while ((await running()) < bots) await sleep(500);
    const delays = async (): Promise<number[]> => {
      await sleep(70_000 - (Date.now() % 60_000)); // past the next close: what has just begun is not measured
      const from = new Date(Math.floor(Date.now() / 60_000) * 60_000);
      await sleep(minutes * 60_000);
      const { rows } = await sql<{ late: string }>`
        select extract(epoch from decided_at - min(decided_at) over (partition by candle_time, symbol)) * 1000 as late from decisions d
        where candle_time >= ${from} and candle_time < ${new Date(from.getTime() + (minutes - 1) * 60_000)} and not bot_id = any(${bad})`.execute(
        db,
      );
      return rows.map(({ late }) => Number(late));
    };
    const text = (values: readonly number[]) =>
      `${quantile(values, 0.5).toFixed(0)} / ${quantile(values, 0.99).toFixed(0)} ms of ${values.length}`;
    row(`${bots} bots, a symbol's close received to decision, p50 / p99`, text(await delays()), 'side by side');
    for (const id of bad) await setBotStatus(db, id, 'active');
    row(`the same beside ${bad.length} bots whose strategy loops, throws, eats memory, prints`, text(await delays()), 'as without them');
  } finally {
    runner?.kill('SIGKILL');
    await sandbox.close();
    await instance.remove();
  }
}
