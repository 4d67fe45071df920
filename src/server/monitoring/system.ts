import { minuteMs } from '#engine/market/durations.ts';
import { exchangeFigures } from '#feeds/exchange-clocks.ts';
import { isAlarmOpen } from '#storage/alarms/alarms.ts';
import { oldestPriceAt, readLiveHealth } from '#storage/exchange-accounts/account-checks.ts';
import { backupFault } from '#storage/backup/backup-state.ts';
import type { UsedMarket } from '#storage/bots/bots.ts';
import { botsInUse, listBotNames, listVitals } from '#storage/bots/bots.ts';
import { databaseAnswers } from '#storage/database.ts';
import type { Database } from '#storage/database.ts';
import type { BackupTest, PassedBackup } from '#storage/installation/facts.ts';
import { backupTestFact, passedBackupFact, readFact } from '#storage/installation/facts.ts';
import { hasLiveRunner } from '#storage/bots/runners.ts';
import { answeredWithin } from '../calls/answered-within.ts';
import type { Handlers } from '../calls/call.ts';
import { seesAllBots } from '../calls/caller.ts';
import { ExchangeAnswers } from './exchange-answers.ts';
import { fleetFacts, fleetHistory } from '../bots/fleet.ts';
import { lastHours } from '../bots/last-hour.ts';
import { lowDiskBytes } from './free-disk.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

const tickFreshMs = minuteMs;
const healthFreshMs = 2_000;

/** How long the answer waits for each of what it reports; what has not answered by then does not work. */
const patienceMs = 2_000;

interface Health {
  database: boolean;
  engine: boolean;
  mail: boolean;
  disk: boolean;
  backups: boolean; // the last that was tried gave everything back, and one has lately where they are made on a schedule
}

/** The state of the platform and of its bots. */
export function systemHandlers(dependencies: ServerDependencies): Pick<Handlers, 'systemLive' | 'systemStatus' | 'liveStatus'> {
  let known: { at: number; health: Promise<Health> } | null = null;
  const exchanges = new ExchangeAnswers(dependencies.markets);

  /** Checked every two seconds at most: anybody may ask, and asking must not become work. */
  const health = (): Promise<Health> => {
    const at = performance.now(); // an age must not depend on a clock that may be set back
    if (known === null || at - known.at > healthFreshMs) known = { at, health: checkHealth(dependencies) };
    return known.health;
  };

  return {
    systemLive: async () => ({ status: 'ok' }),

    async systemStatus({ caller, now }) {
      const state = await health();
      const short = {
        status: Object.values(state).every((works) => works) ? ('ok' as const) : ('degraded' as const),
        version: dependencies.version,
        time: now.toISOString(),
      };
      if (caller === null || (caller.role !== 'admin' && caller.role !== 'operator')) return short;
      const facts = state.database ? await answeredWithin(patienceMs, databaseFacts(dependencies.db), null) : null;
      return {
        ...short,
        ...(facts === null ? ({ status: 'degraded' } as const) : {}),
        database: word(facts !== null),
        engine: word(state.engine),
        mail: word(state.mail),
        disk: word(state.disk),
        ...(facts?.backups ?? { last_backup_at: null, last_backup_test_at: null, backup_test: null }),
        ...(facts?.trading ?? { oldest_price_at: null, accounts: null }),
        exchanges: await exchangeStates(dependencies, exchanges, facts?.markets ?? [], now.getTime()),
        active_bots: facts?.active ?? 0,
        live_trading_enabled: dependencies.liveTrading !== 'off',
      };
    },

    async liveStatus({ caller, query, now }) {
      const ownerId = seesAllBots(caller) ? null : caller.id;
      const [bots, vitals] = await Promise.all([listBotNames(dependencies.db, ownerId), listVitals(dependencies.db)]);
      const [fleet, history, hour] = await Promise.all([
        query.fleet === undefined ? null : fleetFacts(dependencies, caller.id, ownerId, now),
        query.history === undefined ? null : fleetHistory(dependencies, ownerId, bots, now),
        query.hour === undefined ? null : lastHours(dependencies, ownerId, now),
      ]);
      return {
        time: now.toISOString(),
        bots: bots.map((bot) => {
          const vital = vitals.get(bot.id);
          return {
            bot_id: bot.id,
            nickname: bot.nickname,
            status: bot.status,
            mode: bot.mode,
            running: vital?.isHeld === true && now.getTime() - vital.lastTickAt.getTime() < tickFreshMs,
            open_trades: vital?.openTrades ?? 0,
            unrealized_pnl: Number(vital?.unrealizedPnl ?? 0),
            last_tick_at: vital?.lastTickAt.toISOString() ?? null,
            last_error: vital?.lastError ?? null,
            ...fleet?.(bot),
            ...history?.(bot),
            ...hour?.(bot),
          };
        }),
      };
    },
  };
}

