import type { CallReply } from '#contract/client.ts';
import type { StrategyTimeframe } from '#contract/strategy-timeframes.ts';
import { listBotsOfStrategy } from '#storage/bots/bots.ts';
import { listStrategies } from '#storage/strategies/strategies.ts';
import { findSeenCode } from '#storage/strategies/seen-strategies.ts';
import { newestOfFiles } from '#storage/strategies/strategy-code.ts';
import { listStrategyFiles } from '#storage/strategies/strategy-files.ts';
import { classNotes } from '#strategy-process/python/class-notes.ts';
import { pythonOf } from '#strategy-process/python/python-facts.ts';
import type { StrategyDescription } from '#strategy-process/wire/questions.ts';
import type { Handlers } from '../calls/call.ts';
import type { Caller } from '../calls/caller.ts';
import { seesAllBots } from '../calls/caller.ts';
import { strategyReader } from '../calls/seen-strategy.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { declarationOf } from './strategy-details.ts';

type File = CallReply<'listStrategyFiles'>['files'][number];

/** The files of the strategies' folder, and the versions of what they hold. */
export function strategyFileHandlers({ db, strategyFolder }: ServerDependencies): Pick<Handlers, 'listStrategyFiles' | 'strategyCode'> {
  /** The strategies of files, each with the name of its class and the file of its newest version. */
  const strategiesFor = async (caller: Caller) => {
    const [all, newest] = await Promise.all([listStrategies(db), newestOfFiles(db)]);
    const codes = new Map(newest.map((code) => [code.strategyId, code]));
    const found = all.flatMap((strategy) => {
      const code = codes.get(strategy.id);
      return strategy.kind === 'file' && code !== undefined ? [{ strategy, code }] : [];
    });
    return Promise.all(
      found.map(async ({ strategy: { id, name, className }, code }) => {
        const bots = (await listBotsOfStrategy(db, id)).filter(
          (bot) => bot.archivedAt === null && (seesAllBots(caller) || bot.userId === caller.id),
        );
        const shown: File['strategies'][number] = {
          id,
          name,
          version: code.number,
          made_at: code.madeAt.toISOString(),
          notes: notesOf(code.description),
          bots: bots.map((bot) => ({
            id: bot.id,
            nickname: bot.nickname,
            user_id: bot.userId,
            mode: bot.mode,
            status: bot.status,
            exchange_id: bot.exchangeId,
            version: bot.codeNumber,
          })),
        };
        return { className, file: code.file, shown };
      }),
    );
  };

  return {
    async listStrategyFiles({ caller }) {
      const isAdmin = caller.role === 'admin';
      const [files, strategies] = await Promise.all([listStrategyFiles(db), strategiesFor(caller)]);
      const ready = files.filter(({ state }) => state === 'ready');
      // A file that is refused names none: what it held is known by the file of the newest version.
      const fileOf = ({ className, file }: (typeof strategies)[number]) =>
        ready.find((each) => each.strategies.includes(className))?.path ?? file;
      const listed = files.map((file) => ({
        path: isAdmin ? file.path : null,
        state: file.state,
        faults: isAdmin ? file.faults : [],
        checked_at: file.checkedAt.toISOString(),
        compute_ms: file.computeMs,
        memory_mb: file.memoryMb,
        strategies: strategies.filter((strategy) => fileOf(strategy) === file.path).map(({ shown }) => shown),
      }));
      return {
        folder: isAdmin ? strategyFolder : null,
        files: isAdmin ? listed : listed.filter((file) => file.strategies.length > 0), // without a path nothing would say what it is
      };
    },

    async strategyCode({ caller, params }) {
      const code = await findSeenCode(db, strategyReader(caller), params.id, params.version);
      if (code === null) throw new HttpError(404, 'Version not found');
      const isAdmin = caller.role === 'admin';
      // Written by the program itself when the code had passed its checks.
      const described = code.description as unknown as StrategyDescription;
      const { kind: _, ...declared } = declarationOf('', code.description);
      return {
        version: code.number,
        made_at: code.madeAt.toISOString(),
        file: isAdmin ? code.file : null,
        files: isAdmin ? code.files : null,
        title: described.title,
        description: described.description,
        timeframe: described.defaults.timeframe as StrategyTimeframe,
        stoploss: described.defaults.stoploss,
        minimal_roi: Object.fromEntries(Object.entries(described.defaults.minimalRoi)),
        trailing_stop: described.defaults.trailingStop,
        callbacks: [...described.callbacks],
        ...declared,
      };
    },
  };
}

/** What there is to know of a version before it runs; a version in TypeScript was refused for what would be said here. */
function notesOf(description: object): string[] {
  const python = pythonOf(description);
  return python === null ? [] : classNotes(python);
}
