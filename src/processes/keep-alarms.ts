import { dayMs, secondMs } from '#engine/market/durations.ts';
import { mailNewAlarms } from '#mail/alarm-mails.ts';
import { every } from '#runner/every.ts';
import { removeOldAlarms } from '#storage/alarms/alarms.ts';
import type { Database } from '#storage/database.ts';
import { hasNoRunner, keepStandingAlarms } from '#storage/alarms/standing-alarms.ts';

/** How long alarms that have ended are kept. */
const keptMs = 90 * dayMs;

/** Rounds in a row without a runner before that is an alarm: one that is being replaced is back by then. */
const silentRounds = 2;

/** Raises and ends the alarms that can be seen in the database, and mails new ones, every few seconds until stopped. */
export function keepAlarms(
  of: { db: Database; now: () => Date; onError: (error: unknown) => void },
  everyMs = 5 * secondMs,
): { stop(): Promise<void> } {
  const { db, now } = of;
  let silent = 0;
  const check = async (): Promise<void> => {
    silent = (await hasNoRunner(db)) ? silent + 1 : 0;
    await keepStandingAlarms(db, silent >= silentRounds);
    await mailNewAlarms(db);
    await removeOldAlarms(db, new Date(now().getTime() - keptMs));
  };
  return every(everyMs, check, of.onError, 'after-pause');
}
