import type { OrderType } from '#engine/market/order-type.ts';
import type { OrderTypes, PricingSettings } from '#engine/settings/trading-settings.ts';
import type { BotSettingsInput } from '#engine/bot/strategy-settings.ts';
import { type MarketType, marketTypes } from '#engine/market/instrument.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { largestStakeRuleOf, liquidationFormulaOf } from '#engine/settings/exchange-rules.ts';
import { interestOf } from './config-interest.ts';
import { isObject, type JsonObject } from '#strategy-process/words/json-object.ts';
import { type MarketFacts, marketFactsOf } from './config-markets.ts';
import { protectionsOf } from '#strategy-process/words/protections-of.ts';
import { ConfigReader } from '#strategy-process/words/config-reader.ts';
import { timeframes } from '../timeframe-name.ts';
import { unusedExchangeKeys, unusedKeys, unusedOrderTypeKeys, unusedPricingKeys } from './config-unused.ts';

/** A configuration in freqtrade's names, turned into ours. */
export interface Config {
  settings: BotSettingsInput;
  stakeCurrency: string | null;
  pairs: string[]; // in the order in which they get free slots; empty when none are named
  marketType: MarketType;
  exchangeName: string | null;
  timeframe: Timeframe | null;
  detailTimeframe: Timeframe | null;
  strategy: string | null;
  timeRange: string | null;
  startupCandles: number | null;
  fundingRate: number | null; // for a stretch without rates at the beginning
  markets: MarketFacts;
  unused: string[]; // keys that say nothing to a backtest
  notes: string[];
}

/** The configuration of an object, and everything that is wrong with it, each one sentence. */
export function configOf(object: JsonObject): { config: Config; faults: string[] } {
  const reader = new ConfigReader(object);
  const notes: string[] = [];
  const exchange = reader.section('exchange');
  const exchangeName = reader.text('exchange_name') ?? exchange?.text('name') ?? null;
  const marketType = reader.choice('trading_mode', marketTypes) ?? 'spot';
  const protections = reader.sections('protections');
  const isProtected = reader.boolean('enable_protections') ?? false;
  const found = protections === undefined ? [] : protectionsOf(protections);
  if (found.length > 0 && !isProtected) notes.push('The protections are off: "enable_protections" is not true.');
  const config: Config = {
    settings: {
      ...settingsOf(reader),
      ...interestOf(reader, marketType, exchangeName),
      marketType,
      liquidationFormula: liquidationFormulaOf(exchangeName ?? ''),
      largestStakeRule: largestStakeRuleOf(exchangeName ?? ''),
      protections: isProtected ? found : [],
    },
    stakeCurrency: reader.text('stake_currency') ?? null,
    pairs: pairsOf(reader, exchange),
    marketType,
    exchangeName,
    timeframe: reader.choice('timeframe', timeframes) ?? null,
    detailTimeframe: reader.choice('timeframe_detail', timeframes) ?? null,
    strategy: reader.text('strategy') ?? null,
    timeRange: reader.text('timerange') ?? null,
    startupCandles: reader.count('startup_candle_count') ?? null,
    fundingRate: reader.number('futures_funding_rate') ?? null,
    markets: marketFactsOf(reader.section('markets')),
    unused: reader.unused,
    notes,
  };
  if (marketType === 'futures' && exchangeName === null) notes.push('No exchange is named: liquidation prices follow the generic formula.');
  if (marketType === 'margin')
    notes.push('On margin, interest is paid and positions are not liquidated; freqtrade has no margin backtest to compare with.');
  exchange?.allow(unusedExchangeKeys);
  exchange?.end();
  reader.allow(unusedKeys);
  reader.end();
  return { config, faults: reader.faults };
}

/** Pairs in their order, the pair list of the exchange before that of the top, without those on the black list. */
function pairsOf(reader: ConfigReader, exchange: ConfigReader | undefined): string[] {
  const own = reader.texts('pair_whitelist');
  const pairs = exchange?.texts('pair_whitelist') ?? own ?? [];
  const excluded = [...(exchange?.texts('pair_blacklist') ?? []), ...(reader.texts('pair_blacklist') ?? [])].map((entry) => {
    try {
      return new RegExp(`^(?:${entry})$`, 'u');
    } catch {
      reader.refuse(`The entry "${entry}" of "pair_blacklist" is not a valid pattern.`);
      return /^$/u;
    }
  });
  for (const list of reader.sections('pairlists') ?? []) {
    // Any other list would choose pairs by what was traded at the time, which a file of candles does not hold.
    if (list.text('method') !== 'StaticPairList')
      reader.refuse('A backtest supports only "StaticPairList" in "pairlists": name the pairs in "exchange.pair_whitelist".');
    list.allow(['allow_inactive']);
    list.end();
  }
  for (const [i, pair] of pairs.entries()) if (pairs.indexOf(pair) < i) reader.refuse(`The pair ${pair} is listed twice.`);
  return pairs.filter((pair) => !excluded.some((pattern) => pattern.test(pair)));
}

