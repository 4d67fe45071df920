import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';

type Run = CallReply<'listPortfolios'>['runs'][number];
type Details = NonNullable<CallReply<'portfolio'>['details']>;

/** A finished run over two pairs. */
export function aPortfolio(changes: Partial<Run> = {}): Run {
  return {
    id: idOf(700),
    status: 'done',
    strategy_id: idOf(50),
    strategy_name: 'EMA cross',
    code_version: null,
    exchange_name: 'Sandbox',
    plan: {
      exchange: 'Sandbox',
      trading_mode: 'spot',
      pairs: ['BTC/USDT', 'ETH/USDT'],
      from: '2026-08-01',
      to: '2026-08-31',
      timeframe: '15m',
      detail_timeframe: null,
      max_open_trades: 2,
      starting_balance: 1_000,
      stake_amount: null,
      leverage: 1,
      fee_ratio: 0.001,
      slippage_ratio: 0.0005,
      protections: [],
    },
    bot: null,
    created_at: '2026-11-20T10:00:00.000Z',
    finished_at: '2026-11-20T10:00:05.000Z',
    error: null,
    is_own: true,
    metrics: { total_trades: 40, win_rate: 0.5, net_pnl: 12.5 },
    equity: [],
    progress: 1,
    step: '',
    seconds_left: null,
    is_cancelled: false,
    details_removed_at: null,
    tries: 3,
    ...changes,
  };
}

/** What it came to: 40 trades, 12.50 USDT, a deepest fall of 30. */
export function portfolioDetails(changes: Partial<Details> = {}): Details {
  const start = Date.UTC(2026, 7, 1);
  const day = 86_400_000;
  const group = (key: string, trades: number, wins: number, pnl: number) => ({
    key,
    trades,
    wins,
    pnl,
    profit_factor: 1.2,
    best: 4,
    worst: -5,
    minutes: 300,
  });
  return {
    version: 1,
    from: start,
    to: start + 31 * day,
    notes: [],
    currency: 'USDT',
    candles: 2 * 31 * 96,
    without_candles: [],
    starting_balance: 1_000,
    final_balance: 1_012.5,
    net_pnl: 12.5,
    net_ratio: 0.0125,
    hold_pnl: -40,
    fees: 8,
    slippage: 4,
    funding: null,
    max_drawdown: 30,
    max_drawdown_ratio: 0.029,
    sharpe: 0.7,
    sortino: 1,
    days: Array.from({ length: 31 }, (_, i) => ({
      day: new Date(start + i * day).toISOString().slice(0, 10),
      pnl: i === 4 ? -21.5 : i === 9 ? 34 : 0,
      trades: i === 4 || i === 9 ? 20 : 0,
    })),
    months: [{ month: '2026-08', pnl: 12.5, ratio: 0.0125, trades: 40, wins: 20 }],
    total: group('', 40, 20, 12.5),
    pairs: [group('ETH/USDT', 20, 12, 20), group('BTC/USDT', 20, 8, -7.5)],
    directions: [group('long', 40, 20, 12.5)],
    entry_tags: [group('', 40, 20, 12.5)],
    exit_reasons: [group('roi', 20, 20, 60), group('stop_loss', 20, 0, -47.5)],
    weekdays: [group('1', 40, 20, 12.5)],
    hours: [group('7', 40, 20, 12.5)],
    equity: [
      { time: start, value: 1_000 },
      { time: start + 5 * day, value: 978.5 },
      { time: start + 31 * day, value: 1_012.5 },
    ],
    drawdown: [
      { time: start, value: 0 },
      { time: start + 5 * day, value: -21.5 },
    ],
    hold: [
      { time: start, value: 1_000 },
      { time: start + 31 * day, value: 960 },
    ],
    entries: {
      signals: 50,
      entered: 40,
      unfilled: 0,
      refused: [{ gate: 'slots-full', name: 'No free slot', count: 10, reason: 'all slots were in use' }],
      no_trades: null,
      stopped: null,
    },
    refused: [{ time: start + day, symbol: 'BTC/USDT', gate: 'slots-full', name: 'No free slot' }],
    trades: Array.from({ length: 40 }, (_, i) => ({
      symbol: i % 2 === 0 ? 'BTC/USDT' : 'ETH/USDT',
      timestamp: start + i * 1_800_000,
      exit_timestamp: start + i * 1_800_000 + 18_000_000,
      direction: 'long' as const,
      entry_price: 100,
      exit_price: 101,
      amount: 1,
      stake: 100,
      leverage: 1,
      pnl: i % 2 === 0 ? -0.375 : 1,
      pnl_ratio: 0.01,
      entry_tag: null,
      exit_reason: i % 2 === 0 ? 'stop_loss' : 'roi',
    })),
    fingerprint: '0123456789abcdef',
    ...changes,
  };
}
