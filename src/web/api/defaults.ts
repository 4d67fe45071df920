/** What a bot of the list is taken to have where the server omits a value. Money in stake currency. */
export const botDefaults = {
  trading_pairs: ['BTC/USDT'],
  stake_currency: 'USDT',
  stake_amount: 100,
  mode: 'paper',
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
} as const;

/** What a strategy is taken to have where the server omits a value. */
export const strategyDefaults = { default_timeframe: '5m', stoploss: -0.1, max_consecutive_losses: 5 } as const;
