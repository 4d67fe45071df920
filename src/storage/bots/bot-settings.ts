import type { OwnSettings } from '#engine/settings/own-settings.ts';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import type { StrategyCode } from '../strategies/strategy-code.ts';
import { refuseWaitingEntries } from '../trades/manual-actions.ts';
import { settledIn } from '../trades/settled-in.ts';
import type { BotRow, BotView } from './bots.ts';
import { moveCapital } from '../trades/capital.ts';

/** What people set of a bot, as its versions keep it. Amounts are exact decimals. */
export interface BotSettings {
  nickname: string;
  exchangeId: string;
  marketType: BotRow['marketType'];
  stakeCurrency: string;
  stakeAmount: string;
  symbols: string[];
  maxOpenTrades: number;
  leverage: string;
  leverageMode: BotRow['leverageMode'];
  ownSettings: OwnSettings; // in place of its strategy's
}

/** A version of a bot's settings, and what its trades in the bot's current mode have come to. */
export interface BotVersion {
  version: number;
  changedAt: Date;
  changedBy: string | null; // null: unknown, or gone
  changedByEmail: string | null;
  settings: KeptSettings;
  trades: number; // closed
  profit: string; // of those in the stake currency that the bot has now
}

/** The settings of a bot out of its row. */
export function botSettingsOf(bot: Pick<BotRow, keyof BotSettings>): BotSettings {
  const { nickname, exchangeId, marketType, stakeCurrency, stakeAmount, symbols, maxOpenTrades, leverage, leverageMode, ownSettings } = bot;
  return { nickname, exchangeId, marketType, stakeCurrency, stakeAmount, symbols, maxOpenTrades, leverage, leverageMode, ownSettings };
}

/** Keeps the first version of a bot that has just been made; by nobody when the command line made it. */
export async function keepFirstVersion(
  trx: Database,
  botId: string,
  settings: BotSettings,
  codeNumber: number | null,
  changedBy: string | null,
): Promise<void> {
  await trx
    .insertInto('botVersions')
    .values({ botId, version: 1, changedBy, settings: keptText(settings, codeNumber) })
    .execute();
}

/**
 * Gives a bot other settings and keeps them as its next version; also those of before, when no version of them is kept.
 *
 * Its capital is that of `moveCapital`. With another stake currency the figures start again: amounts of two cannot be added. A bot
 * that has traded at an exchange keeps its currency; whoever calls this refuses another one.
 *
 * `signalsFrom`: only candles that open after it count from now on; null leaves it as it is. `code`: the version of what its strategy runs
 * that it gets; without one it stays. Entries by hand that wait are not made: they were confirmed with what was set before.
 *
 * `keepsKey`: the bot trades with the same key as before. Where it gets neither other settings nor other code, nothing is written then: no version
 * that changes nothing, and everything that was confirmed still holds.
 *
 * Needs: a transaction with the bot locked; `bot` as read under the lock
 */
export async function changeBotSettings(
  trx: Database,
  bot: Pick<BotRow, keyof BotSettings | 'id' | 'version' | 'createdAt' | 'mode'> & Partial<Pick<BotView, 'codeNumber'>>,
  after: BotSettings,
  changedBy: string,
  now: Date,
  {
    signalsFrom = null,
    code,
    keepsKey = false,
  }: { signalsFrom?: Date | null; code?: Pick<StrategyCode, 'id' | 'number'>; keepsKey?: boolean } = {},
): Promise<void> {
  if (keepsKey && code === undefined && areSame(botSettingsOf(bot), botSettingsOf(after))) return;
  await trx
    .insertInto('botVersions')
    .values({
      botId: bot.id,
      version: bot.version,
      changedBy: null,
      changedAt: bot.createdAt,
      settings: keptText(botSettingsOf(bot), bot.codeNumber),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const version = bot.version + 1;
  await refuseWaitingEntries(trx, bot.id);
  if (after.stakeCurrency !== bot.stakeCurrency) await trx.deleteFrom('botFigures').where('botId', '=', bot.id).execute();
  const capital = await moveCapital(trx, bot, { ...after, mode: bot.mode });
  await trx
    .updateTable('bots')
    .set({
      ...after,
      ownSettings: JSON.stringify(after.ownSettings),
      startingBalance: capital,
      ...(signalsFrom === null ? {} : { signalsFrom: sql<Date>`greatest(signals_from, ${signalsFrom})` }),
      ...(code === undefined ? {} : { codeId: code.id }),
      version,
      updatedAt: now,
    })
    .where('id', '=', bot.id)
    .execute();
  await trx
    .insertInto('botVersions')
    .values({ botId: bot.id, version, changedBy, changedAt: now, settings: keptText(after, code?.number ?? bot.codeNumber) })
    .execute();
}

/** Whether settings are the same. Amounts are compared as numbers: the database has '100.000000000000000000' for '100'. */
function areSame(before: BotSettings, after: BotSettings): boolean {
  const [earlier, later] = [before, after].map(({ stakeAmount, leverage, ownSettings, ...others }) => ({
    ...others,
    stakeAmount: Number(stakeAmount),
    leverage: Number(leverage),
    ownSettings: JSON.parse(JSON.stringify(ownSettings)) as unknown, // as it is kept
  }));
  return isDeepStrictEqual(earlier, later);
}

/** What a version keeps: settings, and which code they went with. */
function keptText(settings: BotSettings, codeNumber: number | null | undefined): string {
  return JSON.stringify({ ...settings, ...((codeNumber ?? null) === null ? {} : { codeNumber }) });
}

/** Versions that are read of a bot: those that are listed, and one more, as each is shown with what it changed of the one before it. */
const mostVersionsRead = 201;

/** The newest versions of a bot's settings, the newest first. */
export async function listBotVersions(db: Database, botId: string, mode: string): Promise<BotVersion[]> {
  const { rows } = await sql<BotVersion>`
    select v.version, v.changed_at, u.id as changed_by, u.email as changed_by_email, v.settings, count(t.id)::int as trades, coalesce(sum(t.profit) filter (where ${settledIn} = b.stake_currency), 0)::text as profit
    from (select * from bot_versions where bot_id = ${botId} order by version desc limit ${mostVersionsRead}) v
    join bots b on b.id = v.bot_id
    left join users u on u.id = v.changed_by
    left join trades t on t.bot_id = v.bot_id and t.bot_version = v.version and t.status = 'closed' and t.mode = ${mode}
    group by v.version, v.changed_at, u.id, v.settings
    order by v.version desc`.execute(db);
  return rows;
}

/** A version as it is kept. Those of before own settings were kept say nothing of them. */
export type KeptSettings = Omit<BotSettings, 'ownSettings'> & Partial<Pick<BotSettings, 'ownSettings'>> & { codeNumber?: number }; // of the code of its strategy; absent where that is part of the program

/** One version of a bot's settings, or null; without the code they went with, which no restored settings bring back. */
export async function findBotVersion(db: Database, botId: string, version: number): Promise<Omit<KeptSettings, 'codeNumber'> | null> {
  const row = await db
    .selectFrom('botVersions')
    .select('settings')
    .where('botId', '=', botId)
    .where('version', '=', version)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { codeNumber: _, ...settings } = row.settings as unknown as KeptSettings;
  return settings;
}
