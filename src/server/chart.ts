import { anchoredVwap } from '#engine/indicators/anchored-vwap.ts';
import type { Candle } from '#engine/market/candle.ts';
import { toColumns } from '#engine/market/candle.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import type { Series } from '#runner/candle-windows.ts';
import type { BotView } from '#storage/bots.ts';
import { tradeModeOf } from '#storage/trade-mode.ts';
import { tradeMarksSince } from '#storage/trades.ts';
import { effectiveTimeframe } from './bot-reply.ts';
import type { Handlers } from './call.ts';
import type { ServerParts } from './parts.ts';
import { refuseForeignSymbol, visibleBot } from './visible-bots.ts';

const candleCount = 300;
const stopReasons: readonly (string | null)[] = ['stop_loss', 'trailing_stop_loss', 'stoploss_on_exchange'];

/** The candles of the trade chart and what is drawn over them. */
export function chartHandlers(parts: ServerParts): Pick<Handlers, 'chartCandles' | 'chartOverlays'> {
  const candlesOf = (bot: BotView, symbol: string): Promise<Candle[]> => parts.windows.newest(seriesOf(bot, symbol), candleCount, true);

  return {
    async chartCandles({ caller, query }) {
      const bot = await visibleBot(parts.db, caller, query.bot_id);
      await refuseForeignSymbol(parts.db, bot, query.symbol);
      const candles = await candlesOf(bot, query.symbol);
      return {
        candles: candles.map(({ openTime, ...prices }) => ({ timestamp: openTime, ...prices })),
        timeframe: effectiveTimeframe(bot),
      };
    },

    async chartOverlays({ caller, query }) {
      const bot = await visibleBot(parts.db, caller, query.bot_id);
      await refuseForeignSymbol(parts.db, bot, query.symbol);
      const candles = await candlesOf(bot, query.symbol);
      const from = candles[0]?.openTime ?? parts.now().getTime() - candleCount * timeframeLengths[effectiveTimeframe(bot)];
      const trades = await tradeMarksSince(parts.db, { botId: bot.id, mode: tradeModeOf(bot), symbol: query.symbol }, new Date(from));
      return {
        trades: trades
          .filter((trade) => trade.openedAt.getTime() >= from)
          .map((trade) => ({ timestamp: trade.openedAt.getTime(), direction: trade.direction })),
        stops: trades.flatMap((trade) =>
          trade.closedAt !== null && stopReasons.includes(trade.exitReason) ? [{ timestamp: trade.closedAt.getTime() }] : [],
        ),
        avwap: averageAnchoredVwap(candles),
      };
    },
  };
}

/** The series a bot's chart shows: its symbol in the timeframe it trades. */
export function seriesOf(bot: BotView, symbol: string): Series {
  return { exchangeId: bot.exchangeId, marketType: bot.marketType, symbol, timeframe: effectiveTimeframe(bot) };
}

/**
 * The mean of two anchored VWAPs, one from the candle with the highest high, one from that with the lowest low. From
 * the first anchor to the second only the first one stands.
 */
export function averageAnchoredVwap(candles: readonly Candle[]): { timestamp: number; value: number }[] {
  if (candles.length === 0) return [];
  const columns = toColumns(candles);
  const anchors = [indexOfMost(columns.high, 1), indexOfMost(columns.low, -1)];
  const lines = anchors.map((anchor) => anchoredVwap(columns, columns.openTime[anchor] ?? 0).vwap);
  return candles.flatMap(({ openTime }, i) => {
    const values = lines.map((line) => line[i] ?? Number.NaN).filter(Number.isFinite);
    return values.length === 0 ? [] : [{ timestamp: openTime, value: values.reduce((sum, value) => sum + value, 0) / values.length }];
  });
}

function indexOfMost(values: Float64Array, sign: 1 | -1): number {
  let most = 0;
  for (let i = 1; i < values.length; i++) if (sign * (values[i] ?? 0) > sign * (values[most] ?? 0)) most = i;
  return most;
}
