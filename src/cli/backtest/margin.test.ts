import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backtestCommand } from './backtest-command.ts';
import type { BacktestReport } from './backtest-report.ts';
import { csvOf, writeTo } from '../testing/sandbox-candles.ts';

// No exchange lets the reference trade on margin, so no run of its own exists: W21 are its formulas.

const minute = 60_000;
const start = Date.UTC(2025, 2, 3);
const entry = 10;
const exit = entry + 62; // 5 h 10 min later

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'flotilla-margin-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Enters at 100 and leaves, if it is to, at the open of the candle 5 h 10 min later. */
function strategyFile(isShort: boolean, exits: boolean): string {
  const [enter, leave] = isShort ? ['enterShort', 'exitShort'] : ['enterLong', 'exitLong'];
  return writeTo(
    folder,
    `strategy-${isShort}-${exits}.ts`,
    `import { noSignals } from '#engine/strategy/strategy.ts';
export default {
  name: 'Once', canShort: true, startupCandles: 0, parameters: {},
  defaults: { timeframe: '5m', stoploss: -0.9, minimalRoi: {} },
  compute: ({ close }) => {
    const signals = noSignals(close.length);
    if (close.length > ${entry - 1}) signals.${enter}[${entry - 1}] = 1;
    if (${exits} && close.length > ${exit - 1}) signals.${leave}[${exit - 1}] = 1;
    return signals;
  },
};
`,
  );
}

async function run(over: object, isShort = false, exits = true) {
  const out: string[] = [];
  const err: string[] = [];
  const trades = join(folder, 'trades.csv');
  const config = {
    trading_mode: 'margin',
    margin_mode: 'isolated',
    leverage: 3,
    interest_rate: 0.0005,
    stake_amount: 1000,
    dry_run_wallet: 10_000,
    max_open_trades: 1,
    fee: 0.001,
    markets: { '*': { amount_step: 0.001 } },
    exchange: { name: 'binance', pair_whitelist: ['BTC/USDT'] },
    ...over,
  };
  const file = writeTo(folder, 'config.json', JSON.stringify(config));
  const words = ['--strategy', strategyFile(isShort, exits), '--config', file, '--datadir', folder];
  const say = (line: string): number => out.push(line);
  const complain = (line: string): number => err.push(line);
  const code = await backtestCommand([...words, '--json', '--export-trades', trades], say, complain);
  if (code !== 0) return { code, err, line: '', report: null, text: '' };
  const report = JSON.parse(out[0]) as BacktestReport;
  const lines: string[] = [];
  await backtestCommand(words, (line) => lines.push(line), complain);
  return { code, err, line: readFileSync(trades, 'utf8').trimEnd(), report, text: lines.join('\n') };
}

/** 100 all the time, and from the exit on these prices. */
function writeCandles(open: number, high: number, low: number): void {
  const candles = Array.from({ length: 80 }, (_, i) => {
    const openTime = start + i * 5 * minute;
    if (i !== exit) return { openTime, open: 100, high: 100, low: 100, close: 100, volume: 1 };
    return { openTime, open, high, low, close: open, volume: 1 };
  });
  writeTo(folder, 'BTC_USDT-5m.csv', csvOf(candles));
}

