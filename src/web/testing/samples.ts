import type { SessionUser } from '#contract/auth.ts';
import type { Bot } from '#contract/bots.ts';
import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';

/** An id that says its number. */
export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A person of the role, with everything confirmed. Their id is that of number 1. */
export function aUser(role: Role = 'trader', changes: Partial<SessionUser> = {}): SessionUser {
  return { email: `${role}@flotilla.example`, userId: idOf(1), role, verified: true, email_verified: true, has_2fa: false, ...changes };
}

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
    version: 1,
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

/** A closed trade of a bot, won. Higher numbers are later by an hour. */
export function aBotTrade(number: number, changes: Partial<CallReply<'botTrades'>[number]> = {}): CallReply<'botTrades'>[number] {
  const time = Date.parse('2026-11-01T00:00:00.000Z') + number * 3_600_000;
  return {
    trade_id: idOf(10_000 + number),
    symbol: 'BTC/USDT',
    side: 'buy',
    entry_price: 64_321.125,
    exit_price: 65_000,
    volume: 0.0155,
    pnl: 10.5,
    entry_time: new Date(time).toISOString(),
    exit_time: new Date(time + 1_800_000).toISOString(),
    status: 'closed',
    note: null,
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

/** The limits of a bot that are all defaults, but for what is given. */
export function someLimits(changes: Partial<CallReply<'getLimits'>> = {}): CallReply<'getLimits'> {
  const amounts = { 'order-value': [300, 120], 'position-value': [300, 250], 'daily-loss': [150, 150] } as const;
  const others = {
    'open-orders': [10, 2],
    'orders-per-minute': [20, 1],
    'price-collar': [0.02, null],
    leverage: [3, 3],
    drawdown: [0.8, 0.0584],
  } as const;
  const limit = (name: string, [value, use]: readonly [number, number | null], currency: string | null) =>
    ({
      name,
      currency,
      value,
      default: value,
      is_default: true,
      use,
      stricter: null,
      set_by: null,
      set_at: null,
      may_raise: true,
    }) as CallReply<'getLimits'>['limits'][number];
  return {
    level: 'bot',
    id: '3f6c1e52-0000-4000-8000-000000000001',
    name: 'Night Trend',
    mode: 'paper',
    limits: [
      ...Object.entries(amounts).map(([name, figures]) => limit(name, figures, 'USDT')),
      ...Object.entries(others).map(([name, figures]) => limit(name, figures, null)),
    ],
    ...changes,
  };
}

/** A kill switch that nobody has pressed. */
export function aTradingView(changes: Partial<CallReply<'getTradingState'>> = {}): CallReply<'getTradingState'> {
  return {
    own: 'active',
    server: 'active',
    own_bots: 2,
    own_open_trades: 1,
    all_bots: null,
    all_open_trades: null,
    switches: [],
    ...changes,
  };
}

/** Settings of an installation that nobody has changed. */
export function anInstallation(changes: Partial<CallReply<'getInstallation'>> = {}): CallReply<'getInstallation'> {
  return {
    version: 1,
    require_2fa: 'off',
    registration: 'open',
    shared_bot_list: true,
    session_idle_minutes: 480,
    session_life_minutes: 10_080,
    sender_name: '',
    sender_address: '',
    sender: { name: 'Flotilla', address: 'flotilla@localhost' },
    without_2fa: { admins: 1, all: 4 },
    ...changes,
  };
}

/** An open invitation. */
export function anInvitation(
  number: number,
  changes: Partial<CallReply<'listInvitations'>[number]> = {},
): CallReply<'listInvitations'>[number] {
  return {
    id: idOf(number),
    email: `guest-${number}@example.com`,
    role: 'trader',
    state: 'open',
    invited_by: 'admin@flotilla.example',
    created_at: '2026-11-20T00:00:00.000Z',
    expires_at: '2026-11-27T00:00:00.000Z',
    ...changes,
  };
}

/** An account of the user management: a verified trader without bots or keys. */
export function aManagedUser(number: number, changes: Partial<CallReply<'listUsers'>[number]> = {}): CallReply<'listUsers'>[number] {
  return {
    id: idOf(number),
    userId: idOf(number),
    display_name: `User ${number}`,
    email: `user${number}@flotilla.example`,
    role: 'trader',
    verified: true,
    email_verified: true,
    has_2fa: false,
    created_at: '2026-03-14T10:00:00.000Z',
    bots: [],
    api_keys: [],
    ...changes,
  };
}

/** A record of the audit log: the admin signed in. Higher numbers are later by a minute. */
export function anAuditRecord(
  number: number,
  changes: Partial<CallReply<'listAudit'>['records'][number]> = {},
): CallReply<'listAudit'>['records'][number] {
  return {
    id: String(number),
    time: new Date(Date.parse('2026-11-20T00:00:00.112Z') + number * 60_000).toISOString(),
    actor: 'admin@flotilla.example',
    actor_role: 'admin',
    action: 'sign-in',
    target: null,
    target_name: null,
    address: '192.0.2.14',
    request_id: `req-${number}`,
    result: 'ok',
    detail: {},
    fingerprint: 'c41e09ab77f2',
    ...changes,
  };
}

/** A mail of the outbox, sent. */
export function aMail(
  number: number,
  changes: Partial<CallReply<'listMails'>['mails'][number]> = {},
): CallReply<'listMails'>['mails'][number] {
  const time = new Date(Date.parse('2026-11-20T00:00:00.112Z') + number * 60_000).toISOString();
  return {
    id: idOf(number),
    recipient: `person${number}@flotilla.example`,
    subject: 'Your role was changed',
    state: 'sent',
    created_at: time,
    sent_at: time,
    next_try_at: null,
    tries: 1,
    last_error: null,
    ...changes,
  };
}

/** A bot of such an account: paper, active, of two pairs. */
export function aManagedBot(
  number: number,
  changes: Partial<CallReply<'listUsers'>[number]['bots'][number]> = {},
): CallReply<'listUsers'>[number]['bots'][number] {
  return {
    id: idOf(100 + number),
    name: `Bot ${number}`,
    strategy_name: 'EMA Cross',
    exchange: 'Sandbox',
    mode: 'paper',
    trading_pairs: ['BTC/USDT', 'ETH/USDT'],
    status: 'active',
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

/** The newest `count` candles of 5 minutes; the last one opened at `lastTime` (ms) and closes at `close`. */
export function someCandles(count: number, close: number, lastTime = 1_763_683_200_000): CallReply<'chartCandles'> {
  const step = 300_000;
  const candles = Array.from({ length: count }, (_, i) => {
    const isLast = i === count - 1;
    const open = 100 + Math.sin(i / 5) * 10;
    const end = isLast ? close : 100 + Math.sin((i + 1) / 5) * 10;
    return {
      timestamp: lastTime - (count - 1 - i) * step,
      open,
      high: Math.max(open, end) + 1,
      low: Math.min(open, end) - 1,
      close: end,
      volume: 10 + i,
    };
  });
  return { candles, timeframe: '5m' };
}

/** Profit and loss with an open position. */
export function somePnl(changes: Partial<CallReply<'pnlMetrics'>> = {}): CallReply<'pnlMetrics'> {
  return {
    unrealized_pnl: -12.345,
    current_price: 101.5,
    position_size: 0.0155,
    entry_price: 102.25,
    leverage: 3,
    liquidation_price: 70.5,
    history: [
      { time: 1_763_600_000_000, pnl: 1 },
      { time: 1_763_650_000_000, pnl: -2 },
    ],
    ...changes,
  };
}

/** Order metrics with one line of the log. */
export function someOrders(changes: Partial<CallReply<'orderMetrics'>> = {}): CallReply<'orderMetrics'> {
  return {
    win_rate: 0.5833,
    trade_count: 12,
    trades: [
      {
        timestamp: '2026-11-20T10:15:30.000Z',
        symbol: 'BTC/USDT',
        direction: 'long',
        size: 0.0155,
        entry: 64_321.12,
        status: 'open',
        confidence: 0.715,
        stop_loss: null,
      },
    ],
    ...changes,
  };
}

/** A session of the signed-in person, the `n`th. */
export function aSession(n: number, changes: Partial<CallReply<'listSessions'>[number]> = {}): CallReply<'listSessions'>[number] {
  return {
    id: idOf(900 + n),
    device: 'Firefox on Linux',
    address: '192.0.2.14',
    started_at: '2026-11-20T00:00:00.000Z',
    last_seen_at: '2026-11-20T00:15:00.000Z',
    is_current: false,
    ...changes,
  };
}

/** An exchange key of the signed-in person, the `n`th. */
export function anApiKey(n: number, changes: Partial<CallReply<'listApiKeys'>[number]> = {}): CallReply<'listApiKeys'>[number] {
  return {
    id: idOf(950 + n),
    exchange: 'binance',
    exchange_name: 'Binance',
    label: null,
    key_hint: 'b07e',
    has_passphrase: false,
    created_at: '2026-11-20T00:00:00.000Z',
    last_used: null,
    checked_at: '2026-11-20T00:00:00.000Z',
    check: 'ok',
    is_checking: false,
    can_trade: true,
    can_withdraw: false,
    is_ip_bound: false,
    bots: [],
    ...changes,
  };
}

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
    ...changes,
  };
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
    loses_when: 'It loses in sideways markets.',
    parameters: [
      { name: 'fastPeriod', meaning: 'Candles of the fast average.', default: 12, min: 5, max: 25, step: 1, unit: 'candles' },
      { name: 'squeeze', meaning: '0 buys the return, 1 the breakout.', default: 0, min: 0, max: 1, step: 1, unit: 'switch' },
    ],
    last_backtest: null,
    ...changes,
  };
}

/** A closed paper trade of bot 1 that won. Higher numbers are later by a minute. */
export function aPaperTrade(number: number, changes: Partial<CallReply<'listTrades'>[number]> = {}): CallReply<'listTrades'>[number] {
  return {
    trade_id: idOf(number),
    bot_id: idOf(101),
    timestamp: new Date(Date.parse('2026-11-20T00:00:00.112Z') + number * 60_000).toISOString(),
    symbol: 'BTC/USDT',
    direction: 'long',
    entry_price: 64_321.12,
    exit_price: 64_521.12,
    outcome: 'win',
    pnl: 3.11,
    status: 'closed',
    mode: 'paper',
    confidence: null,
    comment: null,
    ...changes,
  };
}

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
