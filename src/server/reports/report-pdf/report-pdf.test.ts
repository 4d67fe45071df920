import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClosedOnDay } from '#storage/reports/day-report.ts';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../../test/support/pdf-lines.ts';
import { reportPdf } from './report-pdf.ts';

const day = '2026-03-10';
const now = new Date('2026-03-11T08:00:00Z');

const aTrade = (minute: number, profit: number, changes: Partial<ClosedOnDay> = {}): ClosedOnDay => ({
  id: `trade-${minute}`,
  symbol: 'BTC/USDT',
  botName: 'Breakout Desk',
  direction: 'long',
  mode: 'paper',
  openedAt: new Date('2026-03-09T20:00:00Z'),
  closedAt: new Date(Date.parse(day) + minute * 60_000),
  entryPrice: '81704.2',
  exitPrice: '81904.5',
  stopSize: '0.0084',
  profit: String(profit),
  stakeCurrency: 'USDT',
  isDollar: true,
  exitReason: 'roi',
  confidence: null,
  ...changes,
});

const someTrades = [
  aTrade(135, -6.04, { mode: 'live', symbol: 'ETH/USDT:USDT', entryPrice: '2061.73', exitPrice: '2051.4', exitReason: 'stop_loss' }),
  aTrade(220, 9.47, { confidence: '0.66' }),
  aTrade(371, 8.85, { mode: 'live', direction: 'short', symbol: 'SOL/USDT:USDT', entryPrice: '129.1', exitPrice: '127.95' }),
  aTrade(592, -5.61, { symbol: 'DOGE/USDT', entryPrice: '0.12314', exitPrice: null, exitReason: null }),
];

const pagesOf = (file: Buffer): number => file.toString('latin1').match(/\/Type \/Page\b/gu)?.length ?? 0;

test('OP-65, REP-05, REP-06 one page with the title, the figures of the screen and the trades', async () => {
  const file = await reportPdf(day, someTrades, now);
  expect(file.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pagesOf(file)).toBe(1);
  const lines = linesOf(file);
  expect(lines[0]).toBe('Daily Report 2026-03-10');
  const figures = ['Trades', '4', 'Net PNL', '+$6.67', 'Win Rate', '50.00%', 'Max Drawdown', '$6.04', 'Avg Stop Size', '0.84%'];
  expect(lines.slice(2, 14)).toEqual([...figures, 'Average Confidence', '66.0%']);
  const rows = lines.slice(lines.indexOf('Closed'));
  expect(rows.slice(0, 9)).toEqual(['Closed', 'Mode', 'Bot', 'Symbol', 'Direction', 'Entry', 'Exit', 'Exit Reason', 'PNL']);
  expect(rows.slice(9, 18)).toEqual([
    '02:15:00',
    'live',
    'Breakout Desk',
    'ETH/USDT:USDT',
    'long',
    '2061.73',
    '2051.40',
    'stop_loss',
    '-$6.04',
  ]);
  expect(rows.slice(36, 45)).toEqual(['09:52:00', 'paper', 'Breakout Desk', 'DOGE/USDT', 'long', '0.12314', 'N/A', 'N/A', '-$5.61']);
  expect(rows.length).toBe(45);
  expect(lines).not.toContain('Amounts in other currencies than dollars are not added.');
});

test('REP-06 without a confidence there is no such figure', async () => {
  expect(linesOf(await reportPdf(day, [aTrade(1, 1)], now))).not.toContain('Average Confidence');
});

test('the profit over the day has a line for each mode, with the sum it comes to; they are never added', async () => {
  const lines = linesOf(await reportPdf(day, someTrades, now));
  const sums = lines.slice(lines.indexOf('Net PNL over the Day'), lines.indexOf('Trades of the Day'));
  expect(sums).toEqual(expect.arrayContaining(['live', 'paper', '+$2.81', '+$3.86']));
  expect(sums).not.toContain('testnet');
});

