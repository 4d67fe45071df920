import type { TradingState } from '#engine/bot/event.ts';
import { sql } from 'kysely';
import type { RawBuilder, Selectable } from 'kysely';
import type { Database } from '../database.ts';
import { isNotDone } from '../adoptions/waiting.ts';
import type { Schema } from '../schema.ts';

/** Whose trading a kill switch is about: everybody's, a user's bots, or one bot. */
export type TradingTarget = { level: 'server' } | { level: 'user' | 'bot'; id: string };

/** A kill switch as it was last set. */
export type TradingSwitch = Selectable<Schema['tradingStates']>;

/**
 * The state of a row of `bots`: the strictest of its own, its owner's and the server's switch. By the alphabet, halted comes before reducing.
 * While the bot is to take over a holding it makes no entries: one in the same symbol would keep the holding waiting, without a stop.
 */
export const tradingStateOf = sql<TradingState>`coalesce((
  select min(each.state) from (
    select s.state from trading_states s
    where s.state <> 'active' and (s.level = 'server' or s.user_id = bots.user_id or s.bot_id = bots.id)
    union all select 'reducing' from adopted_holdings h where h.bot_id = bots.id and ${isNotDone}
  ) each), 'active')`;

/** The state of a bot. A step reads it under `shareTradingLock`. */
export async function readTradingState(db: Database, botId: string): Promise<TradingState> {
  const row = await db.selectFrom('bots').select(tradingStateOf.as('state')).where('id', '=', botId).executeTakeFirst();
  return row?.state ?? 'halted';
}

