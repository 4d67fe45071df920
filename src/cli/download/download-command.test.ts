import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fundingColumns } from '#engine/account/funding.ts';
import { createMarketData } from '#exchange/market-data.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { backtestCommand } from '../backtest/backtest-command.ts';
import { readRows } from '../candles/candle-folder.ts';
import { downloadCommand } from './download-command.ts';
import { downloadSeries } from './download-series.ts';
import { loadFunding } from '../candles/funding-files.ts';
import { runCommand } from '../testing/command-process.ts';
import { writeTo } from '../testing/sandbox-candles.ts';

const day = 86_400_000;

let folder = '';
let sandbox: Sandbox;
let market: MarketData;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-download-'));
  sandbox = await startSandbox({});
  market = createMarketData({ exchangeId: 'sandbox', marketType: 'spot', sandboxUrl: sandbox.url });
});
afterAll(async () => {
  await market.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

async function download(...words: string[]): Promise<{ code: number; said: string[]; drawn: string[] }> {
  const said: string[] = [];
  const drawn: string[] = [];
  const code = await downloadCommand(words, (line) => said.push(line.replaceAll(`${folder}/`, '')), {
    sandboxUrl: sandbox.url,
    complain: (line) => said.push(line.replaceAll(`${folder}/`, '')),
    drawBar: (text) => drawn.push(text),
  });
  return { code, said, drawn };
}

describe('downloading from a real (simulated) exchange', () => {
  test('candles come into files that a backtest reads, with the facts of their markets', async () => {
    const into = join(folder, 'first');
    const range = ['--timerange', '20250401-20250403', '--datadir', into, '--exchange', 'sandbox'];
    const found = await download('--pairs', 'BTC/USDT', 'ETH/USDT', '--timeframe', '5m', '1h', ...range);
    expect(found.code).toBe(0);
    expect(found.said).toEqual([
      'BTC/USDT 5m: 577 candles fetched, 577 in first/BTC_USDT-5m.csv.gz',
      'BTC/USDT 1h: 49 candles fetched, 49 in first/BTC_USDT-1h.csv.gz',
      'ETH/USDT 5m: 577 candles fetched, 577 in first/ETH_USDT-5m.csv.gz',
      'ETH/USDT 1h: 49 candles fetched, 49 in first/ETH_USDT-1h.csv.gz',
    ]);
    expect(found.drawn).toContain(`BTC/USDT 5m          [${'#'.repeat(30)}] 100 %`);
    const rows = await readRows(join(into, 'BTC_USDT-5m.csv.gz'));
    const candles = await market.candles('BTC/USDT', '5m', Date.UTC(2025, 3, 1), Date.UTC(2025, 3, 3) + 1);
    expect(Array.from(rows.close)).toEqual(candles.map(({ close }) => close));
    expect(Array.from(rows.openTime)).toEqual(candles.map(({ openTime }) => openTime));

    const config = writeTo(
      folder,
      'config.json',
      JSON.stringify({ stake_amount: 100, max_open_trades: 1, exchange: { pair_whitelist: ['BTC/USDT'] } }),
    );
    const out: string[] = [];
    expect(
      await backtestCommand(['--strategy', 'BuyAndHold', '--config', config, '--datadir', into, '--json'], (line) => out.push(line)),
    ).toBe(0);
    expect(JSON.parse(out[0])).toMatchObject({ notes: [], perTrade: { tradeCount: 1 } });
  });

  test('perpetuals lie where freqtrade puts them, with leverage tiers, funding rates and mark prices, and a backtest uses them', async () => {
    const into = join(folder, 'perpetual');
    const words = ['--pairs', 'BTC/USDT:USDT', '--trading-mode', 'futures', '--datadir', into, '--exchange', 'sandbox'];
    const found = await download(...words, '--timerange', '20250401-20250403');
    expect(found).toMatchObject({
      code: 0,
      said: [
        'BTC/USDT:USDT 5m: 577 candles fetched, 577 in perpetual/futures/BTC_USDT_USDT-5m-futures.csv.gz',
        'BTC/USDT:USDT funding: 7 rates fetched, 7 in perpetual/futures/BTC_USDT_USDT-1h-funding_rate.csv.gz',
        'BTC/USDT:USDT 1h mark: 49 candles fetched, 49 in perpetual/futures/BTC_USDT_USDT-1h-mark.csv.gz',
      ],
    });
    const facts = JSON.parse(readFileSync(join(into, 'markets.json'), 'utf8'));
    expect(facts.futures['BTC/USDT:USDT']).toMatchObject({
      amount_step: expect.any(Number),
      taker: expect.any(Number),
      tiers: [{ min_notional: 0, max_leverage: 20, maintenance_rate: 0.025, maintenance_amount: 0 }],
    });

    // Nothing twice; what lies before and after is joined on.
    expect((await download(...words, '--timerange', '20250401-20250403')).said.slice(1)).toEqual([
      'BTC/USDT:USDT funding: 0 rates fetched, 7 in perpetual/futures/BTC_USDT_USDT-1h-funding_rate.csv.gz',
      'BTC/USDT:USDT 1h mark: 0 candles fetched, 49 in perpetual/futures/BTC_USDT_USDT-1h-mark.csv.gz',
    ]);
    expect((await download(...words, '--timerange', '20250330-20250405')).said.slice(1)).toEqual([
      'BTC/USDT:USDT funding: 12 rates fetched, 19 in perpetual/futures/BTC_USDT_USDT-1h-funding_rate.csv.gz',
      'BTC/USDT:USDT 1h mark: 96 candles fetched, 145 in perpetual/futures/BTC_USDT_USDT-1h-mark.csv.gz',
    ]);
    const perpetuals = createMarketData({ exchangeId: 'sandbox', marketType: 'futures', sandboxUrl: sandbox.url });
    const events = await perpetuals.funding('BTC/USDT:USDT', Date.UTC(2025, 2, 30), Date.UTC(2025, 3, 5) + 1);
    await perpetuals.close();
    const loaded = await loadFunding(into, 'BTC/USDT:USDT', null, { from: 0, to: Infinity });
    expect(loaded).toEqual({ events: fundingColumns(events), notes: [] });

    const config = JSON.stringify({
      trading_mode: 'futures',
      stake_amount: 500,
      max_open_trades: 1,
      exchange: { name: 'binance', pair_whitelist: ['BTC/USDT:USDT'] },
    });
    const job = ['--strategy', 'BuyAndHold', '--config', writeTo(folder, 'perpetual.json', config), '--datadir', into, '--json'];
    const out: string[] = [];
    expect(await backtestCommand(job, (line) => out.push(line))).toBe(0);
    const paid = JSON.parse(out[0]);
    expect(paid.notes).toEqual(['BTC/USDT:USDT: the 1h candles are built from 5m.']);
    rmSync(join(into, 'futures', 'BTC_USDT_USDT-1h-funding_rate.csv.gz'));
    expect(await backtestCommand(job, (line) => out.push(line))).toBe(0);
    expect(JSON.parse(out[1]).finalBalance).not.toBeCloseTo(paid.finalBalance, 3);
  });

  test('what is there is not fetched again: only what lies before and after is', async () => {
    const into = join(folder, 'resumed');
    const words = ['--pairs', 'BTC/USDT', '--datadir', into, '--exchange', 'sandbox', '--timerange'];
    expect((await download(...words, '20250410-20250412')).said).toEqual([
      'BTC/USDT 5m: 577 candles fetched, 577 in resumed/BTC_USDT-5m.csv.gz',
    ]);
    const before = statSync(join(into, 'BTC_USDT-5m.csv.gz')).mtimeMs;
    expect((await download(...words, '20250410-20250412')).said).toEqual([
      'BTC/USDT 5m: 0 candles fetched, 577 in resumed/BTC_USDT-5m.csv.gz',
    ]);
    expect(statSync(join(into, 'BTC_USDT-5m.csv.gz')).mtimeMs).toBe(before);
    expect((await download(...words, '20250405-20250414')).said).toEqual([
      `BTC/USDT 5m: ${9 * 288 + 1 - 577} candles fetched, ${9 * 288 + 1} in resumed/BTC_USDT-5m.csv.gz`,
    ]);
    const { openTime } = await readRows(join(into, 'BTC_USDT-5m.csv.gz'));
    expect(openTime.every((time, i) => time === Date.UTC(2025, 3, 5) + i * 300_000)).toBe(true);
    expect(readdirSync(into).sort()).toEqual(['BTC_USDT-5m.csv.gz', 'markets.json']);
  });

  test('an interrupted or failed download keeps whole pieces, and the next one continues', async () => {
    const from = Date.UTC(2025, 0, 1);
    const wish = { folder: join(folder, 'broken'), symbol: 'BTC/USDT', timeframe: '1m', kind: 'spot', from, to: from + 20 * day } as const;
    const file = join(wish.folder, 'BTC_USDT-1m.csv.gz');
    const listener = { onProgress: () => {}, stop: { aborted: false } };
    let pieces = 0;
    // A line that is lost in the third piece.
    const failing = {
      candles: async (...args: Parameters<MarketData['candles']>) => {
        if (++pieces === 3) throw new ExchangeError('temporary', 'The line is lost.');
        return await market.candles(...args);
      },
    };
    await expect(downloadSeries(failing, wish, listener)).rejects.toThrow('The line is lost.');
    expect((await readRows(file)).openTime).toHaveLength(10_000);
    // Interrupted in the fourth piece.
    const stop = { aborted: false };
    const stopping = {
      candles: async (...args: Parameters<MarketData['candles']>) => {
        stop.aborted = ++pieces === 5;
        return await market.candles(...args);
      },
    };
    const interrupted = await downloadSeries(stopping, wish, { onProgress: () => {}, stop });
    expect(interrupted).toMatchObject({ fetched: 5000, total: 15_000 });
    const asked: number[] = [];
    const counting = {
      candles: async (...args: Parameters<MarketData['candles']>) => {
        asked.push(args[2]);
        return await market.candles(...args);
      },
    };
    expect(await downloadSeries(counting, wish, listener)).toMatchObject({ fetched: 13_800, total: 28_800 });
    expect(asked[0]).toBe(from + 15_000 * 60_000);
    const { openTime } = await readRows(file);
    expect(openTime.every((time, i) => time === from + i * 60_000)).toBe(true);
  });

  test('one that is interrupted while older candles come leaves no hole: what came of the piece is not kept', async () => {
    const to = Date.UTC(2025, 0, 21);
    const wish = { folder: join(folder, 'older'), symbol: 'BTC/USDT', timeframe: '1m', kind: 'spot', from: to - day, to } as const;
    const listener = { onProgress: () => {}, stop: { aborted: false } };
    await downloadSeries(market, wish, listener);
    const stop = { aborted: false };
    // The exchange gives what it has when it is asked to stop: the beginning of the second piece.
    let pieces = 0;
    const stopping = {
      candles: async (...args: Parameters<MarketData['candles']>) => {
        const candles = await market.candles(...args);
        if (++pieces < 2) return candles;
        stop.aborted = true;
        return candles.slice(0, 100);
      },
    };
    const older = { ...wish, from: to - 10 * day };
    await downloadSeries(stopping, older, { onProgress: () => {}, stop });
    expect(await downloadSeries(market, older, listener)).toMatchObject({ total: 14_400 });
    const { openTime } = await readRows(join(wish.folder, 'BTC_USDT-1m.csv.gz'));
    expect(openTime.every((time, i) => time === older.from + i * 60_000)).toBe(true);
  });

  test('it starts a simulated market of its own when none is named', async () => {
    const into = join(folder, 'own');
    const end = await runCommand('download', [
      '--exchange',
      'sandbox',
      '--pairs',
      'BTC/USDT',
      '--days',
      '1',
      '--timeframe',
      '1h',
      '--datadir',
      into,
    ]);
    expect(end).toMatchObject({ code: 0, err: '' });
    expect(end.out).toMatch(/^BTC\/USDT 1h: 2[34] candles fetched/u);
    expect(gunzipSync(readFileSync(join(into, 'BTC_USDT-1h.csv.gz'))).toString()).toMatch(
      /^timestamp,open,high,low,close,volume\n\d{13},/u,
    );
  });
});

test('what is wrong is said at once, with exit code 2', async () => {
  expect(await download('--trading-mode', 'margin', '--days', 'x', '--timeframe', '7m')).toMatchObject({
    code: 2,
    said: [
      'Which exchange? Give --exchange binance, or --exchange sandbox for the simulated market.',
      'Which pairs? Give --pairs BTC/USDT ETH/USDT.',
      'Which folder? Give --datadir DIR.',
      '--trading-mode must be spot or futures, and is margin.',
      '--days must be a number above 0, and is "x".',
      'There is no timeframe "7m"; use one of 1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 1d, 1w.',
    ],
  });
  const into = ['--datadir', join(folder, 'wrong'), '--exchange', 'sandbox', '--days', '1'];
  expect(await download('--pairs', 'NO/SUCH', ...into)).toMatchObject({ code: 2, said: ['sandbox has no spot pair NO/SUCH.'] });
  writeTo(join(folder, 'wrong'), 'BTC_USDT-5m.csv', 'x');
  expect(await download('--pairs', 'BTC/USDT', ...into)).toMatchObject({
    code: 2,
    said: [
      'wrong/BTC_USDT-5m.csv exists already and would conflict with wrong/BTC_USDT-5m.csv.gz: move it away, or choose another folder.',
    ],
  });
});
