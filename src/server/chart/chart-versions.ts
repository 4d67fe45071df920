import { effectiveParametersOf } from '../bots/bot-reply.ts';
import { engineTrade } from '../trades/engine-trade.ts';
import type { Series } from '#feeds/series.ts';
import type { BotView } from '#storage/bots/bots.ts';
import type { NewestTrade } from '#storage/trades/trades.ts';
import { shortHash } from './short-hash.ts';
import { targetRatio } from '../trades/trade-target.ts';

/** Another one when an order or trade of the symbol has changed. A stop that has moved does not count: it may move at every tick. */
export function tradesVersion(newest: NewestTrade | null): string {
  return shortHash([newest?.mark ?? null]);
}

/** Another one when what lies over the candles must be loaded again: a trade, the target of the open one, an anchor of the VWAP, what its strategy is computed with. */
export function overlaysVersion(
  bot: BotView,
  series: Series,
  newest: NewestTrade | null,
  anchors: readonly number[],
  time: number,
): string {
  const held = newest?.status === 'open' ? engineTrade(newest.openState) : null;
  const target = held === null ? null : targetRatio(bot, held, time);
  const drawn = [bot.id, series.exchangeId, series.marketType, series.timeframe, effectiveParametersOf(bot).values, bot.codeId];
  return shortHash([...drawn, newest?.mark ?? null, target, anchors]);
}
