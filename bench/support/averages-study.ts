import { seededRandom } from '#engine/simulation/seeded-random.ts';

/** A year of candles of five minutes that go up and down by about a sixth of a per cent, as a CSV file. */
export function csvOfYear(): string {
  const random = seededRandom(7);
  const rows = ['timestamp,open,high,low,close,volume'];
  const cut = (value: number): number => Math.round(value * 100) / 100;
  let price = 30_000;
  for (let i = 0; i < 105_120; i++) {
    const close = cut(price * (1 + (random() - 0.5) * 0.003));
    const high = cut(Math.max(price, close) * (1 + random() * 0.0003));
    const low = cut(Math.min(price, close) * (1 - random() * 0.0003));
    rows.push([Date.UTC(2025, 0, 1) + i * 300_000, price, high, low, close, 1].join(','));
    price = close;
  }
  return `${rows.join('\n')}\n`;
}

/** What of the strategy differs between benchmarks. */
export interface AveragesSettings {
  stoploss: number;
  minimalRoi: Readonly<Record<number, number>>;
  fast: { min: number; max: number; step: number };
  slow: { min: number; max: number; step: number };
}

/** Two averages that cross, in a file as a person has it. */
export function averagesFile({ stoploss, minimalRoi, fast, slow }: AveragesSettings): string {
  const range = (default_: number, { min, max, step }: AveragesSettings['fast']): string =>
    JSON.stringify({ default: default_, min, max, step, meaning: '' });
  return `import { ema } from '#engine/indicators/ema.ts';
import { noSignals } from '#engine/strategy/strategy.ts';
export default {
  name: 'Averages', title: '', description: '', losesWhen: '', kind: 'trend', canShort: false, startupCandles: 1000,
  defaults: { timeframe: '5m', stoploss: ${stoploss}, minimalRoi: ${JSON.stringify(minimalRoi)}, trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false },
  parameters: {
    fast: ${range(50, fast)},
    slow: ${range(200, slow)},
  },
  compute({ close }, { fast, slow }) {
    const [a, b] = [ema(close, fast), ema(close, slow)];
    const signals = noSignals(close.length);
    for (let i = 1; i < close.length; i++) {
      if (a[i] > b[i]) { if (a[i - 1] <= b[i - 1]) signals.enterLong[i] = 1; }
      else if (a[i - 1] > b[i - 1]) signals.exitLong[i] = 1;
    }
    return signals;
  },
};
`;
}

/** A configuration for one pair, whose stake stays the same. */
export const averagesConfig = {
  stake_amount: 100,
  max_open_trades: 1,
  dry_run_wallet: 1000,
  fee: 0.001,
  markets: { '*': { amount_step: 0.00001 } },
};
