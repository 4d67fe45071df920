import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { StrategyCode } from './strategy-code.ts';
import { byPosition, type NamesOfStrategy, selectStrategies, type StrategyView } from './strategies.ts';

/** Who asks about strategies. */
export interface StrategyReader {
  userId: string;
  usesAllRules: boolean; // an admin
  seesAllBots: boolean;
}

/**
 * A strategy as one reader sees it. Rules that the reader may not use are seen through the bots that run them: in the newest version of
 * those that these bots run.
 */
export type SeenStrategy = StrategyView & { mayUse: boolean };

/** What of a table of strategies called `strategies` a reader may see. */
export interface Sight {
  mayUse: RawBuilder<boolean>; // a bot or a backtest may be made with it
  isSeen: RawBuilder<SqlBool>;
  isCodeSeen: RawBuilder<SqlBool>; // of a version in `strategy_code`
}

/** What a reader may use and see: rules of their own and shared ones; for admins all; and what bots run that they may see, archived ones too. */
export function sightOf({ userId, usesAllRules, seesAllBots }: StrategyReader): Sight {
  const mayUse = sql<boolean>`(strategies.kind <> 'rules' or strategies.removed_at is null
    and (${usesAllRules}::boolean or strategies.is_shared or strategies.owner_id is not distinct from ${userId}::uuid))`;
  const isBotSeen = sql`(${seesAllBots}::boolean or bots.user_id = ${userId}::uuid)`;
  return {
    mayUse,
    isSeen: sql<SqlBool>`(${mayUse} or exists (select from bots where bots.strategy_id = strategies.id and ${isBotSeen}))`,
    isCodeSeen: sql<SqlBool>`(${mayUse} or exists (select from bots
      where bots.strategy_id = strategy_code.strategy_id and bots.code_id = strategy_code.id and ${isBotSeen}))`,
  };
}

/**
 * The name and the description of a row of `strategies` to somebody for whom a version of it is the newest: `said` is what that says of itself. Rules
 * have those of the version, as the row may have older ones, or newer ones; but what an admin has written stays.
 */
export function namesOfVersion(said: RawBuilder<unknown>): NamesOfStrategy {
  const named = (column: 'name' | 'description', key: 'title' | 'description') => {
    const row = sql.ref<string>(`strategies.${column}`);
    const own = sql<string>`btrim(${said} ->> ${sql.lit(key)})`;
    return sql<string>`case when strategies.kind <> 'rules' or btrim(${row}) = ${own} then ${row}
      when exists (select from strategy_code c where c.strategy_id = strategies.id and btrim(c.description ->> ${sql.lit(key)}) = btrim(${row}))
        then coalesce(${own}, ${row})
      else ${row} end`;
  };
  return { name: named('name', 'title'), description: named('description', 'description') };
}

function selectSeen(db: Database, reader: StrategyReader) {
  const { mayUse, isSeen, isCodeSeen } = sightOf(reader);
  return selectStrategies(db, { isCodeSeen, names: namesOfVersion(sql`newest.code_description`) })
    .select(mayUse.as('mayUse'))
    .where(isSeen);
}

const seenStrategies = prepared('seen strategies', (db, reader: StrategyReader) =>
  selectSeen(db, reader).where('removedAt', 'is', null).orderBy(byPosition),
);

/** The strategies that a reader may see, in the order of lists. */
export async function listSeenStrategies(db: Database, reader: StrategyReader): Promise<SeenStrategy[]> {
  return seenStrategies(db, reader);
}

/** One strategy, or null where the reader may not see it. */
export async function findSeenStrategy(db: Database, reader: StrategyReader, id: string): Promise<SeenStrategy | null> {
  return (await selectSeen(db, reader).where('strategies.id', '=', id).executeTakeFirst()) ?? null;
}

const titlesOfBots = prepared('titles of bots', (db, reader: StrategyReader) =>
  db
    .selectFrom('bots')
    .innerJoin('strategies', 'strategies.id', 'bots.strategyId')
    .innerJoin('strategyCode', 'strategyCode.id', 'bots.codeId')
    .select(['bots.id', sql<string>`btrim(strategy_code.description ->> 'title')`.as('title')])
    .where('strategies.kind', '=', 'rules')
    .where('bots.archivedAt', 'is', null)
    .where(sql<SqlBool>`not ${sightOf(reader).mayUse}`),
);

/** What the version is called that a bot runs, by the ids of the bots whose rules a reader may not use. */
export async function listTitlesOfBots(db: Database, reader: StrategyReader): Promise<Map<string, string>> {
  return new Map((await titlesOfBots(db, reader)).map(({ id, title }) => [id, title]));
}

/** A version of a strategy by its number, or null where the reader may not see it. */
export async function findSeenCode(db: Database, reader: StrategyReader, strategyId: string, number: number): Promise<StrategyCode | null> {
  const { isCodeSeen } = sightOf(reader);
  const code = db
    .selectFrom('strategyCode')
    .innerJoin('strategies', 'strategies.id', 'strategyCode.strategyId')
    .selectAll('strategyCode')
    .where('strategyCode.strategyId', '=', strategyId)
    .where('strategyCode.number', '=', number)
    .where(isCodeSeen);
  return (await code.executeTakeFirst()) ?? null;
}

/**
 * Whether a reader may use a strategy, which is held as it is until the transaction ends: it is neither removed nor unshared from
 * others before what is made with it is written.
 */
export async function holdUsableStrategy(trx: Database, reader: StrategyReader, id: string): Promise<boolean> {
  const { mayUse } = sightOf(reader);
  const { rows } = await sql`select from strategies where id = ${id} and ${mayUse} for share`.execute(trx);
  return rows.length === 1;
}

/** Whether a strategy has not been removed, which it will not be until the transaction ends. */
export async function holdKeptStrategy(trx: Database, id: string): Promise<boolean> {
  const { rows } = await sql`select from strategies where id = ${id} and removed_at is null for share`.execute(trx);
  return rows.length === 1;
}
