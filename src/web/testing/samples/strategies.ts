import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';

/** A strategy with one ROI entry and no integrations. */
export function aStrategy(
  number: number,
  changes: Partial<CallReply<'listStrategies'>['strategies'][number]> = {},
): CallReply<'listStrategies'>['strategies'][number] {
  return {
    id: idOf(50 + number),
    name: `Strategy ${number}`,
    description: 'Follows the trend.',
    strategy_class_name: 'EmaCross',
    supported_exchanges: ['sandbox', 'binance'],
    default_timeframe: '5m',
    stoploss: -0.1,
    trailing_stop: false,
    trailing_stop_positive: null,
    trailing_stop_positive_offset: null,
    trailing_only_offset_is_reached: false,
    max_consecutive_losses: 5,
    risk_reward_ratio: null,
    minimal_roi: { '0': 0.02 },
    order_types: { entry: 'limit', exit: 'limit' },
    order_time_in_force: { entry: 'GTC' },
    encrypted_webhook: null,
    encrypted_sheets_key: null,
    version: 1,
    webhook_result: null,
    sheet_result: null,
    sheet_account: null,
    kind: 'built-in',
    code_version: null,
    ...changes,
  };
}

/** The last backtest of a strategy: one trade that lost. */
export function aLastBacktest(): NonNullable<CallReply<'strategyDetails'>['last_backtest']> {
  return {
    id: idOf(77),
    finished_at: '2026-11-21T18:58:04.000Z',
    exchange: 'Binance',
    symbol: 'ETH/USDT:USDT',
    trading_mode: 'futures',
    timeframe: '1h',
    days: 90,
    net_pnl: -41.5,
    profit_ratio: -0.0415,
    total_trades: 1,
    win_rate: 0,
    equity: [
      { time: 1_763_000_000_000, value: 1000 },
      { time: 1_763_600_000_000, value: 958.5 },
    ],
  };
}

/** What a strategy says of itself; without a backtest. */
export function someDetails(changes: Partial<CallReply<'strategyDetails'>> = {}): CallReply<'strategyDetails'> {
  return {
    kind: 'trend',
    can_short: true,
    startup_candles: 704,
    series: [],
    loses_when: 'It loses in sideways markets.',
    parameters: [
      { name: 'fastPeriod', meaning: 'Candles of the fast average.', default: 12, min: 5, max: 25, step: 1, unit: 'candles' },
      { name: 'squeeze', meaning: '0 buys the return, 1 the breakout.', default: 0, min: 0, max: 1, step: 1, unit: 'switch' },
    ],
    last_backtest: null,
    ...changes,
  };
}
