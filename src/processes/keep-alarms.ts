import { dayMs, secondMs } from '#engine/market/durations.ts';
import { mailNewAlarms } from '#mail/alarm-mails.ts';
import { every } from '#runner/every.ts';
import { isAlarmOpen, removeOldAlarms } from '#storage/alarms/alarms.ts';
import { keepStandingAlarms } from '#storage/alarms/standing-alarms.ts';
import { listBotsWithoutRunner } from '#storage/bots/runners.ts';
import type { Database } from '#storage/database.ts';
import type { LiveTrading } from '#storage/trades/trade-mode.ts';

/** How long alarms that have ended are kept. */
const keptMs = 90 * dayMs;

/** Rounds in a row in which a bot has no runner before that is an alarm: one that is being replaced, or that starts with everything, is there by then. */
const silentRounds = 5;

/** So many rounds another process may be ahead of this one: what it has raised is not ended for them. */
const roundsAhead = 2;

/** Raises and ends the alarms that can be seen in the database, and mails new ones, every few seconds until stopped. */
export function keepAlarms(
  of: { db: Database; liveTrading: LiveTrading; now: () => Date; onError: (error: unknown) => void },
  everyMs = 5 * secondMs,
): { stop(): Promise<void> } {
  const { db, liveTrading, now } = of;
  let silent: ReadonlyMap<string, number> = new Map(); // in how many rounds up to now a bot has had no runner
  let rounds = 0;
  const raiseAndEnd = async (): Promise<void> => {
    rounds += 1;
    const without = await listBotsWithoutRunner(db, liveTrading);
    silent = new Map(without.map(({ id }) => [id, (silent.get(id) ?? 0) + 1]));
    // Another process, or this one before it was started again, has waited: ended now, an open alarm would be raised and mailed once more.
    const isOpen = without.length > 0 && (await isAlarmOpen(db, 'no-runner'));
    const enough = !isOpen ? silentRounds : rounds < silentRounds ? 1 : silentRounds - roundsAhead;
    await keepStandingAlarms(
      db,
      without.filter(({ id }) => (silent.get(id) ?? 0) >= enough),
    );
  };
  const check = async (): Promise<void> => {
    await raiseAndEnd().catch(of.onError); // nobody who is to be mailed waits until what is wrong here is mended
    await mailNewAlarms(db);
    await removeOldAlarms(db, new Date(now().getTime() - keptMs));
  };
  return every(everyMs, check, of.onError, 'after-pause');
}
