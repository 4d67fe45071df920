import type { OwnSettings } from '#engine/settings/own-settings.ts';
import type { Selectable } from 'kysely';
import { forgetSearches } from '../differences/order-searches.ts';
import { sql } from 'kysely';
import { endAlarm } from '../alarms/alarms.ts';
import type { Database } from '../database.ts';
import { isAlive } from '../living-runner.ts';
import { inTransaction } from '../in-transaction.ts';
import { prepared } from '../prepared.ts';
import type { Schema } from '../schema.ts';
import { refuseWaitingEntries } from '../trades/manual-actions.ts';
import { isOpenAtExchange } from '../trades/open-at-exchange.ts';
import { tradeModeSql } from '../trades/trade-mode.ts';
import { moveCapital } from '../trades/capital.ts';

/** A row of bots as it is kept. */
export type BotRow = Selectable<Schema['bots']>;

/** A row of strategies as it is kept. */
export type StrategyRow = Selectable<Schema['strategies']>;

/** A bot with what a reader of it needs: its owner, its strategy, and its figures in its current mode. */
export type BotView = Omit<BotRow, 'engineState' | 'runnerId' | 'givenUpBy' | 'epoch'> & {
  email: string;
  ownerVerified: boolean;
  codeNumber: number | null; // the version of what its strategy runs
  newestCodeNumber: number | null; // of its strategy's versions
  codeDescription: Record<string, unknown> | null; // what that says of itself; null for what is part of the program
  strategyName: string;
  strategyKind: StrategyRow['kind'];
  strategyOwnerId: string | null; // of rules
  strategyIsShared: boolean;
  strategyClass: string;
  strategyTimeframe: string;
  strategyStoploss: string;
  strategyMinimalRoi: Record<string, number>;
  strategyTrailingStop: boolean;
  strategyTrailingPositive: string | null;
  strategyTrailingOffset: string | null;
  strategyTrailingOnlyOffset: boolean;
  strategyMaxConsecutiveLosses: number;
  strategyRiskRewardRatio: string | null;
  strategyOrderTypes: StrategyRow['orderTypes'];
  strategyTimeInForce: StrategyRow['orderTimeInForce'];
  trades: number | null; // imported ones too, as in the next two
  wins: number | null;
  losses: number | null;
  realizedPnl: string | null; // of its own trades
  figureFees: string | null; // of its own trades
  maxDrawdown: string | null; // likewise: imported trades were made with other money
  maxDrawdownRatio: string | null;
  importedTrades: number | null;
  importedPnl: string | null;
  lastTradeAt: Date | null; // imported ones too
};

const newestCodeNumber = sql<number | null>`(select max(number) from strategy_code where strategy_code.strategy_id = bots.strategy_id)`;

