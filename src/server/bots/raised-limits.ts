import type { BotView } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import type { LimitUse } from '#storage/limits/limits.ts';
import { allowed, levelsOf, readLimits } from '#storage/limits/limits.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';

/** The limits that hold for a live bot now, its own, its owner's and the server's; none for one on paper, which risks nothing. */
export async function limitsOfLiveBot(db: Database, bot: BotView, now: Date): Promise<LimitUse[]> {
  const mode = tradeModeOf(bot);
  return mode === 'paper' ? [] : await readLimits(db, { botId: bot.id, mode, now, levels: levelsOf(mode) });
}

/** Whether one of the limits allows more than before; both in the same currency. */
export function isAnyRaised(before: readonly LimitUse[], after: readonly LimitUse[]): boolean {
  return before.some((limit) => {
    const later = after.find(({ level, name }) => level === limit.level && name === limit.name);
    return later !== undefined && allowed(later) > allowed(limit);
  });
}
