import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dayMs, hourMs, minuteMs } from '#engine/market/durations.ts';
import { startSandbox } from '../sandbox.ts';
import { Market } from './market.ts';
import { replayFile } from './replay.ts';

const folder = mkdtempSync(join(tmpdir(), 'replay-'));
const start = Date.UTC(2025, 5, 1);

function fileOf(lines: string[], name = 'candles.csv'): string {
  const file = join(folder, name);
  const text = ['timestamp,open,high,low,close,volume', ...lines].join('\n');
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

const fiveMinutes = Array.from({ length: 12 }, (_, i) => {
  const open = 100 + i;
  return `${start + i * 5 * minuteMs},${open}.5,${open + 3}.25,${open - 2}.1,${open + 1}.7,${1000 + i}.5`;
});

function marketOf(file: string, loop: boolean, playFrom?: number): Market {
  const options = { market: 'spot', base: 'BTC', quote: 'USDT', file, loop, ...(playFrom === undefined ? {} : { playFrom }) } as const;
  return new Market(7, 0, [replayFile(options, Date.UTC(2026, 0, 1))]);
}

describe('a replayed candle file', () => {
  test('has no row on the wire before its first candle, and none that did not happen yet', async () => {
    const file = fileOf(fiveMinutes);
    const sandbox = await startSandbox({
      startTime: start + 12 * minuteMs,
      factor: 0,
      replays: [{ market: 'spot', base: 'BTC', quote: 'USDT', file, loop: false }],
    });
    onTestFinished(() => sandbox.close());
    const answer = await fetch(`${sandbox.url}/api/v3/klines?symbol=BTCUSDT&interval=5m&startTime=${start - hourMs}`);
    const rows = (await answer.json()) as [number, string][];
    expect(rows.map(([time]) => (time - start) / minuteMs)).toEqual([0, 5, 10]);
    expect(rows.map(([, open]) => Number(open))).toEqual([100.5, 101.5, 102.5]);
  });

  test('plays its own candles exactly, also cut into minutes', () => {
    const market = marketOf(fileOf(fiveMinutes, 'candles.csv.gz'), false);
    const pair = market.pair('spot', 'BTCUSDT')!;
    const candle = market.candle(pair, start + 5 * minuteMs, 5 * minuteMs, start + hourMs)!;
    expect(candle).toMatchObject({ open: 10_150, high: 10_425, low: 9_910, close: 10_270, volume: 10_015 });
    const one = market.candle(pair, start + 6 * minuteMs, minuteMs, start + hourMs)!;
    expect(one.high).toBeLessThanOrEqual(candle.high);
    expect(one.low).toBeGreaterThanOrEqual(candle.low);
  });

  test('has nothing before and after it, or repeats without end', () => {
    const once = marketOf(fileOf(fiveMinutes), false);
    const looped = marketOf(fileOf(fiveMinutes), true);
    const candleAt = (market: Market, time: number) => market.candle(market.pair('spot', 'BTCUSDT')!, time, 5 * minuteMs, time + hourMs);
    const [first, last] = [candleAt(once, start), candleAt(once, start + 55 * minuteMs)];
    expect([first, last]).toMatchObject([
      { open: 10_050, close: 10_170 },
      { open: 11_150, close: 11_270 },
    ]);
    for (const time of [start - dayMs, start - 5 * minuteMs, start + hourMs, start + dayMs]) expect(candleAt(once, time)).toBeNull();
    for (const time of [start - dayMs, start - hourMs, start + hourMs, start + dayMs]) {
      expect(candleAt(looped, time)).toEqual({ ...first, openTime: time });
      expect(candleAt(looped, time - 5 * minuteMs)).toEqual({ ...last, openTime: time - 5 * minuteMs });
    }
  });

  test('may have prices of a millionth and less, also as numbers with an exponent', () => {
    const rows = [0, 1].map((i) => `${start + i * 5 * minuteMs},5e-7,6.25E-7,4.5e-7,0.00000055,1e3`);
    const market = marketOf(fileOf(rows, 'tiny.csv'), false);
    const candle = market.candle(market.pair('spot', 'BTCUSDT')!, start, 5 * minuteMs, start + hourMs)!;
    expect(candle).toMatchObject({ open: 500, high: 625, low: 450, close: 550, volume: 1000 });
  });

  test('can be shifted so that a chosen time is played at the start', () => {
    const market = marketOf(fileOf(fiveMinutes), false, start + 10 * minuteMs);
    const played = Date.UTC(2026, 0, 1);
    expect(market.candle(market.pair('spot', 'BTCUSDT')!, played, 5 * minuteMs, played + hourMs)).toMatchObject({ open: 10_250 });
  });

  test('the volume of a candle is shared out among its minutes, nothing lost', () => {
    const market = marketOf(fileOf([0, 5].map((i) => `${start + i * minuteMs},1.5,1.6,1.4,1.5,13`)), false);
    const pair = market.pair('spot', 'BTCUSDT')!;
    const volumes = [0, 1, 2, 3, 4].map((i) => market.candle(pair, start + i * minuteMs, minuteMs, start + hourMs)!.volume);
    expect(volumes.reduce((sum, volume) => sum + volume, 0)).toBe(13);
    expect(Math.max(...volumes) - Math.min(...volumes)).toBeLessThanOrEqual(1);
  });

  test('a minute missing in the file is missing on the wire', () => {
    const lines = [0, 1, 3].map((i) => `${start + i * minuteMs},1.5,1.6,1.4,1.5,10`);
    const market = marketOf(fileOf(lines), false);
    const pair = market.pair('spot', 'BTCUSDT')!;
    expect(market.candle(pair, start + 2 * minuteMs, minuteMs, start + hourMs)).toBeNull();
    expect(market.candle(pair, start + 3 * minuteMs, minuteMs, start + hourMs)).not.toBeNull();
  });

  test.each([
    ['a broken price', ['1748736000000,1,2,0.5,x,3', '1748736060000,1,2,0.5,1,3'], /line 2: a column is not a number/],
    ['a high below the close', ['1748736000000,1,2,0.5,1,3', '1748736060000,1,2,0.5,3,3'], /line 3: high and low do not contain/],
    ['a repeated time', ['1748736000000,1,2,0.5,1,3', '1748736000000,1,2,0.5,1,3'], /line 3: the time is not later/],
    ['a missing column', ['1748736000000,1,2,0.5,1', '1748736060000,1,2,0.5,1,3'], /line 2: 6 columns were expected, 5/],
    ['no candles', [], /fewer than two candles/],
  ])('%s is named with file and line, and nothing starts', async (_name, lines, message) => {
    const file = fileOf(lines, 'broken.csv');
    const starting = startSandbox({ replays: [{ market: 'spot', base: 'BTC', quote: 'USDT', file, loop: true }] });
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toThrow(file);
  });

  test('a file that is not there is named', () => {
    expect(() => marketOf('/nowhere/candles.csv', true)).toThrow(/\/nowhere\/candles\.csv cannot be read/);
  });
});
