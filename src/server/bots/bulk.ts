import { mostTags, tidyTags } from '#contract/bot-tags.ts';
import { bulkTexts, fullOfTags } from '#contract/bulk.ts';
import { texts } from '#contract/errors.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { findBots } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { tradeModeOf } from '#storage/trades/trade-mode.ts';
import { requireStepUp } from '../auth/step-up.ts';
import { refuseSuspended } from '../auth/suspended.ts';
import type { Call, Handlers } from '../calls/call.ts';
import { mayChangeBotOf } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { changeBot, changeStatus, changeTags, requireMode, requireVersion } from './change-bot.ts';

type BulkCall = Call<'changeBots'>;

/** What became of one bot. */
type Result = Awaited<ReturnType<Handlers['changeBots']>>['results'][number];

/** What is done to several bots at once: to each what the call for one does, in a transaction of its own. */
export function bulkHandlers(dependencies: ServerDependencies): Pick<Handlers, 'changeBots'> {
  const { db } = dependencies;
  return {
    async changeBots(call) {
      const ids = [...new Set(call.body.bot_ids)];
      const { action } = call.body;
      const tags = tidyTags(call.body.tags ?? []);
      if ((action === 'tag' || action === 'untag') && tags.length === 0) throw new HttpError(400, bulkTexts.tags);
      const found = new Map((await findBots(db, ids)).map((bot) => [bot.id, bot]));
      const bots = [...found.values()];
      if (bots.some((bot) => !mayChangeBotOf(call.caller, bot.userId))) throw new HttpError(403, bulkTexts.others);
      const activated = action === 'activate' ? bots.filter((bot) => bot.status !== 'active') : [];
      if (activated.length > 0) await refuseSuspended(db, call.caller.id);
      // Asked before anything is done, so that nobody is asked for a password halfway; each bot asks again.
      if (activated.some((bot) => tradeModeOf(bot) === 'live')) requireStepUp(call.caller, call.now);
      const results: Result[] = [];
      // One after the other: two of them might need the same rows, and the pool is for everybody.
      for (const id of ids) {
        const nickname = found.get(id)?.nickname ?? null;
        try {
          const unchanged = await changeOne(dependencies, call, id, tags);
          results.push({ bot_id: id, nickname, outcome: unchanged === null ? 'done' : 'unchanged', reason: unchanged });
        } catch (error) {
          // What is done to the others stays done, so the answer must say so whatever happens to this one.
          if (!(error instanceof HttpError)) call.log.error({ err: error, bot: id }, 'a bot of several could not be changed');
          results.push({ bot_id: id, nickname, outcome: 'failed', reason: error instanceof HttpError ? error.message : texts.general });
        }
      }
      return { results };
    },
  };
}

/** Changes one bot; gives why nothing had to be done, or null. Fails as the call for one bot does. */
async function changeOne(dependencies: ServerDependencies, call: BulkCall, id: string, tags: readonly string[]): Promise<string | null> {
  let unchanged: string | null = null;
  await changeBot(dependencies.db, call, id, async (trx, bot) => {
    const { action, modes, versions } = call.body;
    requireMode(bot, modes?.[id]);
    requireVersion(bot, versions?.[id]);
    unchanged =
      action === 'tag' || action === 'untag' ? await changeTagsBy(trx, call, bot, tags) : await changeTo(dependencies, trx, call, bot);
  });
  return unchanged;
}

async function changeTo(dependencies: ServerDependencies, trx: Database, call: BulkCall, bot: BotView): Promise<string | null> {
  const status = ({ activate: 'active', pause: 'paused', stop: 'stopped' } as const)[call.body.action as 'activate' | 'pause' | 'stop'];
  // Pausing a stopped bot would start it.
  if (bot.status === status || (status === 'paused' && bot.status === 'stopped')) return `It is ${bot.status} already`;
  await changeStatus(dependencies, trx, call, bot, { status, was: call.body.statuses?.[bot.id] });
  return null;
}

async function changeTagsBy(trx: Database, call: BulkCall, bot: BotView, tags: readonly string[]): Promise<string | null> {
  const named = new Set(tags.map((tag) => tag.toLowerCase()));
  const isAdded = call.body.action === 'tag';
  const after = isAdded ? tidyTags([...bot.tags, ...tags]) : bot.tags.filter((tag) => !named.has(tag.toLowerCase()));
  if (after.length === bot.tags.length) return isAdded ? 'It has them already' : 'It has none of them';
  if (after.length > mostTags) throw new HttpError(409, fullOfTags);
  await changeTags(trx, call, bot, after);
  return null;
}
