import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { anInstrument } from '../market/testing/an-instrument.ts';
import type { SettingsInput } from '../settings/normalise-settings.ts';
import { requireSettings } from '../settings/normalise-settings.ts';
import type { Candle, CandleColumns } from '../market/candle.ts';
import { toColumns } from '../market/candle.ts';
import { fillGaps } from '../market/fill-gaps.ts';
import type { Instrument } from '../market/instrument.ts';
import { referenceMetrics } from '../report/reference-metrics.ts';
import type { StrategyCallbacks } from '../strategy/callbacks.ts';
import type { Signals } from '../strategy/strategy.ts';
import { noSignals } from '../strategy/strategy.ts';
import { backtest } from './backtest.ts';
import { fingerprintLines } from './fingerprint.ts';

// Six runs on real candles. The expected lines were produced by the reference engine itself.

const candleFolder = '../shared/data/candles';
const goldenFolder = '../shared/golden';
const minute = 60_000;
const hasData = existsSync(candleFolder) && existsSync(goldenFolder);

interface Golden {
  name: string;
  symbols: string[];
  settings: Partial<SettingsInput>;
  callbacks?: StrategyCallbacks;
  amountStep: number;
  sha: string;
  first50: string;
  trades: number;
  sum: number;
  balance: number;
  rejected: number;
  timedOut?: number;
  metrics: [winRate: number, sharpe: number, sortino: number, calmar: number, sqn: number, cagr: number, profitFactor: number];
  drawdown: number;
}

