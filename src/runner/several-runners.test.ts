import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { minuteMs } from '#engine/market/durations.ts';
import { freshDatabase } from '../../test/support/fresh-database.ts';
import { startMarket } from '../../test/support/market.ts';
import { runSize } from '../../test/support/run-size.ts';
import { addTestBot } from '../../test/support/test-bot.ts';

const { size: rounds } = runSize(1);
// The market hardly moves by itself: a candle closes when the test says so. A bot that is taken over decides on the newest candle only,
// so that no two may close before another runner has it, however long that takes.
const factor = 0.2;
const bots = 6;
const { db, url } = await freshDatabase();
const market = await startMarket(factor);
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

async function start(): Promise<ChildProcess> {
  const script = join(import.meta.dirname, '../../test/support/runner-process.ts');
  const clock = [market.now(), Date.now(), factor].map(String);
  const child = spawn(process.execPath, [script, url, market.sandbox.url, ...clock], { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  children.add(child);
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  children.delete(child);
}

/** How many bots each living runner holds, by the process id in its name. */
async function held(): Promise<Map<number, number>> {
  const { rows } = await sql<{ pid: number; n: number }>`
    select substring(r.host from '\\d+$')::int as pid, count(b.id)::int as n
    from runners r left join bots b on b.runner_id = r.id where r.expires_at > now() group by r.host`.execute(db);
  return new Map(rows.map(({ pid, n }) => [pid, n]));
}
const share = (...of: [ChildProcess, number][]) =>
  expect
    .poll(async () => Object.fromEntries(await held()), { interval: 100 })
    .toEqual(Object.fromEntries(of.map(([child, n]) => [child.pid, n])));

interface Decided {
  symbol: string;
  times: number[]; // candles, in time order
  bot: string;
}
async function decided(): Promise<Decided[]> {
  const { rows } = await sql<{ bot: string; symbol: string; times: string[] }>`
    select bot_id as bot, symbol, array_agg(extract(epoch from candle_time) * 1000 order by candle_time)::text[] as times
    from decisions group by bot_id, symbol`.execute(db);
  return rows.map((row) => ({ ...row, times: row.times.map(Number) }));
}

/** The market comes to the next full minute, and a second beyond. */
function closeCandle(): void {
  market.sandbox.clock.advance(minuteMs + 1_000 - (market.now() % minuteMs));
  const clock = { marketTime: market.now(), machineTime: Date.now() };
  for (const child of children) if (child.connected) child.send(clock);
}

/** A candle closes, `change` is done, and every bot decides on the candle. */
async function whileCandleCloses(change: () => Promise<unknown> = async () => undefined): Promise<void> {
  closeCandle();
  await change();
  const newest = Math.floor(market.now() / minuteMs) * minuteMs - minuteMs;
  await expect
    .poll(async () => (await decided()).filter(({ times }) => (times.at(-1) ?? 0) >= newest).length, { interval: 100 })
    .toBe(bots);
}

/** Each candle since the first has exactly one decision. */
async function faults(): Promise<string[]> {
  return (await decided()).flatMap(({ bot, times }) =>
    times.flatMap((time, i) =>
      i === 0 || time - (times[i - 1] ?? 0) === minuteMs ? [] : [`${bot}: ${times[i - 1]} is followed by ${time}`],
    ),
  );
}

test(
  'runners share the bots; one that is frozen or stopped is followed by another, and every candle has its one decision',
  { timeout: 400_000 + rounds * 1_200_000 },
  async () => {
    for (let i = 0; i < bots; i++) await addTestBot(db, { strategy: 'EmaCross', nickname: `bot ${i}`, symbols: ['BTC/USDT'] });
    let first = await start();
    await share([first, bots]);
    await whileCandleCloses();
    for (let round = 1; round <= rounds; round++) {
      // One joins: each has its half.
      let second = first;
      await whileCandleCloses(async () => {
        second = await start();
        await share([first, bots / 2], [second, bots / 2]);
      });
      await whileCandleCloses();

      // Rolling restart: each is stopped and replaced while the other works.
      await whileCandleCloses(async () => {
        await end(first);
        await share([second, bots]);
      });
      await whileCandleCloses(async () => {
        first = await start();
        await share([first, bots / 2], [second, bots / 2]);
      });
      await whileCandleCloses(async () => {
        await end(second);
        second = await start();
        await share([first, bots / 2], [second, bots / 2]);
      });
      await whileCandleCloses();
      expect(await faults(), `round ${round}, after the rolling restart`).toEqual([]);

      // One freezes: the other has all bots after the lease, also the candles that closed meanwhile.
      second.kill('SIGSTOP');
      await whileCandleCloses(() => share([first, bots]));
      await whileCandleCloses();
      await whileCandleCloses(async () => {
        second.kill('SIGCONT'); // it finds its lease gone, and writes nothing for what it held
        await share([first, bots / 2], [second, bots / 2]);
      });
      await whileCandleCloses();
      expect(await faults(), `round ${round}, after the freeze`).toEqual([]);
      await end(second);
      await share([first, bots]);
    }
    await end(first);
    expect((await held()).size).toBe(0);
  },
);
