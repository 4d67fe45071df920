import type { RawBuilder, Selectable, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';

/** A strategy with its trading settings; without its sealed secrets. */
export type StrategyView = Omit<
  Selectable<Schema['strategies']>,
  'webhook' | 'sheetsKey' | 'webhookResult' | 'sheetResult' | 'signalsFrom'
> & {
  codeId: string | null; // of the newest version of what it runs; null for one that is part of the program
  codeNumber: number | null;
  codeDescription: Record<string, unknown> | null; // what that says of itself
};

/** What a strategy is called, in SQL about its row. */
export interface NamesOfStrategy {
  name: RawBuilder<string>;
  description: RawBuilder<string>;
}

const namesOfRow: NamesOfStrategy = { name: sql.ref<string>('strategies.name'), description: sql.ref<string>('strategies.description') };

/** The strategies with the newest version of their code, or the newest of those that `isCodeSeen` holds for, and with `names` about that. */
export function selectStrategies(
  db: Database,
  { isCodeSeen = sql<SqlBool>`true`, names = namesOfRow }: { isCodeSeen?: RawBuilder<SqlBool>; names?: NamesOfStrategy } = {},
) {
  return db
    .selectFrom('strategies')
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('strategyCode')
          .select(['strategyCode.id as codeId', 'strategyCode.number as codeNumber', 'strategyCode.description as codeDescription'])
          .whereRef('strategyCode.strategyId', '=', 'strategies.id')
          .where(isCodeSeen)
          .orderBy('strategyCode.number', 'desc')
          .limit(1)
          .as('newest'),
      (join) => join.onTrue(),
    )
    .select(['newest.codeId', 'newest.codeNumber', 'newest.codeDescription'])
    .select([names.name.as('name'), names.description.as('description')])
    .select([
      'id',
      'className',
      'supportedExchanges',
      'defaultTimeframe',
      'stoploss',
      'trailingStop',
      'trailingStopPositive',
      'trailingStopPositiveOffset',
      'trailingOnlyOffsetIsReached',
      'maxConsecutiveLosses',
      'riskRewardRatio',
      'minimalRoi',
      'orderTypes',
      'orderTimeInForce',
      'position',
      'updatedAt',
      'version',
      'kind',
      'ownerId',
      'isShared',
      'removedAt',
    ]);
}

/** The order of lists: as the product ships them, then those of files, then rules, each by name. */
export const byPosition = sql`strategies.position, lower(strategies.name), strategies.id`;

const allStrategies = prepared('all strategies', (db) => selectStrategies(db).where('removedAt', 'is', null).orderBy(byPosition));

/** All strategies but rules that were removed, in the order of lists. */
export async function listStrategies(db: Database): Promise<StrategyView[]> {
  return allStrategies(db, {});
}

/** A strategy as it is entered: its names, and the settings it suggests. */
export interface StrategyToEnter {
  className: string;
  name: string;
  description: string;
  supportedExchanges: string[];
  defaultTimeframe: string;
  stoploss: number;
  trailingStop: boolean;
  trailingStopPositive: number | null;
  trailingStopPositiveOffset: number | null;
  trailingOnlyOffsetIsReached: boolean;
  minimalRoi: Readonly<Record<string, number>>;
  orderTypes?: Readonly<Record<string, 'limit' | 'market'>>; // where it suggests others than all begin with
  position: number;
}

/** Enters built-in strategies that are not there yet; those that are keep what people have set. */
export async function enterStrategies(db: Database, strategies: readonly StrategyToEnter[]): Promise<void> {
  for (const strategy of strategies)
    await db
      .insertInto('strategies')
      .values(rowOf(strategy))
      .onConflict((conflict) => conflict.column('className').doNothing())
      .execute();
}

/**
 * Enters the strategy of a file, or gives one that is there the names it has now; what people have set stays. Null when another
 * strategy has its class name.
 */
export async function enterFileStrategy(db: Database, strategy: StrategyToEnter): Promise<{ id: string } | null> {
  const { name, description } = strategy;
  const entered = db
    .insertInto('strategies')
    .values({ ...rowOf(strategy), kind: 'file' })
    .onConflict((conflict) => conflict.column('className').doUpdateSet({ name, description }).where('strategies.kind', '=', 'file'))
    .returning('id');
  return (await entered.executeTakeFirst()) ?? null;
}

/** The row of a strategy, with the order types that all begin with. */
export function rowOf(strategy: StrategyToEnter) {
  return {
    ...strategy,
    minimalRoi: JSON.stringify(strategy.minimalRoi),
    orderTypes: JSON.stringify({ entry: 'limit', exit: 'limit', stoploss: 'market', ...strategy.orderTypes }),
    orderTimeInForce: JSON.stringify({ entry: 'GTC', exit: 'GTC' }),
  };
}

/** One strategy, or null. */
export async function findStrategyById(db: Database, id: string): Promise<StrategyView | null> {
  return (await selectStrategies(db).where('id', '=', id).executeTakeFirst()) ?? null;
}
