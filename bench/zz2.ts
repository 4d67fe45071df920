import { EpochRunner } from '#engine/lab/epoch-runner.ts';
import { searchSpace } from '#engine/lab/search-space.ts';
import { Study } from '#engine/lab/study.ts';
import { requireSettings } from '#engine/settings/normalise-settings.ts';
import { candleColumns } from '#engine/market/candle.ts';
import { anInstrument } from '#engine/market/testing/an-instrument.ts';
import { seededRandom } from '#engine/simulation/seeded-random.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
import { ema } from '#engine/indicators/ema.ts';
import { fingerprintLines } from '#engine/backtest/fingerprint.ts';
import { createHash } from 'node:crypto';
const N = 105_120,
  step = 300_000;
const random = seededRandom(7);
const c = candleColumns(N);
let price = 30000;
const cut = (v: number) => Math.round(v * 100) / 100;
for (let i = 0; i < N; i++) {
  const close = cut(price * (1 + (random() - 0.5) * 0.003));
  c.openTime[i] = Date.UTC(2025, 0, 1) + i * step;
  c.open[i] = price;
  c.close[i] = close;
  c.high[i] = cut(Math.max(price, close) * (1 + random() * 0.0003));
  c.low[i] = cut(Math.min(price, close) * (1 - random() * 0.0003));
  c.volume[i] = 1;
  price = close;
}
const strategy = {
  name: 'A',
  startupCandles: 1000,
  parameters: {
    fast: { default: 50, min: 30, max: 80, step: 1, meaning: '' },
    slow: { default: 200, min: 150, max: 280, step: 1, meaning: '' },
  },
};
const base = {
  strategy,
  timeframe: '5m' as const,
  settings: requireSettings({
    stakeAmount: 100,
    maxOpenTrades: 1,
    stoploss: -0.05,
    minimalRoi: { 0: 0.05 },
    fee: 0.001,
    startingBalance: 1000,
  }),
};
const spaces = (process.argv[3] ?? 'roi,stoploss,trailing').split(',') as any;
const { dimensions } = searchSpace(base, spaces);
const runner = new EpochRunner({
  base,
  dimensions,
  loss: 'SharpeHyperOptLossDaily',
  minTrades: 1,
  pairs: [{ instrument: anInstrument({ symbol: 'BTC/USDT', amountStep: 0.00001, priceTick: 0.01 }), candles: c }],
  others: {},
  detailTimeframe: null,
  range: null,
  quirksOff: [],
  callbacks: {},
  compute({ close }, { fast, slow }: any) {
    const [a, b] = [ema(close, fast), ema(close, slow)];
    const signals = noSignals(close.length);
    for (let i = 1; i < close.length; i++) {
      if (a[i] > b[i]) {
        if (a[i - 1] <= b[i - 1]) signals.enterLong[i] = 1;
      } else if (a[i - 1] > b[i - 1]) signals.exitLong[i] = 1;
    }
    return signals;
  },
});
const study = new Study({ dimensions, sampler: 'random', seed: 1, epochs: 100000, earlyStop: null });
const count = Number(process.argv[2] ?? 1000);
const points: any[] = [];
while (points.length < count + 100) {
  const b = study.propose()!;
  study.tell(
    b,
    b.points.map(() => 0),
  );
  points.push(...b.points);
}
const hash = createHash('sha256');
for (const p of points.slice(0, 30)) {
  const r = runner.run(p);
  hash.update(
    fingerprintLines(r.trades).join('\n') + JSON.stringify(r.dailyBalance) + JSON.stringify(r.entries) + JSON.stringify(r.trades),
  );
}
for (const p of points.slice(0, 100)) runner.outcome(p);
let trades = 0;
let best = Infinity;
for (let i = 100; i + 50 <= points.length; i += 50) {
  const t = performance.now();
  for (const p of points.slice(i, i + 50)) trades += runner.outcome(p).figures.trades;
  best = Math.min(best, (performance.now() - t) / 50);
}
const ms = best;
console.log(
  `best of 50: ${(1000 / ms).toFixed(0)} epochs/s, ${ms.toFixed(3)} ms, ${(trades / count).toFixed(0)} trades`,
  hash.digest('hex').slice(0, 12),
  `${Math.round(process.resourceUsage().maxRSS / 1000)} MB`,
);