describe('W21 margin on the command line: 30 at 100, 3x, fee 0.001, rate 0.0005, held 5 h 10 min, candles of spot', () => {
  const cases = [
    ['binance', 'long', 103, 83.66, 0.08357642, 101.878545],
    ['binance', 'short', 97, 83.72588625, 0.0838097, 98.124598],
    ['kraken', 'long', 103, 80.91, 0.08082917, 101.970304],
    ['kraken', 'short', 97, 79.720635, 0.07980044, 97.989878],
  ] as const;
  const opened = start + entry * 5 * minute;
  const closed = start + exit * 5 * minute;

  test.each(cases)('%s %s: profit and ratio', async (scheme, direction, price, profit, ratio) => {
    writeCandles(price, price, price);
    const exchange = { name: scheme, pair_whitelist: ['BTC/USDT'] };
    const { line, report, err } = await run({ exchange }, direction === 'short');
    expect(err).toEqual([]);
    expect(line).toBe(
      `BTC/USDT,${direction},${opened},${closed},100.00000000,${price}.00000000,30.00000000,exit_signal,${profit.toFixed(8)}`,
    );
    expect(report?.perTrade.meanProfitRatio).toBeCloseTo(ratio, 8);
    expect(report?.finalBalance).toBeCloseTo(10_000 + profit, 8);
  });

  test.each(cases)('%s %s: the price of a ROI of 0.05', async (scheme, direction, _, _profit, _ratio, rate) => {
    writeCandles(100, 103, 97);
    const { line } = await run(
      { interest_scheme: scheme, exchange: { pair_whitelist: ['BTC/USDT'] }, minimal_roi: { 0: 10, 310: 0.05 } },
      direction === 'short',
      false,
    );
    const [, side, , closeTime, , closeRate, , reason] = line.split(',');
    expect({ side, closeTime: Number(closeTime), reason }).toEqual({ side: direction, closeTime: closed, reason: 'roi' });
    expect(Number(closeRate)).toBeCloseTo(rate, 6);
  });

  test('interest alone makes the difference; without leverage a long borrows nothing', async () => {
    writeCandles(103, 103, 103);
    const profitOf = async (over: object) => Number((await run(over)).line.split(',')[8]);
    expect(await profitOf({ interest_rate: 0 })).toBe(83.91);
    expect(await profitOf({ interest_rate: 0.01 })).toBe(78.91);
    expect(await profitOf({ leverage: 1, interest_rate: 0.01 })).toBe(await profitOf({ leverage: 1, interest_rate: 0 }));
  });

  test('it is said how it is calculated, and that there is nothing to compare it with', async () => {
    writeCandles(103, 103, 103);
    const { text, report } = await run({ margin_mode: 'cross' });
    expect(text).toContain('leverage 3; cross; long and short; interest 0.05 % a day (binance)');
    expect(text).toContain('Mode: parity by formulas only; freqtrade has no margin backtest to compare with');
    expect(report?.notes).toContain(
      'On margin, interest is paid and positions are not liquidated; freqtrade has no margin backtest to compare with.',
    );
    expect(report).toMatchObject({ marketType: 'margin', pairs: ['BTC/USDT'] });
    expect((await run({ exchange: { name: 'kraken', pair_whitelist: ['BTC/USDT'] } })).text).toContain(
      'interest 0.05 % per four hours (kraken)',
    );
  });

  test('steps and limits that a download has noted of spot hold, and the tiers of margin bound the leverage', async () => {
    writeCandles(103, 103, 103);
    writeTo(folder, 'markets.json', JSON.stringify({ spot: { 'BTC/USDT': { amount_step: 7 } }, margin: {} }));
    expect((await run({ markets: {} })).line).toContain(',28.00000000,exit_signal');
    const tiers = [{ max_leverage: 2, maintenance_rate: 0.01 }];
    expect((await run({ markets: { '*': { amount_step: 0.001, tiers } } })).line).toContain(',20.00000000,exit_signal');
    rmSync(join(folder, 'markets.json'));
  });
});

test.each<[object, string[]]>([
  [
    { interest_rate: null },
    ['"interest_rate" is missing: a fraction per day on Binance, per four hours on Kraken; 0 when borrowing is free.'],
  ],
  [{ interest_rate: -0.01 }, ['"interest_rate" must be a fraction from 0 to below 1, and is -0.01.']],
  [{ interest_rate: '5 %' }, ['"interest_rate" must be a fraction from 0 to below 1, and is "5 %".']],
  [{ interest_scheme: 'okx' }, ['"interest_scheme" must be "binance" or "kraken", and is "okx".']],
  [{ interest_scheme: 'kraken' }, ['"interest_scheme" is "kraken", but binance calculates interest as "binance".']],
  [
    { exchange: { name: 'okx', pair_whitelist: ['BTC/USDT'] } },
    ['"interest_scheme" is missing: give "binance" or "kraken", because it is not known how okx calculates interest.'],
  ],
  [
    { exchange: { pair_whitelist: ['BTC/USDT'] } },
    ['"interest_scheme" is missing: give "binance" or "kraken", because no exchange is named.'],
  ],
  [{ futures_funding_rate: 0.0001 }, ['"futures_funding_rate" is for futures only: on margin, interest is paid instead.']],
  [{ margin_mode: 'portfolio' }, ['"margin_mode" must be "isolated" or "cross", and is "portfolio".']],
  [{ leverage: 0.5 }, ['The leverage must be at least 1, and was 0.5.']],
  [{ exchange: { name: 'binance', pair_whitelist: ['BTC/USDT:USDT'] } }, ['"BTC/USDT:USDT" is not a margin pair; for example, BTC/USDT.']],
  [
    { trading_mode: 'spot', interest_scheme: 'binance' },
    [
      '"interest_rate" is for margin only, and "trading_mode" is "spot".',
      '"interest_scheme" is for margin only, and "trading_mode" is "spot".',
    ],
  ],
  [
    { trading_mode: 'futures', exchange: { name: 'binance', pair_whitelist: ['BTC/USDT:USDT'] } },
    ['"interest_rate" is for margin only, and "trading_mode" is "futures".'],
  ],
])('margin settings that contradict each other are refused in words: %j', async (over, sentences) => {
  const { code, err } = await run(over);
  expect({ code, err }).toEqual({ code: 2, err: sentences });
});
