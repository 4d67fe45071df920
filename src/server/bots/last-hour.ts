import type { LastHour, NearestCandle } from '#contract/decisions.ts';
import { hourMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { listBots } from '#storage/bots/bots.ts';
import type { NearestDecision } from '#storage/bots/decision-list.ts';
import { countSince } from '#storage/bots/last-hours.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { effectiveTimeframe } from './bot-reply.ts';

/** What became of the last hour of each bot that makes entries. Two queries, however many bots there are. */
export async function lastHours(
  { db }: Pick<ServerDependencies, 'db'>,
  ownerId: string | null,
  now: Date,
): Promise<(bot: { id: string }) => { last_hour: LastHour | null }> {
  const bots = await listBots(db, ownerId);
  const active = bots.filter(({ status }) => status === 'active');
  const from = (openMs: number) => new Date(now.getTime() - hourMs - openMs + 1); // the record has a candle by its opening
  const counted = await countSince(
    db,
    active.map((bot) => ({ botId: bot.id, symbols: bot.symbols, from: from(timeframeLengths[effectiveTimeframe(bot)]) })),
    now,
  );
  return ({ id }) => {
    const counts = counted.get(id);
    return { last_hour: counts === undefined ? null : { ...counts, nearest: nearestReply(counts.nearest) } };
  };
}

/** The nearest candle as the contract has it. */
export function nearestReply(nearest: NearestDecision | null): NearestCandle | null {
  if (nearest === null) return null;
  const { name, value, threshold } = nearest.near;
  return { candle_time: nearest.candleTime.toISOString(), symbol: nearest.symbol, name, value, threshold };
}
