import { signalsFrom } from '#engine/bot/signals-from.ts';
import { dollarCurrencies } from '#engine/market/dollars.ts';
import type { Timeframe } from '#engine/market/timeframe.ts';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Sealed } from '../schema.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { MessageResult } from '../trades/trade-messages.ts';
import { findStrategyById, type StrategyView } from './strategies.ts';

/** What admins set of a strategy, as its versions keep it; without its secrets. */
export type StrategySettings = Omit<
  StrategyView,
  | 'id'
  | 'className'
  | 'position'
  | 'updatedAt'
  | 'version'
  | 'kind'
  | 'ownerId'
  | 'isShared'
  | 'removedAt'
  | 'codeId'
  | 'codeNumber'
  | 'codeDescription'
>;

/** A version of a strategy's settings, and what the trades made under it have come to. Dollars; trades in other currencies are counted only. */
export interface StrategyVersion {
  version: number;
  changedAt: Date;
  changedBy: string | null; // e-mail
  settings: StrategySettings;
  trades: number;
  profit: string;
}

/** A sealed secret of a strategy: null for none, absent where it stays. */
export interface SecretChanges {
  webhook?: Sealed | null;
  sheetsKey?: Sealed | null;
}

/** A strategy, locked until the transaction ends; null when there is none. */
export async function lockStrategy(trx: Database, id: string): Promise<StrategyView | null> {
  const locked = await trx.selectFrom('strategies').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return locked === undefined ? null : findStrategyById(trx, id);
}

/** The settings of a strategy out of its row. */
export function strategySettingsOf(strategy: StrategyView): StrategySettings {
  return {
    name: strategy.name,
    description: strategy.description,
    supportedExchanges: strategy.supportedExchanges,
    defaultTimeframe: strategy.defaultTimeframe,
    stoploss: strategy.stoploss,
    trailingStop: strategy.trailingStop,
    trailingStopPositive: strategy.trailingStopPositive,
    trailingStopPositiveOffset: strategy.trailingStopPositiveOffset,
    trailingOnlyOffsetIsReached: strategy.trailingOnlyOffsetIsReached,
    maxConsecutiveLosses: strategy.maxConsecutiveLosses,
    riskRewardRatio: strategy.riskRewardRatio,
    minimalRoi: strategy.minimalRoi,
    orderTypes: strategy.orderTypes,
    orderTimeInForce: strategy.orderTimeInForce,
  };
}

/**
 * Gives a strategy other settings and keeps them as its next version; also those of before, when no version of them is kept.
 *
 * Needs: a transaction with the strategy locked; `strategy` as read under the lock
 */
export async function changeStrategySettings(
  trx: Database,
  strategy: StrategyView,
  after: StrategySettings,
  secrets: SecretChanges,
  changedBy: string,
  now: Date,
): Promise<void> {
  await trx
    .insertInto('strategyVersions')
    .values({
      strategyId: strategy.id,
      version: strategy.version,
      changedBy: null,
      changedAt: strategy.updatedAt,
      settings: JSON.stringify(strategySettingsOf(strategy)),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const version = strategy.version + 1;
  // Bots that inherit the timeframe get their signals from other candles.
  const source = ({ defaultTimeframe }: StrategySettings) => ({ timeframe: defaultTimeframe as Timeframe, parameters: {} });
  const from = signalsFrom(source(strategy), source(after), now.getTime());
  await trx
    .updateTable('strategies')
    .set({
      ...after,
      minimalRoi: JSON.stringify(after.minimalRoi),
      orderTypes: JSON.stringify(after.orderTypes),
      orderTimeInForce: JSON.stringify(after.orderTimeInForce),
      ...(secrets.webhook === undefined ? {} : { webhook: textOrNull(secrets.webhook) }),
      ...(secrets.sheetsKey === undefined ? {} : { sheetsKey: textOrNull(secrets.sheetsKey) }),
      version,
      updatedAt: now,
      ...(from === null ? {} : { signalsFrom: sql<Date>`greatest(signals_from, ${new Date(from)})` }),
    })
    .where('id', '=', strategy.id)
    .execute();
  await trx
    .insertInto('strategyVersions')
    .values({ strategyId: strategy.id, version, changedBy, changedAt: now, settings: JSON.stringify(after) })
    .execute();
}

/** The sealed secrets of a strategy, and how the last message and the last row went. */
interface SealedSecrets {
  webhook: Sealed | null;
  sheetsKey: Sealed | null;
  webhookResult: MessageResult | null;
  sheetResult: MessageResult | null;
}

/** The sealed secrets of strategies, by strategy id. */
export async function sealedStrategySecrets(db: Database): Promise<Map<string, SealedSecrets>> {
  const rows = await db.selectFrom('strategies').select(['id', 'webhook', 'sheetsKey', 'webhookResult', 'sheetResult']).execute();
  return new Map(rows.map(({ id, ...sealed }) => [id, sealed]));
}

/** Replaces the sealed secrets of a strategy: what they hold stays. */
export async function resealStrategy(
  trx: Database,
  id: string,
  sealed: { webhook: Sealed | null; sheetsKey: Sealed | null },
): Promise<void> {
  await trx
    .updateTable('strategies')
    .set({ webhook: textOrNull(sealed.webhook), sheetsKey: textOrNull(sealed.sheetsKey) })
    .where('id', '=', id)
    .execute();
}

/** Versions that are read of a strategy: those that are listed, and one more, as each is shown with what it changed of the one before it. */
const mostVersionsRead = 201;

/** The newest versions of a strategy's settings, the newest first. Profits are sums over closed trades in the modes live, paper and testnet alike. */
export async function listStrategyVersions(db: Database, strategyId: string): Promise<StrategyVersion[]> {
  const { rows } = await sql<StrategyVersion>`
    select v.version, v.changed_at, u.email as changed_by, v.settings, coalesce(t.trades, 0)::int as trades, coalesce(t.profit, 0)::text as profit
    from (select * from strategy_versions where strategy_id = ${strategyId} order by version desc limit ${mostVersionsRead}) v
    left join users u on u.id = v.changed_by
    left join (
      select t.strategy_version, count(*) as trades, sum(t.profit) filter (where ${settledIn} = any(${dollarCurrencies}::text[])) as profit
      from trades t join bots b on b.id = t.bot_id
      where b.strategy_id = ${strategyId} and t.status = 'closed' and t.strategy_version is not null group by 1
    ) t on t.strategy_version = v.version
    order by v.version desc`.execute(db);
  return rows;
}

/** One version of a strategy's settings, or null. */
export async function findStrategyVersion(db: Database, strategyId: string, version: number): Promise<StrategySettings | null> {
  const row = await db
    .selectFrom('strategyVersions')
    .select('settings')
    .where('strategyId', '=', strategyId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row === undefined ? null : (row.settings as unknown as StrategySettings);
}

function textOrNull(sealed: Sealed | null): string | null {
  return sealed === null ? null : JSON.stringify(sealed);
}
