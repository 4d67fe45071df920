import type { Database } from '#storage/database.ts';
import { removeDecisions } from '#storage/decisions.ts';
import { addPnlSnapshots } from '#storage/pnl-snapshots.ts';
import { listClaimedBots, readBot, writeVitals } from '#storage/running-bots.ts';
import { Changed, claimBots, endLease, Fenced, forgetDeadRunners, renewLease } from '#storage/runners.ts';
import { randomUUID } from 'node:crypto';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import { DecisionLog } from './bots/decision-log.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import type { Markets } from '#feeds/markets.ts';
import { pauseAfter } from './pauses.ts';
import type { BotWorld } from './bots/running-bot.ts';
import { RunningBot } from './bots/running-bot.ts';
import { SignalFeed } from './bots/signal-feed.ts';

/** What a runner needs. */
export interface RunnerParts {
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
  look: number; // for bots to claim and for changes
  vitals: number;
}

const defaultTimes: RunnerTimes = { lease: 10_000, heartbeat: 2_000, look: 500, vitals: 5_000 };
const claimAtOnce = 200;
const startAtOnce = 50;
const hour = 3_600_000;
const keptDecisionsMs = 30 * 24 * hour;

/** A runner at work. */
export interface Runner {
  /** Lets go of all bots and the lease. */
  stop(): Promise<void>;
  /** The bots it runs now. */
  readonly botCount: number;
}

/**
 * Runs bots: claims those that nobody runs, starts each on its own, watches for changes, and keeps its lease. There is
 * one way to start: from what the database knows.
 */
export async function startRunner(parts: RunnerParts, over: Partial<RunnerTimes> = {}): Promise<Runner> {
  const times = { ...defaultTimes, ...over };
  const { db } = parts;
  const log = (message: string, details: object): void => parts.log(message, details);
  const runnerId = randomUUID();
  const onError = (error: unknown): void => log('something went wrong', { error: error instanceof Error ? error.message : String(error) });
  const decisions = new DecisionLog(db, onError);
  const bots = new Map<string, RunningBot>();
  const failures = new Map<string, { count: number; retryAt: number }>();
  const starting = new Set<string>();
  let isStopped = false;

  const world: BotWorld = {
    db,
    runnerId,
    signals: new SignalFeed(parts.windows, onError),
    funding: new FundingFeed(parts.markets, parts.now),
    decisions,
    market: (exchangeId, marketType) => parts.markets.market(exchangeId, marketType),
    now: parts.now,
    onEnd: (bot, error) => {
      log('a bot was let go', { bot: bot.id, error: String(error) });
      if (bots.get(bot.id) !== bot) return;
      bots.delete(bot.id);
      const isOvertaken = error instanceof Fenced || error instanceof Changed;
      if (!isOvertaken) failures.set(bot.id, { count: 1, retryAt: parts.now() + pauseAfter(1) });
    },
    log,
  };

  /** Starts a bot from the database; one that fails is tried again after ever longer pauses, the others go on. */
  const startBot = async (id: string, changedAt: number): Promise<void> => {
    const failure = failures.get(id);
    if (failure !== undefined && failure.retryAt > parts.now()) return;
    try {
      const stored = await readBot(db, id);
      if (stored === null || isStopped) return;
      const bot = new RunningBot(world, stored, changedAt);
      bots.set(id, bot);
      await bot.start();
      failures.delete(id);
    } catch (error) {
      bots.get(id)?.end();
      bots.delete(id);
      const count = (failure?.count ?? 0) + 1;
      failures.set(id, { count, retryAt: parts.now() + pauseAfter(count) });
      log('a bot could not be started', { bot: id, error: error instanceof Error ? error.message : String(error) });
      const lastError = error instanceof Error ? error.message : String(error);
      await writeVitals(db, [{ botId: id, lastTickAt: new Date(0), openTrades: 0, unrealizedPnl: 0, lastError }]).catch(onError);
    }
  };

  /** Claims what is free, and brings what runs in line with what people want. */
  const look = async (): Promise<void> => {
    while ((await claimBots(db, runnerId, claimAtOnce)).length === claimAtOnce);
    const claimed = await listClaimedBots(db, runnerId);
    const ids = new Set(claimed.map(({ id }) => id));
    for (const [id, bot] of bots) {
      if (ids.has(id)) continue;
      bot.end();
      bots.delete(id);
    }
    const waiting = claimed.filter(({ id, epoch, changedAt }) => {
      const bot = bots.get(id);
      return !starting.has(id) && (bot === undefined || bot.epoch !== epoch || bot.changedAt !== changedAt);
    });
    for (const { id, changedAt } of waiting.slice(0, startAtOnce - starting.size)) {
      // Not waited for: an exchange that does not answer must not hold up the bots of others.
      starting.add(id);
      void startAnew(id, changedAt).finally(() => starting.delete(id));
    }
  };

  /** A bot whose status or settings have changed starts anew from the database, once it has nothing under way. */
  const startAnew = async (id: string, changedAt: number): Promise<void> => {
    const bot = bots.get(id);
    await bot?.settle();
    bot?.end();
    await startBot(id, changedAt);
  };

  const tellVitals = async (): Promise<void> => {
    await Promise.all([...bots.values()].map((bot) => bot.save()));
    for (const bot of bots.values()) void bot.checkFunding(); // not waited for: an exchange that does not answer must not hold up the others
    await writeVitals(
      db,
      [...bots.values()].flatMap((bot) => bot.vital() ?? []),
    );
    parts.windows.letGoOfIdle();
  };

  let hourDone = Math.floor(parts.now() / hour);
  const tellHour = async (): Promise<void> => {
    const current = Math.floor(parts.now() / hour);
    if (current === hourDone) return;
    await addPnlSnapshots(
      db,
      [...bots.values()].flatMap((bot) => bot.hourlySnapshot(current * hour) ?? []),
    );
    hourDone = current;
    await removeDecisions(db, new Date(parts.now() - keptDecisionsMs));
    await forgetDeadRunners(db);
  };

  await renewLease(db, { id: runnerId, host: parts.host }, times.lease, true);
  const heartbeat = async (): Promise<void> => {
    if (await renewLease(db, { id: runnerId, host: parts.host }, times.lease, false)) return;
    // Frozen for longer than the lease: every bot may be another's by now.
    log('the lease has run out; all bots are let go', {});
    for (const bot of bots.values()) bot.end();
    bots.clear();
    await endLease(db, runnerId);
    await renewLease(db, { id: runnerId, host: parts.host }, times.lease, true);
  };
  const loops = [
    every(times.heartbeat, heartbeat, onError),
    every(times.look, look, onError),
    every(times.vitals, tellVitals, onError),
    every(1_000, tellHour, onError),
  ];

  return {
    get botCount() {
      return bots.size;
    },
    async stop() {
      isStopped = true;
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all([...bots.values()].map((bot) => bot.settle()));
      await Promise.all([...bots.values()].map((bot) => bot.save()));
      for (const bot of bots.values()) bot.end();
      await decisions.close();
      await endLease(db, runnerId);
    },
  };
}

/** Does something now and then again, one after the other, until stopped; an error is told and the next round comes. */
function every(ms: number, work: () => Promise<void>, onError: (error: unknown) => void): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  const go = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    if (isStopped) return;
    timer = setTimeout(() => {
      round = go();
    }, ms);
  };
  let round = go();
  return {
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await round;
    },
  };
}
