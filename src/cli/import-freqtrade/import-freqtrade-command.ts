import { basename } from 'node:path';
import type { Config } from '#processes/config.ts';
import { type BotToImport, continueHistory, type HistoryToImport, importBot } from '#processes/import-bot.ts';
import { type ExchangeOfImport, withExchange } from '#processes/exchange-of-import.ts';
import { ImportRefused } from '#processes/import-refused.ts';
import { sharedInstance } from '#processes/join-instance.ts';
import { type Database, openDatabase } from '#storage/database.ts';
import { schemaState } from '#storage/migrate.ts';
import { findUserByEmail, findUsersByName, type User } from '#storage/users/users.ts';
import { withDatabase } from '../backup-command.ts';
import { CommandError, type Say } from '../command-error.ts';
import { readOptions } from '../options.ts';
import { type MovedConfiguration, readConfiguration, slotsAndStake } from './freqtrade-configuration.ts';
import { readFreqtradeDatabase } from './freqtrade-database.ts';
import { freqtradeTrades } from './freqtrade-trades.ts';
import { choosePairs } from './choose-pairs.ts';
import { continuedReport, newBotReport } from './report.ts';
import { namedStrategy } from './strategy-to-add.ts';

const description = {
  name: 'import-freqtrade',
  summary:
    'Makes a paper bot of one of freqtrade: its settings, its strategy, and its closed trades as history. Nothing of freqtrade is changed, and it may be running.',
  options: {
    config: { values: 'several', placeholder: 'FILE', help: 'its configuration; of several a later one has the say' },
    db: { values: 'one', placeholder: 'FILE', help: 'its database, for example tradesv3.sqlite' },
    strategy: {
      values: 'one',
      placeholder: 'FILE',
      help: 'X.py, X.py#Class or X.ts, or a class that is known here; that of the configuration, when left out',
    },
    owner: { values: 'one', placeholder: 'NAME', help: 'whose bot it is: e-mail or name' },
    exchange: { values: 'one', placeholder: 'NAME', help: 'where the bot trades; that of the configuration, when left out' },
    nickname: {
      values: 'one',
      placeholder: 'NAME',
      help: 'what the bot is called; bot_name of the configuration, or its strategy, when left out',
    },
    'dry-run': { values: 'none', help: 'say what would be done, and do nothing' },
  },
  examples: [
    'flotilla import-freqtrade --config config.json --db tradesv3.sqlite --strategy MyStrategy.py --owner mira@example.com --dry-run',
  ],
} as const;

/** Starts a simulated market. */
type StartSandbox = () => Promise<{ url: string; stop(): Promise<void> }>;

/**
 * Moves a bot of freqtrade here, or adds what it has closed since. Returns 0.
 *
 * Fails: CommandError with what forbids it, StrategyError with what is wrong with the strategy; nothing is imported then
 */
export async function importFreqtradeCommand(
  words: readonly string[],
  say: Say,
  { config, startSandbox }: { config: () => Promise<Config>; startSandbox: StartSandbox },
): Promise<number> {
  const given = readOptions(words, description);
  const { config: files, db: file, owner } = given;
  if (files === undefined || file === undefined || owner === undefined)
    throw new CommandError('Give --config FILE, --db FILE and --owner NAME: a configuration, a database, and whose bot it is.');
  const moved = readConfiguration(files);
  const rows = await readFreqtradeDatabase(file);
  const trades = freqtradeTrades(rows, moved);
  const environment = await config();
  const options = { isRehearsal: given['dry-run'] === true, now: new Date() };
  await withDatabase(environment, (url) =>
    withOpenDatabase(url, async (db) => {
      const history: HistoryToImport = {
        owner: await ownerOf(db, owner),
        stakeCurrency: moved.stakeCurrency,
        trades: { from: 'freqtrade', closed: trades.closed, openKeys: trades.open.map(({ key }) => key) },
        database: basename(file),
      };
      const continued = await refusedInWords(() => continueHistory(db, history, options));
      if (continued !== null) return sayAll(say, continuedReport(continued, trades, options.isRehearsal));
      const strategyName = given.strategy ?? moved.strategy;
      if (strategyName === null) throw new CommandError('The configuration names no strategy: give --strategy FILE.');
      const strategy = await namedStrategy(strategyName, moved.strategy, environment);
      const exchange = given.exchange ?? moved.exchange;
      const make = async ({ id, markets, instruments }: ExchangeOfImport): Promise<void> => {
        const pairs = choosePairs(moved, trades, instruments, id);
        const { slots, stake } = slotsAndStake(moved, pairs.chosen.length);
        const wanted: BotToImport = {
          ...history,
          nickname: given.nickname ?? nicknameOf(moved),
          settings: {
            exchange_id: id,
            margin_mode: moved.marketType,
            stake_currency: moved.stakeCurrency,
            stake_amount: stake,
            max_open_trades: slots,
            leverage: moved.leverage,
            trading_pairs: pairs.chosen,
            leverage_mode: moved.leverageMode,
          },
          own: moved.own,
          trailing: moved.trailing,
          strategy: strategy.className,
          file: strategy.file,
        };
        const made = await importBot({ db, markets, mostBotsOfPerson: environment.mostBotsOfPerson }, wanted, options);
        sayAll(say, newBotReport({ made, wanted, moved, trades, pairs, isRehearsal: options.isRehearsal }));
      };
      await withSandbox(exchange, environment, startSandbox, (sandboxUrl) =>
        refusedInWords(() => withExchange({ named: exchange, marketType: moved.marketType, sandboxUrl }, make)),
      );
    }),
  );
  return 0;
}

function sayAll(say: Say, lines: readonly string[]): void {
  for (const line of lines) say(line);
}

async function refusedInWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ImportRefused) throw new CommandError(error.message);
    throw error;
  }
}

/** Does a piece of work with the simulated market where the exchange is that: the one that runs, or else one of its own. */
async function withSandbox<T>(exchange: string, config: Config, startSandbox: StartSandbox, work: (url: string) => Promise<T>): Promise<T> {
  if (exchange.toLowerCase() !== 'sandbox') return work('');
  const known = config.sandboxUrl ?? (await answering(sharedInstance(config.home)?.sandboxUrl ?? null));
  if (known !== null) return work(known);
  const sandbox = await startSandbox();
  try {
    return await work(sandbox.url);
  } finally {
    await sandbox.stop();
  }
}

/** The address of the instance's simulated market, if it still answers there: an instance that has ended leaves its address behind. */
async function answering(url: string | null): Promise<string | null> {
  if (url === null) return null;
  try {
    await fetch(url, { signal: AbortSignal.timeout(10_000) });
    return url;
  } catch {
    return null;
  }
}

async function withOpenDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { connections: 2 });
  try {
    const { isOurs, missing, newer } = await schemaState(db);
    if (!isOurs || missing.length + newer.length > 0)
      throw new CommandError('The database is of another version of Flotilla: start this version once, and try again.');
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function ownerOf(db: Database, named: string): Promise<User> {
  const byEmail = await findUserByEmail(db, named);
  if (byEmail !== null) return byEmail;
  const [user, ...more] = await findUsersByName(db, named);
  if (user === undefined) throw new CommandError(`There is no account with the e-mail or name ${named}.`);
  if (more.length > 0) throw new CommandError(`${more.length + 1} people are called ${named}: give the e-mail of the one that is meant.`);
  return user;
}

/** The name that every configuration begins with says nothing. */
function nicknameOf({ botName }: MovedConfiguration): string | null {
  return botName === null || botName.trim() === '' || botName === 'freqtrade' ? null : botName.trim().slice(0, 60);
}
