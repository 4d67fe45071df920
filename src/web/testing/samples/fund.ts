import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';

const noTrades = { trade_count: 0, cumulative_pnl: 0, win_rate: 0, avg_pnl_per_trade: 0, wins: 0, losses: 0, strategy_breakdown: {} };

/** A fund of two strategies with live bots, and some paper trades. */
export function aFundOverview(changes: Partial<CallReply<'fundOverview'>> = {}): CallReply<'fundOverview'> {
  return {
    total_aum: 20_827.84,
    strategy_allocation: { 'EMA Cross': 8_616, 'Donchian Breakout': 12_211.84 },
    leverage: { 'EMA Cross': 1, 'Donchian Breakout': 3 },
    margin_mode: { 'EMA Cross': 'spot', 'Donchian Breakout': 'mixed' },
    bot_status: { 'EMA Cross': 'active', 'Donchian Breakout': 'paused' },
    roi_percent: 4.0351,
    win_rate: 0.48414,
    sharpe_ratio: 1.3712,
    top_traders: [
      { id: idOf(2), email: 'mira@flotilla.example' },
      { id: idOf(3), email: 'jl@flotilla.example' },
    ],
    bottom_traders: [{ id: idOf(4), email: 'tomasz@flotilla.example' }],
    pnl_history: [
      { date: '2026-11-18', pnl: 12.5 },
      { date: '2026-11-19', pnl: -4.25 },
      { date: '2026-11-20', pnl: 6 },
    ],
    paper_trades: {
      trade_count: 918,
      cumulative_pnl: -94.66,
      win_rate: 0.38067,
      avg_pnl_per_trade: -0.10312,
      wins: 385,
      losses: 531,
      strategy_breakdown: {
        'EMA Cross': { trade_count: 506, total_pnl: 33.3, wins: 214, losses: 290, win_rate: 0.42292 },
        SuperTrend: { trade_count: 412, total_pnl: -127.96, wins: 171, losses: 241, win_rate: 0.41505 },
      },
    },
    testnet_trades: noTrades,
    ...changes,
  };
}

/** How a trader did live; the id is that of the number. */
export function anInvestorRow(
  number: number,
  changes: Partial<CallReply<'investorSummary'>[number]> = {},
): CallReply<'investorSummary'>[number] {
  return {
    trader_id: idOf(number),
    trader_name: `trader${number}@example.com`,
    mode: 'live',
    total_pnl: 12.3,
    roi_percent: 4.1,
    max_drawdown: 4.2,
    num_trades: 12,
    win_rate: 7 / 12,
    sharpe_ratio: 1.88412,
    avg_latency: 211.6,
    ml_label_count: 3,
    ...changes,
  };
}
