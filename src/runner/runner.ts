import type { OrderState } from '#engine/account/order-life.ts';
import type { BotEffect } from '#engine/bot/effect.ts';
import { dayMs, hourMs, secondMs } from '#engine/market/durations.ts';
import { errorText } from '#engine/ports/error-text.ts';
import type { CandleWindows } from '#feeds/candle-windows.ts';
import { exchangeStandings } from '#feeds/exchange-clocks.ts';
import { FundingFeed } from '#feeds/funding-feed.ts';
import type { Markets } from '#feeds/markets.ts';
import type { Database } from '#storage/database.ts';
import { pauseOpenLosses } from '#storage/limits/loss-limits.ts';
import { removeDecisionHours } from '#storage/bots/decision-hours.ts';
import { removeDecisions } from '#storage/bots/decisions.ts';
import { addPnlSnapshots } from '#storage/bots/pnl-snapshots.ts';
import { writeVitals } from '#storage/bots/running-bots.ts';
import type { RunnerFacts } from '#storage/bots/runners.ts';
import { endLease, forgetDeadRunners, noteExchangeFigures, renewLease } from '#storage/bots/runners.ts';
import type { LiveTrading } from '#storage/trades/trade-mode.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import type { ProcessTimes } from '#strategy-process/strategy-processes.ts';
import { productTimes, StrategyProcesses } from '#strategy-process/strategy-processes.ts';
import { randomUUID } from 'node:crypto';
import { BotPool } from './bots/bot-pool.ts';
import { DecisionLog } from './bots/decision-log.ts';
import { databaseSteps } from './bots/step-writer.ts';
import { SignalFeed } from './bots/signal-feed.ts';
import { every } from './every.ts';
import { fewAtOnce } from './few-at-once.ts';
import type { OpenTrading } from './orders/order-accounts.ts';
import { OrderAccounts } from './orders/order-accounts.ts';

