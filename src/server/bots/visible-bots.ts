import { texts } from '#contract/errors.ts';
import type { BotView } from '#storage/bots/bots.ts';
import { findBot, lockBot } from '#storage/bots/bots.ts';
import type { Database } from '#storage/database.ts';
import { openSymbols } from '#storage/trades/trades.ts';
import type { Caller } from '../calls/caller.ts';
import { mayChangeBotOf, seesAllBots } from '../calls/caller.ts';
import { HttpError } from '../http/http-error.ts';

/** The bot, if there is one and the caller may see it. */
export async function visibleBot(db: Database, caller: Caller, botId: string): Promise<BotView> {
  const bot = await findBot(db, botId);
  if (bot === null) throw new HttpError(404, texts.botNotFound);
  if (!seesAllBots(caller) && bot.userId !== caller.id) throw new HttpError(403, texts.noAccessToBot);
  return bot;
}

/** The bot, if there is one and the caller may change it: its owner, or an admin. */
export async function ownBot(db: Database, caller: Caller, botId: string): Promise<BotView> {
  const bot = await findBot(db, botId);
  if (bot === null) throw new HttpError(404, texts.botNotFound);
  if (!mayChangeBotOf(caller, bot.userId)) throw new HttpError(403, texts.noAccessToBot);
  return bot;
}

/** The bot, if the caller may change it and it is not archived. Fails: 403, 404, 409 */
export async function changeableBot(db: Database, caller: Caller, botId: string): Promise<BotView> {
  const bot = await ownBot(db, caller, botId);
  if (bot.archivedAt !== null) throw new HttpError(409, texts.botArchived);
  return bot;
}

/** `changeableBot`, locked until the transaction ends: it is not archived before what is set of it is written. */
export async function lockChangeableBot(trx: Database, caller: Caller, botId: string): Promise<BotView> {
  await lockBot(trx, botId);
  return changeableBot(trx, caller, botId);
}

/** Fails unless the bot trades the symbol, or still has an open trade in it. */
export async function refuseForeignSymbol(db: Database, bot: BotView, symbol: string): Promise<void> {
  if (bot.symbols.includes(symbol) || (await openSymbols(db, bot.id)).includes(symbol)) return;
  throw new HttpError(404, 'Trading pair not found');
}
