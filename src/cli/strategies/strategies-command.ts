import type { Config } from '#processes/config.ts';
import { listBotsOfStrategy } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { newestOfFiles } from '#storage/strategies/strategy-code.ts';
import { listStrategyFiles } from '#storage/strategies/strategy-files.ts';
import { withDatabase } from '../backup-command.ts';
import type { Say } from '../command-error.ts';

/** Prints all strategies: kind, state, version, and the bots with the version each runs. Returns 1 where a file is refused, else 0. */
export async function strategiesCommand(config: Config, say: Say): Promise<number> {
  return withDatabase(config, async (url) => {
    const db = openDatabase(url, { connections: 1 });
    try {
      return await sayStrategies(db, say);
    } finally {
      await db.destroy();
    }
  });
}

async function sayStrategies(db: Database, say: Say): Promise<number> {
  const [strategies, files, newest] = await Promise.all([listStrategies(db), listStrategyFiles(db), newestOfFiles(db)]);
  for (const { id, className, kind, codeNumber } of strategies) {
    const file = kind === 'file' ? (newest.find(({ strategyId }) => strategyId === id)?.file ?? '') : '';
    // A file of another name may hold it now.
    const path = files.find(({ state, strategies: held }) => state === 'ready' && held.includes(className))?.path ?? file;
    const state = kind === 'file' ? (files.find((each) => each.path === path)?.state ?? 'gone') : 'ready';
    const bots = (await listBotsOfStrategy(db, id)).filter(({ archivedAt }) => archivedAt === null);
    const users = bots.map((bot) => (bot.codeNumber === null ? bot.nickname : `${bot.nickname} (version ${bot.codeNumber})`));
    const version = codeNumber === null ? '' : `version ${codeNumber}`;
    const columns = [className.padEnd(24), kind.padEnd(9), state.padEnd(8), version.padEnd(11), path.padEnd(20)];
    say(`${columns.join(' ')} ${users.length === 0 ? 'no bot' : users.join(', ')}`);
  }
  const refused = files.filter(({ state }) => state === 'refused');
  for (const { path, faults } of refused) for (const fault of faults) say(fault.startsWith(path) ? fault : `${path}: ${fault}`);
  return refused.length === 0 ? 0 : 1;
}
