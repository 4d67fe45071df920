import type { BotEffect } from '#engine/bot/effect.ts';
import { filledEntries, type Trade } from '#engine/account/trade.ts';
import { oneLine, plainName } from '#mail/plain-name.ts';
import type { TradeMessage } from '#storage/trades/trade-messages.ts';
import type { TradeMode } from '#storage/trades/trade-mode.ts';
import { asPeopleKnow, tradeIdOf } from './trade-rows.ts';

/** What a message says besides the trade. */
export interface Messenger {
  botId: string;
  nickname: string;
  mode: TradeMode;
  stakeCurrency: string;
}

/** What has happened to a trade that people want to know: it holds something for the first time, or it is closed. */
export type TradeNews = { kind: 'opened'; trade: Trade; time: number } | { kind: 'closed'; trade: Trade };

/** The news of trades among the effects of a step. */
export function tradeNews(effects: readonly BotEffect[], trades: ReadonlyMap<number, Trade>): TradeNews[] {
  return effects.flatMap((effect): TradeNews[] => {
    if (effect.kind === 'trade-closed') return [{ kind: 'closed', trade: asPeopleKnow(effect.trade) }];
    if (effect.kind !== 'order-filled' || effect.order.purpose !== 'entry') return [];
    const trade = trades.get(effect.tradeId);
    const isFirst = effect.order.fills.length === 1;
    return trade !== undefined && isFirst && filledEntries(trade) === 1
      ? [{ kind: 'opened', trade, time: effect.order.fills[0]?.time ?? trade.openTime }]
      : [];
  });
}

/** The messages for the chat and the spreadsheet of a strategy that a step gives cause for. */
export function tradeMessages(of: Messenger, effects: readonly BotEffect[], trades: ReadonlyMap<number, Trade>): TradeMessage[] {
  return tradeNews(effects, trades).map((news) => (news.kind === 'closed' ? closed(of, news.trade) : opened(of, news.trade, news.time)));
}

function opened(of: Messenger, trade: Trade, time: number): TradeMessage {
  const cells = [momentText(time), oneLine(of.nickname), trade.symbol, trade.direction, trade.openRate, '', '', rowId(of, trade, 'opened')];
  return { text: openedText(of, trade), cells };
}

function closed(of: Messenger, trade: Trade): TradeMessage {
  const prices = [trade.openRate, trade.closeRate ?? ''];
  const time = momentText(trade.closeTime ?? trade.openTime);
  const cells = [time, oneLine(of.nickname), trade.symbol, trade.direction, ...prices, trade.profit ?? '', rowId(of, trade, 'closed')];
  return { text: closedText(of, trade), cells };
}

/** What a row is known by, the same for both rows of a trade but for its end: a row that may have been written is searched for by it. */
function rowId({ botId, mode }: Messenger, trade: Trade, event: 'opened' | 'closed'): string {
  return `${tradeIdOf(botId, mode, trade.id).replaceAll('-', '').slice(0, 12)}-${event}`;
}

function momentText(time: number): string {
  return new Date(time).toISOString();
}

function openedText({ nickname, mode, stakeCurrency }: Messenger, trade: Trade): string {
  return `${plainName(nickname)}: opened ${trade.symbol} ${trade.direction} at ${trade.openRate} for ${rounded(trade.stake)} ${stakeCurrency} (${mode})`;
}

function closedText({ nickname, mode, stakeCurrency }: Messenger, trade: Trade): string {
  const profit = trade.profit ?? 0;
  const sign = profit < 0 ? '-' : '+';
  const reason = trade.exitReason === null ? '' : `, ${trade.exitReason}`;
  return `${plainName(nickname)}: closed ${trade.symbol} ${trade.direction} at ${trade.closeRate ?? 'an unknown price'}, ${sign}${rounded(Math.abs(profit))} ${stakeCurrency} (${mode}${reason})`;
}

/** At most eight digits after the point, without zeros at the end. */
function rounded(amount: number): string {
  return String(Number(amount.toFixed(8)));
}
