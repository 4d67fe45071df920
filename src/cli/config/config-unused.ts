/** Keys of freqtrade's configuration that have no effect in a backtest; they may stay in the file. */
export const unusedKeys: readonly string[] = [
  '$schema',
  'api_server',
  'bot_name',
  'cancel_open_orders_on_exit',
  'coingecko',
  'custom_price_max_distance_ratio', // custom prices are not kept near in a backtest
  'dataformat_ohlcv',
  'dataformat_trades',
  'db_url',
  'disable_dataframe_checks',
  'discord',
  'dry_run',
  'dry_run_wallet_reset',
  'export',
  'exportfilename',
  'external_message_consumer',
  'fiat_display_currency',
  'force_entry_enable',
  'initial_state',
  'internals',
  'logfile',
  'log_config',
  'new_pairs_days',
  'order_time_in_force', // every limit order is good till cancelled
  'process_only_new_candles',
  'recursive_strategy_search',
  'reduce_df_footprint',
  'strategy_path',
  'telegram',
  'user_data_dir',
  'datadir',
  'verbosity',
  'webhook',
];

/** Keys below `exchange` that have no effect in a backtest. */
export const unusedExchangeKeys: readonly string[] = [
  'account_id',
  'ccxt_async_config',
  'ccxt_config',
  'ccxt_sync_config',
  'enable_ws',
  'key',
  'log_responses',
  'markets_refresh_interval',
  'only_from_ccxt',
  'outdated_offset',
  'password',
  'private_key',
  'sandbox',
  'secret',
  'skip_open_order_update',
  'skip_pair_validation',
  'uid',
  'unknown_fee_rate',
  'use_public_trades',
  'wallet_address',
];

/** Keys below `order_types` that have no effect in a backtest. */
export const unusedOrderTypeKeys: readonly string[] = [
  'stoploss_on_exchange',
  'stoploss_on_exchange_interval',
  'stoploss_on_exchange_limit_ratio',
  'stoploss_price_type',
];

/** Keys below `entry_pricing` and `exit_pricing` that have no effect in a backtest. */
export const unusedPricingKeys: readonly string[] = ['use_order_book', 'order_book_top', 'price_last_balance', 'check_depth_of_market'];