/** What a runner needs. */
export interface RunnerDependencies {
  db: Database;
  leaseDb?: Database; // connections of the lease alone: it must not wait behind the writes of hundreds of bots; by default `db`
  checksDb?: Database; // connections of searches and comparisons of accounts: no order waits for them; by default `db`
  markets: Markets;
  windows: CandleWindows;
  openTrading?: OpenTrading; // accounts at exchanges; without it live bots do nothing
  pace?: number; // how many times as fast as the machine's the market's clock runs; 1 but in a sandbox
  takesLive?: LiveTrading; // whose live bots it runs; all when nothing is said
  mostBots?: number; // it never holds more; no limit when nothing is said
  python?: PythonPlaces; // of strategies in Python
  strategyTimes?: Partial<ProcessTimes>; // how long strategies of files may take, where that is not what the product says
  fundingPatienceMs?: number; // how long a step waits for payments of funding, where that is not what the product says
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

/** How long the lease of a runner lasts where nothing else is said, in ms. */
export const leaseMs = 10_000;

const defaultTimes: RunnerTimes = { lease: leaseMs, heartbeat: 2_000, scan: 500, share: 5_000, vitals: 5_000 };
/** Of all connections to the database so many are used at once for what nobody waits for. */
const savesAtOnce = 3;
const keptDecisionsMs = 30 * dayMs;

/** How a runner is. Times are the runner's, in ms. */
export interface RunnerFigures {
  bots: number;
  leaseAgeMs: number; // since the lease was renewed, by a clock that nobody sets
  newestEpoch: number; // of the bots it holds; grows with each take-over
  oldestPriceAgeMs: number | null; // of the bot that has waited longest for a price; null while none has had one
  effects: ReadonlyMap<BotEffect['kind'], number>; // of steps that hold
  orderStates: ReadonlyMap<OrderState, number>; // how many orders at exchanges have come to each
}

/** A runner at work. */
export interface Runner {
  /** Writes what is under way, then releases all bots and the lease. */
  stop(): Promise<void>;
  /** The bots it runs now. */
  readonly botCount: number;
  /** What it has done since it was started, and how it is. */
  figures(): RunnerFigures;
}

/** Runs its share of the bots, and keeps its lease. */
export async function startRunner(dependencies: RunnerDependencies, over: Partial<RunnerTimes> = {}): Promise<Runner> {
  const times = { ...defaultTimes, ...over };
  const { db, leaseDb = db, checksDb = db, markets, windows, now } = dependencies;
  const log = (message: string, details: object): void => dependencies.log(message, details);
  const exchanges = markets.exchanges.map(({ id }) => id);
  const { host, takesLive, mostBots } = dependencies;
  let runner: RunnerFacts = {
    id: randomUUID(),
    host,
    exchanges,
    ...(takesLive === undefined ? {} : { takesLive }),
    ...(mostBots === undefined ? {} : { mostBots }),
  };
  const onError = (error: unknown): void => log('something went wrong', { error: errorText(error) });
  const decisions = new DecisionLog(db, onError);
  const effects = new Map<BotEffect['kind'], number>();
  const accounts = new OrderAccounts({ db, checksDb }, dependencies.openTrading ?? noTrading, now, log, dependencies.pace);
  const processes = new StrategyProcesses(
    { node: process.execPath, walls: wallsOfSystem(), python: dependencies.python ?? noPython },
    { ...productTimes, ...dependencies.strategyTimes },
    (bot, fault) => log('the strategy of a bot rests', { bot, fault }),
  );
  let renewedAt = performance.now();
  const pool = new BotPool(
    {
      db,
      runnerId: () => runner.id,
      signals: new SignalFeed(windows, onError),
      processes,
      funding: new FundingFeed(markets, now),
      fundingPatienceMs: dependencies.fundingPatienceMs,
      decisions,
      steps: databaseSteps(db),
      accounts,
      market: (exchangeId, marketType) => markets.market(exchangeId, marketType),
      now,
      log,
      onEffects: (done) => {
        for (const { kind } of done) effects.set(kind, (effects.get(kind) ?? 0) + 1);
      },
    },
    onError,
  );
  const bots = () => [...pool.bots.values()];
  const priceAges = (): number[] =>
    bots().flatMap((bot) => {
      const at = bot.vital()?.lastTickAt.getTime() ?? 0;
      return at === 0 ? [] : [now() - at];
    });

  const heartbeat = async (): Promise<void> => {
    if (await renewLease(leaseDb, runner, times.lease, false)) {
      renewedAt = performance.now();
      return;
    }
    // Frozen for longer than the lease: every bot may be another's by now. Or the database may have lost what was written last.
    log('the lease has run out, or the database was started again; all bots are released', {});
    // What an ended bot still has under way is refused, and no scan finds bots under the lost lease that it would start again.
    const lost = runner.id;
    runner = { ...runner, id: randomUUID() };
    pool.dropAll();
    await endLease(leaseDb, lost);
    await renewLease(leaseDb, runner, times.lease, true);
    renewedAt = performance.now();
  };
  let saving: Promise<void> | null = null; // prices seen by the bots, which can wait for an order
  const reportVitals = async (): Promise<void> => {
    // Not waited for: a row that is locked, or an exchange that does not answer, must not hold up the others.
    saving ??= fewAtOnce(bots(), savesAtOnce, (bot) => bot.save(), onError).finally(() => (saving = null));
    for (const bot of bots()) void bot.checkFunding();
    const vitals = bots().flatMap((bot) => bot.vital() ?? []);
    await writeVitals(db, vitals);
    if (dependencies.openTrading !== undefined) await noteExchangeFigures(db, runner.id, await exchangeStandings());
    for (const bot of await pauseOpenLosses(db, vitals, new Date(now()))) log('a bot was paused by its daily loss limit', { bot });
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
    await removeDecisionHours(db, new Date(now() - 2 * dayMs));
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
    figures: () => ({
      bots: pool.bots.size,
      leaseAgeMs: performance.now() - renewedAt,
      newestEpoch: Math.max(0, ...bots().map(({ epoch }) => Number(epoch))),
      oldestPriceAgeMs: priceAges().length === 0 ? null : Math.max(...priceAges()),
      effects,
      orderStates: accounts.reached,
    }),
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await pool.stop();
      await accounts.close();
      await decisions.close();
      await processes.end();
      await lease.stop();
      await endLease(db, runner.id);
    },
  };
}

const noTrading: OpenTrading = async () => {
  throw new Error('This runner makes no real orders.');
};
