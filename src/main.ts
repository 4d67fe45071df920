import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorText } from '#engine/ports/error-text.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from './cli/command-error.ts';
import { exitCodesText, readOptions } from './cli/options.ts';

enableCompileCache(); // also where no environment names the place, as the scripts do

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const say: Say = (line) => void process.stdout.write(`${line}\n`);

/** A command of the command line. */
interface Entry {
  summary: string;
  isInternal?: boolean; // started by the product itself; left out of the help
  /** Returns the exit code; null when the process lives on after it has started. */
  run(words: readonly string[]): Promise<number | null>;
}

const file = { name: 'FILE', help: 'the backup' };

// Modules are loaded when they are needed: a runner needs no web server and the other way round.
const commands: Record<string, Entry> = {
  serve: { summary: 'everything on this machine: database, sandbox, runner, backtests and web', run: serve },
  backtest: {
    summary: "tests a strategy on candle files, with freqtrade's configuration and rules",
    run: async (words) =>
      (await import('./cli/backtest/backtest-command.ts')).backtestCommand(words, say, complainToStandardError, pythonEnvironment()),
  },
  lookahead: {
    summary: 'finds signals that change when later candles are known',
    run: async (words) =>
      (await import('./cli/backtest/lookahead-command.ts')).lookaheadCommand(words, say, complainToStandardError, pythonEnvironment()),
  },
  hyperopt: {
    summary: 'searches for parameters and settings with many backtests, and judges the best honestly',
    run: hyperopt,
  },
  'hyperopt-list': {
    summary: 'lists the epochs of a search',
    run: async (words) =>
      (await import('./cli/hyperopt/hyperopt-list-command.ts')).hyperoptListCommand(words, resultsFolder(), say, complainToStandardError),
  },
  'hyperopt-show': {
    summary: 'runs an epoch of a search again, or on the stretch that was sealed',
    run: async (words) =>
      (await import('./cli/hyperopt/hyperopt-show-command.ts')).hyperoptShowCommand(
        words,
        { results: resultsFolder(), python: pythonEnvironment() },
        say,
        complainToStandardError,
      ),
  },
  rules: {
    summary: 'checks a strategy of rules, says it in words, or writes it as a TypeScript file',
    run: async (words) => (await import('./cli/rules-command.ts')).rulesCommand(words, say),
  },
  python: {
    summary: 'says which Python runs strategies in Python, or makes one',
    run: async (words) =>
      (await import('./cli/python/python-command.ts')).pythonCommand(words, { ...pythonEnvironment(), all: process.env }, say),
  },
  'new-strategy': {
    summary: 'writes a strategy to begin with, and its test, into the folder of strategies',
    async run(words) {
      const { argument, home } = readOptions(words, {
        name: 'new-strategy',
        summary: 'Writes a commented strategy and its test into the folder of strategies; what is there is never written over.',
        argument: { name: 'NAME', help: 'of the strategy, for example NightGap' },
        options: { home: { values: 'one', placeholder: 'DIR', help: 'the instance folder; FLOTILLA_HOME, when left out' } },
      });
      const { newStrategyCommand } = await import('./cli/strategies/new-strategy-command.ts');
      newStrategyCommand(argument, home ?? (await configuration()).home, say);
      return 0;
    },
  },
  strategies: {
    summary: 'lists all strategies: where each comes from, its version, and who runs which',
    async run(words) {
      const summary = 'Lists all strategies with kind, state, version and bots, and what is wrong with files. The product may be running.';
      readOptions(words, { name: 'strategies', summary, options: {} });
      return (await import('./cli/strategies/strategies-command.ts')).strategiesCommand(await configuration(), say);
    },
  },
  'import-freqtrade': {
    summary: 'moves a bot of freqtrade here: settings, strategy, and closed trades as history',
    run: async (words) => {
      const { importFreqtradeCommand } = await import('./cli/import-freqtrade/import-freqtrade-command.ts');
      const { startSandboxProcess } = await import('./cli/download/sandbox-process.ts');
      return importFreqtradeCommand(words, say, { config: configuration, startSandbox: startSandboxProcess });
    },
  },
  download: {
    summary: 'fetches candle files; continues where it was interrupted',
    async run(words) {
      const { downloadCommand } = await import('./cli/download/download-command.ts');
      const { sandboxUrl } = await configuration();
      return downloadCommand(words, say, sandboxUrl === null ? {} : { sandboxUrl });
    },
  },
  backup: {
    summary: 'writes a backup; the product may be running',
    async run(words) {
      const summary = 'Writes a backup of the database to a new file; the product may be running.';
      const { argument } = readOptions(words, { name: 'backup', summary, argument: file, options: {} });
      return done((await import('./cli/backup-command.ts')).backupCommand(await configuration(), argument, say));
    },
  },
  restore: {
    summary: 'fills an empty database from a backup; every bot is paused',
    async run(words) {
      const summary = 'Fills an empty database from a backup; every bot is paused, and everybody signs in again.';
      const { argument } = readOptions(words, { name: 'restore', summary, argument: file, options: {} });
      return done((await import('./cli/restore-command.ts')).restoreCommand(await configuration(), argument, say));
    },
  },
  accounts: {
    summary: 'lists the accounts of live bots beside their trades, as after a restore',
    async run(words) {
      const summary =
        'Lists what the accounts of live bots hold beside their trades, as runners have compared them last. The product may be running.';
      readOptions(words, { name: 'accounts', summary, options: {} });
      return (await import('./cli/accounts-command.ts')).accountsCommand(await configuration(), say);
    },
  },
  doctor: {
    summary: 'checks a set-up and says what is wrong with it',
    run: async (words) => (await import('./cli/doctor-command.ts')).doctorCommand(words, process.env, root, say),
  },
  'exchange-check': {
    summary: 'tries what live trading relies on at an exchange, with a key of yours',
    async run(words) {
      const { exchangeCheckCommand } = await import('./cli/exchange-check/exchange-check-command.ts');
      const { sandboxUrl } = await configuration();
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
      return exchangeCheckCommand(words, say, { env: process.env, sandboxUrl, version });
    },
  },
  'audit-check': {
    summary: 'checks that nothing in the audit log was changed, taken out or cut off',
    async run(words) {
      const options = {
        log: { values: 'several', placeholder: 'FILE', help: 'logs of web processes; else those of FLOTILLA_HOME' },
      } as const;
      const summary = 'Checks that nothing in the audit log was changed, taken out or cut off its end. The product may be running.';
      const { log } = readOptions(words, { name: 'audit-check', summary, options });
      return (await import('./cli/audit-check-command.ts')).auditCheckCommand(await configuration(), log ?? null, say);
    },
  },
  'change-key': {
    summary: 'gives the installation another key; the product must not be running',
    async run(words) {
      const summary = 'Makes a new key, and seals every stored secret with it again. The product must not be running.';
      readOptions(words, { name: 'change-key', summary, options: {} });
      return done((await import('./cli/change-key-command.ts')).changeKeyCommand(await configuration(), say));
    },
  },
  'end-sessions': {
    summary: 'signs one account or everybody out; the product may be running',
    async run(words) {
      const options = {
        user: { values: 'one', placeholder: 'EMAIL', help: 'the account that is signed out' },
        everybody: { values: 'none', help: 'every account is signed out' },
      } as const;
      const summary = 'Ends the sessions of one account, or of everybody. The product may be running.';
      const given = readOptions(words, { name: 'end-sessions', summary, options });
      if ((given.user === undefined) === (given.everybody === undefined))
        throw new CommandError('Give either --user EMAIL or --everybody.');
      return done((await import('./cli/account-commands.ts')).endSessionsCommand(await configuration(), given.user ?? null, say));
    },
  },
  'reset-2fa': {
    summary: 'switches the second factor of an account off, for a mailbox or a phone that is lost',
    async run(words) {
      const summary = 'Switches the second factor of an account off and ends its sessions. The product may be running.';
      const argument = { name: 'EMAIL', help: 'the account' };
      const given = readOptions(words, { name: 'reset-2fa', summary, argument, options: {} });
      return done((await import('./cli/account-commands.ts')).resetTwoFactorCommand(await configuration(), given.argument, say));
    },
  },
  migrate: {
    summary: 'brings the database of DATABASE_URL up to date',
    async run(words) {
      readOptions(words, { name: 'migrate', summary: 'Brings the database of DATABASE_URL up to date.', options: {} });
      return done((await import('./cli/migrate-command.ts')).migrateCommand(await configuration(), say));
    },
  },
  'scheduled-backup': {
    summary: 'makes and tests a backup when one is due',
    isInternal: true,
    run: async () => done((await import('./processes/scheduled-backups.ts')).scheduledBackupCommand(await configuration(), say)),
  },
  demonstrate: {
    summary: 'fills an empty database with the demonstration',
    isInternal: true,
    run: async () => done((await import('./processes/demonstration.ts')).demonstrateCommand(await configuration(), say)),
  },
};