/** The states of some bots, by id; of one that is gone there is none. */
export async function readTradingStates(db: Database, botIds: readonly string[]): Promise<Map<string, TradingState>> {
  const rows = await db
    .selectFrom('bots')
    .select(['id', tradingStateOf.as('state')])
    .where('id', 'in', [...botIds])
    .execute();
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** The switch of a target, locked until the transaction ends; undefined when it has never been set. */
export async function lockSwitch(trx: Database, target: TradingTarget): Promise<TradingSwitch | undefined> {
  // A row that is not there yet cannot be locked: two who set it at once come one after the other all the same.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`trading state ${nameOfTarget(target)}`}, 0))`.execute(trx);
  return trx
    .selectFrom('tradingStates')
    .selectAll()
    .where('level', '=', target.level)
    .where(sql<boolean>`coalesce(user_id, bot_id) is not distinct from ${idOf(target)}::uuid`)
    .executeTakeFirst();
}

/** Sets a switch; `setBy` is who did it, `isImposed` whether that is somebody other than the owner. Needs: `lockSwitch` */
export async function setSwitch(
  trx: Database,
  target: TradingTarget,
  given: Pick<TradingSwitch, 'state' | 'setBy' | 'isImposed'> & Partial<Pick<TradingSwitch, 'reason' | 'closeAllAt'>>,
): Promise<void> {
  await sql`
    insert into trading_states as s (level, user_id, bot_id, state, set_by, is_imposed, reason, close_all_at)
    values (${target.level}, ${target.level === 'user' ? target.id : null}::uuid, ${target.level === 'bot' ? target.id : null}::uuid,
            ${given.state}, ${given.setBy}::uuid, ${given.isImposed}, ${given.reason ?? 'person'}, ${given.closeAllAt ?? null})
    on conflict (level, user_id, bot_id) do update set
      state = excluded.state, set_by = excluded.set_by, is_imposed = excluded.is_imposed, reason = excluded.reason,
      close_all_at = excluded.close_all_at, set_at = clock_timestamp(), reason_at = null`.execute(trx);
}

/**
 * Notes that a further reason has come behind a switch that is set: who set it and since when stays, and whoever has seen it before has not
 * seen this, also where the clock has been set back. Once for each reason, not each time that it is found again: between two of them a person must
 * be able to re-arm.
 *
 * Needs: `lockSwitch`
 */
export async function addReason(trx: Database, target: TradingTarget): Promise<void> {
  await sql`
    update trading_states set reason_at = greatest(clock_timestamp(), set_at + interval '1 ms', reason_at + interval '1 ms')
    where level = ${target.level} and coalesce(user_id, bot_id) is not distinct from ${idOf(target)}::uuid`.execute(trx);
}

/** Which state of a switch somebody has seen: since when it says what it says, with all that is behind it. */
export function seenAs({ setAt, reasonAt }: Pick<TradingSwitch, 'setAt' | 'reasonAt'>): Date {
  return reasonAt !== null && reasonAt > setAt ? reasonAt : setAt; // an earlier version sets it and leaves the reason of before
}

/** A switch with the names of what it is about. */
export interface NamedSwitch extends TradingSwitch {
  behind: { kind: 'limit-reached' | 'difference'; facts: Readonly<Record<string, string | number | null>> }[]; // the open alarms of what has set it, or has come since; oldest first
  setByEmail: string | null;
  userEmail: string | null; // of the level user
  nickname: string | null; // of the level bot
  ownerId: string | null; // of the level bot
}

/**
 * The open alarms of what has set a switch `s`, or has come since. A limit of a bot pauses the bot, and leaves its switch alone. Read by the
 * same statement as the switch: what is behind it is never older than what it says.
 */
const behindIt = sql<NamedSwitch['behind']>`(
  select coalesce(jsonb_agg(jsonb_build_object('kind', a.kind, 'facts', a.facts) order by a.raised_at, a.id), '[]') from alarms a
  where a.ended_at is null and s.state <> 'active' and (a.kind = 'difference' or (a.kind = 'limit-reached' and a.level <> 'bot'))
    and a.level = s.level and coalesce(a.user_id, a.bot_id) is not distinct from coalesce(s.user_id, s.bot_id))`;

/** The switches that concern a user: the server's, the user's, those of the user's bots; with null all of the server. */
export async function listSwitches(db: Database, userId: string | null): Promise<NamedSwitch[]> {
  return db
    .selectFrom('tradingStates as s')
    .leftJoin('users as setter', 'setter.id', 's.setBy')
    .leftJoin('users as owner', 'owner.id', 's.userId')
    .leftJoin('bots as b', 'b.id', 's.botId')
    .selectAll('s')
    .select(['setter.email as setByEmail', 'owner.email as userEmail', 'b.nickname', 'b.userId as ownerId'])
    .select(behindIt.as('behind'))
    .$if(userId !== null, (query) =>
      query.where((eb) => eb.or([eb('s.level', '=', 'server'), eb('s.userId', '=', userId), eb('b.userId', '=', userId)])),
    )
    .orderBy(sql`array_position(array['server', 'user', 'bot'], s.level)`)
    .orderBy('s.setAt')
    .execute();
}

/** Whether a row of `bots b` is one that a target is about. */
export function isBotOf(target: TradingTarget): RawBuilder<boolean> {
  if (target.level === 'server') return sql<boolean>`true`;
  return target.level === 'user' ? sql<boolean>`b.user_id = ${target.id}` : sql<boolean>`b.id = ${target.id}`;
}

/** The bots a target is about: how many, with how many open trades, and who owns them. An archived one trades nothing; it counts while it holds something. */
export interface Affected {
  bots: number;
  openTrades: number;
  owners: { id: string; email: string }[];
}

/** See `Affected`. */
export async function affectedBy(db: Database, target: TradingTarget): Promise<Affected> {
  const { rows } = await sql<{ id: string; email: string; bots: number; openTrades: number }>`
    select u.id, u.email, count(*) filter (where b.archived_at is null or o.trades > 0)::int as bots, sum(o.trades)::int as open_trades
    from bots b join users u on u.id = b.user_id
      cross join lateral (select count(*) as trades from trades t where t.bot_id = b.id and t.status = 'open') o
    where ${isBotOf(target)}
    group by u.id order by u.id`.execute(db);
  return {
    bots: rows.reduce((sum, row) => sum + row.bots, 0),
    openTrades: rows.reduce((sum, row) => sum + row.openTrades, 0),
    owners: rows.map(({ id, email }) => ({ id, email })),
  };
}

function idOf(target: TradingTarget): string | null {
  return target.level === 'server' ? null : target.id;
}

/** A target in a word or two, e.g. for the name of a lock. */
export function nameOfTarget(target: TradingTarget): string {
  return target.level === 'server' ? target.level : `${target.level} ${target.id}`;
}
