import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandboxProcess } from '#cli/download/sandbox-process.ts';
import { importFreqtradeCommand } from '#cli/import-freqtrade/import-freqtrade-command.ts';
import { readConfig } from '#processes/config.ts';
import { enterBuiltInStrategies } from '#runner/built-in-strategies.ts';
import { listBots } from '#storage/bots/bots.ts';
import { type Database, openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import { migrate } from '#storage/migrate.ts';
import { closedProfits } from '#storage/profits/profits.ts';
import { addUser } from '#storage/users/users.ts';

// Databases that freqtrade's own classes have written, imported: the figures that freqtrade itself gives (its answer to /profit, and its
// trades) are those of the bot, to the last decimal that is stored.

const python = process.env['FLOTILLA_PYTHON'] ?? 'python3';
const hasFreqtrade = spawnSync(python, ['-c', 'import freqtrade.persistence'], { stdio: 'ignore' }).status === 0;
const name = hasFreqtrade
  ? 'histories of freqtrade'
  : `histories of freqtrade (skipped: ${python} has no freqtrade; FLOTILLA_PYTHON can name one that has)`;
const script = join(import.meta.dirname, 'history.py');

/** What freqtrade says of a database. */
interface Theirs {
  statistics: Record<'profit_closed_coin' | 'profit_closed_ratio_sum' | 'closed_trade_count' | 'winning_trades' | 'losing_trades', number>;
  trades: {
    id: number;
    pair: string;
    isShort: boolean;
    profitAbs: number;
    profitRatio: number;
    funding: number;
    open: number;
    close: number;
  }[];
  open: number[];
  pairs: Record<string, number>;
}

let folder = '';
let db: Database;
let server: Awaited<ReturnType<typeof startEmbeddedServer>>;
let sandbox: Awaited<ReturnType<typeof startSandboxProcess>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-history-'));
  if (!hasFreqtrade) return;
  server = await startEmbeddedServer(join(folder, 'server'));
  db = openDatabase(server.url);
  await migrate(db);
  await enterBuiltInStrategies(db);
  await addUser(db, { email: 'mira@example.com', passwordHash: 'none', role: 'trader', verified: true });
  sandbox = await startSandboxProcess();
}, 600_000);
afterAll(async () => {
  if (hasFreqtrade) {
    await sandbox.stop();
    await db.destroy();
    await server.stop();
  }
  rmSync(folder, { recursive: true, force: true });
}, 600_000);

async function imported(mode: 'spot' | 'futures', file: string): Promise<string[]> {
  const config = join(folder, `${mode}.json`);
  const exchange = { name: 'binance', pair_whitelist: [mode === 'spot' ? 'BTC/USDT' : 'BTC/USDT:USDT'] };
  const bot = { stake_currency: 'USDT', stake_amount: 100, max_open_trades: 3, trading_mode: mode, bot_name: file.slice(-30), exchange };
  writeFileSync(config, JSON.stringify(bot));
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const environment = readConfig({ DATABASE_URL: server.url, FLOTILLA_HOME: home, SANDBOX_URL: sandbox.url }, '/');
  const lines: string[] = [];
  const words = ['--config', config, '--db', file, '--strategy', 'EmaCross', '--owner', 'mira', '--exchange', 'sandbox'];
  await importFreqtradeCommand(words, (line) => void lines.push(line), {
    config: async () => environment,
    startSandbox: startSandboxProcess,
  });
  return lines;
}

/** Money is kept with 18 decimals, and a double of a few cents has more: what differs is below what a sum of doubles is worth. */
const to16 = ({ profitAbs, funding, ...trade }: Theirs['trades'][number]) => ({
  ...trade,
  profitAbs: Number(profitAbs.toFixed(16)),
  funding: Number(funding.toFixed(16)),
});
const to8 = (value: number): number => Number(value.toFixed(8));

