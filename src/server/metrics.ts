import type { BotView } from '#storage/bots.ts';
import { listBotNames } from '#storage/bots.ts';
import { tradeModeOf } from '#storage/trade-mode.ts';
import type { TradesOf } from '#storage/trades.ts';
import { countClosedTrades, newestTrades, openSymbols, profitBefore, tradesSince } from '#storage/trades.ts';
import type { Handlers } from './call.ts';
import { seesAllBots } from './caller.ts';
import { seriesOf } from './chart.ts';
import type { ServerParts } from './parts.ts';
import { pnlHistory, pnlWindows, unrealizedPnl } from './pnl-history.ts';
import { refuseForeignSymbol, visibleBot } from './visible-bots.ts';

const logLength = 100;

/** What the monitoring dashboard shows of a bot and a symbol. */
export function metricsHandlers(parts: ServerParts): Pick<Handlers, 'availableBots' | 'availablePairs' | 'orderMetrics' | 'pnlMetrics'> {
  const { db, windows } = parts;

  return {
    async availableBots({ caller }) {
      const bots = await listBotNames(db, seesAllBots(caller) ? null : caller.id);
      return {
        data: bots.map((bot) => ({
          id: bot.id,
          nickname: bot.nickname,
          strategy_name: bot.strategyName,
          mode: bot.mode,
          status: bot.status,
          exchange_id: bot.exchangeId,
        })),
      };
    },

    async availablePairs({ caller, query }) {
      const bot = await visibleBot(db, caller, query.bot_id);
      return { pairs: [...new Set([...bot.symbols, ...(await openSymbols(db, bot.id))])] };
    },

    async orderMetrics({ caller, query }) {
      const bot = await visibleBot(db, caller, query.bot_id);
      await refuseForeignSymbol(db, bot, query.symbol);
      const of = tradesOf(bot, query.symbol);
      const [closed, trades] = await Promise.all([countClosedTrades(db, of), newestTrades(db, of, logLength)]);
      return {
        win_rate: closed.trades === 0 ? 0 : closed.wins / closed.trades,
        trade_count: closed.trades,
        trades: trades.map((trade) => ({
          timestamp: trade.openedAt.toISOString(),
          symbol: trade.symbol,
          direction: trade.direction,
          size: Number(trade.amount),
          entry: numberOrNull(trade.entryPrice),
          status: trade.status,
          confidence: numberOrNull(trade.confidence),
          stop_loss: numberOrNull(trade.stopPrice),
        })),
      };
    },

    async pnlMetrics({ caller, query, now }) {
      const bot = await visibleBot(db, caller, query.bot_id);
      await refuseForeignSymbol(db, bot, query.symbol);
      const of = tradesOf(bot, query.symbol);
      const { lengthMs, timeframe } = pnlWindows[query.range];
      const from = now.getTime() - lengthMs;
      const [price, before, trades] = await Promise.all([
        currentPrice(bot, query.symbol),
        profitBefore(db, of, new Date(from)),
        tradesSince(db, of, new Date(from)),
      ]);
      // Without a trade there is nothing to draw, and no candles need be asked for.
      const history = before.hasTrades
        ? pnlHistory({
            from,
            to: now.getTime(),
            profitBefore: Number(before.profit),
            trades,
            candles:
              trades.length === 0 ? [] : await windows.newest({ ...seriesOf(bot, query.symbol), timeframe }, candlesIn[query.range], true),
          })
        : [];
      const held = trades.find((trade) => trade.status === 'open' && trade.entryPrice !== null) ?? null;
      return {
        unrealized_pnl: held === null || price === null ? 0 : unrealizedPnl(held, price, now.getTime()),
        current_price: price,
        position_size: held === null ? null : Number(held.amount),
        entry_price: held === null ? null : Number(held.entryPrice),
        leverage: held === null ? Number(bot.leverage) : Number(held.leverage),
        liquidation_price: held === null ? null : numberOrNull(held.liquidationPrice),
        history,
      };
    },
  };

  async function currentPrice(bot: BotView, symbol: string): Promise<number | null> {
    const series = seriesOf(bot, symbol);
    const [newest] = await windows.newest(series, 1, true);
    return windows.lastPrice(series) ?? newest?.close ?? null;
  }
}

const candlesIn = { daily: 290, weekly: 170, monthly: 182, yearly: 367 } as const;

function tradesOf(bot: BotView, symbol: string): TradesOf {
  return { botId: bot.id, mode: tradeModeOf(bot), symbol };
}

function numberOrNull(value: string | null): number | null {
  return value === null ? null : Number(value);
}
