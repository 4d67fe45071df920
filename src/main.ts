import { enableCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from './config.ts';

enableCompileCache(); // what was compiled once need not be at every start

const usage = `Flotilla: a self-hosted control room for trading bots

  flotilla serve                    everything on this machine: database, sandbox, runner and web
  flotilla serve --role web         the web part alone, on the database of DATABASE_URL
  flotilla serve --role runner      a runner alone, on the database of DATABASE_URL
  flotilla serve --role backtests   a worker for backtests alone, on the database of DATABASE_URL
  flotilla backtest --strategy FILE_OR_NAME --config CONFIG.json --datadir DIR [...]
                                    tests a strategy on candle files, in freqtrade's words
  flotilla lookahead --strategy FILE_OR_NAME --datadir DIR
                                    looks for signals that know the future
  flotilla download --exchange sandbox --pairs A B --timeframe 5m --days 90 --datadir DIR
                                    fetches candle files, and goes on where it was cut short
  flotilla backup FILE              writes a backup; the product may be running
  flotilla restore FILE             fills an empty database from a backup; every bot is paused
  flotilla migrate                  brings the database of DATABASE_URL up to date
`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env['FLOTILLA_TRACE'] === '1') console.error(error);
  process.exit(1);
}

/** The command that reads its own words, if it is one. */
async function commandOf(name: string | undefined): Promise<((words: string[], say: (line: string) => void) => Promise<number>) | null> {
  if (name === 'backtest') return (await import('./command/backtest-command.ts')).backtestCommand;
  if (name === 'lookahead') return (await import('./command/lookahead-command.ts')).lookaheadCommand;
  if (name === 'download') {
    const { downloadCommand } = await import('./command/download-command.ts');
    const sandboxUrl = process.env['SANDBOX_URL'];
    return (words, say) => downloadCommand(words, say, sandboxUrl === undefined ? {} : { sandboxUrl });
  }
  return null;
}

/** Who read what is said may be gone, and the disk that it goes to full: that must not end the product. */
function goOnUnheard(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

async function run(words: string[]): Promise<void> {
  // The backtest's commands read their own words, in freqtrade's manner.
  const ownWords = await commandOf(words[0]);
  if (ownWords !== null) process.exit(await ownWords(words.slice(1), say));
  const { values, positionals } = parseArgs({ args: words, options: { role: { type: 'string' } }, allowPositionals: true });
  const [command = 'help'] = positionals;
  if (command === 'help') return say(usage);
  const config = readConfig(process.env, root);
  if (command === 'serve') {
    goOnUnheard();
    (await import('./instance.ts')).makeHome(config.home);
  }
  // Parts are loaded when they are wanted: a runner needs no web server and the other way round.
  if (command === 'serve' && values.role === undefined) {
    await (await import('./serve.ts')).serve(config, root, say);
    process.exit(0);
  }
  if (command === 'serve' && values.role === 'web') return (await import('./serve-web.ts')).serveWeb(config, root);
  if (command === 'serve' && values.role === 'runner') return (await import('./serve-runner.ts')).serveRunner(config);
  if (command === 'serve' && values.role === 'backtests') return (await import('./serve-backtests.ts')).serveBacktests(config);
  if (command === 'demonstrate') return (await import('./demonstrate-command.ts')).demonstrateCommand(config, say);
  if (command === 'backup') return (await import('./backup-command.ts')).backupCommand(config, positionals[1], say);
  if (command === 'restore') return (await import('./restore-command.ts')).restoreCommand(config, positionals[1], say);
  if (command === 'migrate') return (await import('./migrate-command.ts')).migrateCommand(config, say);
  throw new Error(`Unknown command: ${words.join(' ')}\n\n${usage}`);
}
