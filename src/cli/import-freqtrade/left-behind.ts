import { isObject, type JsonObject } from '#strategy-process/words/json-object.ts';

/** A key of a configuration that a bot has nothing for, and what to do about it. */
export interface LeftBehind {
  key: string;
  what: string;
}

const byStrategy = 'it belongs to the strategy here: a class in Python says it itself';
const channels = 'messages go to the channels of a person: set them up under Channels in the account settings';

/** Prices of orders as bots set them are no difference. */
function pricing(value: unknown): string | null {
  const depth = isObject(value) ? value['check_depth_of_market'] : null;
  const isUsual = isObject(value) && value['price_side'] === 'same' && value['use_order_book'] !== false;
  return isUsual && !(isObject(depth) && depth['enabled'] === true)
    ? null
    : 'a limit order waits on its own side of the order book, a market order takes the other';
}

/** What to do about keys of freqtrade that a bot has nothing for; null where what bots do is the same. */
const advice: Readonly<Record<string, (value: unknown) => string | null>> = {
  dry_run_wallet: () => 'the capital of a bot is its stake times its slots',
  available_capital: () => 'the capital of a bot is its stake times its slots',
  tradable_balance_ratio: (ratio) =>
    ratio === 1 ? null : 'all of a bot’s capital can be staked: give it a smaller stake to keep some back',
  amend_last_stake_amount: (on) => (on === true ? null : 'the last slot takes a smaller stake once some of the capital is lost'),
  last_stake_amount_min_ratio: () => 'the last slot takes a smaller stake once some of the capital is lost',
  fee: () => 'fees are those that the exchange charges',
  dry_run: (on) => (on === true ? null : 'a bot begins on paper: add its key, try it, and switch it to live on its page'),
  use_exit_signal: (on) => (on === true ? null : byStrategy),
  exit_profit_only: (on) => (on === false ? null : byStrategy),
  exit_profit_offset: (offset) => (offset === 0 ? null : byStrategy),
  ignore_roi_if_entry_signal: (on) => (on === false ? null : byStrategy),
  ignore_buying_expired_candle_after: () => byStrategy,
  position_adjustment_enable: (on) => (on === false ? null : byStrategy),
  max_entry_position_adjustment: () => byStrategy,
  unfilledtimeout: () => `${byStrategy}; else an order that waits is cancelled after one candle`,
  startup_candle_count: () => byStrategy,
  protections: () =>
    `${byStrategy}; a pause after losses in a row is set on Configure Bot, a largest loss of a day and a drawdown under Limits`,
  entry_pricing: pricing,
  exit_pricing: pricing,
  custom_price_max_distance_ratio: () => 'the limit "price collar" holds entries near the market: set it under Limits',
  amount_reserve_percent: () => 'nothing is kept back of a stake: give a smaller one',
  liquidation_buffer: () => 'stops have the usual distance to the liquidation price',
  position_stacking: (on) => (on === true ? 'a bot has one trade in a pair' : null),
  process_only_new_candles: (on) => (on === false ? 'signals are computed once for each closed candle' : null),
  edge: () => 'there is nothing like it here',
  freqai: (value) => (isObject(value) && value['enabled'] === false ? null : 'strategies that need FreqAI do not run here'),
  external_message_consumer: (value) =>
    isObject(value) && value['enabled'] === false ? null : 'bots do not take signals from others: let the strategy compute them itself',
  telegram: (value) => (isObject(value) && value['enabled'] === false ? null : channels),
  discord: (value) => (isObject(value) && value['enabled'] === false ? null : channels),
  webhook: (value) => (isObject(value) && value['enabled'] === false ? null : channels),
  fiat_display_currency: (currency) => (currency === '' || currency === null ? null : 'amounts are shown in the stake currency'),
};

/** Entries of `order_types` that bots have nothing for. */
const orderAdvice: Readonly<Record<string, (value: unknown) => string | null>> = {
  emergency_exit: (type) => (type === 'market' ? null : 'an emergency exit is at market'),
  force_entry: () => null,
  force_exit: (type) => (type === 'market' ? null : 'closing by hand is at market'),
  stoploss_on_exchange: (on) => (on === true ? null : 'a live bot always has its stop at the exchange'),
  stoploss_on_exchange_interval: () => 'a stop at the exchange follows as soon as it moves',
  stoploss_on_exchange_limit_ratio: () => 'how far a stop at the exchange may slip is fixed',
  stoploss_price_type: () => 'stops at the exchange go by the price of trades',
};

/** Keys that are carried over, or that what is said elsewhere is about. */
const carried = new Set([
  'stake_currency',
  'stake_amount',
  'max_open_trades',
  'trading_mode',
  'margin_mode',
  'leverage',
  'timeframe',
  'stoploss',
  'minimal_roi',
  'trailing_stop',
  'trailing_stop_positive',
  'trailing_stop_positive_offset',
  'trailing_only_offset_is_reached',
  'order_types',
  'order_time_in_force',
  'exchange',
  'pair_whitelist',
  'pair_blacklist',
  'pairlists',
  'strategy',
  'bot_name',
]);

/** Keys that are about running freqtrade itself. */
const ofTheProgram = new Set([
  '$schema',
  'add_config_files',
  'api_server',
  'cancel_open_orders_on_exit',
  'coingecko',
  'config_files',
  'dataformat_ohlcv',
  'dataformat_trades',
  'datadir',
  'db_url',
  'disable_dataframe_checks',
  'disableparamexport',
  'dry_run_wallet_reset',
  'enable_protections',
  'export',
  'exportfilename',
  'force_entry_enable',
  'hyperopt_path',
  'initial_state',
  'internals',
  'logfile',
  'log_config',
  'new_pairs_days',
  'recursive_strategy_search',
  'reduce_df_footprint',
  'strategy_path',
  'user_data_dir',
  'verbosity',
]);

/** What a configuration says that a bot has nothing for, and that makes a difference. */
export function leftBehind(whole: JsonObject): LeftBehind[] {
  const orders = isObject(whole['order_types']) ? whole['order_types'] : {};
  return [
    ...Object.entries(whole).flatMap(([key, value]) => {
      if (carried.has(key) || ofTheProgram.has(key)) return [];
      const say = Object.hasOwn(advice, key) ? advice[key] : undefined;
      const what = say === undefined ? 'it is not known here, and nothing was made of it' : say(value);
      return what === null ? [] : [{ key, what }];
    }),
    ...Object.entries(orders).flatMap(([key, value]) => {
      if (['entry', 'exit', 'stoploss'].includes(key)) return [];
      const say = Object.hasOwn(orderAdvice, key) ? orderAdvice[key] : undefined;
      const what = say === undefined ? 'it is not known here, and nothing was made of it' : say(value);
      return what === null ? [] : [{ key: `order_types.${key}`, what }];
    }),
  ];
}

/** The keys of a configuration that are about running freqtrade itself. */
export function withoutMeaning(whole: JsonObject): string[] {
  return Object.keys(whole).filter((key) => ofTheProgram.has(key) && key !== '$schema');
}
