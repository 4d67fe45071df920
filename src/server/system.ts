import { minuteMs } from '#engine/market/durations.ts';
import type { BotView } from '#storage/bots.ts';
import { listBotNames, listBots, listVitals } from '#storage/bots.ts';
import { databaseAnswers } from '#storage/database.ts';
import { lastBackupFact, readFact } from '#storage/facts.ts';
import { hasLiveRunner } from '#storage/runners.ts';
import type { Handlers } from './call.ts';
import { seesAllBots } from './caller.ts';
import { fleetFacts, fleetHistory } from './fleet.ts';
import { lowDiskBytes } from './free-disk.ts';
import type { ServerParts } from './parts.ts';

const tickFreshMs = minuteMs;
const healthFreshMs = 2_000;

interface Health {
  database: boolean;
  engine: boolean;
  mail: boolean;
  disk: boolean;
}

/** The state of the platform and of its bots. */
export function systemHandlers(parts: ServerParts): Pick<Handlers, 'systemStatus' | 'liveStatus'> {
  let known: { at: number; health: Promise<Health> } | null = null;

  /** Checked every two seconds at most: anybody may ask, and asking must not become work. */
  const health = (): Promise<Health> => {
    if (known === null || Date.now() - known.at > healthFreshMs) known = { at: Date.now(), health: checkHealth(parts) };
    return known.health;
  };

  return {
    async systemStatus({ caller, now }) {
      const state = await health();
      const short = {
        status: state.database && state.engine && state.mail && state.disk ? ('ok' as const) : ('degraded' as const),
        version: parts.version,
        time: now.toISOString(),
      };
      if (caller === null || (caller.role !== 'admin' && caller.role !== 'operator')) return short;
      const bots = state.database ? await listBots(parts.db) : [];
      return {
        ...short,
        database: word(state.database),
        engine: word(state.engine),
        mail: word(state.mail),
        disk: word(state.disk),
        last_backup_at: state.database ? ((await readFact<{ madeAt: string }>(parts.db, lastBackupFact))?.madeAt ?? null) : null,
        exchanges: await exchangeStates(parts, bots),
        active_bots: bots.filter((bot) => bot.status === 'active').length,
        live_trading_enabled: parts.liveTradingEnabled,
      };
    },

    async liveStatus({ caller, query, now }) {
      const ownerId = seesAllBots(caller) ? null : caller.id;
      const [bots, vitals] = await Promise.all([listBotNames(parts.db, ownerId), listVitals(parts.db)]);
      const [fleet, history] = await Promise.all([
        query.fleet === undefined ? null : fleetFacts(parts, ownerId, now),
        query.history === undefined ? null : fleetHistory(parts, ownerId, bots, now),
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
            running: vital !== undefined && now.getTime() - vital.lastTickAt.getTime() < tickFreshMs,
            open_trades: vital?.openTrades ?? 0,
            unrealized_pnl: Number(vital?.unrealizedPnl ?? 0),
            last_tick_at: vital?.lastTickAt.toISOString() ?? null,
            last_error: vital?.lastError ?? null,
            ...fleet?.(bot),
            ...history?.(bot),
          };
        }),
      };
    },
  };
}

async function checkHealth({ db, mailer, freeDiskBytes }: ServerParts): Promise<Health> {
  const [database, mail, room] = await Promise.all([databaseAnswers(db), mailer.works(), freeDiskBytes()]);
  return { database, mail, disk: room >= lowDiskBytes, engine: database && (await hasLiveRunner(db)) };
}

/** Whether the exchanges that bots trade on can be asked. */
async function exchangeStates(parts: ServerParts, bots: readonly BotView[]): Promise<{ id: string; status: 'ok' | 'error' }[]> {
  const used = Map.groupBy(bots, (bot) => bot.exchangeId);
  return Promise.all(
    parts.markets.exchanges
      .filter(({ id }) => used.has(id))
      .map(async ({ id }) => {
        const types = [...new Set(used.get(id)?.map((bot) => bot.marketType))];
        const answers = await Promise.allSettled(types.map(async (type) => (await parts.markets.market(id, type)).instruments()));
        return { id, status: word(answers.every((answer) => answer.status === 'fulfilled')) };
      }),
  );
}

function word(works: boolean): 'ok' | 'error' {
  return works ? 'ok' : 'error';
}
