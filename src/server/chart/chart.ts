import type { Candle } from '#engine/market/candle.ts';
import { candleOpenTime, timeframeLengths } from '#engine/market/timeframe.ts';
import { numberOrNull } from '#storage/number-or-null.ts';
import type { Series } from '#feeds/series.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import type { TradesOf } from '#storage/trades/trades.ts';
import { newestTrade, tradeMarksSince } from '#storage/trades/trades.ts';
import { averageAnchoredVwap } from './average-anchored-vwap.ts';
import { effectiveParametersOf, effectiveTimeframe } from '../bots/bot-reply.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { OneAtATime } from '../calls/one-at-a-time.ts';
import { candlesFrom, cursorOf } from './chart-cursor.ts';
import { toChartTrade } from './chart-trade.ts';
import { overlaysVersion, tradesVersion } from './chart-versions.ts';
import { pricedAt, priceTickOf } from './last-price.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { strategyIndicators } from './strategy-indicators.ts';
import { refuseForeignSymbol, visibleBot } from '../bots/visible-bots.ts';

const candleCount = 300;
const overlaidMax = 3_000; // candles back for which trades are marked
const stopReasons: readonly (string | null)[] = ['stop_loss', 'trailing_stop_loss', 'stoploss_on_exchange'];

/** The candles of the trade chart and what is drawn over them. */
export function chartHandlers(dependencies: ServerDependencies): Pick<Handlers, 'chartCandles' | 'chartOverlays'> {
  const { db, windows } = dependencies;
  const drawings = new OneAtATime(); // a strategy is computed over thousands of candles, in this process

  return {
    async chartCandles({ caller, query, now }) {
      const bot = await visibleBot(db, caller, query.bot_id);
      await refuseForeignSymbol(db, bot, query.symbol);
      const series = shownSeries(bot, query);
      if (query.before !== undefined) return await candlesBefore(series, query.before);
      const [candles, newest] = await Promise.all([
        windows.newest(series, candleCount, true),
        newestTrade(db, tradesOf(bot, query.symbol)),
      ]);
      const changed = candlesFrom(query.after, series, candles);
      const { anchors, points } = averageAnchoredVwap(candles);
      const cursor = cursorOf(series, candles);
      return {
        candles: (changed ?? candles).map(toReply),
        timeframe: series.timeframe,
        ...(changed === null
          ? { price_tick: await priceTickOf(dependencies.markets, series) }
          : { is_partial: true, avwap: points.filter(({ timestamp }) => timestamp >= (changed[0]?.openTime ?? 0)).map(rounded) }),
        ...(cursor === null || cursor === query.after ? {} : { cursor }), // what has not changed need not travel
        ...pricedAt(windows, series, now.getTime()),
        ...(newest?.status === 'open' ? { stop_price: numberOrNull(newest.stopPrice) } : {}),
        overlays_version: overlaysVersion(bot, series, newest, anchors, now.getTime()),
        trades_version: tradesVersion(newest),
      };
    },

    async chartOverlays({ caller, query, now }) {
      const bot = await visibleBot(db, caller, query.bot_id);
      await refuseForeignSymbol(db, bot, query.symbol);
      const series = shownSeries(bot, query);
      const of = tradesOf(bot, query.symbol);
      const length = timeframeLengths[series.timeframe];
      const [candles, newest] = await Promise.all([windows.newest(series, candleCount, true), newestTrade(db, of)]);
      const first = candles[0]?.openTime ?? now.getTime() - candleCount * length;
      const from = query.from === undefined ? first : Math.min(first, Math.max(query.from, now.getTime() - overlaidMax * length));
      const draw = (values: boolean) =>
        strategyIndicators(dependencies, series, bot, effectiveParametersOf(bot).values, candleCount, values);
      const drawn = () => (query.indicators === 'on' ? drawings.doAndRest(caller.id, () => draw(true)) : draw(false));
      const [trades, indicators] = await Promise.all([
        tradeMarksSince(db, of, new Date(from)),
        series.timeframe === effectiveTimeframe(bot) ? drawn() : null,
      ]);
      const { anchors, points } = averageAnchoredVwap(candles);
      return {
        trades: trades
          .filter((trade) => trade.openedAt.getTime() >= from || trade.status === 'open')
          .map((trade) => toChartTrade(bot, trade, now.getTime())),
        stops: trades.flatMap((trade) =>
          trade.closedAt !== null && stopReasons.includes(trade.exitReason) ? [{ timestamp: trade.closedAt.getTime() }] : [],
        ),
        avwap: points,
        avwap_anchors: anchors,
        version: overlaysVersion(bot, series, newest, anchors, now.getTime()),
        ...(indicators === null ? {} : { indicators }),
      };
    },
  };

  /** Closed candles from the exchange's history; they are kept nowhere, as few look so far back. */
  async function candlesBefore(series: Series, before: number): Promise<Awaited<ReturnType<Handlers['chartCandles']>>> {
    const market = await dependencies.markets.market(series.exchangeId, series.marketType);
    const to = candleOpenTime(series.timeframe, before);
    const from = Math.max(0, to - candleCount * timeframeLengths[series.timeframe]);
    const candles = await market.candles(series.symbol, series.timeframe, from, to);
    return { candles: candles.map(toReply), timeframe: series.timeframe };
  }
}

/** The series a bot trades: its symbol in its own timeframe. */
export function seriesOf(bot: BotView, symbol: string): Series {
  return { exchangeId: bot.exchangeId, marketType: bot.marketType, symbol, timeframe: effectiveTimeframe(bot) };
}

/** Whose trades a screen about a bot's symbol shows: those of its mode now. */
export function tradesOf(bot: BotView, symbol: string): TradesOf {
  return { botId: bot.id, mode: tradeModeOf(bot), symbol };
}

/** The series a chart asks for: another timeframe than the bot's own if it names one. */
function shownSeries(bot: BotView, { symbol, timeframe }: Call<'chartCandles'>['query']): Series {
  return { ...seriesOf(bot, symbol), ...(timeframe === undefined ? {} : { timeframe }) };
}

function toReply({ openTime, ...prices }: Candle) {
  return { timestamp: openTime, ...prices };
}

/** Nine digits are finer than any screen; the rest would travel every two seconds for nothing. */
function rounded({ timestamp, value }: { timestamp: number; value: number }) {
  return { timestamp, value: Number(value.toPrecision(9)) };
}
