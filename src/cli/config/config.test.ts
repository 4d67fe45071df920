import { describe, expect, test } from 'vitest';
import { configOf } from './config.ts';
import { instrumentOf } from './config-markets.ts';

const least = { stake_amount: 100, max_open_trades: 3 };

function read(object: object) {
  const { config, faults } = configOf({ ...least, ...object });
  expect(faults).toEqual([]);
  return config;
}

describe('freqtrade configurations', () => {
  test("every key of freqtrade's that matters to a backtest reaches our setting", () => {
    const config = read({
      stake_currency: 'USDT',
      stake_amount: 'unlimited',
      dry_run_wallet: { USDT: 5000 },
      tradable_balance_ratio: 0.5,
      max_open_trades: 7,
      fee: 0.0004,
      trading_mode: 'futures',
      margin_mode: 'cross',
      minimal_roi: { '0': 0.1, '30': 0.05 },
      stoploss: -0.2,
      trailing_stop: true,
      trailing_stop_positive: 0.01,
      trailing_stop_positive_offset: 0.03,
      trailing_only_offset_is_reached: true,
      use_exit_signal: false,
      exit_profit_only: true,
      exit_profit_offset: 0.01,
      ignore_roi_if_entry_signal: true,
      ignore_buying_expired_candle_after: 90,
      unfilledtimeout: { entry: 3, exit: 4, unit: 'seconds', exit_timeout_count: 2 },
      order_types: { entry: 'market', exit: 'limit', stoploss: 'market', stoploss_on_exchange: true, emergency_exit: 'market' },
      entry_pricing: { price_side: 'other', use_order_book: true },
      position_stacking: true,
      position_adjustment_enable: true,
      max_entry_position_adjustment: 4,
      amend_last_stake_amount: true,
      last_stake_amount_min_ratio: 0.3,
      available_capital: 900,
      liquidation_buffer: 0.1,
      startup_candle_count: 77,
      timeframe: '15m',
      timeframe_detail: '1m',
      leverage: 5,
      futures_funding_rate: 0.0001,
      exchange: { name: 'bybit', key: '', pair_whitelist: ['B/USDT:USDT', 'A/USDT:USDT', 'C/USDT:USDT'], pair_blacklist: ['C/.*'] },
      pairlists: [{ method: 'StaticPairList' }],
    });
    expect(config.settings).toMatchObject({
      stakeAmount: 'unlimited',
      startingBalance: 5000,
      tradableBalanceRatio: 0.5,
      maxOpenTrades: 7,
      fee: 0.0004,
      marketType: 'futures',
      marginMode: 'cross',
      liquidationFormula: 'bybit',
      minimalRoi: { 0: 0.1, 30: 0.05 },
      stoploss: -0.2,
      trailingStop: true,
      trailingStopPositive: 0.01,
      trailingStopPositiveOffset: 0.03,
      trailingOnlyOffsetIsReached: true,
      useExitSignal: false,
      exitProfitOnly: true,
      exitProfitOffset: 0.01,
      ignoreRoiIfEntrySignal: true,
      ignoreExpiredAfterMs: 90_000,
      unfilledTimeout: { entryMs: 3000, exitMs: 4000 },
      orderTypes: { entry: 'market', exit: 'limit', stoploss: 'market', emergencyExit: 'market' },
      entryPricing: { side: 'other' },
      positionStacking: true,
      positionAdjustment: true,
      maxEntryAdjustments: 4,
      amendLastStakeAmount: true,
      lastStakeAmountMinRatio: 0.3,
      availableCapital: 900,
      liquidationBuffer: 0.1,
      leverage: 5,
    });
    expect(config).toMatchObject({
      pairs: ['B/USDT:USDT', 'A/USDT:USDT'],
      startupCandles: 77,
      timeframe: '15m',
      detailTimeframe: '1m',
      fundingRate: 0.0001,
    });
    expect(config.unused).toEqual([
      'unfilledtimeout.exit_timeout_count',
      'order_types.stoploss_on_exchange',
      'entry_pricing.use_order_book',
      'exchange.key',
    ]);
  });

  test('a file as freqtrade generates it is taken as it is', () => {
    const config = read({
      $schema: 'https://schema.freqtrade.io/schema.json',
      stake_currency: 'USDT',
      stake_amount: 'unlimited',
      tradable_balance_ratio: 0.99,
      fiat_display_currency: 'USD',
      dry_run: true,
      dry_run_wallet: 1000,
      cancel_open_orders_on_exit: false,
      trading_mode: 'spot',
      margin_mode: '',
      unfilledtimeout: { entry: 10, exit: 10, exit_timeout_count: 0, unit: 'minutes' },
      entry_pricing: {
        price_side: 'same',
        use_order_book: true,
        order_book_top: 1,
        price_last_balance: 0,
        check_depth_of_market: { enabled: false },
      },
      exit_pricing: { price_side: 'same', use_order_book: true, order_book_top: 1 },
      exchange: {
        name: 'binance',
        key: '',
        secret: '',
        ccxt_config: {},
        ccxt_async_config: {},
        pair_whitelist: ['BTC/USDT', 'BNB/USDT'],
        pair_blacklist: ['BNB/.*'],
      },
      pairlists: [{ method: 'StaticPairList' }],
      telegram: { enabled: false, token: '', chat_id: '' },
      api_server: { enabled: false, listen_ip_address: '127.0.0.1' },
      bot_name: 'freqtrade',
      initial_state: 'running',
      force_entry_enable: false,
      internals: { process_throttle_secs: 5 },
    });
    expect(config).toMatchObject({
      pairs: ['BTC/USDT'],
      settings: { marginMode: 'isolated', unfilledTimeout: { entryMs: 600_000, exitMs: 600_000 } },
    });
    expect(config.unused).toContain('telegram');
  });

  test('protections count when they are enabled', () => {
    const protections = [
      { method: 'CooldownPeriod', stop_duration: 30, unlock_at: null },
      {
        method: 'StoplossGuard',
        lookback_period_candles: 24,
        trade_limit: 4,
        stop_duration_candles: 4,
        only_per_pair: false,
        only_per_side: true,
        required_profit: -0.01,
      },
      { method: 'LowProfitPairs', lookback_period: 360, trade_limit: 2, stop_duration: 60, required_profit: 0.02 },
      {
        method: 'MaxDrawdown',
        lookback_period_candles: 48,
        trade_limit: 20,
        unlock_at: '08:00',
        max_allowed_drawdown: 0.2,
        calculation_mode: 'equity',
      },
    ];
    expect(read({ protections, enable_protections: true }).settings.protections).toEqual([
      { kind: 'cooldown', stopMinutes: 30 },
      {
        kind: 'stoploss-guard',
        lookbackCandles: 24,
        tradeLimit: 4,
        stopCandles: 4,
        onlyPerPair: false,
        onlyPerSide: true,
        requiredProfit: -0.01,
      },
      { kind: 'low-profit', lookbackMinutes: 360, tradeLimit: 2, stopMinutes: 60, requiredProfit: 0.02 },
      { kind: 'max-drawdown', lookbackCandles: 48, tradeLimit: 20, unlockAt: '08:00', maxAllowedDrawdown: 0.2, mode: 'equity' },
    ]);
    const off = read({ protections });
    expect([off.settings.protections, off.notes]).toEqual([[], ['The protections are off: "enable_protections" is not true.']]);
  });

  test('the markets of pairs, and what holds for all others', () => {
    const { markets } = read({
      markets: {
        'A/USDT:USDT': {
          amount_step: 0.1,
          price_tick: 0.5,
          min_amount: 1,
          min_cost: 5,
          contract_size: 10,
          taker: 0.0005,
          maker: -0.0001,
          tiers: [
            { min_notional: 0, max_notional: 1000, max_leverage: 20, maintenance_rate: 0.01 },
            { min_notional: 1000, max_leverage: 5, maintenance_rate: 0.05, maintenance_amount: 40 },
          ],
        },
        '*': { amount_step: 0.001 },
      },
    });
    expect(instrumentOf('A/USDT:USDT', 'futures', markets)).toMatchObject({
      base: 'A',
      quote: 'USDT',
      amountStep: 0.1,
      priceTick: 0.5,
      minAmount: 1,
      minCost: 5,
      contractSize: 10,
      takerFee: 0.0005,
      makerFee: -0.0001,
      maxLeverage: 20,
      leverageTiers: [
        { minNotional: 0, maxNotional: 1000, maxLeverage: 20, maintenanceRate: 0.01, maintenanceAmount: 0 },
        { minNotional: 1000, maxNotional: Infinity, maxLeverage: 5, maintenanceRate: 0.05, maintenanceAmount: 40 },
      ],
    });
    expect(instrumentOf('B/USDT', 'spot', markets)).toMatchObject({
      symbol: 'B/USDT',
      amountStep: 0.001,
      minCost: 0,
      maxLeverage: 1,
      leverageTiers: [],
    });
  });
});
