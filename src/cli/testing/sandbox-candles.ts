import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Candle } from '#engine/market/candle.ts';
import { Market } from '#sandbox/market/market.ts';

const market = new Market(11, 0, []);

/** Candles of the simulated market, the same on every machine. */
export function sandboxCandles(base: string, marketType: 'spot' | 'futures', from: number, count: number, stepMs: number): Candle[] {
  const pair = market.pair(marketType, `${base}USDT`);
  if (pair === undefined) throw new Error(`The simulated market has no ${base}USDT`);
  const [tick, step] = [10 ** pair.decimals, 10 ** pair.amountDecimals];
  return Array.from({ length: count }, (_, i) => {
    const openTime = from + i * stepMs;
    const candle = market.candle(pair, openTime, stepMs, from + (count + 1) * stepMs);
    if (candle === null) throw new Error(`Nothing was traded at ${openTime}`);
    const { open, high, low, close, volume } = candle;
    return { openTime, open: open / tick, high: high / tick, low: low / tick, close: close / tick, volume: volume / step };
  });
}

/** The text of a candle file. */
export function csvOf(candles: readonly Candle[]): string {
  const rows = candles.map(({ openTime, open, high, low, close, volume }) => [openTime, open, high, low, close, volume].join(','));
  return ['timestamp,open,high,low,close,volume', ...rows, ''].join('\n');
}

/** Writes a file below a folder, zipped when its name says so. */
export function writeTo(folder: string, name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(content) : content);
  return file;
}
