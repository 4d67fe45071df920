import { notStopped, rulesRemoved, tradedAlready } from '#contract/bots.ts';
import { archiveBot, bringBackBot, deleteBot } from '#storage/bots/archive.ts';
import { type BotView, listArchivedBots, lockBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { readSettings } from '#storage/installation/installation-settings.ts';
import { holdKeptStrategy } from '#storage/strategies/seen-strategies.ts';
import { audit } from '../audit/audit.ts';
import { lockCaller } from '../auth/lock-caller.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { seesAllBots } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { toBotReply } from './bot-reply.ts';
import { refuseWithoutRoom } from './room-for-bots.ts';
import { ownBot } from './visible-bots.ts';

type ArchiveCall = Call<'archiveBot' | 'bringBackBot' | 'deleteBot'>;

/** Putting bots away, bringing them back, and deleting those that have never traded. */
export function archiveHandlers({
  db,
  mostBotsOfPerson,
}: Pick<ServerDependencies, 'db' | 'mostBotsOfPerson'>): Pick<Handlers, 'listArchivedBots' | 'archiveBot' | 'bringBackBot' | 'deleteBot'> {
  /** Does something with a bot of the caller in one transaction, with the caller's session and the bot locked: what is checked still holds when it is done. */
  const withBot = async <T>({ caller, params }: ArchiveCall, work: (trx: Database, bot: BotView) => Promise<T>): Promise<T> => {
    const { userId } = await ownBot(db, caller, params.id);
    return db.transaction().execute(async (trx) => {
      await lockCaller(trx, caller, [userId], 'changes'); // before the bot, as everybody does
      await lockBot(trx, params.id);
      return work(trx, await ownBot(trx, caller, params.id));
    });
  };

  return {
    async listArchivedBots({ caller }) {
      const isShared = seesAllBots(caller) || (await readSettings(db)).sharedBotList;
      return (await listArchivedBots(db, isShared ? null : caller.id)).map((bot) => toBotReply(bot, caller));
    },

    archiveBot: async (call) =>
      withBot(call, async (trx, bot) => {
        const refused = await archiveBot(trx, bot.id, call.now);
        if (refused !== null) throw new HttpError(409, refused === 'open-trades' ? 'Bot has open trades' : notStopped);
        if (bot.archivedAt === null) await audit(trx, call, call.caller, 'archive-bot', 'ok', { target: bot.id, detail: {} });
        return toBotReply(await ownBot(trx, call.caller, bot.id), call.caller);
      }),

    bringBackBot: async (call) => {
      const { userId } = await ownBot(db, call.caller, call.params.id);
      return db.transaction().execute(async (trx) => {
        await lockCaller(trx, call.caller, [userId], 'locks'); // before the bot, as everybody does
        await refuseSuspended(trx, call.caller.id); // who makes no bot brings none back
        await lockBot(trx, call.params.id);
        const bot = await ownBot(trx, call.caller, call.params.id);
        if (bot.archivedAt !== null) {
          await refuseWithoutRoom(trx, mostBotsOfPerson, { userId, botId: bot.id, isNew: true, pairs: bot.symbols.length });
          if (!(await holdKeptStrategy(trx, bot.strategyId))) throw new HttpError(409, rulesRemoved);
          await bringBackBot(trx, bot.id, call.now);
          await audit(trx, call, call.caller, 'bring-back-bot', 'ok', { target: bot.id, detail: {} });
        }
        return toBotReply(await ownBot(trx, call.caller, bot.id), call.caller);
      });
    },

    deleteBot: async (call) =>
      withBot(call, async (trx, bot) => {
        if (!(await deleteBot(trx, bot.id))) throw new HttpError(409, tradedAlready);
        const detail = { bot: bot.nickname, owner: bot.userId, mode: bot.mode, exchange: bot.exchangeId };
        await audit(trx, call, call.caller, 'delete-bot', 'ok', { target: bot.id, detail });
        return { status: 'Bot deleted' };
      }),
  };
}
