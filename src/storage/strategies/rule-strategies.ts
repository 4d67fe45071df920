import type { Selectable, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';
import { namesOfVersion, sightOf, type StrategyReader } from './seen-strategies.ts';
import { rowOf, type StrategyToEnter } from './strategies.ts';
import type { StrategySettings } from './strategy-settings.ts';

type Code = Selectable<Schema['strategyCode']>;

/** A strategy of rules in the newest version that its reader may see. */
export interface RulesView extends Pick<Code, 'number' | 'madeAt' | 'document'> {
  id: string;
  codeId: string; // of the version
  name: string;
  ownerId: string | null; // null: the account is gone
  ownerEmail: string | null;
  isShared: boolean;
}

/** One version of a strategy of rules. */
export type RuleVersionView = Pick<Code, 'number' | 'madeAt' | 'madeBy' | 'document'> & { codeId: string; madeByEmail: string | null };

/** A bot that uses a strategy of rules. */
export type BotOfRules = Pick<
  Selectable<Schema['bots']>,
  'id' | 'userId' | 'strategyId' | 'nickname' | 'mode' | 'status' | 'exchangeId'
> & {
  codeNumber: number | null;
};

/** The strategies of rules that a reader may see, those of the reader first, then by name; or the one with this id. */
export async function listSeenRules(db: Database, reader: StrategyReader, id: string | null = null): Promise<RulesView[]> {
  const { isSeen, isCodeSeen } = sightOf(reader);
  const { rows } = await sql<RulesView>`
    select strategies.id, ${namesOfVersion(sql`newest.description`).name} as name, strategies.owner_id, users.email as owner_email, strategies.is_shared,
      newest.id as code_id, newest.number, newest.made_at, newest.document
    from strategies
    left join users on users.id = strategies.owner_id
    cross join lateral (
      select id, number, made_at, document, description from strategy_code where strategy_id = strategies.id and ${isCodeSeen} order by number desc limit 1
    ) newest
    where strategies.kind = 'rules' and strategies.removed_at is null and ${isSeen} and (${id}::uuid is null or strategies.id = ${id}::uuid)
    order by strategies.owner_id is distinct from ${reader.userId}::uuid, lower(strategies.name), strategies.id`.execute(db);
  return rows;
}

/** The bots that use these strategies and that a reader may see, without archived ones, by nickname. */
export async function listBotsOfRules(db: Database, reader: StrategyReader, strategyIds: readonly string[]): Promise<BotOfRules[]> {
  const { rows } = await sql<BotOfRules>`
    select b.id, b.user_id, b.strategy_id, b.nickname, b.mode, b.status, b.exchange_id, c.number as code_number
    from bots b left join strategy_code c on c.id = b.code_id
    where b.strategy_id = any(${[...strategyIds]}::uuid[]) and b.archived_at is null and (${reader.seesAllBots}::boolean or b.user_id = ${reader.userId}::uuid)
    order by lower(b.nickname), b.id`.execute(db);
  return rows;
}

/** The newest `most` versions that a reader may see of a strategy, the newest first; or the one of this number. */
export async function listSeenRuleVersions(
  db: Database,
  reader: StrategyReader,
  strategyId: string,
  { most, number = null }: { most: number; number?: number | null },
): Promise<RuleVersionView[]> {
  const { isCodeSeen } = sightOf(reader);
  const { rows } = await sql<RuleVersionView>`
    select strategy_code.id as code_id, strategy_code.number, strategy_code.made_at, strategy_code.made_by, strategy_code.document, users.email as made_by_email
    from strategies join strategy_code on strategy_code.strategy_id = strategies.id
    left join users on users.id = strategy_code.made_by
    where strategies.id = ${strategyId} and strategies.kind = 'rules' and ${isCodeSeen}
      and (${number}::int is null or strategy_code.number = ${number}::int)
    order by strategy_code.number desc limit ${most}`.execute(db);
  return rows;
}

/** Whether a document of rules with this hash is a version that a reader may see. */
export async function isSeenVersion(db: Database, reader: StrategyReader, hash: string): Promise<boolean> {
  const { isCodeSeen } = sightOf(reader);
  const { rows } = await sql<{ isSeen: SqlBool }>`
    select exists (
      select from strategies join strategy_code on strategy_code.strategy_id = strategies.id
      where strategies.kind = 'rules' and strategy_code.hash = ${hash} and ${isCodeSeen}
    ) as is_seen`.execute(db);
  return rows[0]?.isSeen === true;
}

/** How many strategies of rules a person has, without those that were removed: what is left of them is history, which nobody can take away. */
export async function countRules(db: Database, ownerId: string): Promise<number> {
  const row = await db
    .selectFrom('strategies')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('ownerId', '=', ownerId)
    .where('removedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Enters a strategy of rules; gives its id. */
export async function addRules(trx: Database, strategy: StrategyToEnter, ownerId: string): Promise<string> {
  const added = trx
    .insertInto('strategies')
    .values({ ...rowOf(strategy), kind: 'rules', ownerId })
    .returning('id');
  return (await added.executeTakeFirstOrThrow()).id;
}

/** Removes versions that are older than the newest `most` and that neither a bot, now or before, nor a backtest nor a study has used. */
export async function forgetVersions(trx: Database, strategyId: string, most: number): Promise<void> {
  await sql`
    delete from strategy_code c where strategy_id = ${strategyId}
      and number <= (select max(number) from strategy_code where strategy_id = ${strategyId}) - ${most}
      and not exists (select from bots b where b.strategy_id = c.strategy_id and b.code_id = c.id)
      and not exists (select from bots b join bot_versions v on v.bot_id = b.id
        where b.strategy_id = c.strategy_id and (v.settings ->> 'codeNumber')::int = c.number)
      and not exists (select from backtests t where t.strategy_id = c.strategy_id and t.code_id = c.id)
      and not exists (select from studies s where s.strategy_id = c.strategy_id and s.code_id = c.id)`.execute(trx);
}

/** Calls a strategy what its newest version is called. Its runners do not care: a bot that is started again for it would lose its newest signal. */
export async function nameRules(
  trx: Database,
  id: string,
  { name, description }: Pick<StrategySettings, 'name' | 'description'>,
): Promise<void> {
  await trx.updateTable('strategies').set({ name, description }).where('id', '=', id).execute();
}

/** Calls rules that everybody may use what their newest version is called; what an admin has written stays. */
export async function nameAsNewest(trx: Database, id: string): Promise<void> {
  const { name, description } = namesOfVersion(sql`newest.description`);
  await sql`
    update strategies set name = ${name}, description = ${description}
    from (select description from strategy_code where strategy_id = ${id} order by number desc limit 1) newest
    where strategies.id = ${id}`.execute(trx);
}

/** Whether somebody who is neither their maker nor an admin has made something with rules, by whose name they know them: a bot, a backtest or a study. */
export async function isKnownToOthers(trx: Database, { id, ownerId }: { id: string; ownerId: string | null }): Promise<boolean> {
  const others = sql`join users u on u.id = m.user_id where m.strategy_id = ${id} and u.role <> 'admin' and u.id is distinct from ${ownerId}::uuid`;
  const { rows } = await sql<{ isKnown: SqlBool }>`
    select exists (select from bots m ${others}) or exists (select from backtests m ${others}) or exists (select from studies m ${others}) as is_known`.execute(
    trx,
  );
  return rows[0]?.isKnown === true;
}

/** Lets everybody use a strategy of rules, or its maker and admins alone. */
export async function setShared(trx: Database, id: string, isShared: boolean): Promise<void> {
  await trx.updateTable('strategies').set({ isShared }).where('id', '=', id).execute();
}

/** Takes a strategy of rules out of all lists. */
export async function setRemoved(trx: Database, id: string, now: Date): Promise<void> {
  await trx.updateTable('strategies').set({ removedAt: now }).where('id', '=', id).execute();
}

/** So many rules are deleted in one removal: for each version of each, the database reads the list of all backtests and that of all studies. */
export const mostDeletedAtOnce = 20;

/**
 * Deletes the removed rules of a person that nothing names any more, with their versions: no bot, not even an archived one that ran another version
 * of them, no backtest, no study, and no message that waits. Of many those that were removed first; the others, and those that somebody holds, are
 * left for the next time. Whoever makes one of these holds the rules until it is written, and nothing is made with rules that were removed.
 */
export async function deleteUnnamedRules(trx: Database, ownerId: string | null): Promise<void> {
  const isUnnamed = sql`kind = 'rules' and removed_at is not null and owner_id is not distinct from ${ownerId}::uuid
    and not exists (select from bots where strategy_id = s.id)
    and not exists (select from backtests where strategy_id = s.id)
    and not exists (select from studies where strategy_id = s.id)
    and not exists (select from trade_messages where strategy_id = s.id)`;
  const { rows } = await sql<{ id: string }>`
    select id from strategies s where ${isUnnamed} order by removed_at, id limit ${mostDeletedAtOnce} for update skip locked`.execute(trx);
  // Asked again now that nobody else holds them: what was being written then is seen.
  await sql`delete from strategies s where id = any(${rows.map(({ id }) => id)}::uuid[]) and ${isUnnamed}`.execute(trx);
}

/** Whether a bot that is not archived uses a strategy. */
export async function isInUse(trx: Database, id: string): Promise<boolean> {
  const { rows } = await sql<{ isUsed: SqlBool }>`
    select exists (select from bots where strategy_id = ${id} and archived_at is null) as is_used`.execute(trx);
  return rows[0]?.isUsed === true;
}

/** The exchanges and markets at which bots run at the timeframe of their strategy. */
export async function marketsAtTimeframeOf(
  trx: Database,
  strategyId: string,
): Promise<Pick<Selectable<Schema['bots']>, 'exchangeId' | 'marketType'>[]> {
  const { rows } = await sql<Pick<Selectable<Schema['bots']>, 'exchangeId' | 'marketType'>>`
    select distinct exchange_id, market_type from bots
    where strategy_id = ${strategyId} and archived_at is null and own_settings ->> 'timeframe' is null order by 1, 2`.execute(trx);
  return rows;
}

/** The versions of a strategy that are the newest, or that bots run at its timeframe. */
export async function codesInUse(trx: Database, strategyId: string): Promise<Pick<Code, 'hash' | 'document' | 'description'>[]> {
  const { rows } = await sql<Pick<Code, 'hash' | 'document' | 'description'>>`
    select hash, document, description from strategy_code c where strategy_id = ${strategyId}
      and (number = (select max(number) from strategy_code where strategy_id = ${strategyId})
        or exists (select from bots where code_id = c.id and archived_at is null and own_settings ->> 'timeframe' is null))`.execute(trx);
  return rows;
}
