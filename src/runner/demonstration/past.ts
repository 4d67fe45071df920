import type { Trade } from '#engine/account/trade.ts';
import { backtest } from '#engine/backtest/backtest.ts';
import type { TradingSettings } from '#engine/bot/settings.ts';
import { fillGaps } from '#engine/market/fill-gaps.ts';
import type { CandleColumns } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { defaultParameters } from '#engine/strategy/strategy.ts';
import type { Markets } from '../markets.ts';
import type { DemoBot } from './bots.ts';

const exchangeId = 'sandbox';

/** What a bot of the demonstration has done, with the candles it was done on. */
export interface BotPast {
  trades: PastTrade[]; // in closing order
  closes: ReadonlyMap<string, CandleColumns>; // by symbol, for what open trades were worth
}

/** A trade and how sure the strategy was of it. */
export interface PastTrade {
  trade: Trade;
  confidence: number | null;
}

/**
 * Runs a bot's strategy over the sandbox's last days, by the same rules as a backtest. Nothing is invented: these are the
 * trades the bot would have made.
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
  const to = candleOpenTime(bot.timeframe, nowMs);
  const from = to - days * 86_400_000;
  const market = await markets.market(exchangeId, bot.marketType);
  const parameters = defaultParameters(strategy);
  const pairs = await Promise.all(
    symbolsOf(bot).map(async (symbol) => {
      const instrument = await markets.instrument(exchangeId, bot.marketType, symbol);
      if (instrument === null) throw new Error(`The sandbox has no ${symbol}`);
      const history = await market.candles(symbol, bot.timeframe, from - strategy.startupCandles * length, to);
      const candles = fillGaps(toColumns(history), length);
      return { instrument, candles, signals: strategy.compute(candles, parameters) };
    }),
  );
  const result = backtest({
    settings,
    timeframeMs: length,
    pairs,
    startupCandles: strategy.startupCandles,
    ...callbacksOf(strategy, settings),
  });
  const rowAt = new Map(
    pairs.map(({ instrument, candles }) => [instrument.symbol, new Map([...candles.openTime].map((time, i) => [time, i]))]),
  );
  const signalsOf = new Map(pairs.map(({ instrument, signals }) => [instrument.symbol, signals]));
  return {
    trades: result.trades.map((trade) => {
      // A trade opens on the candle after the one that gave the signal.
      const row = rowAt.get(trade.symbol)?.get(trade.openTime - length);
      const confidence = row === undefined ? null : (signalsOf.get(trade.symbol)?.confidence?.[row] ?? null);
      return { trade, confidence: confidence !== null && Number.isFinite(confidence) ? confidence : null };
    }),
    closes: new Map(pairs.map(({ instrument, candles }) => [instrument.symbol, candles])),
  };
}

/** The symbols of a demonstration bot as its market names them. */
export function symbolsOf(bot: Pick<DemoBot, 'bases' | 'marketType'>): string[] {
  return bot.bases.map((base) => (bot.marketType === 'futures' ? `${base}/USDT:USDT` : `${base}/USDT`));
}

/** A bot's leverage stands where a strategy would be asked for one. */
function callbacksOf(strategy: Strategy, settings: TradingSettings) {
  const leverage = ({ maxLeverage }: { maxLeverage: number }): number => Math.min(settings.leverage, maxLeverage);
  return { callbacks: { leverage, ...strategy.callbacks } };
}
