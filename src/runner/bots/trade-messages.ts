import type { BotEffect } from '#engine/bot/effect.ts';
import { filledEntries, type Trade } from '#engine/account/trade.ts';
import type { TradeMode } from '#storage/trade-mode.ts';

/** What a message says besides the trade. */
export interface Messenger {
  nickname: string;
  mode: TradeMode;
  stakeCurrency: string;
}

/** The messages for people that a step gives cause for: a trade that holds something for the first time, and one that is closed. */
export function tradeMessages(of: Messenger, effects: readonly BotEffect[], trades: ReadonlyMap<number, Trade>): string[] {
  return effects.flatMap((effect) => {
    if (effect.kind === 'trade-closed') return [closedText(of, effect.trade)];
    if (effect.kind !== 'order-filled' || effect.order.purpose !== 'entry') return [];
    const trade = trades.get(effect.tradeId);
    const isFirst = effect.order.fills.length === 1;
    return trade !== undefined && isFirst && filledEntries(trade) === 1 ? [openedText(of, trade)] : [];
  });
}

function openedText({ nickname, mode, stakeCurrency }: Messenger, trade: Trade): string {
  return `${plain(nickname)}: opened ${trade.symbol} ${trade.direction} at ${trade.openRate} for ${rounded(trade.stake)} ${stakeCurrency} (${mode})`;
}

function closedText({ nickname, mode, stakeCurrency }: Messenger, trade: Trade): string {
  const profit = trade.profit ?? 0;
  const sign = profit < 0 ? '-' : '+';
  const reason = trade.exitReason === null ? '' : `, ${trade.exitReason}`;
  return `${plain(nickname)}: closed ${trade.symbol} ${trade.direction} at ${trade.closeRate ?? 'an unknown price'}, ${sign}${rounded(Math.abs(profit))} ${stakeCurrency} (${mode}${reason})`;
}

/** At most eight digits after the point, without zeros at the end. */
function rounded(amount: number): string {
  return String(Number(amount.toFixed(8)));
}

/** A name without the signs by which a chat calls people or makes links. */
function plain(name: string): string {
  return name.replaceAll(/[<>@]/gu, '');
}