function settingsOf(reader: ConfigReader): BotSettingsInput {
  const stakeAmount = reader.value('stake_amount', 'a number or "unlimited"', (value) =>
    typeof value === 'number' || value === 'unlimited' ? value : undefined,
  );
  const maxOpenTrades = reader.number('max_open_trades');
  if (!reader.has('stake_amount')) reader.refuse('"stake_amount" is missing: give the stake of a trade, or "unlimited".');
  if (!reader.has('max_open_trades'))
    reader.refuse('"max_open_trades" is missing: give the most trades that may be open at once, or -1 for no limit.');
  // As the reference does: a smaller number is a slip rather than a stake.
  if (typeof stakeAmount === 'number' && stakeAmount < 0.0001)
    reader.refuse(`"stake_amount" must be at least 0.0001, and is ${stakeAmount}.`);
  const expired = reader.number('ignore_buying_expired_candle_after');
  const settings: BotSettingsInput = {
    // The placeholders of what is missing are never used: there is a fault then.
    stakeAmount: stakeAmount ?? 1,
    maxOpenTrades: maxOpenTrades ?? 1,
    startingBalance: reader.value('dry_run_wallet', 'a number, or an object of the stake currency', (value) => walletOf(value)),
    tradableBalanceRatio: reader.number('tradable_balance_ratio'),
    availableCapital: reader.number('available_capital'),
    amendLastStakeAmount: reader.boolean('amend_last_stake_amount'),
    lastStakeAmountMinRatio: reader.number('last_stake_amount_min_ratio'),
    amountReserveRatio: reader.number('amount_reserve_percent'),
    fee: reader.number('fee'),
    marginMode: reader.value('margin_mode', '"isolated" or "cross"', (value) =>
      value === '' ? 'isolated' : value === 'isolated' || value === 'cross' ? value : undefined,
    ),
    leverage: reader.number('leverage'),
    liquidationBuffer: reader.number('liquidation_buffer'),
    minimalRoi: reader.value('minimal_roi', 'an object of minutes to ratios, such as { "0": 0.02 }', roiOf),
    stoploss: reader.number('stoploss'),
    trailingStop: reader.boolean('trailing_stop'),
    trailingStopPositive: reader.number('trailing_stop_positive'),
    trailingStopPositiveOffset: reader.number('trailing_stop_positive_offset'),
    trailingOnlyOffsetIsReached: reader.boolean('trailing_only_offset_is_reached'),
    useExitSignal: reader.boolean('use_exit_signal'),
    exitProfitOnly: reader.boolean('exit_profit_only'),
    exitProfitOffset: reader.number('exit_profit_offset'),
    ignoreRoiIfEntrySignal: reader.boolean('ignore_roi_if_entry_signal'),
    ignoreExpiredAfterMs: expired === undefined ? undefined : expired * 1000,
    positionAdjustment: reader.boolean('position_adjustment_enable'),
    maxEntryAdjustments: reader.number('max_entry_position_adjustment'),
    positionStacking: reader.boolean('position_stacking'),
    unfilledTimeout: timeoutOf(reader.section('unfilledtimeout')),
    orderTypes: orderTypesOf(reader.section('order_types')),
    entryPricing: pricingOf(reader.section('entry_pricing')),
    exitPricing: pricingOf(reader.section('exit_pricing')),
  };
  // A wrong side is refused with the other settings; the reference refuses one that is left out too.
  for (const purpose of ['entry', 'exit'] as const) {
    if (settings.orderTypes?.[purpose] === 'market' && settings[`${purpose}Pricing`]?.side === undefined)
      reader.refuse(`Market ${purpose === 'entry' ? 'entries' : 'exits'} need "${purpose}_pricing": { "price_side": "other" }.`);
  }
  return settings;
}

/** A wallet is a number, or freqtrade's newer form, an object with one currency. */
function walletOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const amounts = isObject(value) ? Object.values(value) : [];
  return amounts.length === 1 && typeof amounts[0] === 'number' ? amounts[0] : undefined;
}

function roiOf(value: unknown): Record<number, number> | undefined {
  if (!isObject(value)) return undefined;
  const isTable = Object.entries(value).every(([minutes, ratio]) => /^\d+$/u.test(minutes) && typeof ratio === 'number');
  return isTable ? (value as Record<number, number>) : undefined;
}

function timeoutOf(reader: ConfigReader | undefined): { entryMs?: number; exitMs?: number } | undefined {
  if (reader === undefined) return undefined;
  const unit = reader.choice('unit', ['minutes', 'seconds']) === 'seconds' ? 1000 : 60_000;
  const [entry, exit] = (['entry', 'exit'] as const).map((key) =>
    reader.value(key, 'a number of at least 1', (value) =>
      typeof value === 'number' && value >= 1 && value < Infinity ? value : undefined,
    ),
  );
  reader.allow(['exit_timeout_count']);
  reader.end();
  return { ...(entry === undefined ? {} : { entryMs: entry * unit }), ...(exit === undefined ? {} : { exitMs: exit * unit }) };
}

const orderTypeKeys = {
  entry: 'entry',
  exit: 'exit',
  stoploss: 'stoploss',
  emergency_exit: 'emergencyExit',
  force_entry: 'forceEntry',
  force_exit: 'forceExit',
} as const satisfies Record<string, keyof OrderTypes>;

function orderTypesOf(reader: ConfigReader | undefined): Partial<OrderTypes> | undefined {
  if (reader === undefined) return undefined;
  const types: Partial<Record<keyof OrderTypes, OrderType>> = {};
  for (const [key, name] of Object.entries(orderTypeKeys)) {
    const type = reader.choice(key, ['limit', 'market']);
    if (type !== undefined) types[name] = type;
  }
  reader.allow(unusedOrderTypeKeys);
  reader.end();
  return types;
}

/** Prices come from candles; only the side is read, because a market order on the wrong side is refused. */
function pricingOf(reader: ConfigReader | undefined): Partial<PricingSettings> | undefined {
  if (reader === undefined) return undefined;
  const side = reader.choice('price_side', ['same', 'other', 'bid', 'ask']);
  reader.allow(unusedPricingKeys);
  reader.end();
  return side === undefined ? {} : { side };
}
