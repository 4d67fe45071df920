import type { TradingState } from '#engine/bot/event.ts';
import { switchNotice } from '#mail/notice-texts.ts';
import { findBot } from '#storage/bots/bots.ts';
import { alarmModes, noticeOwner, noticePerson } from '#storage/channels/channel-messages.ts';
import type { Database } from '#storage/database.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import type { TradingTarget } from '#storage/trading/trading-states.ts';

/** Leaves the notice for an owner whose bot or bots somebody else has stopped or re-armed; 'closed': with all trades closed. */
export async function noticeSwitch(trx: Database, ownerId: string, target: TradingTarget, state: TradingState | 'closed'): Promise<void> {
  if (target.level === 'bot') {
    const bot = await findBot(trx, target.id);
    if (bot !== null) await noticeOwner(trx, bot.id, [switchNotice(state, [tradeModeOf(bot)], bot.nickname)]);
    return;
  }
  await noticePerson(trx, ownerId, switchNotice(state, await alarmModes(trx, { level: 'user', targetId: ownerId }), 'your bots'));
}
