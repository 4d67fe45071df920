import { numberOrNull } from '#storage/number-or-null.ts';
import { listBotNames } from '#storage/bots/bots.ts';
import { listTitlesOfBots } from '#storage/strategies/seen-strategies.ts';
import { countClosedTrades, newestTrade, newestTrades, openSymbols, profitBefore, tradesSince } from '#storage/trades/trades.ts';
import type { Handlers } from '../calls/call.ts';
import { mayChangeBotOf, seesAllBots } from '../calls/caller.ts';
import { strategyReader } from '../calls/seen-strategy.ts';
import { tradesVersion } from '../chart/chart-versions.ts';
import { seriesOf, tradesOf } from '../chart/chart.ts';
import { priceTickOf, pricedAt } from '../chart/last-price.ts';
import { toLogEntry } from './order-log.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { pnlHistory, pnlWindows, profitTermsOf, unrealizedPnl } from './pnl-history.ts';
import { refuseForeignSymbol, visibleBot } from '../bots/visible-bots.ts';

const logLength = 100;

/** What the monitoring dashboard shows of a bot and a symbol. */
export function metricsHandlers(
  dependencies: ServerDependencies,
): Pick<Handlers, 'availableBots' | 'availablePairs' | 'orderMetrics' | 'pnlMetrics'> {
  const { db, windows } = dependencies;

  return {
    async availableBots({ caller }) {
      const [bots, titles] = await Promise.all([
        listBotNames(db, seesAllBots(caller) ? null : caller.id),
        listTitlesOfBots(db, strategyReader(caller)),
      ]);
      return {
        data: bots.map((bot) => ({
          id: bot.id,
          nickname: bot.nickname,
          strategy_name: titles.get(bot.id) ?? bot.strategyName,
          mode: bot.mode,
          status: bot.status,
          exchange_id: bot.exchangeId,
          may_change: mayChangeBotOf(caller, bot.userId),
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
      const newest = await newestTrade(db, of); // before the rows: a change between the two makes a page load once more, not miss it
      const [closed, trades] = await Promise.all([countClosedTrades(db, of), newestTrades(db, of, logLength)]);
      return {
        win_rate: closed.trades === 0 ? 0 : closed.wins / closed.trades,
        trade_count: closed.trades,
        trades: trades.map(toLogEntry),
        price_tick: numberOrNull(trades[0]?.priceTick ?? null),
        trades_version: tradesVersion(newest),
      };
    },

    async pnlMetrics({ caller, query, now }) {
      const bot = await visibleBot(db, caller, query.bot_id);
      await refuseForeignSymbol(db, bot, query.symbol);
      const of = tradesOf(bot, query.symbol);
      const { lengthMs, timeframe } = pnlWindows[query.range];
      const from = now.getTime() - lengthMs;
      const series = seriesOf(bot, query.symbol);
      const newest = await newestTrade(db, of); // first, as in the log
      const [[newestCandle], tick, before, trades] = await Promise.all([
        windows.newest(series, 1, true),
        priceTickOf(dependencies.markets, series),
        profitBefore(db, of, new Date(from)),
        tradesSince(db, of, new Date(from)),
      ]);
      const price = windows.lastPrice(series)?.price ?? newestCandle?.close ?? null;
      const priced = pricedAt(windows, series, now.getTime());
      // Without a trade there is nothing to draw, and no candles need be asked for.
      const history = before.hasTrades
        ? pnlHistory({
            from,
            to: now.getTime(),
            profitBefore: Number(before.profit),
            trades,
            price,
            candles: trades.length === 0 ? [] : await windows.newest({ ...series, timeframe }, candlesIn[query.range], true),
          })
        : [];
      const held = trades.find((trade) => trade.status === 'open' && trade.entryPrice !== null) ?? null;
      return {
        unrealized_pnl: held === null || price === null ? 0 : unrealizedPnl(held, price, priced.price_time ?? now.getTime()),
        current_price: price,
        position_size: held === null ? null : Number(held.amount),
        entry_price: held === null ? null : Number(held.entryPrice),
        leverage: held === null ? Number(bot.leverage) : Number(held.leverage),
        liquidation_price: held === null ? null : numberOrNull(held.liquidationPrice),
        history,
        ...priced,
        price_tick: tick,
        profit_terms: held === null ? null : profitTermsOf(held),
        trades_version: tradesVersion(newest),
      };
    },
  };
}

const candlesIn = { daily: 290, weekly: 170, monthly: 182, yearly: 367 } as const;