describe.skipIf(!hasFreqtrade)(name, () => {
  test.each([
    ['spot', 1],
    ['spot', 2],
    ['futures', 3],
    ['futures', 4],
  ] as const)('%s trades, seed %i, have the figures of freqtrade', { timeout: 600_000 }, async (mode, seed) => {
    await sql`truncate bots, trades, imported_keys, profit_sums, trader_sums, trader_sums_until cascade`.execute(db);
    const file = join(folder, `${mode}-${seed}.sqlite`);
    const { stdout, stderr, status } = spawnSync(python, [script, file, mode, '200', String(seed)], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    const { statistics, trades, open, pairs } = JSON.parse(stdout) as Theirs;
    const lines = await imported(mode, file);
    expect(lines.filter((line) => /^ {2}\d+: /u.test(line)).map((line) => Number(line.trim().split(':')[0]))).toEqual(open);

    const { rows } = await sql<Theirs['trades'][number]>`
      select split_part(k.key, ' ', 2)::int as id, t.symbol as pair, t.direction = 'short' as is_short, t.profit::float8 as profit_abs,
        t.profit_ratio::float8 as profit_ratio, t.funding::float8 as funding,
        (extract(epoch from t.opened_at) * 1000)::float8 as open, (extract(epoch from t.closed_at) * 1000)::float8 as close
      from trades t join imported_keys k on k.key like 'freqtrade % ' || t.symbol || ' ' || t.direction || ' ' || to_char(t.opened_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') || '%'
      order by id`.execute(db);
    expect(rows.map(to16)).toEqual(trades.map(to16));
    // As freqtrade adds them up: in doubles, in the sequence of their ids.
    expect(to8(rows.reduce((sum, { profitAbs: profit }) => sum + profit, 0))).toBe(statistics.profit_closed_coin);
    expect(rows.reduce((sum, { profitRatio: ratio }) => sum + ratio, 0)).toBe(statistics.profit_closed_ratio_sum);

    const [bot] = await listBots(db);
    expect(bot).toMatchObject({ trades: statistics.closed_trade_count, wins: statistics.winning_trades, losses: statistics.losing_trades });
    expect(to8(Number(bot?.importedPnl))).toBe(statistics.profit_closed_coin);
    const by = await closedProfits(db, { ownerId: null, from: null, to: null }, 'pair');
    const ours = by.groups.map(({ key, profit }) => [key, to8(Number(profit))] as const);
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(Object.entries(pairs).map(([pair, profit]) => [pair, to8(profit)])));
    console.info(`${mode}, seed ${seed}: ${trades.length} trades, ${statistics.profit_closed_coin} USDT, equal`);
  });

  test('a freqtrade that runs and writes is read again and again: each trade once', { timeout: 600_000 }, async () => {
    await sql`truncate bots, trades, imported_keys cascade`.execute(db);
    const file = join(folder, 'running.sqlite');
    const running = spawn(python, [script, file, 'futures', '50', '5', '--keep-open', '15'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(running, 'exit');
    for await (const line of createInterface({ input: running.stdout })) if (line === 'ready') break;
    const counts: number[] = [];
    for (let isOver = false; !isOver;) {
      await imported('futures', file);
      counts.push((await listBots(db))[0]?.trades ?? 0);
      isOver = running.exitCode !== null;
    }
    await ended;
    await imported('futures', file);
    const source = new DatabaseSync(file, { readOnly: true });
    const there = source.prepare('select count(*) as count, sum(close_profit_abs) as profit from trades where is_open = 0').get();
    source.close();
    const [bot, ...others] = await listBots(db);
    expect(others).toEqual([]);
    expect(bot?.trades).toBe(there?.['count']);
    expect(Number(bot?.importedPnl)).toBeCloseTo(Number(there?.['profit']), 6);
    expect(counts.toSorted((a, b) => a - b)).toEqual(counts);
    expect(new Set(counts).size).toBeGreaterThan(2);
    console.info(`${counts.length} imports beside a writer: ${counts.join(', ')} trades`);
  });
});
