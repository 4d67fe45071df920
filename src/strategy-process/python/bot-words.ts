import { currenciesOf } from '#engine/account/fill.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { Words } from '../wire/python-load.ts';

/** How a strategy in Python is run, as far as it may want to know. */
export interface BotOfClass {
  exchangeId: string;
  pairs: readonly string[];
  timeframe: string;
  settings: TradingSettings;
  runmode: 'backtest' | 'dry_run' | 'live';
}

/** Settings that a study turns, in freqtrade's words; those that are not turned are missing. */
export function turnedWords(turned: Partial<TradingSettings>): Words {
  const { stoploss, maxOpenTrades, minimalRoi, trailingStop } = turned;
  return {
    ...(stoploss === undefined ? {} : { stoploss }),
    ...(maxOpenTrades === undefined ? {} : { max_open_trades: maxOpenTrades }),
    ...(minimalRoi === undefined ? {} : { minimal_roi: roiWords(minimalRoi) }),
    ...(trailingStop === undefined ? {} : trailingWords(turned)),
  };
}

/** The configuration that a class finds: the settings of its bot, in freqtrade's words. */
export function botWords({ exchangeId, pairs, timeframe, settings, runmode }: BotOfClass): Words {
  const isFutures = settings.marketType === 'futures';
  return {
    runmode,
    dry_run: runmode !== 'live',
    stake_currency: currenciesOf(pairs[0] ?? '').quote,
    stake_amount: settings.stakeAmount,
    max_open_trades: settings.maxOpenTrades,
    timeframe,
    trading_mode: settings.marketType,
    ...(isFutures ? { margin_mode: settings.marginMode } : {}),
    stoploss: settings.stoploss,
    minimal_roi: roiWords(settings.minimalRoi),
    ...trailingWords(settings),
    order_types: { entry: settings.orderTypes.entry, exit: settings.orderTypes.exit, stoploss: settings.orderTypes.stoploss },
    exchange: { name: exchangeId, pair_whitelist: pairs },
  };
}

function roiWords({ minutes, ratios }: TradingSettings['minimalRoi']): Words {
  return Object.fromEntries(minutes.map((minute, i) => [String(minute), ratios[i] ?? 0]));
}

function trailingWords(settings: Partial<TradingSettings>): Words {
  return {
    trailing_stop: settings.trailingStop,
    trailing_stop_positive: settings.trailingStopPositive,
    trailing_stop_positive_offset: settings.trailingStopPositiveOffset,
    trailing_only_offset_is_reached: settings.trailingOnlyOffsetIsReached,
  };
}
