/**
 * How long a backtest from the command line takes: a year of 1m candles of one pair out of a zipped CSV file, as a whole
 * command with the start of Node, and its parts, next to the plainest possible loop over the same candles.
 *
 * Usage: node bench/backtest-command.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readRows } from '../src/command/candle-folder.ts';
import { randomWalk } from '../src/engine/indicators/random-walk.ts';

const minute = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
const program = `
  const { backtestCommand } = await import('${new URL('../src/command/backtest-command.ts', import.meta.url).href}');
  process.exitCode = await backtestCommand(process.argv.slice(1), (line) => void process.stdout.write(line + '\\n'));`;
try {
  const year = randomWalk({ length: 525_600, seed: 7, stepMs: minute });
  const price = (value: number): string => value.toFixed(2);
  const rows = Array.from(
    year.openTime,
    (time, i) =>
      `${time},${price(year.open[i])},${price(year.high[i])},${price(year.low[i])},${price(year.close[i])},${year.volume[i].toFixed(3)}\n`,
  );
  const file = join(folder, 'BTC_USDT-1m.csv.gz');
  writeFileSync(file, gzipSync(`timestamp,open,high,low,close,volume\n${rows.join('')}`));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ stake_amount: 100, max_open_trades: 1, fee: 0.001, timeframe: '1m' }));
  const words = ['--strategy', 'EmaCross', '--config', config, '--datadir', folder, '--pairs', 'BTC/USDT', '--json'];

  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, '--', ...words];
  for (let run = 1; run <= 3; run++) {
    const begun = performance.now();
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e8 });
    const wholeMs = performance.now() - begun;
    if (status !== 0) throw new Error(stderr);
    const { times, perTrade } = JSON.parse(stdout) as { times: Record<string, number>; perTrade: { tradeCount: number } };
    const parts = Object.entries(times).map(([name, ms]) => `${name.replace('Ms', '')} ${ms.toFixed(0)}`);
    process.stdout.write(
      `one pair, 525,600 candles of 1m, ${perTrade.tradeCount} trades: whole command ${wholeMs.toFixed(0)} ms (${parts.join(', ')})\n`,
    );
  }

  const zipped = readFileSync(file).length;
  const { high, low } = await readRows(file);
  let touched = 0;
  const begun = performance.now();
  for (let i = 0; i < high.length; i++) if (high[i] > 150 && low[i] < 50) touched += 1;
  const plainMs = performance.now() - begun;
  process.stdout.write(
    `file ${(zipped / 1e6).toFixed(1)} MB; plainest loop over the same candles, once: ${plainMs.toFixed(1)} ms${touched < 0 ? '!' : ''}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
