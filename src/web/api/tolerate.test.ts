import { bot, botConfig, botTrade, pnlSnapshot } from '#contract/bots.ts';
import { routes } from '#contract/routes.ts';
import { strategy } from '#contract/strategies.ts';
import { expect, test } from 'vitest';
import { tolerate } from './tolerate.ts';

test('STATE-09 after a sign-up omitted flags are true, given ones stay', () => {
  expect(tolerate('API-03', { email: 'a@b.cd' })).toEqual({ email: 'a@b.cd', verified: true, email_verified: true });
  expect(tolerate('API-03', { verified: false, email_verified: false })).toEqual({ verified: false, email_verified: false });
});

test('STATE-10 after a sign-in or a session check omitted flags are false, given ones stay', () => {
  for (const call of ['API-01', 'API-02']) {
    expect(tolerate(call, { role: 'trader' })).toEqual({ role: 'trader', verified: false, email_verified: false });
    expect(tolerate(call, { verified: true, email_verified: true })).toEqual({ verified: true, email_verified: true });
  }
});

test('MON-41 trades of the order metrics that are no list are empty', () => {
  for (const trades of [null, 'none', {}, 3]) expect(tolerate('API-20', { trades })).toEqual({ trades: [] });
  expect(tolerate('API-20', { trades: [1] })).toEqual({ trades: [1] });
});

test('DATA-08, DATA-09, BOTS-33 values a bot of the list omits are filled with the defaults', () => {
  expect(tolerate('API-31', [{ id: '1', mode: 'live' }])).toEqual([
    {
      id: '1',
      mode: 'live',
      trading_pairs: ['BTC/USDT'],
      stake_currency: 'USDT',
      stake_amount: 100,
      status: 'paused',
      current_balance: 100,
      max_open_trades: 3,
      leverage: 1,
      leverage_mode: 'isolated',
      margin_mode: 'spot',
      starting_balance: 100,
      timeframe: '5m',
      stoploss: -0.1,
      max_consecutive_losses: 5,
    },
  ]);
});

test('DATA-02..07 a bot has the fields and words of the inventory', () => {
  expect(bot.shape.status.options).toEqual(['active', 'paused', 'stopped']);
  expect(bot.shape.mode.options).toEqual(['paper', 'live']);
  expect(bot.shape.leverage_mode.options).toEqual(['isolated', 'cross']);
  expect(bot.shape.margin_mode.options).toEqual(['spot', 'margin', 'futures']);
  const card = [
    'id',
    'user_id',
    'nickname',
    'email',
    'status',
    'mode',
    'exchange_id',
    'stake_amount',
    'stake_currency',
    'trading_pairs',
    'total_pnl',
  ];
  expect(Object.keys(bot.shape)).toEqual(expect.arrayContaining(card));
});

test('DATA-15, DATA-16 supported exchanges as JSON text are read; what cannot be read is an empty list', () => {
  const exchangesOf = (supported_exchanges: unknown) => tolerate('API-27', { strategies: [{ supported_exchanges }] });
  const expected = (supported_exchanges: unknown) => ({ strategies: [expect.objectContaining({ supported_exchanges })] });
  expect(exchangesOf(['binance'])).toEqual(expected(['binance']));
  expect(exchangesOf('["binance","kraken"]')).toEqual(expected(['binance', 'kraken']));
  for (const text of ['', 'binance,kraken', '{"binance":1}', '"binance"']) expect(exchangesOf(text)).toEqual(expected([]));
});

test('DATA-17 values a strategy omits are filled with the defaults', () => {
  expect(tolerate('API-27', { strategies: [{ id: '1' }, { id: '2', stoploss: -0.05 }] })).toEqual({
    strategies: [
      { id: '1', default_timeframe: '5m', stoploss: -0.1, max_consecutive_losses: 5 },
      { id: '2', default_timeframe: '5m', stoploss: -0.05, max_consecutive_losses: 5 },
    ],
  });
});

test('DATA-10, DATA-11, DATA-14, DATA-18..21, DATA-24, DATA-25 the entities have the fields of the inventory', () => {
  const fields = (schema: { shape: object }) => Object.keys(schema.shape);
  expect(fields(botConfig)).toEqual(
    expect.arrayContaining(['effective_timeframe', 'effective_stoploss', 'effective_minimal_roi', 'api_key']),
  );
  expect(fields(strategy)).toEqual([
    'id',
    'name',
    'description',
    'strategy_class_name',
    'supported_exchanges',
    'default_timeframe',
    'stoploss',
    'trailing_stop',
    'trailing_stop_positive',
    'trailing_stop_positive_offset',
    'trailing_only_offset_is_reached',
    'max_consecutive_losses',
    'risk_reward_ratio',
    'minimal_roi',
    'order_types',
    'order_time_in_force',
    'encrypted_webhook',
    'encrypted_sheets_key',
    'version', // the rest is beyond the inventory
    'webhook_result',
    'sheet_result',
    'sheet_account',
    'kind',
    'code_version',
  ]);
  expect(strategy.shape.trailing_stop.safeParse('true').success).toBe(false);
  expect(strategy.shape.minimal_roi.safeParse({ 0: 0.02 }).success).toBe(true);
  expect(fields(routes.strategyPerformance.reply)).toEqual(
    expect.arrayContaining([
      'total_pnl',
      'sharpe_ratio',
      'win_rate',
      'total_trades',
      'winning_trades',
      'losing_trades',
      'max_drawdown',
      'daily_pnl',
    ]),
  );
  expect(fields(botTrade)).toEqual(
    expect.arrayContaining(['trade_id', 'symbol', 'side', 'entry_price', 'exit_price', 'volume', 'pnl', 'entry_time', 'status', 'note']),
  );
  expect(botTrade.shape.status.options).toEqual(['open', 'closed', 'cancelled', 'failed']);
  expect(fields(pnlSnapshot)).toEqual([
    'timestamp',
    'net_pnl',
    'net_pnl_pct',
    'unrealized_pnl',
    'realized_pnl',
    'total_fees',
    'win_rate',
    'current_balance',
  ]);
});

test('FUND-21 days of the fund whose profit is not a number are left out', () => {
  const history = [{ date: 'a', pnl: 1 }, { date: 'b', pnl: '2' }, { date: 'c', pnl: null }, { date: 'd' }, null, { date: 'e', pnl: -3 }];
  expect(tolerate('API-45', { total_aum: 1, pnl_history: history })).toEqual({
    total_aum: 1,
    pnl_history: [
      { date: 'a', pnl: 1 },
      { date: 'e', pnl: -3 },
    ],
  });
});

test('other answers pass as they are', () => {
  for (const answer of [null, 'text', 7, { verified: 1 }]) expect(tolerate('API-14', answer)).toBe(answer);
});