function selectBots(db: Database) {
  return db
    .selectFrom('bots')
    .innerJoin('users', 'users.id', 'bots.userId')
    .innerJoin('strategies', 'strategies.id', 'bots.strategyId')
    .leftJoin('strategyCode', 'strategyCode.id', 'bots.codeId')
    .leftJoin('botFigures', (join) => join.onRef('botFigures.botId', '=', 'bots.id').on('botFigures.mode', '=', tradeModeSql))
    .select([
      'bots.id',
      'bots.userId',
      'bots.strategyId',
      'bots.codeId',
      'bots.nickname',
      'bots.exchangeId',
      'bots.marketType',
      'bots.stakeCurrency',
      'bots.stakeAmount',
      'bots.symbols',
      'bots.maxOpenTrades',
      'bots.leverage',
      'bots.leverageMode',
      'bots.mode',
      'bots.status',
      'bots.startingBalance',
      'bots.consecutiveLosses',
      'bots.apiKeyId',
      'bots.ownSettings',
      'bots.signalsFrom',
      'bots.createdAt',
      'bots.updatedAt',
      'bots.version',
      'bots.archivedAt',
      'bots.tags',
      'users.email',
      'users.verified as ownerVerified',
      'strategyCode.number as codeNumber',
      newestCodeNumber.as('newestCodeNumber'),
      'strategyCode.description as codeDescription', // what its strategy says of itself; null for one that is part of the program
      'strategies.name as strategyName',
      'strategies.kind as strategyKind',
      'strategies.ownerId as strategyOwnerId',
      'strategies.isShared as strategyIsShared',
      'strategies.defaultTimeframe as strategyTimeframe',
      'strategies.stoploss as strategyStoploss',
      'strategies.minimalRoi as strategyMinimalRoi',
      'strategies.trailingStop as strategyTrailingStop',
      'strategies.trailingStopPositive as strategyTrailingPositive',
      'strategies.trailingStopPositiveOffset as strategyTrailingOffset',
      'strategies.trailingOnlyOffsetIsReached as strategyTrailingOnlyOffset',
      'strategies.maxConsecutiveLosses as strategyMaxConsecutiveLosses',
      'strategies.className as strategyClass',
      'strategies.riskRewardRatio as strategyRiskRewardRatio',
      'strategies.orderTypes as strategyOrderTypes',
      'strategies.orderTimeInForce as strategyTimeInForce',
      sql<number | null>`bot_figures.trades + bot_figures.imported_trades`.as('trades'),
      sql<number | null>`bot_figures.wins + bot_figures.imported_wins`.as('wins'),
      sql<number | null>`bot_figures.losses + bot_figures.imported_losses`.as('losses'),
      'botFigures.realizedPnl',
      'botFigures.fees as figureFees',
      'botFigures.maxDrawdown',
      'botFigures.maxDrawdownRatio',
      'botFigures.importedTrades',
      'botFigures.importedPnl',
      sql<Date | null>`greatest(bot_figures.last_trade_at, bot_figures.imported_until)`.as('lastTradeAt'),
    ]);
}

const byStatus = sql`array_position(array['active', 'paused', 'stopped'], bots.status)`;
const byNickname = sql`lower(bots.nickname)`;

const inOrder = (db: Database) => selectBots(db).orderBy(byStatus).orderBy(byNickname).orderBy('bots.id');
const allBots = prepared('all bots', (db) => inOrder(db).where('bots.archivedAt', 'is', null));
const botsOfOwner = prepared('bots of owner', (db, of: { ownerId: string }) =>
  inOrder(db).where('bots.archivedAt', 'is', null).where('bots.userId', '=', of.ownerId),
);

/**
 * All bots, or those of one owner: active first, then paused, then stopped; within a status by nickname, then id. Archived ones are
 * in a list of their own.
 */
export async function listBots(db: Database, ownerId: string | null = null): Promise<BotView[]> {
  return ownerId === null ? allBots(db, {}) : botsOfOwner(db, { ownerId });
}

/** The archived bots, all or those of one owner, in the order of `listBots`. */
export async function listArchivedBots(db: Database, ownerId: string | null = null): Promise<BotView[]> {
  const archived = inOrder(db).where('bots.archivedAt', 'is not', null);
  return (ownerId === null ? archived : archived.where('bots.userId', '=', ownerId)).execute();
}

const botsOfStrategy = prepared('bots of strategy', (db, of: { strategyId: string }) =>
  inOrder(db).where('bots.strategyId', '=', of.strategyId),
);

/** The bots of a strategy, archived ones too, in the order of `listBots`. */
export async function listBotsOfStrategy(db: Database, strategyId: string): Promise<BotView[]> {
  return botsOfStrategy(db, { strategyId });
}

