import type { MarketHistory } from '#contract/packed-history.ts';
import type { StrategyBacktestResult } from '#engine/backtest/backtest-strategy.ts';
import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { RulesDocument } from '#engine/rules/document.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import { botSettings } from '#engine/settings/bot-settings.ts';
import { suggestedValues } from '#engine/settings/suggested-values.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import { testAccount } from './test-account.ts';

/** Where rules are replayed: a market of an exchange, and the candles of it and of other pairs that the rules read. */
export interface ReplayMarket {
  exchangeId: string;
  marketType: MarketType;
  history: MarketHistory; // of the timeframe that the document suggests
  others: Readonly<Record<string, MarketHistory>>; // by symbol
}

/** A part of the history; without it all that was asked for. Both in ms. */
export interface ReplayRange {
  from: number;
  to: number;
}

/**
 * The backtest of a document with the settings it suggests: what the server's gives for the same strategy, market, range, stake and slots.
 *
 * Fails: RangeError with a fault of the document, and as `backtest`
 */
export function replayRules(document: RulesDocument, market: ReplayMarket, range?: ReplayRange): StrategyBacktestResult {
  const { exchangeId, marketType, history, others } = market;
  const { instrument, candles, funding } = history;
  const strategy = compileRules(document);
  const { stake, slots } = testAccount(document, instrument.quote);
  const values = suggestedValues(document.defaults);
  const account = { exchangeId, marketType, leverage: 1, leverageMode: 'isolated', stakeAmount: stake, maxOpenTrades: slots } as const;
  const abilities = { canShort: strategy.canShort, adjustsPosition: strategy.callbacks?.adjustPosition !== undefined };
  return backtestStrategy({
    strategy,
    parameters: defaultParameters(strategy),
    settings: botSettings({ ...account, startingBalance: stake * slots }, values, abilities),
    timeframe: document.defaults.timeframe,
    pairs: [{ instrument, candles, funding }],
    range: { from: range?.from ?? history.from, to: range?.to ?? history.to },
    others: Object.fromEntries(Object.entries(others).map(([symbol, other]) => [symbol, other.candles])),
  });
}
