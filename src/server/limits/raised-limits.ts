import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import type { LimitUse } from '#storage/limits/limits.ts';
import { readLimits } from '#storage/limits/limits.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';

/** The limits that hold for a bot: its own, its owner's and the server's. */
export interface LimitsOfBot {
  currency: string;
  limits: readonly LimitUse[];
}

/** The limits that hold for a live bot now; null for one on paper, which risks nothing. */
export async function limitsOfLiveBot(db: Database, bot: BotView, now: Date): Promise<LimitsOfBot | null> {
  if (bot.mode !== 'live') return null;
  const limits = await readLimits(db, { botId: bot.id, mode: tradeModeOf(bot), now, levels: ['bot', 'user', 'server'] });
  return { currency: bot.stakeCurrency, limits };
}

/** Whether one of the limits allows more than before. Amounts in another currency cannot be compared: they may. */
export function isAnyRaised(before: LimitsOfBot, after: LimitsOfBot): boolean {
  if (before.currency !== after.currency) return true;
  return after.limits.some(({ level, name, value }) => {
    const was = before.limits.find((each) => each.level === level && each.name === name);
    return was === undefined || Number(value) > Number(was.value);
  });
}