/** Whether a live bot trades by a strategy. */
export async function hasLiveBots(db: Database, strategyId: string): Promise<boolean> {
  const row = await db
    .selectFrom('bots')
    .select('id')
    .where('strategyId', '=', strategyId)
    .where('mode', '=', 'live')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** What a selector or a list of states needs of a bot. */
export type BotName = Pick<
  BotRow,
  | 'id'
  | 'userId'
  | 'nickname'
  | 'exchangeId'
  | 'marketType'
  | 'symbols'
  | 'stakeCurrency'
  | 'maxOpenTrades'
  | 'apiKeyId'
  | 'mode'
  | 'status'
> & { strategyName: string };

function selectBotNames(db: Database) {
  return db
    .selectFrom('bots')
    .innerJoin('strategies', 'strategies.id', 'bots.strategyId')
    .select([
      'bots.id',
      'bots.userId',
      'bots.nickname',
      'bots.exchangeId',
      'bots.marketType',
      'bots.symbols',
      'bots.stakeCurrency',
      'bots.maxOpenTrades',
      'bots.apiKeyId',
      'bots.mode',
      'bots.status',
      'strategies.name as strategyName',
    ])
    .where('bots.archivedAt', 'is', null)
    .orderBy(byStatus)
    .orderBy(byNickname)
    .orderBy('bots.id');
}

const allBotNames = prepared('all bot names', (db) => selectBotNames(db));
const botNamesOfOwner = prepared('bot names of owner', (db, of: { ownerId: string }) =>
  selectBotNames(db).where('bots.userId', '=', of.ownerId),
);

/** All bots that are not archived, or those of one owner, in the order of `listBots`, with little more than their names: many ask for it often. */
export async function listBotNames(db: Database, ownerId: string | null = null): Promise<BotName[]> {
  return ownerId === null ? allBotNames(db, {}) : botNamesOfOwner(db, { ownerId });
}

const botById = prepared('bot by id', (db, of: { id: string }) => selectBots(db).where('bots.id', '=', of.id));

/** One bot, or null. */
export async function findBot(db: Database, id: string): Promise<BotView | null> {
  return (await botById(db, { id }))[0] ?? null;
}

/** Those of these bots that there are, in the order of `listBots`. */
export async function findBots(db: Database, ids: readonly string[]): Promise<BotView[]> {
  return inOrder(db)
    .where('bots.id', 'in', [...ids])
    .execute();
}

/** Makes a bot; it starts paused. Gives its id. */
export async function addBot(
  db: Database,
  bot: Pick<
    BotRow,
    | 'userId'
    | 'strategyId'
    | 'nickname'
    | 'exchangeId'
    | 'marketType'
    | 'stakeCurrency'
    | 'symbols'
    | 'maxOpenTrades'
    | 'leverageMode'
    | 'mode'
    | 'status'
  > & {
    stakeAmount: number | string;
    leverage: number;
    startingBalance: number | string;
    ownSettings?: OwnSettings;
    apiKeyId?: string | null;
    codeId?: string | null;
  },
): Promise<string> {
  const values = { ...bot, ownSettings: JSON.stringify(bot.ownSettings ?? {}) };
  const added = await db.insertInto('bots').values(values).returning('id').executeTakeFirstOrThrow();
  return added.id;
}

/** Sets the status of a bot; activating it starts its count of losses again. Its runner sees it within a second. */
export async function setBotStatus(db: Database, id: string, status: BotRow['status']): Promise<void> {
  await db
    .updateTable('bots')
    .set({ status, updatedAt: new Date(), ...(status === 'active' ? { consecutiveLosses: 0 } : {}) })
    .where('id', '=', id)
    .execute();
  // Whoever activates a bot has seen why it was paused.
  if (status === 'active') await endAlarm(db, { kind: 'limit-reached', target: { level: 'bot', id } });
}

/** Gives a bot other tags. Its runner does not care: a bot that is started again for them would lose its newest signal. */
export async function setBotTags(trx: Database, id: string, tags: readonly string[]): Promise<void> {
  await trx
    .updateTable('bots')
    .set({ tags: [...tags] })
    .where('id', '=', id)
    .execute();
}

/** Gives a bot another key, or none. A live bot that was active is left paused: it trades with another account, or cannot. */
export async function giveKey(trx: Database, id: string, apiKeyId: string | null): Promise<void> {
  await trx
    .updateTable('bots')
    .set({
      apiKeyId,
      status: sql<BotRow['status']>`case when mode = 'live' and status = 'active' then 'paused' else status end`,
      updatedAt: new Date(),
    })
    .where('id', '=', id)
    .execute();
  await forgetSearches(trx, id);
}

/**
 * Locks a bot and its owner's account until the transaction ends: checks made after it hold when the bot is changed. The account comes
 * first, as whoever changes limits locks them: two that lock both wait for each other and never block each other.
 */
export async function lockBot(trx: Database, id: string): Promise<void> {
  await sql`select from users where id = (select user_id from bots where id = ${id}) for share`.execute(trx);
  await sql`select from bots where id = ${id} for update`.execute(trx);
}

/**
 * Sets the mode of a bot that has no open trades and no orders at an exchange; a change to live leaves it paused, and entries by hand that
 * wait are not made. Losses in a row and capital (`moveCapital`) are those of the mode. False when it has some: the bot is locked while they are counted, so none can open in between.
 */
export async function setBotMode(db: Database, id: string, mode: BotRow['mode']): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockBot(trx, id);
    const open = await trx
      .selectFrom('trades')
      .select('id')
      .where('botId', '=', id)
      .where('status', '=', 'open')
      .limit(1)
      .executeTakeFirst();
    if (open !== undefined || (await isOpenAtExchange(trx, id))) return false;
    await refuseWaitingEntries(trx, id);
    const bot = await trx
      .selectFrom('bots')
      .select(['id', 'stakeAmount', 'maxOpenTrades', 'stakeCurrency', 'exchangeId'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (bot === undefined) return true;
    const startingBalance = await moveCapital(trx, bot, { ...bot, mode });
    await trx
      .updateTable('bots')
      .set((eb) => ({
        mode,
        startingBalance,
        updatedAt: new Date(),
        consecutiveLosses: eb.case().when('mode', '=', mode).then(eb.ref('consecutiveLosses')).else(0).end(),
        ...(mode === 'live' ? { status: 'paused' as const } : {}),
      }))
      .where('id', '=', id)
      .execute();
    if (mode === 'live') await forgetSearches(trx, id);
    return true;
  });
}