/** What only the database knows. */
async function databaseFacts(db: Database) {
  const [used, backups, trading] = await Promise.all([botsInUse(db), backupState(db), tradingHealth(db)]);
  return { ...used, backups, trading };
}

async function backupState(db: Database) {
  const [passed, test] = await Promise.all([readFact<PassedBackup>(db, passedBackupFact), readFact<BackupTest>(db, backupTestFact)]);
  return {
    last_backup_at: passed?.madeAt ?? null,
    last_backup_test_at: test?.testedAt ?? null,
    backup_test: test === null ? null : word(test.fault === null),
  };
}

async function tradingHealth(db: Database) {
  const [price, live] = await Promise.all([oldestPriceAt(db), readLiveHealth(db)]);
  return {
    oldest_price_at: price?.toISOString() ?? null,
    accounts: {
      live: live.accounts,
      unchecked: live.uncheckedAccounts,
      oldest_check_at: live.oldestCheckAt?.toISOString() ?? null,
      refused_keys: live.refusedKeys,
    },
  };
}

async function checkHealth({ db, mailer, freeDiskBytes, now }: ServerDependencies): Promise<Health> {
  const [database, engine, backups, mail, room] = await Promise.all([
    databaseAnswers(db),
    answeredWithin(patienceMs, botsAreRun(db), false),
    answeredWithin(
      patienceMs,
      backupFault(db, now()).then((fault) => fault === null),
      true, // the database is the one that fails then
    ),
    answeredWithin(patienceMs, mailer.works(), false),
    answeredWithin(patienceMs, freeDiskBytes(), 0),
  ]);
  return { database, mail, disk: room >= lowDiskBytes, engine: database && engine, backups };
}

/** Whether a runner holds a lease, and no alarm says that bots have none: that one is raised after half a minute, as a hand-over is not a fault. */
async function botsAreRun(db: Database): Promise<boolean> {
  return (await hasLiveRunner(db)) && !(await isAlarmOpen(db, 'no-runner'));
}

/** Whether the exchanges that bots trade on can be asked. */
async function exchangeStates(
  { markets: { exchanges } }: ServerDependencies,
  answers: ExchangeAnswers,
  markets: readonly UsedMarket[],
  now: number,
) {
  const used = Map.groupBy(markets, ({ exchangeId }) => exchangeId);
  if (used.size === 0) return [];
  return Promise.all(
    exchanges
      .filter(({ id }) => used.has(id))
      .map(async ({ id }) => {
        const asked = Promise.all((used.get(id) ?? []).map(({ marketType }) => answers.answers(id, marketType, now)));
        const works = (await answeredWithin(patienceMs, asked, [false])).every(Boolean);
        const { offsetsMs } = await exchangeFigures();
        return { id, status: word(works), clock_offset_ms: offsetsMs.get(id) ?? null };
      }),
  );
}

function word(works: boolean): 'ok' | 'error' {
  return works ? 'ok' : 'error';
}