test('amounts in another currency are written in it and not added, and that is said', async () => {
  const lines = linesOf(await reportPdf(day, [aTrade(5, 0.0125, { stakeCurrency: 'BTC', isDollar: false, symbol: 'ETH/BTC' })], now));
  expect(lines).toContain('Amounts in other currencies than dollars are not added.');
  expect(lines).toContain('+0.012500 BTC');
  expect(lines[lines.indexOf('Net PNL') + 1]).toBe('+$0.00');
  expect(lines).toContain('No trade in dollars.');
});

test('a thousand trades stay on one page; those that do not fit are counted', async () => {
  const many = Array.from({ length: 1000 }, (_, i) => aTrade(i, 1));
  const file = await reportPdf(day, many, now);
  expect(pagesOf(file)).toBe(1);
  const lines = linesOf(file);
  const shown = lines.filter((line) => /^\d\d:\d\d:\d\d$/u.test(line)).length;
  expect(shown).toBe(32); // down to the margin
  expect(lines).toContain(`and ${1000 - shown} more, which count in the figures and lines above`);
});

test('a long name is cut, and a letter that the font lacks is a question mark', async () => {
  const lines = linesOf(
    await reportPdf(day, [aTrade(1, 1, { botName: 'Ü 網 (a) \\ b' }), aTrade(2, 1, { botName: 'W'.repeat(200) })], now),
  );
  expect(lines).toContain('Ü ? (a) \\ b');
  expect(lines.find((line) => line.startsWith('WWW'))).toMatch(/^W{8,20}\.\.\.$/u);
});

describe('as a picture', () => {
  const hasRenderer = spawnSync('pdftoppm', ['-v']).error === undefined;

  test('the lines and the text are within the margins, in their colours', async ({ skip }) => {
    if (!hasRenderer) skip('pdftoppm (package poppler-utils) is not installed, so the file is not drawn');
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-pdf-'));
    try {
      writeFileSync(join(folder, 'report.pdf'), await reportPdf(day, someTrades, now));
      execFileSync('pdftoppm', ['-r', '72', '-singlefile', join(folder, 'report.pdf'), join(folder, 'report')]);
      const { width, height, colorAt } = readPicture(readFileSync(join(folder, 'report.ppm')));
      expect([width, height]).toEqual([596, 842]);
      const inked: [number, number][] = [];
      const found = { live: 0, paper: 0 };
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          const color = colorAt(x, y);
          if (color.some((value) => value < 200)) inked.push([x, y]);
          if (y > 165 && y < 315 && x < 490) {
            if (isNear(color, [0xb2, 0x6a, 0x00])) found.live += 1;
            if (isNear(color, [0x64, 0x6b, 0x7d])) found.paper += 1;
          }
        }
      }
      const [xs, ys] = [inked.map(([x]) => x), inked.map(([, y]) => y)];
      expect(xs.reduce((a, b) => Math.min(a, b))).toBeGreaterThanOrEqual(38);
      expect(xs.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(557);
      expect(ys.reduce((a, b) => Math.min(a, b))).toBeGreaterThanOrEqual(38);
      expect(ys.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(802);
      expect(found.live).toBeGreaterThan(200); // the line crosses the day
      expect(found.paper).toBeGreaterThan(200);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function isNear(color: readonly number[], wanted: readonly number[]): boolean {
  return color.every((value, i) => Math.abs(value - (wanted[i] ?? 0)) < 40);
}

/** A picture of the format PPM: 'P6', width, height, 255, then three bytes for each point. */
function readPicture(file: Buffer) {
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/u.exec(file.subarray(0, 40).toString('latin1'));
  const [width, height] = [Number(head?.[1]), Number(head?.[2])];
  const start = head?.[0].length ?? 0;
  const colorAt = (x: number, y: number) => [...file.subarray(start + (y * width + x) * 3, start + (y * width + x) * 3 + 3)];
  return { width, height, colorAt };
}
