import { sql } from 'kysely';
import type { AlarmAbout, AlarmFacts, AlarmKind } from './alarms.ts';
import { endOtherAlarms, noteAlarmFacts, raiseAlarm } from './alarms.ts';
import { isAlive } from '../living-runner.ts';
import type { Database } from '../database.ts';
import { backupFault } from '../backup/backup-state.ts';
import { storeFault } from '../installation/store-fault.ts';
import { listPositionMargins } from '../trades/position-margins.ts';
import { listAlarmingTrades } from '../trades/unprotected-trades.ts';

/** Of these more becomes known while they last. */
const changing: readonly AlarmKind[] = [
  'no-runner',
  'unprotected-position',
  'position-margin',
  'backup-failed',
  'bot-failing',
  'strategy-rests',
];

type Cause = AlarmAbout & { facts: AlarmFacts };

interface BotOfOwner {
  nickname: string;
  userId: string;
}

type FindCauses = (db: Database, withoutRunner: readonly BotOfOwner[]) => Promise<Cause[]>;

/** What can be seen in the database as long as it lasts, and how. */
const looks: readonly (readonly [AlarmKind, FindCauses])[] = [
  ['no-runner', noRunnerCauses],
  ['store-undurable', storeCauses],
  ['backup-failed', failedBackup],
  ['bot-failing', failingBots],
  ['strategy-rests', restingStrategies],
  ['delivery-failed', failedDeliveries],
  ['unknown-order', unknownOrders],
  ['unprotected-position', unprotectedPositions],
  ['position-margin', positionMargins],
];

/**
 * Raises the alarms whose causes are there now, and ends those whose causes are gone; which bots have no runner is for the caller to say.
 *
 * Fails: with the first fault, once all else is done; of a kind with a fault no alarm is ended
 */
export async function keepStandingAlarms(db: Database, withoutRunner: readonly BotOfOwner[] = []): Promise<void> {
  const faults: unknown[] = [];
  for (const [kind, findCauses] of looks) {
    const before = faults.length;
    const causes = await findCauses(db, withoutRunner).catch((error: unknown): Cause[] => (faults.push(error), []));
    for (const cause of causes) await keepOpen(db, cause).catch((error: unknown) => faults.push(error));
    if (faults.length === before) await endOtherAlarms(db, [kind], causes).catch((error: unknown) => faults.push(error));
  }
  if (faults.length > 0) throw faults[0];
}

async function keepOpen(db: Database, cause: Cause): Promise<void> {
  await raiseAlarm(db, cause);
  if (changing.includes(cause.kind)) await noteAlarmFacts(db, cause);
}

/** One for the server, which admins see, and one for everybody else who owns one of the bots: each acknowledges their own. */
async function noRunnerCauses(db: Database, bots: readonly BotOfOwner[]): Promise<Cause[]> {
  if (bots.length === 0) return [];
  const { rows: runners } = await sql`select from runners r where ${isAlive} limit 1`.execute(db);
  const factsOf = (some: readonly BotOfOwner[]): AlarmFacts =>
    runners.length > 0 ? { bots: some.length, names: shortList(some.map(({ nickname }) => nickname)) } : {};
  const owners = Map.groupBy(bots, ({ userId }) => userId);
  const { rows } = await sql<{ id: string }>`
    select id from users where role <> 'admin' and id = any(${[...owners.keys()]}::uuid[]) order by id`.execute(db);
  return [
    { kind: 'no-runner', target: { level: 'server' }, facts: factsOf(bots) },
    ...rows.map(({ id }): Cause => ({
      kind: 'no-runner',
      target: { level: 'user', id },
      facts: { for: 'owner', ...factsOf(owners.get(id) ?? []) },
    })),
  ];
}

/** Whether a bot `b` has a trade to look after, whatever its status. */
const holdsTrade = sql`exists (select from trades t where t.bot_id = b.id and t.status = 'open')`;

/** Of many names the first ten. */
function shortList(names: readonly string[]): string {
  const more = names.length - 10;
  return more > 0 ? `${names.slice(0, 10).join(', ')} and ${more} more` : names.join(', ');
}

async function storeCauses(db: Database): Promise<Cause[]> {
  const live = await db.selectFrom('bots').select('id').where('mode', '=', 'live').where('status', '<>', 'stopped').limit(1).execute();
  const fault = live.length === 0 ? null : await storeFault(db);
  return fault === null ? [] : [{ kind: 'store-undurable', target: { level: 'server' }, facts: { fault } }];
}

async function failedBackup(db: Database): Promise<Cause[]> {
  const found = await backupFault(db, new Date());
  if (found === null) return [];
  const { test, passed } = found;
  const facts = {
    file: test?.file ?? null,
    fault: test?.fault ?? null,
    room: test?.isOfRoom === true ? 'lacking' : null,
    passed: passed?.file ?? null,
    passedAt: passed?.madeAt ?? null,
  };
  return [{ kind: 'backup-failed', target: { level: 'server' }, facts }];
}

/**
 * Bots that a runner has given up which still lives, until they run without an error: in between they are tried again and again, stopped ones as long as they hold a
 * trade. Several of one owner that fail for the same reason are one alarm; it stays one until the last of them runs.
 */
