import { dayMs, minuteMs } from '#engine/market/durations.ts';
import { daySumNotice } from '#mail/notice-texts.ts';
import { channelsWithoutSum, daySums, leaveDaySum } from '#storage/channels/day-sums.ts';
import type { Database } from '#storage/database.ts';

/** How long after the end of a UTC day its sum is left: trades that close with the last candle are written by then. */
const graceMs = 5 * minuteMs;

/** Leaves the sum of the UTC day before for every channel that wants it and has not had it. Older days are not made up for. */
export async function leaveDaySums(db: Database, now: Date, onError: (error: unknown) => void): Promise<void> {
  const day = new Date(now.getTime() - graceMs - dayMs).toISOString().slice(0, 10);
  for (const { id, userId } of await channelsWithoutSum(db, day)) {
    try {
      await leaveDaySum(db, id, day, daySumNotice(day, await daySums(db, userId, day)).text);
    } catch (error) {
      onError(error); // the others get theirs; the next round tries this one again
    }
  }
}
