import type { Selectable } from 'kysely';
import type { Database } from '../database.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';

/** A strategy with its trading settings; without its sealed secrets. */
export type StrategyView = Omit<
  Selectable<Schema['strategies']>,
  'webhook' | 'sheetsKey' | 'webhookResult' | 'sheetResult' | 'signalsFrom'
>;

function selectStrategies(db: Database) {
  return db
    .selectFrom('strategies')
    .select([
      'id',
      'className',
      'name',
      'description',
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
    ]);
}

const allStrategies = prepared('all strategies', (db) => selectStrategies(db).orderBy('position').orderBy('id'));

/** All strategies, in the order in which the product ships them. */
export async function listStrategies(db: Database): Promise<StrategyView[]> {
  return allStrategies(db, {});
}

/** Enters built-in strategies that are not there yet; those that are keep what people have set. */
export async function enterStrategies(
  db: Database,
  strategies: readonly {
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
    position: number;
  }[],
): Promise<void> {
  for (const strategy of strategies) {
    await db
      .insertInto('strategies')
      .values({
        ...strategy,
        minimalRoi: JSON.stringify(strategy.minimalRoi),
        orderTypes: JSON.stringify({ entry: 'limit', exit: 'limit', stoploss: 'market' }),
        orderTimeInForce: JSON.stringify({ entry: 'GTC', exit: 'GTC' }),
      })
      .onConflict((conflict) => conflict.column('className').doNothing())
      .execute();
  }
}

/** One strategy, or null. */
export async function findStrategyById(db: Database, id: string): Promise<StrategyView | null> {
  return (await selectStrategies(db).where('id', '=', id).executeTakeFirst()) ?? null;
}
