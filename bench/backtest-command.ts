/**
 * How long a backtest from the command line takes: a year of 1m candles of one pair, from a Feather file and from a zipped
 * CSV file, as a whole command with the start of Node, and its parts, next to the plainest possible loop over the candles.
 *
 * Usage: node bench/backtest-command.ts
 */
import {
  CompressionType,
  compressionRegistry,
  makeVector,
  RecordBatchFileWriter,
  Table,
  Timestamp,
  TimeUnit,
  vectorFromArray,
} from 'apache-arrow';
import { compressFrameSync } from 'lz4-napi';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readRows } from '../src/cli/candles/candle-folder.ts';
import { randomWalk } from '../src/engine/indicators/testing/random-walk.ts';

const minute = 60_000;
const rounds = Number(process.env['ROUNDS'] ?? 5);
const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-'));
const main = join(import.meta.dirname, '..', 'src', 'main.ts');
try {
  const walk = randomWalk({ length: 525_600, seed: 7, stepMs: minute });
  const cut = (column: Float64Array, decimals: number): Float64Array =>
    Float64Array.from(column, (value) => Number(value.toFixed(decimals)));
  const [open, high, low, close] = [walk.open, walk.high, walk.low, walk.close].map((column) => cut(column, 2));
  const volume = cut(walk.volume, 3);
  const files = { feather: join(folder, 'feather', 'BTC_USDT-1m.feather'), csv: join(folder, 'csv', 'BTC_USDT-1m.csv.gz') };
  for (const name of Object.keys(files)) mkdirSync(join(folder, name));
  const rows = Array.from(walk.openTime, (time, i) => `${time},${open[i]},${high[i]},${low[i]},${close[i]},${volume[i]}\n`);
  writeFileSync(files.csv, gzipSync(`timestamp,open,high,low,close,volume\n${rows.join('')}`));
  compressionRegistry.set(CompressionType.LZ4_FRAME, { encode: (data) => compressFrameSync(Buffer.from(data)) });
  const writer = new RecordBatchFileWriter({ compressionType: CompressionType.LZ4_FRAME });
  const date = vectorFromArray([...walk.openTime], new Timestamp(TimeUnit.MILLISECOND, 'UTC'));
  const [o, h, l, c, v] = [open, high, low, close, volume].map((column) => makeVector(column));
  writer.write(new Table({ date, open: o, high: h, low: l, close: c, volume: v }));
  writer.finish();
  writeFileSync(files.feather, await writer.toUint8Array());
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ stake_amount: 100, max_open_trades: 1, fee: 0.001, timeframe: '1m' }));

  for (const [name, file] of Object.entries(files)) {
    const words = ['--strategy', 'EmaCross', '--config', config, '--datadir', join(folder, name), '--pairs', 'BTC/USDT', '--json'];
    const taken: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const begun = performance.now();
      const { stdout, stderr, status } = spawnSync(process.execPath, [main, 'backtest', ...words], {
        encoding: 'utf8',
        maxBuffer: 1e8,
        env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }, // as the scripts start it
      });
      const wholeMs = performance.now() - begun;
      if (status !== 0) throw new Error(stderr);
      if (round === 0) continue; // the first compiles; it is not what a person waits for afterwards
      taken.push(wholeMs);
      const { times, perTrade } = JSON.parse(stdout) as { times: Record<string, number>; perTrade: { tradeCount: number } };
      const parts = Object.entries(times).map(([part, ms]) => `${part.replace('Ms', '')} ${ms.toFixed(0)}`);
      process.stdout.write(`${name}, ${perTrade.tradeCount} trades: whole command ${wholeMs.toFixed(0)} ms (${parts.join(', ')})\n`);
    }
    const middle = taken.toSorted((a, b) => a - b)[taken.length >> 1]!;
    const promise = name === 'feather' ? 'under 500 ms' : 'under 1 s';
    process.stdout.write(
      `${name}: median ${middle.toFixed(0)} ms, ${promise} promised; file ${(statSync(file).size / 1e6).toFixed(1)} MB\n`,
    );
  }

  const candles = await readRows(files.csv);
  let touched = 0;
  const begun = performance.now();
  for (let i = 0; i < candles.high.length; i++) if (candles.high[i] > 150 && candles.low[i] < 50) touched += 1;
  const plainMs = performance.now() - begun;
  process.stdout.write(`plainest loop over the same candles, once: ${plainMs.toFixed(1)} ms${touched < 0 ? '!' : ''}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
