import type { Bot } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import { idOf } from './ids.ts';

/** An active paper bot on the sandbox that belongs to person 1. */
export function aBot(number: number, changes: Partial<Bot> = {}): Bot {
  return {
    id: idOf(100 + number),
    nickname: `Bot ${number}`,
    user_id: idOf(1),
    email: 'owner@flotilla.example',
    exchange_id: 'sandbox',
    strategy_id: idOf(50),
    strategy_name: 'EMA Cross',
    trading_pairs: ['BTC/USDT', 'ETH/USDT'],
    stake_currency: 'USDT',
    stake_amount: 100,
    mode: 'paper',
    status: 'active',
    current_balance: 312.3,
    total_pnl: 12.3,
    total_pnl_pct: 4.1,
    max_open_trades: 3,
    leverage: 1,
    leverage_mode: 'isolated',
    margin_mode: 'spot',
    current_consecutive_losses: 0,
    total_trades: 12,
    winning_trades: 7,
    losing_trades: 5,
    max_drawdown: 3,
    max_drawdown_pct: 1,
    starting_balance: 300,
    last_trade_at: null,
    last_updated: '2026-11-20T00:00:00.000Z',
    timeframe: '5m',
    stoploss: -0.1,
    minimal_roi: { '0': 0.02 },
    trailing_stop: false,
    max_consecutive_losses: 5,
    own_settings: {},
    own_settings_ignored: [],
    version: 1,
    tags: [],
    code_version: null,
    newest_code_version: null,
    archived_at: null,
    imported_trades: 0,
    imported_pnl: 0,
    ...changes,
  };
}

/** The bot with its configuration; without a key, trading with its own values. */
export function aBotConfig(bot: Bot = aBot(1), changes: Partial<CallReply<'getBot'>> = {}): CallReply<'getBot'> {
  const { timeframe, stoploss, minimal_roi } = bot;
  return {
    ...bot,
    api_key: null,
    effective_timeframe: timeframe,
    effective_stoploss: stoploss,
    effective_minimal_roi: minimal_roi,
    ...changes,
  };
}

/** A version of the settings of a bot, made by an admin. */
export function aBotVersion(
  number: number,
  changes: Partial<CallReply<'listBotVersions'>[number]> = {},
): CallReply<'listBotVersions'>[number] {
  return {
    version: number,
    changed_at: '2026-11-20T00:00:00.000Z',
    changed_by: 'admin@flotilla.example',
    changes: number === 1 ? [] : [{ field: 'stake_amount', from: '100', to: '200' }],
    trades: 2,
    pnl: -17.54,
    ...changes,
  };
}

/** A balance snapshot of a bot. Higher numbers are later by an hour. */
export function aSnapshot(number: number, changes: Partial<CallReply<'botPnl'>[number]> = {}): CallReply<'botPnl'>[number] {
  return {
    timestamp: new Date(Date.parse('2026-11-20T00:00:00.000Z') + number * 3_600_000).toISOString(),
    net_pnl: 226.86,
    net_pnl_pct: 7.56,
    unrealized_pnl: 15.02,
    realized_pnl: 211.84,
    total_fees: 96.14,
    win_rate: 0.4896,
    current_balance: 3211.84,
    ...changes,
  };
}

/** The bot as the selector of the dashboard lists it. */
export function asMonitored({ id, nickname, exchange_id, strategy_name, mode, status }: Bot): CallReply<'availableBots'>['data'][number] {
  return { id, nickname, exchange_id, strategy_name, mode, status };
}

/** The bot as the live status reports it, with all that can be asked for: it has a key, its prices are fresh. */
export function asLive(
  { id, user_id, nickname, exchange_id, mode, status, stake_currency, max_open_trades }: Bot,
  changes: Partial<CallReply<'liveStatus'>['bots'][number]> = {},
): CallReply<'liveStatus'>['bots'][number] {
  return {
    bot_id: id,
    nickname,
    status,
    mode,
    running: status !== 'stopped',
    open_trades: 0,
    unrealized_pnl: 0,
    last_tick_at: sampleTime,
    last_error: null,
    today_pnl: 0,
    stake_currency,
    max_open_trades,
    exchange_id,
    is_own: user_id === idOf(1),
    last_decision: null,
    live_obstacle: null,
    history: [0, 1, -0.5],
    fees: { maker: 0.001, taker: 0.001 },
    ...changes,
  };
}

/** The server's time in the samples. */
export const sampleTime = '2026-11-20T00:00:00.000Z';

/** The live status of the bots. */
export function liveOf(bots: readonly CallReply<'liveStatus'>['bots'][number][]): CallReply<'liveStatus'> {
  return { time: sampleTime, bots: [...bots] };
}

/** What settings would have done over the last 30 days: a small gain. */
export function aHindsight(changes: Partial<NonNullable<CallReply<'botHindsight'>['figures']>> = {}): CallReply<'botHindsight'> {
  const from = Date.UTC(2026, 9, 23);
  return {
    state: 'done',
    why: null,
    figures: {
      from,
      to: from + 30 * 86_400_000,
      exchange_id: 'sandbox',
      stake_currency: 'USDT',
      timeframe: '5m',
      starting_balance: 1000,
      profit: 18.2,
      profit_ratio: 0.0182,
      trades: 23,
      win_rate: 14 / 23,
      drawdown_ratio: 0.024,
      fee_ratio: 0.001,
      no_trades: null,
      stopped: null,
      paused_at: null,
      equity: Array.from({ length: 31 }, (_, day) => ({ time: from + day * 86_400_000, value: 1000 + (18.2 * day) / 30 })),
      ...changes,
    },
  };
}
