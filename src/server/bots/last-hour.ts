import type { CandleCounts, NearestCandle } from '#contract/decisions.ts';
import { dayMs, hourMs } from '#engine/market/durations.ts';
import { timeframeLengths } from '#engine/market/timeframe.ts';
import { listBots } from '#storage/bots/bots.ts';
import type { CountedCandles } from '#storage/bots/decision-hours.ts';
import { countSince } from '#storage/bots/decision-hours.ts';
import type { NearestDecision } from '#storage/bots/decision-list.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { effectiveTimeframe } from './bot-reply.ts';

/** What became of the last hour and day of each bot that makes entries. Three queries, however many bots there are. */
export async function lastHours(
  { db }: Pick<ServerDependencies, 'db'>,
  ownerId: string | null,
  now: Date,
): Promise<(bot: { id: string }) => { last_hour: CandleCounts | null; last_day: CandleCounts | null }> {
  const bots = await listBots(db, ownerId);
  const active = bots.filter(({ status }) => status === 'active');
  const closedWithin = (ms: number) =>
    countSince(
      db,
      active.map((bot) => {
        const candleMs = timeframeLengths[effectiveTimeframe(bot)];
        // The record has a candle by its opening.
        return { botId: bot.id, symbols: bot.symbols, candleMs, from: new Date(now.getTime() - ms - candleMs + 1) };
      }),
      now,
    );
  const [hour, day] = await Promise.all([closedWithin(hourMs), closedWithin(dayMs)]);
  return ({ id }) => ({ last_hour: countsReply(hour.get(id)), last_day: countsReply(day.get(id)) });
}

function countsReply(counts: CountedCandles | undefined): CandleCounts | null {
  return counts === undefined ? null : { ...counts, nearest: nearestReply(counts.nearest) };
}

/** The nearest candle as the contract has it. */
export function nearestReply(nearest: NearestDecision | null): NearestCandle | null {
  if (nearest === null) return null;
  const { name, value, threshold } = nearest.near;
  return { candle_time: nearest.candleTime.toISOString(), symbol: nearest.symbol, name, value, threshold };
}
