import { type Timeframe, timeframeLengths } from '../market/timeframe.ts';
import type { MarketType } from '../market/instrument.ts';
import type { FixedSettings } from './fixed-settings.ts';
import { largestStakeRuleOf, liquidationFormulaOf } from './exchange-rules.ts';
import { requireSettings } from './normalise-settings.ts';
import type { StrategyValues } from './own-settings.ts';
import type { TradingSettings } from './trading-settings.ts';

/** Where a bot trades and with how much. Money in stake currency. */
export interface BotAccount {
  exchangeId: string;
  marketType: MarketType;
  leverage: number;
  leverageMode: 'isolated' | 'cross';
  stakeAmount: number;
  maxOpenTrades: number;
  startingBalance: number;
}

/** What of a strategy decides about settings. */
export interface StrategyAbilities {
  canShort: boolean;
  adjustsPosition: boolean; // adds to open trades, or takes a part of them out
  fixed?: FixedSettings | undefined;
}

/**
 * The engine's settings of a bot that trades with these values: in a backtest, on paper and live, on the server and in the browser.
 *
 * A bot's capital is its stake times its slots, so the last slot may take a smaller stake once some of it is lost;
 * else the first loss would close that slot for good.
 *
 * Fails: RangeError with the reasons when the values contradict each other
 */
export function botSettings(
  account: BotAccount,
  values: Omit<StrategyValues, 'timeframe'> & { timeframe: Timeframe },
  { canShort, adjustsPosition, fixed }: StrategyAbilities,
): TradingSettings {
  const { entry, exit, stoploss } = values.orderTypes;
  const timeoutMs = timeframeLengths[values.timeframe];
  return requireSettings({
    marketType: account.marketType,
    canShort,
    positionAdjustment: adjustsPosition,
    marginMode: account.leverageMode,
    liquidationFormula: liquidationFormulaOf(account.exchangeId),
    largestStakeRule: largestStakeRuleOf(account.exchangeId),
    leverage: account.leverage,
    startingBalance: account.startingBalance,
    stakeAmount: account.stakeAmount,
    maxOpenTrades: account.maxOpenTrades,
    tradableBalanceRatio: 1,
    amendLastStakeAmount: true,
    stoploss: values.stoploss,
    trailingStop: values.trailingStop,
    trailingStopPositive: values.trailingStopPositive,
    trailingStopPositiveOffset: values.trailingStopPositiveOffset,
    trailingOnlyOffsetIsReached: values.trailingOnlyOffsetIsReached,
    minimalRoi: values.minimalRoi,
    riskRewardRatio: values.riskRewardRatio,
    maxConsecutiveLosses: values.maxConsecutiveLosses,
    orderTypes: { entry: entry ?? 'limit', exit: exit ?? 'limit', stoploss: stoploss ?? 'market' },
    // An order that has waited a whole candle is cancelled: the signal it was made for is no longer the newest.
    unfilledTimeout: { entryMs: timeoutMs, exitMs: timeoutMs },
    // A market order takes what the other side offers; a limit order waits on its own side.
    entryPricing: { side: entry === 'market' ? 'other' : 'same', useOrderBook: true },
    exitPricing: { side: exit === 'market' ? 'other' : 'same', useOrderBook: true },
    ...fixed,
  });
}
