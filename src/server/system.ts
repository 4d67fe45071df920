import { listBots, listVitals } from '#storage/bots.ts';
import { databaseAnswers } from '#storage/database.ts';
import { hasLiveRunner } from '#storage/runners.ts';
import type { Handlers } from './call.ts';
import { seesAllBots } from './caller.ts';
import type { ServerParts } from './parts.ts';

const tickFreshMs = 60_000;
const healthFreshMs = 2_000;

interface Health {
  database: boolean;
  engine: boolean;
  mail: boolean;
  exchanges: { id: string; status: 'ok' | 'error' }[];
  activeBots: number;
}

/** The state of the platform and of its bots. */
export function systemHandlers(parts: ServerParts): Pick<Handlers, 'systemStatus' | 'liveStatus'> {
  let known: { at: number; health: Promise<Health> } | null = null;

  /** Looked at anew every two seconds at most: anybody may ask, and asking must not become work. */
  const health = (): Promise<Health> => {
    if (known === null || Date.now() - known.at > healthFreshMs) known = { at: Date.now(), health: lookAround(parts) };
    return known.health;
  };

  return {
    async systemStatus({ caller, now }) {
      const state = await health();
      const short = {
        status: state.database && state.engine && state.mail ? ('ok' as const) : ('degraded' as const),
        version: parts.version,
        time: now.toISOString(),
      };
      if (caller === null || (caller.role !== 'admin' && caller.role !== 'operator')) return short;
      return {
        ...short,
        database: word(state.database),
        engine: word(state.engine),
        mail: word(state.mail),
        exchanges: state.exchanges,
        active_bots: state.activeBots,
        live_trading_enabled: parts.liveTradingEnabled,
      };
    },

    async liveStatus({ caller, now }) {
      const [bots, vitals] = await Promise.all([listBots(parts.db, seesAllBots(caller) ? null : caller.id), listVitals(parts.db)]);
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
          };
        }),
      };
    },
  };
}

async function lookAround(parts: ServerParts): Promise<Health> {
  const database = await databaseAnswers(parts.db);
  if (!database) return { database, engine: false, mail: await parts.mailer.works(), exchanges: [], activeBots: 0 };
  const bots = await listBots(parts.db);
  const active = bots.filter((bot) => bot.status === 'active');
  const used = new Set(bots.map((bot) => `${bot.exchangeId} ${bot.marketType}`));
  const [engine, mail, exchanges] = await Promise.all([
    hasLiveRunner(parts.db),
    parts.mailer.works(),
    Promise.all(
      parts.markets.exchanges
        .filter(({ id }) => [...used].some((key) => key.startsWith(`${id} `)))
        .map(async ({ id }) => {
          const types = (['spot', 'margin', 'futures'] as const).filter((type) => used.has(`${id} ${type}`));
          const answers = await Promise.allSettled(types.map((type) => parts.markets.market(id, type).instruments()));
          return { id, status: word(answers.every((answer) => answer.status === 'fulfilled')) };
        }),
    ),
  ]);
  return { database, engine, mail, exchanges, activeBots: active.length };
}

function word(works: boolean): 'ok' | 'error' {
  return works ? 'ok' : 'error';
}