/** A market that bots trade on. */
export type UsedMarket = Pick<BotRow, 'exchangeId' | 'marketType'>;

const marketsInUse = prepared('markets in use', (db) =>
  db
    .selectFrom('bots')
    .select(['exchangeId', 'marketType', sql<number>`(count(*) filter (where status = 'active'))::int`.as('active')])
    .where('archivedAt', 'is', null)
    .groupBy(['exchangeId', 'marketType'])
    .orderBy('exchangeId')
    .orderBy('marketType'),
);

/** How many bots are active, and the markets that any bot trades on that is not archived. */
export async function botsInUse(db: Database): Promise<{ active: number; markets: UsedMarket[] }> {
  const markets = await marketsInUse(db, {});
  return { active: markets.reduce((sum, { active }) => sum + active, 0), markets };
}

const allVitals = prepared('all vitals', (db) =>
  db
    .selectFrom('botVitals as v')
    .innerJoin('bots as b', 'b.id', 'v.botId')
    .leftJoin('runners as r', (join) => join.onRef('r.id', '=', 'b.runnerId').on(isAlive))
    .select(['v.botId', 'v.lastTickAt', 'v.openTrades', 'v.unrealizedPnl', 'v.lastError', sql<boolean>`r.id is not null`.as('isHeld')]),
);

/** What runners last said of the bots, and whether a runner with a lease holds each now: by bot id. */
export async function listVitals(
  db: Database,
): Promise<Map<string, Omit<Selectable<Schema['botVitals']>, 'strategyRest'> & { isHeld: boolean }>> {
  return new Map((await allVitals(db, {})).map((row) => [row.botId, row]));
}