const [name = 'help', ...words] = process.argv.slice(2);
try {
  const code = await exitCodeOf(say, complainToStandardError, () => run(name, words));
  if (code !== null) process.exit(code);
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  if (process.env['FLOTILLA_TRACE'] === '1') console.error(error);
  process.exit(1);
}

async function run(name: string, words: readonly string[]): Promise<number | null> {
  const [about] = words;
  if (name === 'help' && about !== undefined) return run(about, ['--help']);
  if (['help', '--help', '-h'].includes(name)) {
    say(overview());
    return 0;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) throw new CommandError(`There is no command "${name}". flotilla --help lists the commands.`);
  return entry.run(words);
}

async function serve(words: readonly string[]): Promise<number | null> {
  const { role } = readOptions(words, {
    name: 'serve',
    summary:
      'Runs everything on this machine, or with --role one process more: on the database of DATABASE_URL, else of the instance that runs here.',
    options: { role: { values: 'one', placeholder: 'ROLE', help: 'web, runner or backtests' } },
  });
  if (role !== undefined && !['web', 'runner', 'backtests'].includes(role)) {
    throw new CommandError(`--role must be web, runner or backtests, and is "${role}".`);
  }
  const config = await configuration();
  continueUnread();
  (await import('./processes/instance.ts')).makeHome(config.home);
  if (role === undefined) return done((await import('./processes/supervisor.ts')).serve(config, root, say));
  const joined = (await import('./processes/join-instance.ts')).joinInstance(config);
  if (role === 'web') await (await import('./processes/web.ts')).serveWeb(joined, root);
  else if (role === 'runner') await (await import('./processes/runner.ts')).serveRunner(joined);
  else await (await import('./processes/worker.ts')).serveBacktests(joined);
  return null;
}