async function failingBots(db: Database): Promise<Cause[]> {
  const { rows } = await sql<{ id: string; nickname: string; userId: string; error: string }>`
    select b.id, b.nickname, b.user_id, v.last_error as error from bots b join bot_vitals v on v.bot_id = b.id
    where (b.status <> 'stopped' or ${holdsTrade}) and v.last_error is not null and (exists (select from runners r where r.id = b.given_up_by and ${isAlive})
      or exists (select 1 from alarms a where a.kind = 'bot-failing' and a.ended_at is null
        and (a.bot_id = b.id or (a.user_id = b.user_id and position(b.id::text in a.facts ->> 'ids') > 0))))
    order by lower(b.nickname), b.id`.execute(db);
  const { rows: open } = await sql<{ name: string }>`
    select user_id || ' ' || (facts ->> 'reason') as name from alarms where kind = 'bot-failing' and level = 'user' and ended_at is null`.execute(
    db,
  );
  const groups = Map.groupBy(rows, ({ userId, error }) => `${userId} ${reasonOf(error)}`);
  return [...groups].flatMap(([name, bots]): Cause[] => {
    const [first] = bots;
    if (first === undefined) return [];
    const { id, userId, error } = first;
    if (bots.length === 1 && open.every((each) => each.name !== name))
      return [{ kind: 'bot-failing', target: { level: 'bot', id }, facts: { error } }];
    const names = bots.map(({ nickname }) => nickname).join(', ');
    const facts = { error, reason: reasonOf(error), bots: bots.length, names, ids: bots.map((each) => each.id).join(' ') };
    return [{ kind: 'bot-failing', target: { level: 'user', id: userId }, detail: reasonOf(error), facts }];
  });
}

/** Owners of active bots whose strategy has failed so often that it is asked nothing: one alarm for each owner and strategy. */
async function restingStrategies(db: Database): Promise<Cause[]> {
  const { rows } = await sql<{ userId: string; strategyId: string; strategy: string; fault: string; bots: number; names: string }>`
    select b.user_id, s.id as strategy_id, s.name as strategy, max(v.strategy_rest) as fault, count(*)::int as bots,
      string_agg(b.nickname, ', ' order by lower(b.nickname), b.id) as names
    from bots b join bot_vitals v on v.bot_id = b.id join strategies s on s.id = b.strategy_id
    where (b.status = 'active' or ${holdsTrade}) and v.strategy_rest is not null group by b.user_id, s.id order by s.name, b.user_id`.execute(
    db,
  );
  return rows.map(({ userId, strategyId, ...facts }) => ({
    kind: 'strategy-rests',
    target: { level: 'user', id: userId },
    detail: strategyId, // others may have its name
    facts,
  }));
}

/** An error without what differs from bot to bot: quoted names, ids and numbers. */
function reasonOf(error: string): string {
  return error
    .replaceAll(/"[^"]*"|'[^']*'/gu, '...')
    .replaceAll(/[\w-]*\d[\w-]*/gu, '...')
    .slice(0, 200)
    .toWellFormed(); // half an emoji may be left at the end
}

async function failedDeliveries(db: Database): Promise<Cause[]> {
  const { rows } = await sql<{ id: string; strategy: string; to: string; error: string }>`
    select s.id, s.name as strategy, r.to, r.result->>'error' as error
    from strategies s cross join lateral (values ('chat', s.webhook, s.webhook_result), ('sheet', s.sheets_key, s.sheet_result)) as r("to", place, result)
    where r.place is not null and r.result->>'error' is not null`.execute(db);
  return rows.map(({ id, ...facts }) => ({ kind: 'delivery-failed', target: { level: 'server' }, detail: `${facts.to} ${id}`, facts }));
}

/** Orders of which the exchange has not reported for a minute what became of them. */
async function unknownOrders(db: Database): Promise<Cause[]> {
  const { rows } = await sql<{ botId: string; name: string; symbol: string }>`
    select o.bot_id, o.client_order_id as name, t.symbol from orders o join trades t on t.id = o.trade_id
    where t.mode <> 'paper' and o.status in ('sent', 'unknown', 'cancel-pending')
      and (select min(e.at) from order_events e where e.order_id = o.id
           and e.id > coalesce((select max(c.id) from order_events c where c.order_id = o.id and c.state = 'open'), 0)) < now() - interval '1 minute'`.execute(
    db,
  );
  return rows.map(({ botId, name, symbol }) => ({
    kind: 'unknown-order',
    target: { level: 'bot', id: botId },
    detail: name,
    facts: { order: name, symbol },
  }));
}

/** Open trades that have held something for ten seconds while no stop lay at the exchange and nobody was leaving them, until one does. */
async function unprotectedPositions(db: Database): Promise<Cause[]> {
  return (await listAlarmingTrades(db)).map(({ botId, tradeId, symbol, since, refusal, endedAs, tooSmall }) => ({
    kind: 'unprotected-position',
    target: { level: 'bot', id: botId },
    detail: tradeId,
    facts: { symbol, since: since.toISOString(), refusal, endedAs, tooSmall },
  }));
}

/** Positions whose leverage or margin mode is another at the exchange than their trade was opened with, until it is the same or the trade is over. */
async function positionMargins(db: Database): Promise<Cause[]> {
  return (await listPositionMargins(db)).map(({ botId, tradeId, ...facts }) => ({
    kind: 'position-margin',
    target: { level: 'bot', id: botId },
    detail: tradeId,
    facts,
  }));
}
