import { newBot } from '#contract/bots.ts';
import type { OwnSettingsChanges } from '#contract/own-settings.ts';
import type { Markets } from '#feeds/markets.ts';
import { firstCapital, knownOf, newTrading } from '#server/bots/bot-trading.ts';
import { refuseWithoutRoom } from '#server/bots/room-for-bots.ts';
import { refuseUnrunnableVersion } from '#server/bots/strategy-on-market.ts';
import { refuseUnoffered, refuseUnofferedTimeframe } from '#server/exchanges/offered.ts';
import { HttpError } from '#server/http/http-error.ts';
import { writeAudit } from '#storage/audit/audit-log.ts';
import { type BotSettings, keepFirstVersion } from '#storage/bots/bot-settings.ts';
import { addBot, type BotView, findBot, listBotNames, lockBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { holdUsableStrategy } from '#storage/strategies/seen-strategies.ts';
import { noteStrategyFile } from '#storage/strategies/strategy-files.ts';
import type { StrategyView } from '#storage/strategies/strategies.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { botsOfImportedKeys, holdImports, importTrades, type TradesToImport } from '#storage/trades/imported-trades.ts';
import { lockUsers, type User } from '#storage/users/users.ts';
import type { CheckedFile } from '#strategy-process/checked-file.ts';
import type { z } from 'zod';
import { enterStrategyFile } from './enter-strategy-file.ts';
import { ImportRefused } from './import-refused.ts';

/** The closed trades of another program, and who asks for them. */
export interface HistoryToImport {
  owner: User;
  stakeCurrency: string; // that they were made with
  trades: TradesToImport;
  database: string; // the name of its file, for the audit log
}

/** A bot of another program with its past, as it is to be here. */
export interface BotToImport extends HistoryToImport {
  nickname: string | null; // null: named after its strategy
  settings: Omit<z.infer<typeof newBot>, 'strategy_id' | 'user_email' | 'mode' | 'nickname' | 'api_key_id' | 'own_settings'>;
  own: OwnSettingsChanges;
  trailing: Partial<NonNullable<OwnSettingsChanges['trailing']>>; // what is missing is the strategy's
  strategy: string; // its class
  file: StrategyFileToAdd | null; // null: the class is known here
}

/** A file that holds the strategy, has passed its checks and is to lie in the folder. */
export interface StrategyFileToAdd {
  path: string; // in the folder
  checked: CheckedFile;
  place: () => () => void; // puts it there; gives what takes it away again
}

/** A bot that has got trades. */
export interface ImportedHistory {
  nickname: string;
  taken: number; // trades that are new
}

/** A bot that was made, and by what it trades. */
export interface ImportedBot extends ImportedHistory {
  strategy: StrategyView;
  settings: BotSettings;
}

/** Whether anything is left of an import that succeeds, and what time it is. */
export interface ImportOptions {
  isRehearsal: boolean;
  now: Date;
}

/** Undoes what a rehearsal has done. */
class Rehearsed<Made> extends Error {
  readonly made: Made;
  constructor(made: Made) {
    super('rehearsed');
    this.made = made;
  }
}

/**
 * Adds closed trades to the history of the bot that has trades of the same database; null when none has. All of them or none, and none
 * in a rehearsal.
 *
 * Fails: ImportRefused with one sentence
 */
export async function continueHistory(
  db: Database,
  wanted: HistoryToImport,
  { isRehearsal, now }: ImportOptions,
): Promise<ImportedHistory | null> {
  return allOrNothing(db, isRehearsal, async (trx) => {
    const bot = await botWithTrades(trx, wanted);
    if (bot === null) return null;
    if (bot.userId !== wanted.owner.id)
      throw new ImportRefused(`The trades of this database are those of the bot "${bot.nickname}" of ${bot.email} already.`);
    if (bot.stakeCurrency !== wanted.stakeCurrency)
      throw new ImportRefused(
        `The bot "${bot.nickname}" has been given ${bot.stakeCurrency} since, and the trades were made with ${wanted.stakeCurrency}: amounts of two currencies cannot be added.`,
      );
    const taken = await importTrades(trx, bot.id, wanted.trades, now);
    const detail = { trades: taken, database: wanted.database };
    if (taken > 0) await writeAudit(trx, { ...byCommand, action: 'import-trades', target: bot.id, detail });
    return { nickname: bot.nickname, taken };
  });
}

/**
 * Makes a paused paper bot of another program's, with the closed trades as its history. All of it or nothing, and nothing in a rehearsal.
 *
 * Fails: ImportRefused with one sentence; ExchangeError where the exchange cannot be asked
 */
export async function importBot(
  { db, markets, mostBotsOfPerson }: { db: Database; markets: Markets; mostBotsOfPerson: number },
  wanted: BotToImport,
  { isRehearsal, now }: ImportOptions,
): Promise<ImportedBot> {
  let takeAway = (): void => {};
  try {
    return await allOrNothing(db, isRehearsal, async (trx) => {
      await holdImports(trx); // before the account, as an import that continues one does
      const user = (await lockUsers(trx, [wanted.owner.id], 'locks')).get(wanted.owner.id);
      if (user?.verified !== true)
        throw new ImportRefused(`The account of ${wanted.owner.email} is not verified: an admin verifies it under Users.`);
      if ((await botWithTrades(trx, wanted)) !== null)
        throw new ImportRefused('The trades of this database have been imported in this moment: run the command again.');
      const addition = { userId: user.id, botId: null, isNew: true, pairs: wanted.settings.trading_pairs.length };
      await refuseWithoutRoom(trx, mostBotsOfPerson, addition);
      const made = await makeBot(trx, markets, wanted, now);
      if (!isRehearsal && wanted.file !== null) takeAway = wanted.file.place();
      return made;
    });
  } catch (error) {
    takeAway();
    if (error instanceof HttpError) throw new ImportRefused(`${error.message.replace(/\.$/u, '')}.`, { cause: error });
    throw error;
  }
}

async function allOrNothing<Made>(db: Database, isRehearsal: boolean, work: (trx: Database) => Promise<Made>): Promise<Made> {
  try {
    return await db.transaction().execute(async (trx) => {
      const made = await work(trx);
      if (isRehearsal) throw new Rehearsed(made);
      return made;
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.made as Made;
    throw error;
  }
}

/** The bot that has some of the trades, locked; no other import takes any of them until the transaction ends. */
async function botWithTrades(trx: Database, { trades }: HistoryToImport): Promise<BotView | null> {
  await holdImports(trx);
  const [id, ...more] = await botsOfImportedKeys(trx, [...trades.closed.map(({ key }) => key), ...trades.openKeys]);
  if (more.length > 0)
    throw new ImportRefused('The trades of this database are those of several bots: nothing can be added to one of them.');
  if (id === undefined) return null;
  await lockBot(trx, id);
  return findBot(trx, id);
}

async function makeBot(trx: Database, markets: Markets, wanted: BotToImport, now: Date): Promise<ImportedBot> {
  const { owner } = wanted;
  refuseOddSettings(wanted);
  const strategy = await strategyOf(trx, markets, wanted, now);
  const nickname = wanted.nickname ?? `${strategy.name} ${wanted.settings.exchange_id}`.slice(0, 60);
  const named = (await listBotNames(trx, owner.id)).some((bot) => bot.nickname.toLowerCase() === nickname.toLowerCase());
  if (named) throw new ImportRefused(`${owner.email} has a bot named "${nickname}" already: choose another name with --nickname.`);
  const body = { ...wanted.settings, strategy_id: strategy.id, own_settings: ownOf(wanted, strategy) };
  const settings: BotSettings = { nickname, ...newTrading(body, knownOf(strategy)) };
  await refuseUnoffered(markets, settings, strategy.supportedExchanges);
  const timeframe = settings.ownSettings.timeframe ?? strategy.defaultTimeframe;
  await refuseUnofferedTimeframe(markets, settings, timeframe);
  await refuseUnrunnableVersion({ db: trx, markets }, strategy.codeId, { ...settings, timeframe });
  const { leverage, ...others } = settings;
  const id = await addBot(trx, {
    ...others,
    userId: owner.id,
    strategyId: strategy.id,
    codeId: strategy.codeId,
    mode: 'paper',
    status: 'paused',
    leverage: Number(leverage),
    startingBalance: firstCapital(body),
  });
  await keepFirstVersion(trx, id, settings, strategy.codeNumber, null);
  const taken = await importTrades(trx, id, wanted.trades, now);
  const detail = { owner: owner.id, mode: 'paper', exchange: settings.exchangeId, trades: taken, database: wanted.database };
  await writeAudit(trx, { ...byCommand, action: 'import-bot', target: id, detail });
  return { nickname, strategy, settings, taken };
}

/** Refuses what the form of a new bot refuses. */
function refuseOddSettings({ settings, owner }: BotToImport): void {
  const checked = newBot.safeParse({ ...settings, strategy_id: owner.id, user_email: owner.email, mode: 'paper' });
  if (!checked.success) throw new ImportRefused(`${checked.error.issues[0]?.message ?? ''}.`);
}

/** The strategy of the class, after its file was entered where it comes with one. */
async function strategyOf(trx: Database, markets: Markets, { owner, strategy: name, file }: BotToImport, now: Date): Promise<StrategyView> {
  if (file !== null) {
    const exchanges = markets.exchanges.map(({ id }) => id);
    const faults = await enterStrategyFile(trx, file.path, file.checked, exchanges);
    if (faults.length > 0) throw new ImportRefused(faults.join(' '));
    const { hash, computeMs, memoryMb } = file.checked;
    const strategies = file.checked.strategies.map(({ name: each }) => each);
    await noteStrategyFile(trx, { path: file.path, state: 'ready', faults: [], hash, strategies, computeMs, memoryMb, checkedAt: now });
  }
  const strategy = (await listStrategies(trx)).find(({ className }) => className === name);
  const reader = { userId: owner.id, usesAllRules: owner.role === 'admin', seesAllBots: false };
  if (strategy === undefined || !(await holdUsableStrategy(trx, reader, strategy.id)))
    throw new ImportRefused(`There is no strategy ${name}: give its file, or one that flotilla strategies lists.`);
  return strategy;
}

function ownOf({ own, trailing }: BotToImport, strategy: StrategyView): OwnSettingsChanges {
  if (Object.keys(trailing).length === 0) return own;
  return {
    ...own,
    trailing: {
      trailing_stop: strategy.trailingStop,
      trailing_stop_positive: Number(strategy.trailingStopPositive ?? 0),
      trailing_stop_positive_offset: Number(strategy.trailingStopPositiveOffset ?? 0),
      trailing_only_offset_is_reached: strategy.trailingOnlyOffsetIsReached,
      ...trailing,
    },
  };
}

/** Nobody is signed in where the command runs. */
const byCommand = { actorId: null, actorRole: null, result: 'ok' } as const;
