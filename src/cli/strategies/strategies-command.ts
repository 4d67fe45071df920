import type { Timeframe } from '#engine/market/timeframe.ts';
import type { Config } from '#processes/config.ts';
import { listBotsOfStrategy } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { openDatabase } from '#storage/database.ts';
import type { RulesView } from '#storage/strategies/rule-strategies.ts';
import { listSeenRules } from '#storage/strategies/rule-strategies.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { newestOfFiles } from '#storage/strategies/strategy-code.ts';
import type { StrategyFile } from '#storage/strategies/strategy-files.ts';
import { listStrategyFiles } from '#storage/strategies/strategy-files.ts';
import { faultAt } from '#strategies/strategy-of-rules.ts';
import { withDatabase } from '../backup-command.ts';
import type { Say } from '../command-error.ts';

/** Prints all strategies: kind, state, version, the file or the owner of rules, and the bots with the version each runs. Returns 1 where a file is refused, else 0. */
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

/** Nobody in particular, who is shown everything. */
const everything = { userId: '00000000-0000-0000-0000-000000000000', usesAllRules: true, seesAllBots: true };

async function sayStrategies(db: Database, say: Say): Promise<number> {
  const [strategies, files, newest, rules] = await Promise.all([
    listStrategies(db),
    listStrategyFiles(db),
    newestOfFiles(db),
    listSeenRules(db, everything),
  ]);
  for (const { id, className, name, kind, codeNumber, defaultTimeframe } of strategies) {
    const of = rules.find((each) => each.id === id);
    const { state, from } =
      of === undefined
        ? ofFile(kind, className, files, newest.find(({ strategyId }) => strategyId === id)?.file ?? '')
        : ofRules(of, defaultTimeframe);
    const bots = (await listBotsOfStrategy(db, id)).filter(({ archivedAt }) => archivedAt === null);
    const users = bots.map((bot) => (bot.codeNumber === null ? bot.nickname : `${bot.nickname} (version ${bot.codeNumber})`));
    const version = codeNumber === null ? '' : `version ${codeNumber}`;
    const columns = [
      (of === undefined ? className : name).padEnd(24),
      kind.padEnd(9),
      state.padEnd(8),
      version.padEnd(11),
      from.padEnd(20),
    ];
    say(`${columns.join(' ')} ${users.length === 0 ? 'no bot' : users.join(', ')}`);
  }
  const refused = files.filter(({ state }) => state === 'refused');
  for (const { path, faults } of refused) for (const fault of faults) say(fault.startsWith(path) ? fault : `${path}: ${fault}`);
  return refused.length === 0 ? 0 : 1;
}

/** How a strategy that may be one of a file stands, and the file it is from. */
function ofFile(kind: string, className: string, files: readonly StrategyFile[], file: string): { state: string; from: string } {
  if (kind !== 'file') return { state: 'ready', from: '' };
  // A file of another name may hold it now.
  const path = files.find(({ state, strategies: held }) => state === 'ready' && held.includes(className))?.path ?? file;
  return { state: files.find((each) => each.path === path)?.state ?? 'gone', from: path };
}

/** How rules stand, and whose they are. */
function ofRules({ document, ownerEmail, isShared }: RulesView, timeframe: string): { state: string; from: string } {
  const fault = faultAt(document, timeframe as Timeframe);
  return { state: fault === null ? 'ready' : 'refused', from: `${ownerEmail ?? 'nobody'}${isShared ? ', shared' : ''}` };
}