/** Searches beside whatever else runs here: with less priority, until it is done or interrupted. */
async function hyperopt(words: readonly string[]): Promise<number> {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const interrupted = new AbortController();
  // What was found is kept; a second one ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupted.abort());
  const { hyperoptCommand } = await import('./cli/hyperopt/hyperopt-command.ts');
  const environment = {
    results: resultsFolder(),
    python: pythonEnvironment(),
    showsProgress: process.stderr.isTTY,
    signal: interrupted.signal,
  };
  return hyperoptCommand(words, environment, say, complainToStandardError);
}

/** The folder of what `hyperopt` finds, where none is named. */
function resultsFolder(): string {
  return join(pythonEnvironment().home, 'hyperopt_results');
}

/** The environment's settings. Fails: CommandError with everything that is wrong with them */
async function configuration() {
  const { readConfig } = await import('./processes/config.ts');
  try {
    return readConfig(process.env, root);
  } catch (error) {
    throw new CommandError(errorText(error));
  }
}

/** What the environment says of Python; commands that need no more of it run whatever else is wrong with it. */
function pythonEnvironment() {
  const { FLOTILLA_PYTHON: configured = '', FLOTILLA_HOME: home = '', PATH: path = '' } = process.env;
  return { configured: configured === '' ? null : configured, home: home === '' ? join(root, '.flotilla') : home, path };
}

/** Whoever read the output may be gone, and its disk full: that must not end the product. */
function continueUnread(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

async function done(task: Promise<void>): Promise<number> {
  await task;
  return 0;
}

function overview(): string {
  const listed = Object.entries(commands).filter(([, { isInternal }]) => isInternal !== true);
  return [
    'Flotilla: a self-hosted control room for trading bots',
    '',
    ...listed.map(([name, { summary }]) => `  flotilla ${name.padEnd(16)} ${summary}`),
    '',
    'flotilla COMMAND --help lists the options of a command.',
    exitCodesText,
  ].join('\n');
}
