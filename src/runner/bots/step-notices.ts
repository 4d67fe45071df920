import type { BotEffect } from '#engine/bot/effect.ts';
import type { Trade } from '#engine/account/trade.ts';
import { closedNotice, openedNotice, pausedItselfNotice } from '#mail/notice-texts.ts';
import type { ChannelNotice } from '#storage/channels/channel-messages.ts';
import type { Messenger } from './trade-messages.ts';
import { tradeNews } from './trade-messages.ts';

/** The notices for the channels of a bot's owner that a step gives cause for. */
export function stepNotices(of: Messenger, effects: readonly BotEffect[], trades: ReadonlyMap<number, Trade>): ChannelNotice[] {
  const paused = effects.flatMap((effect) => (effect.kind === 'bot-paused' ? [pausedItselfNotice(of, effect.losses)] : []));
  const news = tradeNews(effects, trades).map(({ kind, trade }) =>
    kind === 'opened' ? openedNotice(of, trade, of.stakeCurrency) : closedNotice(of, trade, of.stakeCurrency),
  );
  return [...news, ...paused];
}
