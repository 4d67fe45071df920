import { dayMs, hourMs, secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import type { Markets } from '#feeds/markets.ts';
import type { Database } from '#storage/database.ts';
import { removeDecisions } from '#storage/decisions.ts';
import { addPnlSnapshots } from '#storage/pnl-snapshots.ts';
import { writeVitals } from '#storage/running-bots.ts';
import { endLease, forgetDeadRunners, renewLease } from '#storage/runners.ts';
import { randomUUID } from 'node:crypto';
import { BotPool } from './bots/bot-pool.ts';
import { DecisionLog } from './bots/decision-log.ts';
import { SignalFeed } from './bots/signal-feed.ts';
import { every } from './every.ts';

/** What a runner needs. */
export interface RunnerDependencies {
  db: Database;
  markets: Markets;
  windows: CandleWindows;
  host: string; // who this is, for people
  now: () => number;
  log(message: string, details: object): void;
}

/** How often things are done, in ms. */
export interface RunnerTimes {
  lease: number; // how long others must wait when this runner is gone
  heartbeat: number;
  scan: number; // for bots to claim and for changes
  share: number; // for bots beyond the fair share
  vitals: number;
}

const defaultTimes: RunnerTimes = { lease: 10_000, heartbeat: 2_000, scan: 500, share: 5_000, vitals: 5_000 };
const keptDecisionsMs = 30 * dayMs;

/** A runner at work. */
export interface Runner {
  /** Writes what is under way, then releases all bots and the lease. */
  stop(): Promise<void>;
  /** The bots it runs now. */
  readonly botCount: number;
}

/** Runs its share of the bots, and keeps its lease. */
export async function startRunner(dependencies: RunnerDependencies, over: Partial<RunnerTimes> = {}): Promise<Runner> {
  const times = { ...defaultTimes, ...over };
  const { db, markets, windows, now } = dependencies;
  const log = (message: string, details: object): void => dependencies.log(message, details);
  const exchanges = markets.exchanges.map(({ id }) => id);
  let runner = { id: randomUUID(), host: dependencies.host, exchanges };
  const onError = (error: unknown): void => log('something went wrong', { error: errorText(error) });
  const decisions = new DecisionLog(db, onError);
  const pool = new BotPool(
    {
      db,
      runnerId: () => runner.id,
      signals: new SignalFeed(windows, onError),
      funding: new FundingFeed(markets, now),
      decisions,
      market: (exchangeId, marketType) => markets.market(exchangeId, marketType),
      now,
      log,
    },
    onError,
  );
  const bots = () => [...pool.bots.values()];

  const heartbeat = async (): Promise<void> => {
    if (await renewLease(db, runner, times.lease, false)) return;
    // Frozen for longer than the lease: every bot may be another's by now.
    log('the lease has run out; all bots are released', {});
    pool.dropAll();
    await endLease(db, runner.id);
    runner = { ...runner, id: randomUUID() }; // what an ended bot still has under way is refused
    await renewLease(db, runner, times.lease, true);
  };
  const reportVitals = async (): Promise<void> => {
    // Not waited for: a row that is locked, or an exchange that does not answer, must not hold up the others.
    for (const bot of bots()) void bot.save();
    for (const bot of bots()) void bot.checkFunding();
    await writeVitals(
      db,
      bots().flatMap((bot) => bot.vital() ?? []),
    );
    windows.releaseIdle();
  };
  let hourDone = Math.floor(now() / hourMs);
  const closeHour = async (): Promise<void> => {
    const current = Math.floor(now() / hourMs);
    if (current === hourDone) return;
    await addPnlSnapshots(
      db,
      bots().flatMap((bot) => bot.hourlySnapshot(current * hourMs) ?? []),
    );
    hourDone = current;
    await removeDecisions(db, new Date(now() - keptDecisionsMs));
    await forgetDeadRunners(db);
  };

  await renewLease(db, runner, times.lease, true);
  // The heartbeat continues while the bots are stopped: without the lease their last writes would be refused.
  const lease = every(times.heartbeat, heartbeat, onError);
  const loops = [
    every(times.scan, () => pool.scan(), onError),
    every(times.share, () => pool.share(), onError),
    every(times.vitals, reportVitals, onError),
    every(secondMs, closeHour, onError),
  ];

  return {
    get botCount() {
      return pool.bots.size;
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await pool.stop();
      await decisions.close();
      await lease.stop();
      await endLease(db, runner.id);
    },
  };
}
