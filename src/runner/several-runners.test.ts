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
// A minute of market is a little over four seconds. A bot that is taken over decides on the newest candle only: one closes within
// the five seconds of a frozen runner's lease, and the next must not before another runner has the bot.
const factor = 14;
const bots = 6;
const { db, url } = await freshDatabase();
const market = await startMarket(factor);
const clock = [market.now(), Date.now(), factor].map(String);
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

async function start(): Promise<ChildProcess> {
  const script = join(import.meta.dirname, '../../test/support/runner-process.ts');
  const child = spawn(process.execPath, [script, url, market.sandbox.url, ...clock], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.add(child);
  await once(child.stdout, 'data');
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
    .poll(async () => Object.fromEntries(await held()), { timeout: 40_000, interval: 100 })
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

/** Every bot has decided on candles up to one that closed after now. */
async function nextCandle(count = 1): Promise<void> {
  const goal = market.now() + (count - 1) * minuteMs;
  await expect
    .poll(async () => (await decided()).filter(({ times }) => (times.at(-1) ?? 0) + minuteMs > goal).length, {
      timeout: 60_000,
      interval: 100,
    })
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
  { timeout: 120_000 + rounds * 120_000 },
  async () => {
    for (let i = 0; i < bots; i++) await addTestBot(db, { strategy: 'EmaCross', nickname: `bot ${i}`, symbols: ['BTC/USDT'] });
    let first = await start();
    await share([first, bots]);
    await nextCandle();
    for (let round = 1; round <= rounds; round++) {
      // One joins: each has its half.
      let second = await start();
      await share([first, bots / 2], [second, bots / 2]);
      await nextCandle();

      // Rolling restart: each is stopped and replaced while the other works.
      await end(first);
      await share([second, bots]);
      first = await start();
      await share([first, bots / 2], [second, bots / 2]);
      await end(second);
      second = await start();
      await share([first, bots / 2], [second, bots / 2]);
      await nextCandle(2);
      expect(await faults(), `round ${round}, after the rolling restart`).toEqual([]);

      // One freezes: the other has all bots after the lease, also the candles that closed meanwhile.
      second.kill('SIGSTOP');
      await share([first, bots]);
      await nextCandle();
      second.kill('SIGCONT'); // it finds its lease gone, and writes nothing for what it held
      await share([first, bots / 2], [second, bots / 2]);
      await nextCandle(2);
      expect(await faults(), `round ${round}, after the freeze`).toEqual([]);
      await end(second);
      await share([first, bots]);
    }
    await end(first);
    expect((await held()).size).toBe(0);
  },
);
