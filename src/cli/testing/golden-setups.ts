/** Six set-ups that together touch most rules of the engine, as a person would write them down. */
export interface GoldenSetup {
  name: string;
  bases: string[]; // 'BTC'
  marketType: 'spot' | 'futures';
  amountStep: number;
  config: Record<string, unknown>;
  words: string[]; // further words of the command
  hasEntryPrice: boolean; // the strategy asks for a price a thousandth below the open
}

const big3 = ['BTC', 'ETH', 'BNB'];
const plain = { bases: big3, marketType: 'spot', amountStep: 0.00001, words: [], hasEntryPrice: false } as const;

/** The set-ups G1 to G6. */
export const goldenSetups: readonly GoldenSetup[] = [
  { ...plain, bases: big3, words: [], name: 'G1', config: { minimal_roi: { 0: 0.02, 60: 0.01, 240: 0.005, 720: -1 }, stoploss: -0.02 } },
  {
    ...plain,
    words: [],
    name: 'G2',
    config: {
      stake_amount: 'unlimited',
      max_open_trades: 2,
      dry_run_wallet: 1000,
      tradable_balance_ratio: 0.99,
      use_exit_signal: false,
      minimal_roi: { 0: 0.03 },
      stoploss: -0.015,
      trailing_stop: true,
      trailing_stop_positive: 0.004,
      trailing_stop_positive_offset: 0.008,
      trailing_only_offset_is_reached: true,
    },
  },
  {
    ...plain,
    words: [],
    name: 'G3',
    config: {
      max_open_trades: 1,
      minimal_roi: {},
      stoploss: -0.01,
      exit_profit_only: true,
      trailing_stop: true,
      trailing_stop_positive: 0.003,
      trailing_stop_positive_offset: 0.006,
    },
  },
  {
    ...plain,
    words: [],
    name: 'G4',
    marketType: 'futures',
    amountStep: 0.001,
    config: {
      trading_mode: 'futures',
      margin_mode: 'isolated',
      leverage: 3,
      minimal_roi: { 0: 0.02, 120: 0.01 },
      stoploss: -0.03,
    },
  },
  {
    ...plain,
    name: 'G5',
    bases: ['ADA', 'DOGE'],
    amountStep: 0.1,
    words: ['--timeframe', '5m', '--timeframe-detail', '1m'],
    config: {
      max_open_trades: 1,
      minimal_roi: { 0: 0.01, 60: 0.004 },
      stoploss: -0.01,
      trailing_stop: true,
      trailing_stop_positive: 0.003,
      trailing_stop_positive_offset: 0.006,
      trailing_only_offset_is_reached: true,
    },
  },
  {
    ...plain,
    words: [],
    name: 'G6',
    hasEntryPrice: true,
    config: {
      max_open_trades: 2,
      minimal_roi: { 0: 0.012, 120: 0.006 },
      stoploss: -0.012,
      unfilledtimeout: { entry: 15, exit: 15, unit: 'minutes' },
      enable_protections: true,
      protections: [
        { method: 'CooldownPeriod', stop_duration_candles: 6 },
        { method: 'StoplossGuard', lookback_period_candles: 48, trade_limit: 2, stop_duration_candles: 24, only_per_pair: true },
      ],
    },
  },
];

/** The whole configuration file of a set-up. */
export function goldenConfig({ bases, marketType, amountStep, config }: GoldenSetup): object {
  return {
    stake_currency: 'USDT',
    stake_amount: 1000,
    dry_run_wallet: 10_000,
    tradable_balance_ratio: 1,
    max_open_trades: 3,
    fee: 0.001,
    ...config,
    exchange: { name: 'binance', pair_whitelist: bases.map((base) => (marketType === 'futures' ? `${base}/USDT:USDT` : `${base}/USDT`)) },
    markets: {
      '*': { amount_step: amountStep, ...(marketType === 'futures' ? { tiers: [{ max_leverage: 50, maintenance_rate: 0.01 }] } : {}) },
    },
  };
}

/** The strategy of the set-ups as a person's file: counts of falling and rising closes, with a look two days back. */
export function goldenStrategy({ hasEntryPrice }: Pick<GoldenSetup, 'hasEntryPrice'>): string {
  return `import type { Strategy } from '#engine/strategy/strategy.ts';
import { noSignals } from '#engine/strategy/strategy.ts';

export const golden: Strategy = {
  name: 'Golden',
  title: 'Golden',
  description: 'Buys falls in a rise and sells rises in a fall.',
  losesWhen: 'It loses nearly always.',
  kind: 'pullback',
  canShort: true,
  startupCandles: 48,
  defaults: {
    timeframe: '5m',
    stoploss: -0.1,
    minimalRoi: {},
    trailingStop: false,
    trailingStopPositive: null,
    trailingStopPositiveOffset: 0,
    trailingOnlyOffsetIsReached: false,
  },
  parameters: {},
  compute({ close: c }) {
    const signals = noSignals(c.length);
    for (let i = 0; i < c.length; i++) {
      const falls = c[i] < c[i - 1] && c[i - 1] < c[i - 2] && c[i - 2] < c[i - 3];
      const rises = c[i] > c[i - 1] && c[i - 1] > c[i - 2] && c[i - 2] > c[i - 3];
      signals.enterLong[i] = falls && c[i] > c[i - 48] ? 1 : 0;
      signals.exitLong[i] = rises && c[i - 3] > c[i - 4] ? 1 : 0;
      signals.enterShort[i] = rises && c[i] < c[i - 48] ? 1 : 0;
      signals.exitShort[i] = falls && c[i - 3] < c[i - 4] ? 1 : 0;
    }
    return signals;
  },${hasEntryPrice ? '\n  callbacks: { entryPrice: ({ proposedPrice }) => proposedPrice * 0.999 },' : ''}
};
`;
}
