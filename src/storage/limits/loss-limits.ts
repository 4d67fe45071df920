import { sql } from 'kysely';
import type { AlarmFacts } from '../alarms/alarms.ts';
import { endAlarms, noteAlarmFacts, raiseAlarm } from '../alarms/alarms.ts';
import { writeAudit } from '../audit/audit-log.ts';
import type { Database } from '../database.ts';
import type { LimitUse } from './limits.ts';
import { levelsOf, readLimits } from './limits.ts';
import type { TradeMode } from '../trades/trade-mode.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';
import type { TradingTarget } from '../trading/trading-states.ts';
import { addReason, lockSwitch, setSwitch } from '../trading/trading-states.ts';

type LossLimit = LimitUse & { name: 'daily-loss' | 'drawdown' };

/** A bot that has closed a trade at a loss. */
export interface LosingBot {
  botId: string;
  mode: TradeMode;
  now: Date;
}

/**
 * Stops what has lost as much as a limit allows, in the transaction of the closing trades: the bots are paused; for the user or the server,
 * and with real money alone, entries are stopped. Only a person lets them continue; where entries are stopped already, it is one reason more.
 *
 * Needs: the figures with the closed trades in them; `lockLimits`, but for paper bots
 */
export async function stopAfterLosses(trx: Database, losing: readonly LosingBot[]): Promise<void> {
  const notes: Note[] = [];
  for (const bot of losing) notes.push(...(await stopAfterLoss(trx, bot)));
  // Last: whoever presses a switch locks that before the audit log, which whoever writes to it keeps.
  for (const each of notes) await note(trx, each);
}

async function stopAfterLoss(trx: Database, { botId, mode, now }: LosingBot): Promise<Note[]> {
  const limits = await readLimits(trx, { botId, mode, now, levels: levelsOf(mode) });
  const reached = limits.filter(
    (limit): limit is LossLimit => limit.isReached && (limit.name === 'daily-loss' || limit.name === 'drawdown'),
  );
  if (reached.length === 0) return [];
  const { userId, stakeCurrency } = await trx
    .selectFrom('bots')
    .select(['userId', 'stakeCurrency'])
    .where('id', '=', botId)
    .executeTakeFirstOrThrow();
  const notes: (Note | null)[] = [];
  for (const limit of reached) {
    const facts = factsOf(limit, stakeCurrency, mode);
    if (limit.level === 'bot') notes.push(await pauseBot(trx, botId, facts));
    else if (mode === 'live')
      notes.push(await stopEntries(trx, limit.level === 'user' ? { level: 'user', id: userId } : { level: 'server' }, limit, facts, now));
  }
  return notes.filter((each) => each !== null);
}

/** What the open trades of a bot would bring now, and how many it had closed by then. */
export interface OpenResult {
  botId: string;
  unrealizedPnl: number;
  closedTrades: number; // in its current mode
}

/**
 * Pauses the active bots whose loss of the day, closed and open together, has reached their limit; gives their ids. A bot that has
 * closed a trade since is left for the next time: its loss would count twice.
 */
export async function pauseOpenLosses(db: Database, results: readonly OpenResult[], now: Date): Promise<string[]> {
  const losing = results.filter(({ unrealizedPnl }) => unrealizedPnl < 0);
  if (losing.length === 0) return [];
  const paused: string[] = [];
  for (const { id } of await reachedBy(db, losing, now)) {
    const isPaused = await db.transaction().execute(async (trx) => {
      await sql`select from bots where id = ${id} for no key update`.execute(trx); // a step under way may close a trade
      const [reached] = await reachedBy(
        trx,
        losing.filter(({ botId }) => botId === id),
        now,
      );
      if (reached === undefined) return false;
      const { id: _, ...figures } = reached;
      const done = await pauseBot(trx, id, { limit: 'daily-loss', ...figures, open: 'yes' });
      if (done !== null) await note(trx, done);
      return done !== null;
    });
    if (isPaused) paused.push(id);
  }
  return paused;
}