const big3 = ['BTC', 'ETH', 'BNB'];
const goldens: Golden[] = [
  {
    name: 'G1',
    symbols: big3,
    settings: { minimalRoi: { 0: 0.02, 60: 0.01, 240: 0.005, 720: -1 }, stoploss: -0.02 },
    amountStep: 0.00001,
    sha: 'c4294c4c9a7a8aee484aab0fc6722461c7db69777fd4801f3e8259341911ea07',
    first50: 'a9842ae7cb2d22ae',
    trades: 1174,
    sum: -1717.84318851,
    balance: 8282.15681149,
    rejected: 0,
    metrics: [0.454855196, -48.252737674, -55.231142177, -21.329209777, -6.5576, -0.538367722, 0.56534053],
    drawdown: 1728.88130102,
  },
  {
    name: 'G2',
    symbols: big3,
    settings: {
      stakeAmount: 'unlimited',
      maxOpenTrades: 2,
      startingBalance: 1000,
      tradableBalanceRatio: 0.99,
      useExitSignal: false,
      minimalRoi: { 0: 0.03 },
      stoploss: -0.015,
      trailingStop: true,
      trailingStopPositive: 0.004,
      trailingStopPositiveOffset: 0.008,
      trailingOnlyOffsetIsReached: true,
    },
    amountStep: 0.00001,
    sha: '37a777ba98e233adfd73de2c883e0ef82e0c91b24b6a7f6f90247b08604d8ae8',
    first50: '7b3beba39198063c',
    trades: 431,
    sum: -252.07063505,
    balance: 747.92936495,
    rejected: 860,
    metrics: [0.654292343, -10.76093148, -64.59127454, -19.319548497, -2.4119, -0.69613081, 0.769209695],
    drawdown: 281.11366444,
  },
  {
    name: 'G3',
    symbols: big3,
    settings: {
      maxOpenTrades: 1,
      minimalRoi: {},
      stoploss: -0.01,
      exitProfitOnly: true,
      trailingStop: true,
      trailingStopPositive: 0.003,
      trailingStopPositiveOffset: 0.006,
    },
    amountStep: 0.00001,
    sha: '0cc133491423daf504ec8eb752ddd5c76dcd6c7d1da4954ad40ba6dc255e3469',
    first50: 'c899f469bec614b2',
    trades: 511,
    sum: -987.85892447,
    balance: 9012.14107553,
    rejected: 1767,
    metrics: [0.610567515, -33.687171372, -95.568364255, -21.103546349, -6.9354, -0.347254376, 0.466786484],
    drawdown: 1005.18484654,
  },
  {
    name: 'G4',
    symbols: big3,
    settings: {
      marketType: 'futures',
      canShort: true,
      leverage: 3,
      liquidationFormula: 'binance',
      minimalRoi: { 0: 0.02, 120: 0.01 },
      stoploss: -0.03,
    },
    amountStep: 0.001,
    sha: 'b94eda08457a7870f5744427192c7f031fd656d5d7c4c8f03953b487efcb8d68',
    first50: '27d6b2aa4a261f7f',
    trades: 1816,
    sum: -9012.0452672,
    balance: 987.9547328,
    rejected: 0,
    metrics: [0.457599119, -104.598974827, -135.980407243, -21.462661427, -11.4312, -0.999924614, 0.498748205],
    drawdown: 9027.3716156,
  },
  {
    name: 'G5',
    symbols: ['ADA', 'DOGE'],
    settings: {
      maxOpenTrades: 1,
      minimalRoi: { 0: 0.01, 60: 0.004 },
      stoploss: -0.01,
      trailingStop: true,
      trailingStopPositive: 0.003,
      trailingStopPositiveOffset: 0.006,
      trailingOnlyOffsetIsReached: true,
    },
    amountStep: 0.1,
    sha: 'f181b74beb99254c98279336bfbefdda406e693b78d4427b6677f1ac01b112c8',
    first50: '132f4b67d7670726',
    trades: 206,
    sum: -382.17651812,
    balance: 9617.82348188,
    rejected: 1374,
    metrics: [0.548543689, -35.190128793, -55.547405434, -62.152989233, -3.7126, -0.387648015, 0.534041873],
    drawdown: 405.86456204,
  },
  {
    name: 'G6',
    symbols: big3,
    settings: {
      maxOpenTrades: 2,
      minimalRoi: { 0: 0.012, 120: 0.006 },
      stoploss: -0.012,
      unfilledTimeout: { entryMs: 15 * minute, exitMs: 15 * minute },
      protections: [
        { kind: 'cooldown', stopCandles: 6 },
        { kind: 'stoploss-guard', lookbackCandles: 48, tradeLimit: 2, stopCandles: 24, onlyPerPair: true },
      ],
    },
    callbacks: { entryPrice: ({ proposedPrice }) => proposedPrice * 0.999 },
    amountStep: 0.00001,
    sha: 'a24dbd7936993502e7125c0fa49ce65e518a368a9b285bd05b199a1bf4dab06d',
    first50: '53480f4f3c297fc0',
    trades: 676,
    sum: -1255.16365756,
    balance: 8744.83634244,
    rejected: 366,
    timedOut: 615,
    metrics: [0.460059172, -37.626417287, -49.215442717, -21.466261994, -6.7366, -0.423078843, 0.499542237],
    drawdown: 1255.16365756,
  },
];

describe.skipIf(!hasData)(hasData ? 'golden runs' : 'golden runs (skipped: the recorded candles are not on this machine)', () => {
  test.each(goldens)('OP-84 $name gives the trades of the reference byte for byte', (golden) => {
    const result = run(golden);
    const lines = fingerprintLines(result.trades);
    const expected = readFileSync(`${goldenFolder}/gold_${golden.name}.csv`, 'utf8').trimEnd().split('\n');
    const divergence = expected.findIndex((line, i) => line !== lines[i]);
    expect(divergence === -1 ? null : { at: divergence, ours: lines[divergence], reference: expected[divergence] }).toBe(null);
    expect(lines).toHaveLength(golden.trades);
    expect(sha256(lines)).toBe(golden.sha);
    expect(sha256(lines.slice(0, 50)).slice(0, 16)).toBe(golden.first50);

    expect(result.trades.reduce((sum, trade) => sum + (trade.profit ?? 0), 0)).toBeCloseTo(golden.sum, 7);
    expect(result.finalBalance).toBeCloseTo(golden.balance, 7);
    expect(result.counters.rejectedSignals).toBe(golden.rejected);
    expect(result.counters.timedOutEntryOrders).toBe(golden.timedOut ?? 0);

    const metrics = referenceMetrics(result.trades, result);
    const { winRate, sharpe, sortino, calmar, sqn, cagr, profitFactor } = metrics;
    const found = [winRate, sharpe, sortino, calmar, sqn, cagr, profitFactor];
    golden.metrics.forEach((value, i) => expect(found[i]).toBeCloseTo(value, 8));
    expect(metrics.maxDrawdownAbs).toBeCloseTo(golden.drawdown, 7);
    expect(result.marketChange).toBeCloseTo(golden.name === 'G5' ? -0.198051602 : 0.289489653, 8);
  });
});

