import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Candle } from '#engine/market/candle.ts';
import { csvHeader } from './candle-csv.ts';

/**
 * Writes a candle file (.csv.gz) aside and puts it in the place of the old one: whoever reads sees the old file or the
 * new one, whenever this ends.
 */
export function writeCandleFile(file: string, candles: readonly Candle[]): void {
  const rows = candles.map(({ openTime, open, high, low, close, volume }) => `${openTime},${open},${high},${low},${close},${volume}\n`);
  writeAside(file, gzipSync(`${csvHeader}\n${rows.join('')}`, { level: 4 }));
}

/** Writes a file aside, sees it on the disk, and gives it its name. */
export function writeAside(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}.part`;
  try {
    const descriptor = openSync(aside, 'w');
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}