/** The bots among these whose loss of the day has reached its limit, with the figures of it. */
async function reachedBy(
  db: Database,
  results: readonly OpenResult[],
  now: Date,
): Promise<{ id: string; use: string; value: string; currency: string; mode: TradeMode }[]> {
  const closed = sql`case when f.day = (${now}::timestamptz at time zone 'UTC')::date then f.day_profit else 0 end`;
  const loss = sql`(- r.unrealized_pnl - coalesce(${closed}, 0))`;
  const limit = sql`coalesce(
    (select min(value) from limits l where l.bot_id = bots.id and l.name = 'daily-loss'),
    0.5 * least(bots.starting_balance, bots.stake_amount * bots.max_open_trades))`;
  const { rows } = await sql<{ id: string; use: string; value: string; currency: string; mode: TradeMode }>`
    select bots.id, trim_scale(${loss})::text as use, trim_scale(${limit})::text as value, bots.stake_currency as currency, ${tradeModeSql} as mode
    from unnest(${results.map(({ botId }) => botId)}::uuid[], ${results.map(({ unrealizedPnl }) => String(unrealizedPnl))}::numeric[],
                ${results.map(({ closedTrades }) => closedTrades)}::int[]) as r(bot_id, unrealized_pnl, closed_trades)
      join bots on bots.id = r.bot_id
      left join bot_figures f on f.bot_id = bots.id and f.mode = ${tradeModeSql}
    where bots.status = 'active' and coalesce(f.trades, 0) = r.closed_trades and ${loss} >= ${limit}`.execute(db);
  return rows;
}

/** Pauses a bot that is active, with its alarm; gives what is to be noted. Null: it was not active. */
async function pauseBot(trx: Database, botId: string, facts: AlarmFacts): Promise<Note | null> {
  const done = await trx
    .updateTable('bots')
    .set({ status: 'paused', updatedAt: new Date() })
    .where('id', '=', botId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  if (done.numUpdatedRows === 0n) return null;
  await raiseAlarm(trx, { kind: 'limit-reached', target: { level: 'bot', id: botId }, facts });
  return { target: `bot ${botId}`, detail: { ...facts, status: 'paused' } };
}

/** Stops entries, or is one reason more; gives what is to be noted. Null: it was known. */
async function stopEntries(
  trx: Database,
  target: TradingTarget,
  { name }: LossLimit,
  reached: AlarmFacts,
  now: Date,
): Promise<Note | null> {
  const before = (await lockSwitch(trx, target))?.state ?? 'active';
  const state = before === 'active' ? 'reducing' : before;
  // The alarm stays open until a person re-arms: each limit is one, however often a trade closes beyond it; the loss of another day is another.
  const ofDay = name === 'daily-loss' ? { day: now.toISOString().slice(0, 10) } : {};
  const facts: AlarmFacts = { ...reached, ...ofDay, state };
  const detail = Object.values({ name, currency: reached['currency'], ...ofDay }).join(' ');
  const alarm = { kind: 'limit-reached', target, detail, facts } as const;
  // What an earlier version has raised, or has not ended, would keep this alarm from being raised.
  if (before === 'active') await endAlarms(trx, [alarm.kind], target);
  const isNew = await raiseAlarm(trx, alarm);
  if (before === 'active') await setSwitch(trx, target, { state: 'reducing', setBy: null, isImposed: false, reason: name });
  else if (isNew) await addReason(trx, target);
  else {
    await noteAlarmFacts(trx, alarm);
    return null;
  }
  return { target: target.level === 'server' ? 'server' : `${target.level} ${target.id}`, detail: facts };
}

/** What the audit log is to say of a limit that was reached. */
interface Note {
  target: string;
  detail: AlarmFacts;
}

async function note(trx: Database, { target, detail }: Note): Promise<void> {
  await writeAudit(trx, { actorId: null, actorRole: null, action: 'limit-reached', target, result: 'ok', detail });
}

function factsOf({ name, use, value }: LossLimit, currency: string, mode: TradeMode): AlarmFacts {
  return { limit: name, use, value, currency, mode };
}