function run(golden: Golden) {
  const isDetailed = golden.name === 'G5';
  return backtest({
    settings: requireSettings({
      stakeAmount: 1000,
      maxOpenTrades: 3,
      startingBalance: 10_000,
      tradableBalanceRatio: 1,
      stoploss: -0.1,
      fee: 0.001,
      ...golden.settings,
    }),
    timeframeMs: 5 * minute,
    startupCandles: 48,
    ...(isDetailed ? { detailTimeframeMs: minute } : {}),
    ...(golden.callbacks === undefined ? {} : { callbacks: golden.callbacks }),
    pairs: golden.symbols.map((base) => {
      const detail = isDetailed ? fillGaps(readCandles(`${base}_USDT-1m`), minute) : null;
      const candles = fillGaps(detail === null ? readCandles(`${base}_USDT-5m`) : fiveMinutes(readCandles(`${base}_USDT-1m`)), 5 * minute);
      return { instrument: instrumentOf(base, golden), candles, signals: signalsOf(candles), detail };
    }),
  });
}

function instrumentOf(base: string, golden: Golden): Instrument {
  const isFutures = golden.settings.marketType === 'futures';
  return anInstrument({
    symbol: isFutures ? `${base}/USDT:USDT` : `${base}/USDT`,
    base,
    marketType: isFutures ? 'futures' : 'spot',
    amountStep: golden.amountStep,
    maxLeverage: isFutures ? 50 : 1,
    leverageTiers: isFutures
      ? [{ minNotional: 0, maxNotional: Infinity, maxLeverage: 50, maintenanceRate: 0.01, maintenanceAmount: 0 }]
      : [],
  });
}

function signalsOf({ close: c }: CandleColumns): Signals {
  const signals = noSignals(c.length);
  for (let i = 0; i < c.length; i++) {
    const falls3 = c[i] < c[i - 1] && c[i - 1] < c[i - 2] && c[i - 2] < c[i - 3];
    const rises3 = c[i] > c[i - 1] && c[i - 1] > c[i - 2] && c[i - 2] > c[i - 3];
    signals.enterLong[i] = falls3 && c[i] > c[i - 48] ? 1 : 0;
    signals.exitLong[i] = rises3 && c[i - 3] > c[i - 4] ? 1 : 0;
    signals.enterShort[i] = rises3 && c[i] < c[i - 48] ? 1 : 0;
    signals.exitShort[i] = falls3 && c[i - 3] < c[i - 4] ? 1 : 0;
  }
  return signals;
}

function readCandles(name: string): CandleColumns {
  const rows = gunzipSync(readFileSync(`${candleFolder}/${name}.csv.gz`))
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .slice(1);
  const candles = rows.map((row): Candle => {
    const [openTime, open, high, low, close, volume] = row.split(',').map(Number);
    return { openTime, open, high, low, close, volume };
  });
  return toColumns(candles);
}

function fiveMinutes(candles: CandleColumns): CandleColumns {
  const groups = new Map<number, number[]>();
  candles.openTime.forEach((time, i) => {
    const start = Math.floor(time / (5 * minute)) * 5 * minute;
    groups.set(start, [...(groups.get(start) ?? []), i]);
  });
  const complete = [...groups].filter(([, members]) => members.length === 5).sort(([a], [b]) => a - b);
  return toColumns(
    complete.map(([openTime, members]) => ({
      openTime,
      open: candles.open[members[0]],
      high: Math.max(...members.map((i) => candles.high[i])),
      low: Math.min(...members.map((i) => candles.low[i])),
      close: candles.close[members[4]],
      volume: members.reduce((sum, i) => sum + candles.volume[i], 0),
    })),
  );
}

function sha256(lines: readonly string[]): string {
  return createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''), 'utf8')
    .digest('hex');
}
