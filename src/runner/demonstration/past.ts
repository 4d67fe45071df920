import { fundingColumns } from '#engine/account/funding.ts';
import type { Trade } from '#engine/account/trade.ts';
import type { StrategyBacktestResult } from '#engine/backtest/backtest-strategy.ts';
import { backtestStrategy } from '#engine/backtest/backtest-strategy.ts';
import type { TradingSettings } from '#engine/settings/trading-settings.ts';
import type { Candle, CandleColumns } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { dayMs } from '#engine/market/durations.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import type { Markets } from '#feeds/markets.ts';
import type { DemoBot } from './bots.ts';

const exchangeId = 'sandbox';

/** What a bot of the demonstration has done, with the candles it was done on. */
export interface BotPast {
  trades: PastTrade[]; // in closing order; those still open come last
  closes: ReadonlyMap<string, CandleColumns>; // by symbol, for what open trades were worth
}

/** A trade and how sure the strategy was of it. */
export interface PastTrade {
  trade: Trade;
  confidence: number | null;
}

/**
 * Runs a bot's strategy over the sandbox's last days, by the same rules as a backtest. Nothing is invented: these are the
 * trades the bot would have made. What a backtest closes because it ends is still open, unless the bot is stopped: then it was closed on the day
 * the bot was stopped.
 */
export async function pastOf(
  markets: Markets,
  bot: DemoBot,
  strategy: Strategy,
  settings: TradingSettings,
  days: number,
  nowMs: number,
): Promise<BotPast> {
  const length = timeframeLengths[bot.timeframe];
  const to = candleOpenTime(bot.timeframe, nowMs - (bot.endedDaysAgo ?? 0) * dayMs);
  const from = candleOpenTime(bot.timeframe, nowMs) - days * dayMs;
  const market = await markets.market(exchangeId, bot.marketType);
  const pairs = await Promise.all(
    symbolsOf(bot).map(async (symbol) => {
      const instrument = await markets.instrument(exchangeId, bot.marketType, symbol);
      if (instrument === null) throw new Error(`The sandbox has no ${symbol}`);
      const closed = await market.candles(symbol, bot.timeframe, from - strategy.startupCandles * length, to);
      const funding = bot.marketType === 'futures' ? fundingColumns(await market.funding(symbol, from, to)) : null;
      return { instrument, candles: toColumns([...closed, ...endOf(closed, to)]), funding };
    }),
  );
  const result = backtestStrategy({
    strategy,
    parameters: defaultParameters(strategy),
    settings,
    timeframe: bot.timeframe,
    pairs,
    range: { from, to },
  });
  const fundedUntil = new Map(pairs.map(({ instrument, funding }) => [instrument.symbol, funding?.time.at(-1)]));
  const computed = new Map(result.computed.map((each) => [each.symbol, each]));
  return {
    trades: result.trades.map((trade) => ({
      trade: bot.status === 'stopped' || trade.closeTime !== to ? trade : stillOpen(trade, fundedUntil.get(trade.symbol)),
      confidence: confidenceOf(trade, computed.get(trade.symbol), length),
    })),
    closes: new Map(result.computed.map(({ symbol, candles }) => [symbol, candles])),
  };
}

/** A candle at which the run ends, so that every closed candle before it is followed in full. Nothing is traded on it. */
function endOf(candles: readonly Candle[], openTime: number): Candle[] {
  const close = candles.at(-1)?.close;
  return close === undefined ? [] : [{ openTime, open: close, high: close, low: close, close, volume: 0 }];
}

/** A trade that was closed only because the run ended, as it was before. Funding until `fundedUntil` is in it. */
function stillOpen(trade: Trade, fundedUntil: number | undefined): Trade {
  if (trade.exitReason !== 'force_exit') return trade;
  const orders = trade.orders.slice(0, -1);
  const forced = trade.orders.at(-1);
  const isOnlyExit = forced?.purpose === 'exit' && orders.every(({ purpose }) => purpose === 'entry');
  if (!isOnlyExit) throw new Error('A bot of the demonstration has closed a trade in several pieces');
  return {
    ...trade,
    orders,
    isOpen: true,
    closeTime: null,
    closeRate: null,
    exitReason: null,
    fundingRunning: forced.fundingFee, // the exit had taken it over
    realizedProfit: 0,
    profit: null,
    profitRatio: null,
    ...(fundedUntil === undefined ? {} : { fundedUntil }),
  };
}

/** How sure the strategy was: a trade opens on the candle after the one that gave the signal. */
function confidenceOf(trade: Trade, computed: StrategyBacktestResult['computed'][number] | undefined, length: number): number | null {
  if (computed === undefined) return null;
  const row = (trade.openTime - length - (computed.candles.openTime[0] ?? 0)) / length;
  const confidence = computed.signals.confidence?.[row];
  return confidence !== undefined && Number.isFinite(confidence) ? confidence : null;
}

/** The symbols of a demonstration bot as its market names them. */
export function symbolsOf(bot: Pick<DemoBot, 'bases' | 'marketType'>): string[] {
  return bot.bases.map((base) => (bot.marketType === 'futures' ? `${base}/USDT:USDT` : `${base}/USDT`));
}
